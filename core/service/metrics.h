// Numbers of a service. Series go to a file, never to the store; the store sees only the latest
// values, with the heartbeat.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/result.h"

namespace oneagent {

// The newest value of each named number. Any thread may set; heartbeats and progress displays read.
class LatestValues final {
 public:
  void set(std::string_view name, double value);
  std::map<std::string, double> snapshot() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, double, std::less<>> values_;
};

// runs/<run>/metrics/<service>.jsonl: one JSON object a line, "t" (wall milliseconds) added when
// absent. One strand. At most `max_rows_per_second` rows are written, spread over time; the others
// are counted in dropped(). A write that fails (disk full) returns ResourceExhausted and is not
// repeated: metrics never stop a service.
class MetricsFile final {
 public:
  MetricsFile(const fs::path& run_folder, std::string_view service,
              double max_rows_per_second = 20);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  Status write(Json row);         // rate-bounded
  Status write_always(Json row);  // rare rows that must not be lost: an evaluation, the last row
  int64_t dropped() const { return dropped_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  int fd_ = -1;
  int64_t spacing_ns_;
  int64_t next_ns_ = 0;
  int64_t dropped_ = 0;
  bool torn_ = false;  // the file ends inside a line
};

}  // namespace oneagent
