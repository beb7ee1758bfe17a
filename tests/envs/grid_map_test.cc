// Reading MovingAI maps and scenarios: good ones, and one clear error for each bad one.
#include "envs/grid/grid_map.h"

#include <gtest/gtest.h>

#include "core/base/check.h"
#include "envs/env_batch.h"
#include "envs/grid/scenario.h"

namespace oneagent {
namespace {

const std::string kData = OA_TEST_DATA "/movingai/";

// The error of a call, "" when there is none.
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string map_error(std::string_view text) {
  return error_of([&] { parse_map(text, "m", "m.map"); });
}

GridMap open_map() {
  return parse_map("type octile\nheight 2\nwidth 3\nmap\n..@\n...\n", "m", "m.map");
}

std::string scenario_error(std::string_view text) {
  const GridMap map = open_map();
  return error_of([&] { parse_scenario(text, map, "m.scen"); });
}

void expect_parts(const std::string& error, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    EXPECT_NE(error.find(part), std::string::npos) << "no \"" << part << "\" in: " << error;
}

TEST(GridMap, ReadsTheOfficialMaps) {
  const GridMap map = read_map(kData + "random-64-64-20.map");
  EXPECT_EQ(map.width(), 64);
  EXPECT_EQ(map.height(), 64);
  EXPECT_EQ(map.name(), "random-64-64-20");
  const GridMap rooms = read_map(kData + "den312d.map");
  EXPECT_EQ(rooms.width(), 65);
  EXPECT_EQ(rooms.height(), 81);
  EXPECT_FALSE(rooms.free({0, 0}));
  EXPECT_TRUE(rooms.free({10, 11}));
  EXPECT_FALSE(rooms.free({-1, 5}));
}

TEST(GridMap, KnowsCornersAndComponents) {
  const GridMap map =
      parse_map("type octile\nheight 3\nwidth 4\nmap\n..@G\n.S@T\n@@@.\n", "m", "m.map");
  EXPECT_TRUE(map.legal({0, 0}, 1)) << "both corners free";
  EXPECT_FALSE(map.legal({1, 0}, 0)) << "blocked cell";
  EXPECT_FALSE(map.legal({0, 0}, 4)) << "outside";
  EXPECT_EQ(map.components().size(), 3u);
  EXPECT_EQ(map.component({0, 0}), map.component({1, 1}));
  EXPECT_NE(map.component({3, 0}), map.component({3, 2}));
  const GridMap corner = parse_map("type octile\nheight 2\nwidth 2\nmap\n.@\n..\n", "m", "m.map");
  EXPECT_FALSE(corner.legal({0, 1}, 7));
}

TEST(GridMap, AcceptsWindowsLineEndsAndBlankLinesAtTheEnd) {
  EXPECT_EQ(map_error("type octile\r\nheight 1\r\nwidth 2\r\nmap\r\n..\r\n\r\n"), "");
}

TEST(GridMap, EachFaultIsOneErrorWithFileLineReasonAndCure) {
  expect_parts(error_of([] { read_map(kData + "no_such.map"); }), {"no_such.map"});
  expect_parts(map_error(""), {"m.map:1", "type octile"});
  expect_parts(map_error("type tile\nheight 1\nwidth 1\nmap\n.\n"),
               {"m.map:1", "type octile", "type tile"});
  expect_parts(map_error("type octile\nheight x\nwidth 1\nmap\n.\n"),
               {"m.map:2", "height N", "height x"});
  expect_parts(map_error("type octile\nheight 1\nwidth 0\nmap\n.\n"), {"m.map:3", "width N"});
  expect_parts(map_error("type octile\nheight 99999999999\nwidth 1\nmap\n.\n"), {"m.map:2"});
  expect_parts(map_error("type octile\nheight 1\nwidth 1\n.\n"), {"m.map:4", "\"map\""});
  expect_parts(map_error("type octile\nheight 2\nwidth 1\nmap\n.\n"),
               {"m.map:5", "2 rows", "has 1"});
  expect_parts(map_error("type octile\nheight 2\nwidth 2\nmap\n..\n.\n"),
               {"m.map:6", "2 cells", "has 1"});
  expect_parts(map_error("type octile\nheight 1\nwidth 3\nmap\n.x.\n"),
               {"m.map:5", "column 2", "'x'", "@ O T or W"});
}

TEST(GridScenario, ReadsTheOfficialQueries) {
  const GridMap map = read_map(kData + "den312d.map");
  const auto queries = read_scenario(kData + "den312d.map.scen", map);
  ASSERT_EQ(queries.size(), 320u);
  EXPECT_EQ(queries[0].start, (Cell{10, 11}));
  EXPECT_EQ(queries[0].goal, (Cell{13, 12}));
  EXPECT_DOUBLE_EQ(queries[0].optimal, 3.41421);
  EXPECT_EQ(queries[0].line, 2);
}

TEST(GridScenario, EachFaultIsOneErrorWithFileLineAndReason) {
  const std::string good = "version 1\n0\tm.map\t3\t2\t0\t0\t1\t1\t1.41421\n";
  EXPECT_EQ(scenario_error(good), "");
  EXPECT_EQ(scenario_error("version 1.0\n0\tm.map\t3\t2\t0\t0\t1\t1\t1.41421\r\n\n"), "");
  expect_parts(scenario_error("0\tm.map\t3\t2\t0\t0\t1\t1\t1.4\n"), {"m.scen:1", "version 1"});
  expect_parts(scenario_error("version 1\n"), {"m.scen", "no queries"});
  expect_parts(scenario_error(good + "0\tm.map\t3\t2\t0\t0\n"), {"m.scen:3", "9 fields", "was 6"});
  expect_parts(scenario_error("version 1\n0\tm.map\t3\t2\tx\t0\t1\t1\t1\n"),
               {"m.scen:2", "field 5 (start x)", "\"x\""});
  expect_parts(scenario_error("version 1\n0\tm.map\t3\t2\t0\t0\t3\t1\t1\n"),
               {"m.scen:2", "goal (3, 1)", "outside"});
  expect_parts(scenario_error("version 1\n0\tm.map\t3\t2\t2\t0\t1\t1\t1\n"),
               {"m.scen:2", "start (2, 0)", "blocked"});
  expect_parts(scenario_error("version 1\n0\tm.map\t6\t4\t0\t0\t1\t1\t1\n"),
               {"m.scen:2", "6 x 4", "3 x 2"});
  expect_parts(scenario_error("version 1\n0\tm.map\t3\t2\t0\t0\t1\t1\tnan\n"),
               {"m.scen:2", "optimal length"});
  expect_parts(
      scenario_error("version 1\n0\tm.map\t3\t2\t0\t0\t1\t1\t1\n"),
      {"m.scen:2", "the optimal length is 1, no way is shorter than the straight one of 1.41"});
  const GridMap split = parse_map("type octile\nheight 1\nwidth 3\nmap\n.@.\n", "m", "m.map");
  expect_parts(
      error_of([&] { parse_scenario("version 1\n0\tm\t3\t1\t0\t0\t2\t0\t2\n", split, "m.scen"); }),
      {"m.scen:2", "no path"});
}

TEST(GridScenario, TheEnvironmentRefusesToStartOnBadFiles) {
  EnvTable table;
  register_all(table);
  const auto start = [&](Json options) {
    return error_of([&] { EnvBatch(table, "grid_path", options, 1, 1); });
  };
  expect_parts(start({{"map", "no/such.map"}}), {"no/such.map"});
  expect_parts(start({{"map", kData + "arena.map"}, {"scenarios", {kData + "den312d.map.scen"}}}),
               {"den312d.map.scen:2", "65 x 81", "49 x 49"});
  expect_parts(start({{"mode", "eval"}}), {"eval needs scenarios"});
  expect_parts(start({{"mode", "evaluate"}}), {"mode", "eval"});
  expect_parts(start({{"rows", {".@", "@."}}}), {"no two connected free cells"});
  expect_parts(start({{"rows", {".."}}, {"map", kData + "arena.map"}}), {"not both"});
  expect_parts(start({{"memory_radius", 2}, {"memory_block", 4}}), {"memory_block", "odd"});
}

}  // namespace
}  // namespace oneagent
