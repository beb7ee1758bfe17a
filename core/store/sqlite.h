// A SQLite connection and its prepared statements. Private to core/store; one strand.
#pragma once

#include <sqlite3.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/result.h"

namespace oneagent {

// One use of a prepared statement: bind in order, then step. Reset when it goes out of scope.
class SqliteQuery final {
 public:
  explicit SqliteQuery(sqlite3* database, sqlite3_stmt* statement)
      : database_(database), statement_(statement) {}
  ~SqliteQuery() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  SqliteQuery(const SqliteQuery&) = delete;
  SqliteQuery& operator=(const SqliteQuery&) = delete;

  SqliteQuery& bind(std::string_view bytes);  // borrowed until the query ends
  SqliteQuery& bind(int64_t number);
  Result<bool> step();  // true: there is a row
  Status run();         // steps to the end
  int64_t number(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string bytes(int column) const;

 private:
  sqlite3* database_;
  sqlite3_stmt* statement_;
  int bound_ = 0;
};

class SqliteDatabase final {
 public:
  // WAL, busy timeout; `sync`: every commit is on the disk when it returns. Unavailable, or
  // NotFound when the file is missing and `create` is false.
  static Result<std::unique_ptr<SqliteDatabase>> open(const fs::path& path, bool create, bool sync,
                                                      int busy_timeout_ms);
  ~SqliteDatabase();
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  Status execute(const char* statements);
  SqliteQuery query(const char* text);  // prepared once; `text` is a literal
  // Unavailable when the file was removed or replaced since it was opened: writes to it would be
  // lost.
  Status check_file() const;

  // Runs `body` between BEGIN IMMEDIATE and COMMIT; rolls back when its answer is not ok.
  template <class Answer, class Body>
  Answer write(const Body& body) {
    if (Status begun = begin(); !begun.ok()) return begun;
    Answer answer = body();
    if (!answer.ok()) {
      (void)execute("ROLLBACK");
      return answer;
    }
    if (Status committed = commit(); !committed.ok()) return committed;
    return answer;
  }

 private:
  SqliteDatabase(sqlite3* database, fs::path path);
  Status begin();
  Status commit();

  sqlite3* database_;
  fs::path path_;
  uint64_t inode_ = 0;
  std::map<const char*, sqlite3_stmt*> statements_;
};

Status sqlite_status(sqlite3* database, int code);

}  // namespace oneagent
