// Every pair of shardings on 1-D and 2-D meshes, with parts of unequal size and empty ones.
#include "core/dist/reshard.h"

#include <gtest/gtest.h>

#include "core/comm/thread_communicator.h"
#include "core/dist/global.h"
#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

std::vector<Sharding> all_shardings(size_t dims, int64_t rank) {
  std::vector<Placement> placements = {broadcast(), partial()};
  for (int64_t axis = 0; axis < rank; ++axis) placements.push_back(split(axis));
  std::vector<Sharding> out = {{}};
  for (size_t dim = 0; dim < dims; ++dim) {
    std::vector<Sharding> longer;
    for (const Sharding& sharding : out)
      for (const Placement& placement : placements) {
        longer.push_back(sharding);
        longer.back().push_back(placement);
      }
    out = longer;
  }
  return out;
}

// The whole tensor of what the ranks hold: P(sum) made by reshard() holds the value on one rank.
class Reshard : public ::testing::TestWithParam<std::pair<Shape, Shape>> {};

TEST_P(Reshard, EveryPairGivesTheSameTensor) {
  const auto [mesh_sizes, sizes] = GetParam();
  const Mesh mesh(mesh_sizes);
  const Tensor x = arange(sizes.numel()).to(kFloat64).view(sizes) + 1;
  comm::run_ranks(static_cast<int>(mesh.ranks()), [&](comm::Communicator& all) {
    World world(all);
    const auto shardings = all_shardings(mesh.dims(), x.dim());
    for (const Sharding& from : shardings) {
      const Tensor placed = distribute(x, mesh, from);
      EXPECT_EQ(to_local(placed).sizes(), local_sizes(sizes, mesh, from, world.rank()));
      for (const Sharding& to : shardings) {
        const Tensor moved = reshard(placed, to);
        EXPECT_EQ(sharding_of(moved), to);
        EXPECT_EQ(moved.sizes(), sizes);
        EXPECT_TRUE(equal(to_whole(moved), x)) << from << " to " << to;
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(
    Meshes, Reshard,
    ::testing::Values(std::pair<Shape, Shape>({1}, {3, 2}), std::pair<Shape, Shape>({2}, {5, 4}),
                      std::pair<Shape, Shape>({3}, {4, 7, 2}), std::pair<Shape, Shape>({4}, {3, 8}),
                      std::pair<Shape, Shape>({8}, {3, 5}), std::pair<Shape, Shape>({2, 2}, {5, 3}),
                      std::pair<Shape, Shape>({2, 3}, {4, 7})),
    [](const auto& info) {
      std::string name = "mesh";
      for (const int64_t size : info.param.first) name += "_" + std::to_string(size);
      return name;
    });

// One step at a time on even parts: what leaves a rank is what the table says.
TEST(Reshard, BytesMovedAreThoseOfTheTable) {
  for (const int ranks : {2, 4}) {
    const Mesh mesh({ranks});
    const Shape sizes{8, 4, 8};
    comm::run_ranks(ranks, [&](comm::Communicator& all) {
      World world(all);
      const Tensor x = ones(sizes, kFloat32);
      for (const Sharding& from : all_shardings(1, 3)) {
        const Tensor placed = distribute(x, mesh, from);
        for (const Sharding& to : all_shardings(1, 3)) {
          const auto bytes = [&] {
            const comm::Traffic now = world.traffic();
            return now.all_reduce.bytes + now.all_gather.bytes + now.reduce_scatter.bytes +
                   now.all_to_all.bytes;
          };
          const int64_t before = bytes();
          reshard(placed, to);
          const auto path = reshard_path(sizes, 4, mesh, from, to, world.cost());
          EXPECT_EQ(static_cast<double>(bytes() - before), path_bytes(sizes, 4, mesh, from, path))
              << from << " to " << to << " on " << ranks;
        }
      }
    });
  }
}

// Brute force over all paths of up to 6 steps finds none that takes less time.
TEST(Reshard, ThePathIsTheCheapest) {
  const Mesh mesh({2, 4});
  const Shape sizes{16, 8};
  CostModel cost;
  cost.link[0] = {1e-6, 1e-9};
  cost.link[1] = {2e-5, 1e-10};
  const auto shardings = all_shardings(2, 2);
  const auto legal = [&](const Sharding& here, size_t dim, const Placement& placement) {
    for (size_t later = dim + 1; later < here.size(); ++later)
      if (here[later].is_split() &&
          ((here[dim].is_split(here[later].axis)) || placement.is_split(here[later].axis)))
        return false;
    return true;
  };
  for (const Sharding& from : shardings) {
    std::vector<double> best(shardings.size(), 1e30);
    const auto at = [&](const Sharding& sharding) {
      return static_cast<size_t>(std::find(shardings.begin(), shardings.end(), sharding) -
                                 shardings.begin());
    };
    best[at(from)] = 0;
    for (size_t round = 0; round < 6; ++round) {
      const std::vector<double> before = best;
      for (size_t i = 0; i < shardings.size(); ++i)
        for (size_t dim = 0; dim < 2; ++dim)
          for (const Sharding& other : shardings) {
            const Placement& placement = other[dim];
            if (placement == shardings[i][dim] || !legal(shardings[i], dim, placement)) continue;
            double bytes = 16 * 8 * 4;
            if (shardings[i][1 - dim].is_split()) bytes /= static_cast<double>(mesh.size(1 - dim));
            Sharding there = shardings[i];
            there[dim] = placement;
            best[at(there)] = std::min(
                best[at(there)], before[i] + step_seconds(cost, dim, shardings[i][dim], placement,
                                                          bytes, mesh.size(dim)));
          }
    }
    for (size_t i = 0; i < shardings.size(); ++i)
      EXPECT_NEAR(path_seconds(sizes, 4, mesh, from, shardings[i], cost), best[i], 2e-8)
          << from << " to " << shardings[i];
  }
}

}  // namespace
}  // namespace oneagent::distributed
