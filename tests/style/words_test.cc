// Nothing unfinished, no place of one machine and no foreign host is written down.
#include "tests/style/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "tests/style/source_tree.h"

namespace oneagent::style {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Texts of others, kept as they are.
bool is_third_party(const SourceFile& file) {
  return file.path.starts_with("tests/data/") || file.name() == "package-lock.json";
}

std::vector<std::string> complaints_of(
    const std::function<std::vector<std::string>(std::string_view)>& rule) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (is_third_party(file)) continue;
    for (const std::string& found : rule(file.text)) complaints.push_back(file.path + " " + found);
  }
  return complaints;
}

TEST(Words, UnfinishedWorkIsFound) {
  EXPECT_THAT(unfinished("int x;\n// TO"
                         "DO: more\n"),
              ElementsAre("line 2: TO"
                          "DO"));
  EXPECT_THAT(unfinished("throw Error(\"not imple"
                         "mented\");"),
              testing::SizeIs(1));
  EXPECT_THAT(unfinished("methodology"), IsEmpty());
}

TEST(Words, NothingIsUnfinished) {
  const auto complaints = complaints_of(unfinished);
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Words, AForeignHostIsFound) {
  EXPECT_THAT(foreign_hosts("curl https:/"
                            "/registry.example.com/x"),
              ElementsAre("line 1: registry.example.com"));
  EXPECT_THAT(foreign_hosts("open http://localhost:8080"), IsEmpty());
}

TEST(Words, NoForeignHostIsNamed) {
  const auto complaints = complaints_of(foreign_hosts);
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Words, AMachinePathIsFound) {
  EXPECT_THAT(machine_paths("cd /wo"
                            "rk/main"),
              testing::SizeIs(1));
  EXPECT_THAT(machine_paths("docs/work/main"), IsEmpty());
}

TEST(Words, NoMachinePathIsNamed) {
  const auto complaints = complaints_of(machine_paths);
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Words, PackageLocksNameNoDownloadAddress) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (file.name() == "package-lock.json" && file.text.find("\"resolved\"") != std::string::npos)
      complaints.push_back(file.path);
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

}  // namespace
}  // namespace oneagent::style
