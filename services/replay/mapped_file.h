// A file of a fixed, reserved size, mapped for reading and writing. What is stored in the mapping
// survives SIGKILL of this process (it is in the page cache); sync() makes it survive the machine.
// Space is reserved before it is mapped, so that a full disk is an error here and never a SIGBUS
// later. Without a path it is plain anonymous memory (durability = memory).
#pragma once

#include <memory>

#include "core/base/file.h"
#include "core/base/result.h"

namespace oneagent {

class MappedFile final {
 public:
  // ResourceExhausted with the system's reason when the space is not there. An existing file is
  // grown, never shrunk.
  static Result<std::unique_ptr<MappedFile>> create(const fs::path& path, size_t bytes);
  static std::unique_ptr<MappedFile> create_in_memory(size_t bytes);
  static Result<std::unique_ptr<MappedFile>> open(const fs::path& path);  // NotFound
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  size_t bytes() const { return bytes_; }
  const fs::path& path() const { return path_; }

  Status grow(size_t bytes);  // moves the mapping; ResourceExhausted leaves it as it was
  Status rename(const fs::path& to);
  void sync(size_t begin, size_t end);
  void remove();  // unlinks the file; the mapping stays until destruction

 private:
  MappedFile(fs::path path, int fd, uint8_t* data, size_t bytes)
      : path_(std::move(path)), fd_(fd), data_(data), bytes_(bytes) {}

  fs::path path_;
  int fd_;
  uint8_t* data_;
  size_t bytes_;
};

}  // namespace oneagent
