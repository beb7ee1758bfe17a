#include "core/comm/probe.h"

#include <gtest/gtest.h>

#include "tests/core/comm/rank_runners.h"

namespace oneagent::comm {
namespace {

TEST(Probe, EveryRankGetsTheSamePlausibleFigures) {
  for (const RankRunner& runner : rank_runners()) {
    std::vector<ProbedCost> costs(2);
    runner.run(2,
               [&](Communicator& comm) {
                 costs[comm.rank()] =
                     probe(comm, {.bytes = 1 << 20, .small_rounds = 20, .large_rounds = 3});
               },
               {});
    EXPECT_EQ(costs[0].alpha_s, costs[1].alpha_s);
    EXPECT_EQ(costs[0].beta_s_per_byte, costs[1].beta_s_per_byte);
    EXPECT_GT(costs[0].alpha_s, 0) << runner.name;
    EXPECT_LT(costs[0].alpha_s, 1) << runner.name;
    EXPECT_LT(costs[0].beta_s_per_byte, 1e-6) << runner.name;
  }
}

TEST(Probe, OneRankCostsNothing) {
  run_ranks(1, [](Communicator& comm) {
    EXPECT_EQ(probe(comm).alpha_s, 0);
    EXPECT_EQ(probe(comm).beta_s_per_byte, 0);
  });
}

}  // namespace
}  // namespace oneagent::comm
