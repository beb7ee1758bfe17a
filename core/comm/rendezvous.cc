#include "core/comm/rendezvous.h"

#include <fstream>
#include <sstream>
#include <thread>

#include "core/base/check.h"

namespace oneagent::comm {
namespace {

Status nobody_put(const std::string& key) {
  return absl::DeadlineExceededError(str("rendezvous: nobody put ", key, " in time"));
}

}  // namespace

std::string rendezvous_key(std::string_view run_id, int64_t incarnation, std::string_view group,
                           int rank) {
  for (const std::string_view name : {run_id, group})
    OA_REQUIRE(is_plain_name(name), "rendezvous: expected a plain name, was \"", name, "\"");
  return str(run_id, "/", incarnation, "/", group, "/", rank);
}

Status MemoryRendezvous::put(const std::string& key, const std::string& value) {
  {
    std::lock_guard lock(mutex_);
    values_[key] = value;
  }
  condition_.notify_all();
  return ok();
}

Result<std::string> MemoryRendezvous::wait(const std::string& key, Deadline deadline) {
  std::unique_lock lock(mutex_);
  if (!condition_.wait_until(lock, deadline, [&] { return values_.contains(key); }))
    return nobody_put(key);
  return values_.at(key);
}

Status FileRendezvous::put(const std::string& key, const std::string& value) {
  const std::filesystem::path path = folder_ / key, unfinished = path.string() + ".new";
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  std::ofstream file(unfinished, std::ios::binary);
  file << value;
  file.close();
  if (file) std::filesystem::rename(unfinished, path, error);  // readers see all of it or nothing
  if (!file || error)
    return absl::UnavailableError(str("rendezvous: cannot write ", path.string(), ": ",
                                      error ? error.message() : "the disk refuses"));
  return ok();
}

Result<std::string> FileRendezvous::wait(const std::string& key, Deadline deadline) {
  while (true) {
    if (std::ifstream file(folder_ / key, std::ios::binary); file) {
      std::ostringstream value;
      value << file.rdbuf();
      return value.str();
    }
    if (deadline.expired()) return nobody_put(key);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace oneagent::comm
