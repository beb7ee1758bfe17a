#include "services/gateway/jsonl_tail.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/base/text.h"

namespace oneagent {
namespace {

class JsonlTail : public ::testing::Test {
 protected:
  void SetUp() override {
    path = fs::temp_directory_path() /
           str("oneagent-tail-", ::getpid(), "-",
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove(path);
  }
  void TearDown() override { fs::remove(path); }
  void write(const std::string& text) { std::ofstream(path, std::ios::app) << text; }

  fs::path path;
};

TEST_F(JsonlTail, ReadsAMissingFileAsEmpty) {
  const JsonlPart part = read_jsonl(path, 0);
  EXPECT_TRUE(part.rows.empty());
  EXPECT_EQ(part.next, 0);
}

TEST_F(JsonlTail, ContinuesAtTheCursorItGave) {
  write("{\"a\":1}\n{\"a\":2}\n");
  const JsonlPart first = read_jsonl(path, 0);
  ASSERT_EQ(first.rows.size(), 2u);
  EXPECT_TRUE(read_jsonl(path, first.next).rows.empty());
  write("{\"a\":3}\n");
  const JsonlPart second = read_jsonl(path, first.next);
  ASSERT_EQ(second.rows.size(), 1u);
  EXPECT_EQ(second.rows[0], "{\"a\":3}");
}

TEST_F(JsonlTail, LeavesALineWithoutItsEndForTheNextCall) {
  write("{\"a\":1}\n{\"a\":");
  const JsonlPart first = read_jsonl(path, 0);
  EXPECT_EQ(first.rows.size(), 1u);
  EXPECT_EQ(first.malformed, 0);
  write("2}\n");
  const JsonlPart second = read_jsonl(path, first.next);
  ASSERT_EQ(second.rows.size(), 1u);
  EXPECT_EQ(second.rows[0], "{\"a\":2}");
}

TEST_F(JsonlTail, CountsAndSkipsMalformedLines) {
  write("{\"a\":1}\nnot json\n[1]\n\n{\"a\":2}\n");
  const JsonlPart part = read_jsonl(path, 0);
  EXPECT_EQ(part.rows.size(), 2u);
  EXPECT_EQ(part.malformed, 2);
}

TEST_F(JsonlTail, StartsAtTheNextLineWhenTheCursorIsInsideOne) {
  write("{\"a\":1}\n{\"a\":2}\n");
  const JsonlPart part = read_jsonl(path, 3);
  ASSERT_EQ(part.rows.size(), 1u);
  EXPECT_EQ(part.rows[0], "{\"a\":2}");
}

TEST_F(JsonlTail, BeginsAnewWhenTheFileBecameShorter) {
  write("{\"a\":1}\n");
  const JsonlPart part = read_jsonl(path, 1000);
  EXPECT_EQ(part.after, 0);
  EXPECT_EQ(part.rows.size(), 1u);
}

TEST_F(JsonlTail, ReadsEveryRowOnceInBoundedParts) {
  std::string all;
  for (int i = 0; i < 1000; ++i) all += str("{\"i\":", i, "}\n");
  write(all);
  int64_t cursor = 0;
  int seen = 0, calls = 0;
  for (bool more = true; more; ++calls) {
    const JsonlPart part = read_jsonl(path, cursor, 256);
    for (const std::string& row : part.rows) EXPECT_EQ(row, str("{\"i\":", seen++, "}"));
    more = part.more;
    cursor = part.next;
  }
  EXPECT_EQ(seen, 1000);
  EXPECT_GT(calls, 10);
}

TEST_F(JsonlTail, StepsOverALineLongerThanItsBound) {
  write("{\"a\":\"" + std::string(2000, 'x') + "\"}\n{\"a\":2}\n");
  int64_t cursor = 0, malformed = 0;
  std::vector<std::string> rows;
  for (int call = 0; call < 50; ++call) {
    const JsonlPart part = read_jsonl(path, cursor, 256);
    rows.insert(rows.end(), part.rows.begin(), part.rows.end());
    malformed += part.malformed;
    cursor = part.next;
  }
  EXPECT_EQ(rows, std::vector<std::string>{"{\"a\":2}"});
  EXPECT_GE(malformed, 1);
}

TEST_F(JsonlTail, LastRowIsTheLastWellFormedOne) {
  EXPECT_TRUE(last_jsonl_row(path).is_null());
  write("{\"a\":1}\n{\"a\":2}\nbroken\n{\"a\":3");
  EXPECT_EQ(last_jsonl_row(path)["a"], 2);
}

}  // namespace
}  // namespace oneagent
