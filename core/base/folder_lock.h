// One process at a time in a folder. The lock is the kernel's, on the file "lock" in it: it ends
// with the process, however that ends.
#pragma once

#include "core/base/file.h"

namespace oneagent {

class FolderLock final {
 public:
  // Makes the folder. Throws Error, naming the holder, when another process, or another object of
  // this one, holds the lock. `what` begins the message: "replay".
  FolderLock(const fs::path& folder, std::string_view what);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

}  // namespace oneagent
