#include "core/dist/choice_graph.h"

#include <gtest/gtest.h>

#include "core/base/rng.h"

namespace oneagent::distributed {
namespace {

struct Drawn {
  ChoiceGraph graph;
  std::vector<size_t> domains;
};

Drawn draw(uint64_t seed) {
  Rng rng(seed, 0);
  Drawn out;
  const size_t nodes = 2 + rng.below(6);
  for (size_t i = 0; i < nodes; ++i) {
    out.domains.push_back(1 + rng.below(4));
    std::vector<double> costs, space;
    for (size_t c = 0; c < out.domains.back(); ++c) {
      costs.push_back(rng.uniform(0, 10));
      space.push_back(static_cast<double>(rng.below(8)));
    }
    out.graph.add_node(costs, space);
  }
  for (size_t e = 0; e < nodes + 3; ++e) {
    const size_t a = rng.below(static_cast<uint32_t>(nodes)),
                 b = rng.below(static_cast<uint32_t>(nodes));
    if (a == b) continue;
    std::vector<double> costs;
    for (size_t i = 0; i < out.domains[a] * out.domains[b]; ++i)
      costs.push_back(rng.below(10) == 0 ? ChoiceGraph::kForbidden : rng.uniform(0, 10));
    out.graph.add_edge(a, b, costs);
  }
  return out;
}

// The least cost of all choices within the limit.
double brute_force(const Drawn& drawn, double limit) {
  std::vector<size_t> choices(drawn.domains.size(), 0);
  double best = ChoiceGraph::kForbidden;
  while (true) {
    if (drawn.graph.space_of(choices) <= limit) best = std::min(best, drawn.graph.cost_of(choices));
    size_t i = 0;
    for (; i < choices.size(); ++i) {
      if (++choices[i] < drawn.domains[i]) break;
      choices[i] = 0;
    }
    if (i == choices.size()) return best;
  }
}

TEST(ChoiceGraph, IsBruteForceOnRandomGraphs) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Drawn drawn = draw(seed);
    const double best = brute_force(drawn, 1e9);
    const auto solution = drawn.graph.solve();
    ASSERT_EQ(solution.found, best < ChoiceGraph::kForbidden) << seed;
    if (!solution.found) continue;
    ASSERT_NEAR(solution.cost, best, 1e-9) << seed;
  }
}

TEST(ChoiceGraph, IsBruteForceUnderALimitOfSpace) {
  size_t found = 0, refused = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    const Drawn drawn = draw(seed);
    for (const double limit : {2.0, 8.0, 15.0}) {
      const double best = brute_force(drawn, limit);
      const auto solution = drawn.graph.solve(limit);
      ASSERT_EQ(solution.found, best < ChoiceGraph::kForbidden) << seed << " limit " << limit;
      (solution.found ? found : refused)++;
      if (!solution.found) continue;
      ASSERT_NEAR(solution.cost, best, 1e-9) << seed << " limit " << limit;
      ASSERT_LE(solution.space, limit);
    }
  }
  EXPECT_GT(found, 500u);
  EXPECT_GT(refused, 50u);
}

// A chain of many nodes, beside dynamic programming over the space taken.
TEST(ChoiceGraph, FindsNearlyTheBestUnderALimitInALargeGraph) {
  constexpr size_t kNodes = 1200, kChoices = 3;
  Rng rng(7, 0);
  ChoiceGraph graph;
  std::vector<double> costs[kNodes], moves[kNodes];
  std::vector<size_t> space[kNodes];
  for (size_t i = 0; i < kNodes; ++i) {
    for (size_t c = 0; c < kChoices; ++c) {
      costs[i].push_back(rng.uniform(0, 10));
      space[i].push_back(rng.below(8));
    }
    graph.add_node(costs[i], {space[i].begin(), space[i].end()});
    if (i == 0) continue;
    for (size_t c = 0; c < kChoices * kChoices; ++c) moves[i].push_back(rng.uniform(0, 5));
    graph.add_edge(i - 1, i, moves[i]);
  }
  const double free = graph.solve().space;
  for (const double share : {0.4, 0.7, 0.95}) {
    const auto limit = static_cast<size_t>(share * free);
    using Row = std::vector<double>;  // by space
    std::vector<Row> best(kChoices, Row(limit + 1, 1e9));
    for (size_t c = 0; c < kChoices; ++c) best[c][space[0][c]] = costs[0][c];
    for (size_t i = 1; i < kNodes; ++i) {
      std::vector<Row> next(kChoices, Row(limit + 1, 1e9));
      for (size_t c = 0; c < kChoices; ++c)
        for (size_t before = 0; before < kChoices; ++before)
          for (size_t s = space[i][c]; s <= limit; ++s)
            next[c][s] = std::min(next[c][s], best[before][s - space[i][c]] + costs[i][c] +
                                                  moves[i][before * kChoices + c]);
      best = std::move(next);
    }
    double least = 1e9;
    for (const Row& row : best) least = std::min(least, *std::min_element(row.begin(), row.end()));
    const auto solution = graph.solve(static_cast<double>(limit));
    ASSERT_EQ(solution.found, least < 1e9) << share;
    if (!solution.found) continue;
    EXPECT_LE(solution.space, static_cast<double>(limit));
    EXPECT_LE(solution.cost, 1.002 * least) << share;
    EXPECT_FALSE(solution.exact);
  }
}

}  // namespace
}  // namespace oneagent::distributed
