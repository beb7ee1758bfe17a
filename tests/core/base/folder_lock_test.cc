#include "core/base/folder_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>

#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

TEST(FolderLock, IsHeldOnceAndNamesItsHolder) {
  const TemporaryFolder folder;
  std::optional<FolderLock> first(std::in_place, folder.path() / "a", "replay");
  try {
    const FolderLock second(folder.path() / "a", "replay");
    FAIL() << "the folder was locked twice";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(str("in use by process ", ::getpid())));
  }
  const FolderLock other(folder.path() / "b", "replay");
  first.reset();
  const FolderLock again(folder.path() / "a", "replay");
}

}  // namespace
}  // namespace oneagent
