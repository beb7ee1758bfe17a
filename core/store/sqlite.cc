#include "core/store/sqlite.h"

#include <sys/stat.h>

#include "core/base/check.h"
#include "core/base/clock.h"

namespace oneagent {
namespace {

uint64_t inode_of(const fs::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

// Switching to WAL answers "busy" at once, without the busy handler, while another process opens
// the same file.
Status switch_to_wal(SqliteDatabase& database, int timeout_ms) {
  const Deadline deadline = Deadline::after_ms(timeout_ms);
  while (true) {
    const Status status = database.execute("PRAGMA journal_mode=WAL");
    if (status.ok() || deadline.expired()) return status;
    sqlite3_sleep(5);
  }
}

}  // namespace

Status sqlite_status(sqlite3* database, int code) {
  const int kind = code & 0xff;
  if (kind == SQLITE_OK || kind == SQLITE_ROW || kind == SQLITE_DONE) return ok();
  const char* file = database != nullptr ? sqlite3_db_filename(database, "main") : nullptr;
  const std::string text =
      str("store ", file != nullptr ? file : "(sqlite)", ": ",
          database != nullptr ? sqlite3_errmsg(database) : sqlite3_errstr(code));
  if (kind == SQLITE_FULL) return absl::ResourceExhaustedError(text);
  if (kind == SQLITE_NOTADB || kind == SQLITE_CORRUPT)
    return absl::DataLossError(
        str(text, "; remove the file: it holds heartbeats and scores, a run goes on without"));
  return absl::UnavailableError(text);
}

SqliteQuery& SqliteQuery::bind(std::string_view bytes) {
  const char* data = bytes.data() != nullptr ? bytes.data() : "";
  const int code = sqlite3_bind_blob64(statement_, ++bound_, data, bytes.size(), SQLITE_STATIC);
  OA_CHECK(code == SQLITE_OK, "sqlite: bind ", bound_, ": ", sqlite3_errstr(code));
  return *this;
}

SqliteQuery& SqliteQuery::bind(int64_t number) {
  const int code = sqlite3_bind_int64(statement_, ++bound_, number);
  OA_CHECK(code == SQLITE_OK, "sqlite: bind ", bound_, ": ", sqlite3_errstr(code));
  return *this;
}

Result<bool> SqliteQuery::step() {
  if (statement_ == nullptr) return sqlite_status(database_, sqlite3_extended_errcode(database_));
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return sqlite_status(database_, code);
}

Status SqliteQuery::run() {
  while (true) {
    const Result<bool> row = step();
    if (!row.ok()) return row.status();
    if (!*row) return ok();
  }
}

std::string SqliteQuery::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_, column);
  const int size = sqlite3_column_bytes(statement_, column);
  return data != nullptr ? std::string(static_cast<const char*>(data), static_cast<size_t>(size))
                         : std::string();
}

SqliteDatabase::SqliteDatabase(sqlite3* database, fs::path path)
    : database_(database), path_(std::move(path)), inode_(inode_of(path_)) {}

SqliteDatabase::~SqliteDatabase() {
  for (const auto& [text, statement] : statements_) sqlite3_finalize(statement);
  sqlite3_close(database_);
}

Result<std::unique_ptr<SqliteDatabase>> SqliteDatabase::open(const fs::path& path, bool create,
                                                             bool sync, int busy_timeout_ms) {
  std::error_code ignored;
  if (!create && !fs::exists(path, ignored))
    return absl::NotFoundError(str("store: no file ", path.string()));
  sqlite3* raw = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags, nullptr);
  if (code != SQLITE_OK) {
    const Status status =
        absl::UnavailableError(str("store: cannot open ", path.string(), ": ",
                                   raw != nullptr ? sqlite3_errmsg(raw) : sqlite3_errstr(code)));
    sqlite3_close(raw);
    return status;
  }
  std::unique_ptr<SqliteDatabase> database(new SqliteDatabase(raw, path));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, busy_timeout_ms);
  OA_RETURN_IF_ERROR(switch_to_wal(*database, busy_timeout_ms));
  OA_RETURN_IF_ERROR(
      database->execute(sync ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL"));
  return database;
}

Status SqliteDatabase::execute(const char* statements) {
  return sqlite_status(database_, sqlite3_exec(database_, statements, nullptr, nullptr, nullptr));
}

SqliteQuery SqliteDatabase::query(const char* text) {
  sqlite3_stmt*& statement = statements_[text];
  if (statement == nullptr) {
    const int code =
        sqlite3_prepare_v3(database_, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    OA_CHECK(code == SQLITE_OK || statement == nullptr, "sqlite: ", sqlite3_errmsg(database_));
  }
  return SqliteQuery(database_, statement);
}

Status SqliteDatabase::check_file() const {
  if (inode_of(path_) == inode_) return ok();
  return absl::UnavailableError(
      str("store ", path_.string(), ": the file was removed or replaced while in use"));
}

Status SqliteDatabase::begin() {
  OA_RETURN_IF_ERROR(check_file());
  return query("BEGIN IMMEDIATE").run();
}

Status SqliteDatabase::commit() {
  const Status status = query("COMMIT").run();
  if (!status.ok()) (void)execute("ROLLBACK");
  return status;
}

}  // namespace oneagent
