// Where the processes of a group find each other's addresses. A key is written once; it carries the
// run and its incarnation, so that a restarted run never meets the addresses of the one before.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/strand/condition.h"

namespace oneagent::comm {

// "run-7/3/world/2": plain names (core/base/text.h), throws Error otherwise.
std::string rendezvous_key(std::string_view run_id, int64_t incarnation, std::string_view group,
                           int rank);

// Thread safe.
class Rendezvous {
 public:
  virtual ~Rendezvous() = default;
  virtual Status put(const std::string& key, const std::string& value) = 0;
  // DeadlineExceeded when nobody put it in time.
  virtual Result<std::string> wait(const std::string& key, Deadline deadline) = 0;
};

// Between threads of one process.
class MemoryRendezvous final : public Rendezvous {
 public:
  Status put(const std::string& key, const std::string& value) override;
  Result<std::string> wait(const std::string& key, Deadline deadline) override;

 private:
  std::mutex mutex_;
  Condition condition_;
  std::map<std::string, std::string> values_;
};

// Between processes that see one folder: a file for each key.
class FileRendezvous final : public Rendezvous {
 public:
  explicit FileRendezvous(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Status put(const std::string& key, const std::string& value) override;
  Result<std::string> wait(const std::string& key, Deadline deadline) override;

 private:
  const std::filesystem::path folder_;
};

}  // namespace oneagent::comm
