#include "services/replay/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace oneagent {
namespace {

Status exhausted(const fs::path& path, size_t bytes, int reason) {
  return absl::ResourceExhaustedError(str("replay: cannot reserve ", bytes, " bytes for ",
                                          path.string(), ": ", std::strerror(reason)));
}

// posix_fallocate falls back to writing zeros where the file system cannot reserve.
int reserve(int fd, size_t bytes) {
  int reason;
  do reason = ::posix_fallocate(fd, 0, static_cast<off_t>(bytes));
  while (reason == EINTR);
  return reason;
}

uint8_t* map(int fd, size_t bytes) {
  void* address = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);
  OA_REQUIRE(address != MAP_FAILED, "replay: cannot map ", bytes, " bytes: ", std::strerror(errno));
  return static_cast<uint8_t*>(address);
}

}  // namespace

Result<std::unique_ptr<MappedFile>> MappedFile::create(const fs::path& path, size_t bytes) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return exhausted(path, bytes, errno);
  if (const int reason = reserve(fd, bytes); reason != 0) {
    ::close(fd);
    ::unlink(path.c_str());
    return exhausted(path, bytes, reason);
  }
  return std::unique_ptr<MappedFile>(new MappedFile(path, fd, map(fd, bytes), bytes));
}

std::unique_ptr<MappedFile> MappedFile::create_in_memory(size_t bytes) {
  return std::unique_ptr<MappedFile>(new MappedFile({}, -1, map(-1, bytes), bytes));
}

Result<std::unique_ptr<MappedFile>> MappedFile::open(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return absl::NotFoundError(
        str("replay: cannot open ", path.string(), ": ", std::strerror(errno)));
  struct stat status {};
  if (::fstat(fd, &status) != 0 || status.st_size == 0) {
    ::close(fd);
    return absl::NotFoundError(str("replay: ", path.string(), " is empty"));
  }
  const auto bytes = static_cast<size_t>(status.st_size);
  return std::unique_ptr<MappedFile>(new MappedFile(path, fd, map(fd, bytes), bytes));
}

MappedFile::~MappedFile() {
  ::munmap(data_, bytes_);
  if (fd_ >= 0) ::close(fd_);
}

Status MappedFile::grow(size_t bytes) {
  if (bytes <= bytes_) return ok();
  if (fd_ >= 0)
    if (const int reason = reserve(fd_, bytes); reason != 0) return exhausted(path_, bytes, reason);
  void* moved = ::mremap(data_, bytes_, bytes, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return exhausted(path_, bytes, errno);
  data_ = static_cast<uint8_t*>(moved);
  bytes_ = bytes;
  return ok();
}

Status MappedFile::rename(const fs::path& to) {
  if (fd_ < 0) return ok();
  if (::rename(path_.c_str(), to.c_str()) != 0)
    return absl::ResourceExhaustedError(str("replay: cannot rename ", path_.string(), " to ",
                                            to.string(), ": ", std::strerror(errno)));
  path_ = to;
  return ok();
}

void MappedFile::sync(size_t begin, size_t end) {
  if (fd_ < 0 || begin >= end) return;
  const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  const size_t from = begin / page * page;
  OA_REQUIRE(::msync(data_ + from, end - from, MS_SYNC) == 0, "replay: cannot sync ",
             path_.string(), ": ", std::strerror(errno));
}

void MappedFile::remove() {
  if (fd_ >= 0) ::unlink(path_.c_str());
}

}  // namespace oneagent
