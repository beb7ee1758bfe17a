// The exact judge against every official optimal length that comes with the project.
#include "envs/judges/octile_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "envs/grid/scenario.h"
#include "envs/judges/path_validator.h"

namespace oneagent {
namespace {

namespace fs = std::filesystem;
const fs::path kData = OA_TEST_DATA "/movingai";

struct Tally {
  int queries = 0, wrong = 0;
};

// Tolerance of 6 significant digits.
Tally compare(const GridMap& map, const fs::path& scenario, CornerRule corners) {
  OctileSearch search(map, corners);
  Tally tally;
  for (const GridQuery& query : read_scenario(scenario, map)) {
    ++tally.queries;
    const double cost = search.cost(query.start, query.goal);
    if (!(std::abs(cost - query.optimal) <= std::max(2e-3, 5e-6 * query.optimal))) ++tally.wrong;
  }
  return tally;
}

fs::path map_of(const fs::path& scenario) {
  std::string name = scenario.filename().string();
  name =
      name.substr(0, name.find(name.find("-random-") != std::string::npos ? "-random-" : ".map"));
  return scenario.parent_path() / (name + ".map");
}

// OA_MOVINGAI may name a folder with more official instances.
std::vector<fs::path> all_scenarios() {
  std::vector<fs::path> found;
  std::vector<fs::path> folders{kData};
  if (const char* more = std::getenv("OA_MOVINGAI")) folders.emplace_back(more);
  for (const fs::path& folder : folders)
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".scen" && fs::exists(map_of(entry.path())))
        found.push_back(entry.path());
  return found;
}

TEST(OctileSearch, EqualsEveryOfficialLength) {
  int queries = 0;
  for (const fs::path& scenario : all_scenarios()) {
    const Tally tally = compare(read_map(map_of(scenario)), scenario, CornerRule::kStrict);
    EXPECT_EQ(tally.wrong, 0) << scenario << ": of " << tally.queries;
    queries += tally.queries;
  }
  EXPECT_GE(queries, 8000);
  RecordProperty("queries", queries);
}

TEST(OctileSearch, CuttingCornersWouldDisagree) {
  const Tally rooms =
      compare(read_map(kData / "den312d.map"), kData / "den312d.map.scen", CornerRule::kCutting);
  EXPECT_EQ(rooms.wrong, 288) << "of " << rooms.queries;
  EXPECT_EQ(
      compare(read_map(kData / "arena.map"), kData / "arena.map.scen", CornerRule::kCutting).wrong,
      12);
}

TEST(OctileSearch, ItsPathIsLegalAndHasItsCost) {
  const GridMap map = read_map(kData / "den312d.map");
  OctileSearch search(map);
  for (const GridQuery& query : read_scenario(kData / "den312d.map.scen", map)) {
    const std::vector<Cell> path = search.path(query.start, query.goal);
    ASSERT_EQ(path_fault(map, path), "");
    ASSERT_EQ(path.front(), query.start);
    ASSERT_EQ(path.back(), query.goal);
    ASSERT_NEAR(path_cost(path), search.cost(query.start, query.goal), 1e-9);
  }
}

TEST(OctileSearch, UnreachableGoalsHaveInfiniteCostAndNoPath) {
  const GridMap map("m", {".@."}, "test");
  OctileSearch search(map);
  EXPECT_TRUE(std::isinf(search.cost({0, 0}, {2, 0})));
  EXPECT_TRUE(search.path({0, 0}, {2, 0}).empty());
  EXPECT_EQ(search.cost({0, 0}, {0, 0}), 0);
}

TEST(PathValidator, NamesTheFirstFault) {
  const GridMap map("m", {"...", ".@.", "..."}, "test");
  EXPECT_EQ(path_fault(map, std::vector<Cell>{{0, 0}, {1, 0}, {2, 0}}), "");
  EXPECT_NE(path_fault(map, std::vector<Cell>{{0, 0}, {2, 0}}).find("step 1"), std::string::npos);
  EXPECT_NE(path_fault(map, std::vector<Cell>{{0, 0}, {0, 1}, {1, 1}})
                .find("step 2: (0, 1) -> (1, 1) enters a blocked cell"),
            std::string::npos);
  EXPECT_NE(path_fault(map, std::vector<Cell>{{1, 0}, {2, 1}}).find("cuts a corner"),
            std::string::npos);
  EXPECT_NE(path_fault(map, {}), "");
  EXPECT_NE(path_fault(map, std::vector<Cell>{{1, 1}}), "");
}

}  // namespace
}  // namespace oneagent
