// Folder = file = registered name = test, and no name that says nothing.
#include "tests/style/names.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace oneagent::style {
namespace {

namespace fs = std::filesystem;

TEST(Names, AnEmptyTypeNameIsFound) {
  EXPECT_EQ(empty_type_names("class BufferManager final {"),
            std::vector<std::string>{"BufferManager"});
  EXPECT_EQ(empty_type_names("struct ReplayUtils {"), std::vector<std::string>{"ReplayUtils"});
  EXPECT_TRUE(empty_type_names("class ReplayTable final {\nclass BufferManager;").empty());
  EXPECT_EQ(empty_type_names("struct NetImpl : Module {"), std::vector<std::string>{"NetImpl"});
  EXPECT_TRUE(empty_type_names("struct NetImpl : Module {};\nTORCH_MODULE(Net);").empty());
}

TEST(Names, NoTypeHasAnEmptyName) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || file.folder() == "tests/style") continue;
    for (const std::string& name : empty_type_names(file.text))
      complaints.push_back(file.path + ": " + name);
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Names, NoFileHasAnEmptyName) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    for (const std::string word :
         {"manager", "helper", "helpers", "util", "utils", "handler", "common", "misc"}) {
      if (file.stem() == word || file.stem().ends_with("_" + word)) complaints.push_back(file.path);
    }
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Names, SourceFilesAreSnakeCase) {
  EXPECT_FALSE(is_snake_case("CartPole"));
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (file.is_cpp() && !is_snake_case(file.stem())) complaints.push_back(file.path);
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Names, AMacroIsFoundAtTheEndOfItsFile) {
  EXPECT_EQ(registered_name("}  // namespace\n\nOA_ENV(cartpole, Cartpole)\n", "OA_ENV"),
            "cartpole");
  EXPECT_EQ(registered_name("// OA_ENV(cartpole, Cartpole)\n", "OA_ENV"), "");
}

TEST(Names, EnvironmentsAndAlgorithmsAreRegisteredUnderTheirFileNames) {
  std::vector<std::string> complaints;
  int registered = 0;
  for (const SourceFile& file : source_tree()) {
    for (const auto& [folder, macro] :
         {std::pair("envs", "OA_ENV"), std::pair("algorithms", "OA_ALGORITHM")}) {
      if (!file.path.starts_with(std::string(folder) + "/") || !file.path.ends_with(".cc"))
        continue;
      const std::string name = registered_name(file.text, macro);
      registered += !name.empty();
      if (!name.empty() && name != file.stem())
        complaints.push_back(file.path + " registers " + name);
    }
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
  EXPECT_GT(registered, 0);
}

TEST(Names, EveryAlgorithmHasATestOfItsName) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.path.starts_with("algorithms/") || registered_name(file.text, "OA_ALGORITHM").empty())
      continue;
    const fs::path test =
        fs::path(OA_SOURCE) / "tests/algorithms" / (std::string(file.stem()) + "_test.cc");
    if (!fs::exists(test))
      complaints.push_back("tests/algorithms/" + test.filename().string() + " is missing");
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Names, EveryTestFolderMirrorsAFolderOfTheTree) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.path.starts_with("tests/") || !file.path.ends_with("_test.cc")) continue;
    const std::string folder(file.folder().substr(std::string_view("tests/").size()));
    if (folder == "style" || folder == "system" || folder == "gpu") continue;
    if (!fs::is_directory(fs::path(OA_SOURCE) / folder))
      complaints.push_back(file.path + ": there is no folder " + folder);
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

}  // namespace
}  // namespace oneagent::style
