// What the runs folder says: which runs there are, their configuration, last figures and
// recordings. Reads only; every name that comes from outside is checked, so that no request leaves
// the folder.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/json.h"

namespace oneagent {

class RunFolder final {
 public:
  static constexpr size_t kMaxRuns = 1000;        // the newest by name order are kept
  static constexpr size_t kMaxRecordings = 1000;  // per run, the newest versions
  static constexpr int64_t kMaxFileBytes = 16 << 20;

  explicit RunFolder(fs::path root) : root_(std::move(root)) {}

  std::vector<std::string> names() const;
  bool has(const std::string& run) const;
  fs::path path(const std::string& run) const { return root_ / run; }
  fs::path metrics_path(const std::string& run, const std::string& service) const;

  // {"name","config","hash","code_version","schema_version",...}; "config" is null until the run
  // has written it.
  Json details(const std::string& run) const;
  // One row of the run picker: name, env, algorithm, seed, group (equal for runs that differ in
  // their seed only), and the last figures of learner and evaluator.
  Json summary(const std::string& run) const;
  std::vector<std::string> metric_services(const std::string& run) const;

  // Newest version first: {"name","version","index","bytes","time_ms"}.
  Json recordings(const std::string& run) const;
  // The file's text, checked to be JSON; "" when there is none.
  std::string recording(const std::string& run, const std::string& name) const;

 private:
  Json last_row(const std::string& run, const std::string& service) const;

  struct Remembered {
    int64_t size = -1;
    int64_t time = 0;
    Json value;
  };

  fs::path root_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Remembered>
      last_rows_;  // by file; reread when size or time changed
};

}  // namespace oneagent
