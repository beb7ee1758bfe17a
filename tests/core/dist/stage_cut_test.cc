// Cutting chains of calls into stages: the dynamic program equals brute force over all cuts.
#include "core/dist/stage_cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/dist/stages.h"

namespace oneagent::distributed {
namespace {

struct Cost {
  double slowest = 0, bytes = 0;
};

Cost cost_of(const CutProblem& problem, const std::vector<size_t>& cuts) {
  Cost cost;
  for (size_t stage = 0; stage <= cuts.size(); ++stage) {
    const size_t begin = stage == 0 ? 0 : cuts[stage - 1];
    const size_t end = stage == cuts.size() ? problem.seconds.size() : cuts[stage];
    double seconds = stage == 0 ? 0 : problem.link_seconds(begin);
    if (stage < cuts.size()) seconds += problem.link_seconds(end);
    for (size_t i = begin; i < end; ++i) seconds += problem.seconds[i];
    cost.slowest = std::max(cost.slowest, seconds);
    if (stage < cuts.size()) cost.bytes += problem.bytes[end];
  }
  return cost;
}

void each_cut(const CutProblem& problem, std::vector<size_t>& cuts,
              const std::function<void(const std::vector<size_t>&)>& body) {
  if (cuts.size() + 1 == static_cast<size_t>(problem.stages)) return body(cuts);
  for (size_t i = cuts.empty() ? 1 : cuts.back() + 1; i < problem.seconds.size(); ++i) {
    if (!problem.may_cut[i]) continue;
    cuts.push_back(i);
    each_cut(problem, cuts, body);
    cuts.pop_back();
  }
}

CutProblem random_chain(std::mt19937& random) {
  CutProblem problem;
  const size_t length = 6 + random() % 8;
  for (size_t i = 0; i < length; ++i) {
    problem.seconds.push_back(1e-4 * static_cast<double>(1 + random() % 9));
    problem.bytes.push_back(1e3 * static_cast<double>(1 + random() % 50));
    problem.may_cut.push_back(i > 0 && random() % 4 != 0);
  }
  problem.link = {1e-5, 5e-9};
  problem.stages = static_cast<int>(2 + random() % 3);
  problem.ranks = problem.stages;
  return problem;
}

TEST(StageCut, EqualsBruteForceOverAllCutsOfRandomChains) {
  std::mt19937 random(7);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const CutProblem problem = random_chain(random);
    double best = std::numeric_limits<double>::infinity(), least_bytes = best;
    std::vector<size_t> cuts;
    each_cut(problem, cuts,
             [&](const auto& each) { best = std::min(best, cost_of(problem, each).slowest); });
    if (best == std::numeric_limits<double>::infinity()) {
      EXPECT_THROW(best_cut(problem), Error);
      continue;
    }
    each_cut(problem, cuts, [&](const auto& each) {
      const Cost cost = cost_of(problem, each);
      if (cost.slowest <= best * (1 + kCutSlack) * (1 + 1e-12))
        least_bytes = std::min(least_bytes, cost.bytes);
    });
    const Cost chosen = cost_of(problem, best_cut(problem));
    EXPECT_LE(chosen.slowest, best * (1 + kCutSlack) * (1 + 1e-9));
    EXPECT_EQ(chosen.bytes, least_bytes) << "round " << round;
    ++compared;
  }
  EXPECT_GT(compared, 200);
}

TEST(StageCut, LeavesWhatIsOwnedOnItsRank) {
  CutProblem problem;
  problem.seconds.assign(8, 1e-3);
  problem.bytes.assign(9, 0);
  problem.may_cut.assign(8, true);
  EXPECT_THAT(best_cut(problem), ::testing::ElementsAre(4));
  problem.owned = {{5, 0}, {6, 1}};
  EXPECT_THAT(best_cut(problem), ::testing::ElementsAre(6));
  problem.owned = {{5, 1}, {6, 0}};
  EXPECT_THROW(best_cut(problem), Error);
}

TEST(StageCut, CutsLongChainsWhereLeastPasses) {
  CutProblem problem;
  problem.seconds.assign(5000, 1e-6);
  problem.bytes.assign(5001, 1e6);
  problem.may_cut.assign(5000, true);
  problem.link = {1e-6, 1e-10};
  for (size_t i = 0; i < 5000; i += 10) problem.bytes[i] = 10;
  problem.stages = problem.ranks = 4;
  for (const size_t cut : best_cut(problem)) EXPECT_EQ(cut % 10, 0u);
}

TEST(StageCut, SaysHowManyPlacesThereAre) {
  CutProblem problem;
  problem.seconds.assign(3, 1);
  problem.bytes.assign(4, 0);
  problem.may_cut = {false, true, true};
  problem.stages = problem.ranks = 4;
  try {
    best_cut(problem);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("has 2 places to be cut at, 4 stages need 3"));
  }
}

}  // namespace
}  // namespace oneagent::distributed
