#include "core/base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

namespace oneagent {
namespace {

class File : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::path(::testing::TempDir()) / ("oneagent_file_test_" + std::to_string(::getpid()));
};

TEST_F(File, ALinkStaysALink) {
  write_atomic(folder_ / "file", "old");
  fs::create_symlink(folder_ / "file", folder_ / "link");
  write_atomic(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text(folder_ / "file"), "new");
}

TEST_F(File, APipeOrDeviceIsWrittenTo) {
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  write_atomic(pipe, "text");
  std::array<char, 8> got{};
  EXPECT_EQ(::read(reader, got.data(), got.size()), 4);
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace oneagent
