// The commands that changed a replay, in order, in a mapped file: what was appended before SIGKILL
// is there afterwards. A torn last record is recognised by its checksum and dropped; its command
// was never answered.
//
//   journal-<number>.oaj = [64 bytes: magic, version, number] then records [u32 bytes, u32 kind,
//   u64 checksum over kind and payload][payload, 8-byte padded]
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "core/base/result.h"
#include "services/replay/mapped_file.h"

namespace oneagent {

class Journal final {
 public:
  using Visit = std::function<void(uint32_t kind, std::span<const uint8_t> payload)>;

  // Starts an empty journal; replaces a file of that name.
  static Result<std::unique_ptr<Journal>> create(const fs::path& folder, uint64_t number);
  // Opens one of an earlier process and visits its whole records. NotFound when it is not there;
  // Error when it is foreign.
  static Result<std::unique_ptr<Journal>> open(const fs::path& folder, uint64_t number,
                                               const Visit& visit);
  static fs::path path_of(const fs::path& folder, uint64_t number);

  // Room for records of this size in all is reserved from the disk, beyond a reserve of 1 MiB that
  // other records may use up. ResourceExhausted when it is not.
  Status make_room(size_t bytes);
  // ResourceExhausted when even the reserve is used up: nothing was written.
  Status append(uint32_t kind, std::span<const uint8_t> payload);
  void sync() { file_->sync(0, used_); }

  size_t bytes() const { return used_; }
  size_t dropped_bytes() const { return dropped_bytes_; }  // of a torn last record
  uint64_t number() const { return number_; }
  void remove() { file_->remove(); }

 private:
  Journal(std::unique_ptr<MappedFile> file, uint64_t number)
      : file_(std::move(file)), number_(number) {}
  void replay(const Visit& visit);

  std::unique_ptr<MappedFile> file_;
  uint64_t number_;
  size_t used_ = 64;
  size_t dropped_bytes_ = 0;
};

}  // namespace oneagent
