#include "core/service/metrics.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/clock.h"

namespace oneagent {
namespace {

Status write_failed(const fs::path& path, int reason) {
  const std::string text =
      str("metrics: cannot write ", path.string(), ": ", std::strerror(reason));
  return reason == ENOSPC || reason == EDQUOT ? absl::ResourceExhaustedError(text)
                                              : absl::UnavailableError(text);
}

// A writer that was killed may have left half a line.
bool ends_inside_line(int fd) {
  struct stat status {};
  char last = '\n';
  return ::fstat(fd, &status) == 0 && status.st_size > 0 &&
         ::pread(fd, &last, 1, status.st_size - 1) == 1 && last != '\n';
}

}  // namespace

void LatestValues::set(std::string_view name, double value) {
  std::lock_guard lock(mutex_);
  const auto found = values_.find(name);
  if (found != values_.end()) {
    found->second = value;
  } else {
    values_.emplace(name, value);
  }
}

std::map<std::string, double> LatestValues::snapshot() const {
  std::lock_guard lock(mutex_);
  return {values_.begin(), values_.end()};
}

MetricsFile::MetricsFile(const fs::path& run_folder, std::string_view service,
                         double max_rows_per_second)
    : path_(run_folder / "metrics" / str(service, ".jsonl")),
      spacing_ns_(static_cast<int64_t>(1e9 / max_rows_per_second)) {
  OA_REQUIRE(max_rows_per_second > 0, "metrics: rows per second must be above 0, was ",
             max_rows_per_second);
  make_folder(path_.parent_path());
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  OA_REQUIRE(fd_ >= 0, "metrics: cannot open ", path_.string(), ": ", std::strerror(errno));
  torn_ = ends_inside_line(fd_);
}

MetricsFile::~MetricsFile() { ::close(fd_); }

Status MetricsFile::write(Json row) {
  const int64_t now = steady_ns();
  if (now < next_ns_) {
    ++dropped_;
    return ok();
  }
  next_ns_ = now + spacing_ns_;
  return write_always(std::move(row));
}

Status MetricsFile::write_always(Json row) {
  if (!row.contains("t")) row["t"] = wall_ms();
  std::string line = torn_ ? "\n" : "";
  line += row.dump(-1, ' ', false, Json::error_handler_t::replace);
  line += '\n';
  ssize_t written = -1;
  do {
    written = ::write(fd_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    torn_ = false;
    return ok();
  }
  if (written > 0) torn_ = true;  // the disk filled up inside the line
  return write_failed(path_, written < 0 ? errno : ENOSPC);
}

}  // namespace oneagent
