#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/file.h"
#include "envs/env_batch.h"
#include "envs/grid/scenario.h"
#include "envs/grid_path/view.h"
#include "envs/judges/baseline.h"
#include "envs/judges/octile_search.h"
#include "envs/judges/path_validator.h"
#include "tests/support/env_actions.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using grid_path::GridPathOptions;
using grid_path::ViewLayout;

const std::string kData = OA_TEST_DATA "/movingai/";

EnvTable all_envs() {
  EnvTable table;
  register_all(table);
  return table;
}

Json random_map(const std::string& mode) {
  return {{"map", kData + "random-64-64-20.map"},
          {"scenarios", {kData + "random-64-64-20-random-1.scen"}},
          {"mode", mode}};
}

TEST(GridPath, EvalWalksEachOfficialQueryExactlyOnceInAFixedOrder) {
  Json options{{"map", kData + "arena.map"},
               {"scenarios", {kData + "arena.map.scen"}},
               {"mode", "eval"},
               {"max_steps", 10}};
  constexpr int kLanes = 7;  // does not divide 160
  EnvBatch batch(all_envs(), "grid_path", options, kLanes, 1);
  batch.reset();
  testing::RandomActions actions(1, kLanes);
  std::map<int64_t, int> seen;
  while (seen.size() < 160) {
    actions.step(batch);
    for (const EpisodeEnd& end : batch.ended()) {
      const auto query = static_cast<int64_t>(end.metrics[4]);
      EXPECT_EQ(query, (end.lane + kLanes * end.episode) % 160);
      if (end.lane + kLanes * end.episode < 160) ++seen[query];
    }
  }
  for (const auto& [query, count] : seen) EXPECT_EQ(count, 1) << query;
}

TEST(GridPath, AMapWhoseEveryPairIsOfficialIsRefusedForTraining) {
  const TemporaryFolder folder;
  write_atomic(folder.path() / "two.scen",
               std::string_view("version 1\n0\tm\t2\t1\t0\t0\t1\t0\t1\n"
                                "0\tm\t2\t1\t1\t0\t0\t0\t1\n0\tm\t2\t1\t1\t0\t0\t0\t1\n"));
  Json options{{"rows", {".."}}, {"scenarios", {(folder.path() / "two.scen").string()}}};
  try {
    EnvBatch(all_envs(), "grid_path", options, 1, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("none is left to train on"));
  }
  options["mode"] = "eval";
  EnvBatch(all_envs(), "grid_path", options, 1, 1);
}

TEST(GridPath, TrainingNeverDrawsAnOfficialQuery) {
  // Two cells, both ordered pairs but one official: training must always take the other.
  const GridMap map = read_map(kData + "empty-8-8.map");
  std::set<std::pair<int, int>> official;
  for (const GridQuery& query : read_scenario(kData + "empty-8-8-random-1.scen", map))
    official.emplace(map.index(query.start), map.index(query.goal));
  Json options{{"map", kData + "empty-8-8.map"},
               {"scenarios", {kData + "empty-8-8-random-1.scen"}},
               {"max_steps", 1}};
  constexpr int kLanes = 256;
  EnvBatch batch(all_envs(), "grid_path", options, kLanes, 3);
  batch.reset();
  batch.record_episodes(true);
  testing::RandomActions actions(1, kLanes);
  std::set<std::pair<int, int>> drawn;
  for (int k = 0; k < 100; ++k) {
    actions.step(batch);
    for (const EpisodeEnd& end : batch.ended()) {
      const Json& recording = batch.recording(end.lane);
      const Cell start{recording["start"][0], recording["start"][1]},
          goal{recording["goal"][0], recording["goal"][1]};
      drawn.emplace(map.index(start), map.index(goal));
      ASSERT_FALSE(official.contains({map.index(start), map.index(goal)}));
      EXPECT_EQ(end.metrics[4], -1);
    }
  }
  EXPECT_GT(drawn.size(), 3900u) << "of 4000: nearly every other pair is drawn sooner or later";
}

TEST(GridPath, TheCurriculumStartsNearAndReachesTheWholeMap) {
  Json options = random_map("train");
  options["curriculum_distance"] = 6.0;
  options["curriculum_episodes"] = 20;
  options["max_steps"] = 1;
  EnvBatch batch(all_envs(), "grid_path", options, 64, 1);
  batch.reset();
  batch.record_episodes(true);
  testing::RandomActions actions(1, 64);
  double longest_first = 0, longest_late = 0;
  for (int episode = 0; episode < 40; ++episode) {
    actions.step(batch);
    for (int i = 0; i < 64; ++i) {
      const Json& at = batch.recording(i);
      const double distance = octile_distance(at["goal"][0].get<int>() - at["start"][0].get<int>(),
                                              at["goal"][1].get<int>() - at["start"][1].get<int>());
      double& longest = episode == 0 ? longest_first : longest_late;
      longest = std::max(longest, distance);
    }
  }
  EXPECT_LE(longest_first, 6.0);
  EXPECT_GT(longest_late, 50);
}

// The map as an agent that only reads its rows would draw it must be the map.
TEST(GridPath, TheViewShowsTheMapAroundTheAgentInEitherFrame) {
  const GridMap map = read_map(kData + "random-64-64-20.map");
  for (const char* frame : {"map", "goal"}) {
    Json options = random_map("eval");
    options["frame"] = frame;
    options["radius"] = 4;
    EnvBatch batch(all_envs(), "grid_path", options, 50, 1);
    batch.reset();
    const auto queries = read_scenario(kData + "random-64-64-20-random-1.scen", map);
    const ViewLayout layout(parse_options<GridPathOptions>(batch.options(), "test"));
    ASSERT_EQ(layout.size, batch.spec().observation_size);
    for (int i = 0; i < 50; ++i) {
      const auto row = batch.observation().subspan(i * layout.size, layout.size);
      const Cell goal = grid_path::goal_offset(layout, row);
      const Cell start = queries[i].start;
      const Cell truth{queries[i].goal.x - start.x, queries[i].goal.y - start.y};
      const int symmetry = std::string(frame) == "goal" ? grid_path::symmetry_of(truth) : 0;
      ASSERT_EQ(grid_path::to_map(symmetry, goal), truth);
      ASSERT_TRUE(std::string(frame) == "map" || (0 <= goal.y && goal.y <= goal.x));
      for (int dy = -4; dy <= 4; ++dy)
        for (int dx = -4; dx <= 4; ++dx) {
          const Cell offset = grid_path::to_map(symmetry, {dx, dy});
          ASSERT_EQ(row[layout.window + ViewLayout::cell(4, dx, dy)] == 0,
                    map.free({start.x + offset.x, start.y + offset.y}));
        }
      for (int move = 0; move < kMoves; ++move) {
        const Cell offset = grid_path::to_map(symmetry, kMoveOffsets[move]);
        ASSERT_EQ(batch.action_mask()[i * kMoves + move] != 0,
                  map.legal(start, move_of(offset.x, offset.y)));
        ASSERT_EQ(row[layout.legal + move], batch.action_mask()[i * kMoves + move]);
      }
    }
  }
}

TEST(GridPath, TheRememberedMapHoldsOnlyWhatWasSeen) {
  Json options{{"map", kData + "empty-16-16.map"},
               {"radius", 1},
               {"frame", "map"},
               {"memory_radius", 2},
               {"memory_block", 3},
               {"max_steps", 5}};
  EnvBatch batch(all_envs(), "grid_path", options, 8, 1);
  batch.reset();
  const ViewLayout layout(parse_options<GridPathOptions>(batch.options(), "test"));
  testing::RandomActions actions(3, 8);
  for (int k = 0; k < 20; ++k) {
    for (int i = 0; i < 8; ++i) {
      const auto row = batch.observation().subspan(i * layout.size, layout.size);
      const auto memory = row.subspan(layout.memory, 75);
      float seen = 0;
      for (int block = 0; block < 50; ++block) seen += memory[block] * 9;
      if (batch.first()[i]) {
        EXPECT_NEAR(seen, 9, 1e-4) << "the first window alone";
        EXPECT_FLOAT_EQ(memory[50 + 12], 1.0f / 9) << "one visit, in the middle block";
      }
      EXPECT_LE(seen, 9 + 5 * 4.001f);
      EXPECT_NEAR((memory[12] + memory[25 + 12]) * 9, 9, 1e-4)
          << "all of the middle block is known";
    }
    actions.step(batch);
  }
}

TEST(GridPath, RewardIsGoalBonusMinusExcessLengthMinusRevisits) {
  Json options{{"rows", {"....."}},
               {"frame", "map"},
               {"step_cost", 0.1},
               {"goal_bonus", 2.0},
               {"revisit_penalty", 0.5}};
  EnvBatch batch(all_envs(), "grid_path", options, 1, 1);
  batch.reset();
  const ViewLayout layout(parse_options<GridPathOptions>(batch.options(), "test"));
  const auto goal = [&] { return grid_path::goal_offset(layout, batch.observation()); };
  const auto towards = [&] { return goal().x > 0 ? 0 : 4; };
  while (std::abs(goal().x) != 2) batch.reset();
  batch.step(std::array{towards()});
  EXPECT_FLOAT_EQ(batch.reward()[0], 0) << "straight progress costs nothing";
  const int back = 4 - towards();
  batch.step(std::array{back});
  EXPECT_FLOAT_EQ(batch.reward()[0], -0.1f * 2 - 0.5f)
      << "a step back loses its length twice, and the start was visited";
  batch.step(std::array{towards()});
  batch.step(std::array{towards()});
  EXPECT_FLOAT_EQ(batch.reward()[0], 2);
  EXPECT_TRUE(batch.terminated()[0]);
  const auto metrics = batch.ended()[0].metrics;
  EXPECT_EQ(metrics[0], 1);
  EXPECT_DOUBLE_EQ(metrics[1], 0.5);
  EXPECT_DOUBLE_EQ(metrics[2], 4);
  EXPECT_DOUBLE_EQ(metrics[3], 2);
}

TEST(GridPath, RecordingsPassTheIndependentJudgeAndTamperedOnesDoNot) {
  const EnvTable table = all_envs();
  EnvBatch batch(table, "grid_path", random_map("eval"), 40, 1);
  batch.record_episodes(true);
  batch.reset();
  const auto greedy = make_baseline(table, "grid_path", "greedy", batch.spec(), batch.options());
  std::vector<int32_t> actions(40);
  int judged = 0;
  for (int k = 0; k < 300; ++k) {
    greedy->act(batch.observation(), batch.action_mask(), actions);
    batch.step(actions);
    for (const EpisodeEnd& end : batch.ended()) {
      const PathVerdict verdict = judge_recording(batch.recording(end.lane));
      ASSERT_TRUE(verdict.valid()) << verdict.fault;
      EXPECT_NEAR(verdict.cost, end.metrics[2], 1e-6);
      EXPECT_NEAR(verdict.spl(), end.metrics[1], 1e-5);
      ++judged;
    }
  }
  EXPECT_GT(judged, 100);
  Json recording = batch.recording(0);
  recording["cost"] = recording["cost"].get<double>() - 1;
  EXPECT_NE(judge_recording(recording).fault.find("cost"), std::string::npos);
  recording = batch.recording(0);
  recording["path"].erase(recording["path"].size() / 2);
  EXPECT_FALSE(judge_recording(recording).valid());
  recording.erase("map");
  EXPECT_NE(judge_recording(recording).fault.find("malformed"), std::string::npos);
}

struct Score {
  double success = 0, spl = 0;
};

Score judge_baseline(const std::string& map, const std::string& scenario, const std::string& name) {
  const EnvTable table = all_envs();
  const Json options{{"map", kData + map}, {"scenarios", {kData + scenario}}, {"mode", "eval"}};
  const size_t queries = read_scenario(kData + scenario, read_map(kData + map)).size();
  EnvBatch batch(table, "grid_path", options, 40, 1);
  batch.reset();
  const auto policy = make_baseline(table, "grid_path", name, batch.spec(), batch.options());
  std::vector<int32_t> actions(40);
  std::set<int64_t> seen;
  Score score;
  while (seen.size() < queries) {
    policy->act(batch.observation(), batch.action_mask(), actions);
    batch.step(actions);
    for (const EpisodeEnd& end : batch.ended()) {
      if (!seen.insert(static_cast<int64_t>(end.metrics[4])).second) continue;
      score.success += end.metrics[0] / static_cast<double>(queries);
      score.spl += end.metrics[1] / static_cast<double>(queries);
    }
  }
  return score;
}

TEST(GridPathBaselines, GreedyScoresAsMeasuredByOthersOnScatteredObstacles) {
  EXPECT_NEAR(judge_baseline("random-64-64-20.map", "random-64-64-20-random-1.scen", "greedy").spl,
              0.81, 0.03);
  EXPECT_NEAR(judge_baseline("arena.map", "arena.map.scen", "greedy").spl, 0.976, 0.005);
}

TEST(GridPathBaselines, ThePlannerInsideTheWindowBeatsGreedyAmongRooms) {
  const Score greedy = judge_baseline("den312d.map", "den312d.map.scen", "greedy");
  const Score planner = judge_baseline("den312d.map", "den312d.map.scen", "window_planner");
  EXPECT_GT(greedy.spl, 0.4);
  EXPECT_GT(planner.spl, greedy.spl + 0.05);
  EXPECT_GT(planner.success, 0.7);
}

TEST(GridPathBaselines, AnUnknownNameIsRefusedWithTheValidOnes) {
  const EnvTable table = all_envs();
  try {
    make_baseline(table, "grid_path", "gredy", table.spec("grid_path", Json::object()),
                  Json::object());
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("greedy"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace oneagent
