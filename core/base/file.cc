#include "core/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace oneagent {
namespace {

[[noreturn]] void fail(std::string_view action, const fs::path& path) {
  throw_error(str("file: cannot ", action, " ", path.string(), ": ", std::strerror(errno)));
}

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

void write_all(int fd, const uint8_t* data, size_t size, const fs::path& path) {
  while (size > 0) {
    const ssize_t written = ::write(fd, data, size);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write", path);
    data += written;
    size -= static_cast<size_t>(written);
  }
}

}  // namespace

Bytes read_bytes(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail("open", path);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail("stat", path);
  if (!S_ISREG(status.st_mode)) {
    errno = S_ISDIR(status.st_mode) ? EISDIR : EINVAL;
    fail("read", path);
  }
  Bytes bytes(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail("read", path);
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

std::string read_text(const fs::path& path) {
  const Bytes bytes = read_bytes(path);
  return {bytes.begin(), bytes.end()};
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  OA_REQUIRE(!error, "file: cannot create folder ", path.string(), ": ", error.message());
}

void sync_folder(const fs::path& path) {
  const Descriptor folder(
      ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0) fail("open folder", path);
  if (::fsync(folder.get()) != 0) fail("fsync folder", path);
}

void write_atomic(const fs::path& given, std::span<const uint8_t> bytes) {
  static std::atomic<uint64_t> counter{0};  // two threads may write one name at a time
  std::error_code none;
  fs::path path = given;
  if (fs::is_symlink(given, none) && fs::exists(given, none)) path = fs::canonical(given);
  const fs::file_status status = fs::status(path, none);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    // A device or a pipe: a rename would put a file in its place.
    const Descriptor device(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (device.get() < 0) fail("open", path);
    return write_all(device.get(), bytes.data(), bytes.size(), path);
  }
  fs::path temporary = path;
  temporary += str(".tmp-", ::getpid(), "-", counter.fetch_add(1));
  try {
    const Descriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (file.get() < 0) fail("create", temporary);
    write_all(file.get(), bytes.data(), bytes.size(), temporary);
    if (::fsync(file.get()) != 0) fail("fsync", temporary);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::unlink(temporary.c_str());
    errno = reason;
    fail("rename to", path);
  }
  sync_folder(path.parent_path());
}

void write_atomic(const fs::path& path, std::string_view text) {
  write_atomic(path, std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

void append_line(const fs::path& path, std::string_view line) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  if (file.get() < 0) fail("open", path);
  std::string text(line);
  text += '\n';
  write_all(file.get(), reinterpret_cast<const uint8_t*>(text.data()), text.size(), path);
}

}  // namespace oneagent
