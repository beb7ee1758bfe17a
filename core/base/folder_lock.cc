#include "core/base/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace oneagent {

FolderLock::FolderLock(const fs::path& folder, std::string_view what) {
  make_folder(folder);
  const fs::path file = folder / "lock";
  descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  OA_REQUIRE(descriptor_ >= 0, what, ": cannot open ", file.string(), ": ", std::strerror(errno));
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) {
    const std::string holder = str(::getpid());
    if (::ftruncate(descriptor_, 0) != 0 ||
        ::write(descriptor_, holder.data(), holder.size()) < 0) {
      // Only the message of who comes next is poorer: a full disk does not keep us from the lock.
    }
    return;
  }
  const int reason = errno;
  char holder[32] = {};
  const bool known = ::read(descriptor_, holder, sizeof holder - 1) > 0;
  ::close(descriptor_);
  if (reason != EWOULDBLOCK)
    throw_error(str(what, ": cannot lock ", file.string(), ": ", std::strerror(reason)));
  throw_error(str(what, ": ", folder.string(), " is in use by ",
                  known ? str("process ", holder) : "another process", "; stop it first"));
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace oneagent
