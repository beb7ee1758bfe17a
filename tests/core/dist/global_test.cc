// Programs written for one device, on a mesh: the same numbers.
#include "core/dist/global.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/comm/thread_communicator.h"
#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

using ::testing::HasSubstr;

Tensor numbers(const Shape& sizes, uint64_t seed) {
  Generator generator(seed);
  return randn(sizes, generator, kFloat64);
}

struct Layers {
  Tensor w1, b1, w2, b2;
  std::vector<Tensor> all() const { return {w1, b1, w2, b2}; }
};
Layers make_layers() {
  Layers out{numbers({12, 6}, 1), numbers({12}, 2), numbers({3, 12}, 3), numbers({3}, 4)};
  for (Tensor tensor : out.all()) tensor.requires_grad_();
  return out;
}
Tensor loss_of(const Layers& net, const Tensor& x, const Tensor& y) {
  return mse_loss(linear(tanh(linear(x, net.w1, net.b1)), net.w2, net.b2), y);
}

struct Placed {
  const char* name;
  Shape mesh;
  Sharding x, w1, b1, w2, b2;
};
inline void PrintTo(const Placed& placed, std::ostream* out) { *out << placed.name; }

class OneProgram : public ::testing::TestWithParam<Placed> {};

TEST_P(OneProgram, HasTheLossAndGradientsOfOneDevice) {
  const Placed& placed = GetParam();
  const Tensor x = numbers({10, 6}, 5), y = numbers({10, 3}, 6);
  const Layers one = make_layers();
  const Tensor expected = loss_of(one, x, y);
  expected.backward();
  const Mesh mesh(placed.mesh);
  comm::run_ranks(static_cast<int>(mesh.ranks()), [&](comm::Communicator& all) {
    World world(all);
    const Layers net = make_layers();
    const Sharding* shardings[] = {&placed.w1, &placed.b1, &placed.w2, &placed.b2};
    for (size_t i = 0; i < 4; ++i) place(net.all()[i], mesh, *shardings[i]);
    const Tensor loss = loss_of(net, distribute(x, mesh, placed.x), distribute(y, mesh, placed.x));
    EXPECT_EQ(loss.sizes(), Shape());
    EXPECT_NEAR(loss.item<double>(), expected.item<double>(), 1e-12);
    loss.backward();
    for (size_t i = 0; i < 4; ++i) {
      const Tensor gradient = net.all()[i].grad();
      EXPECT_EQ(sharding_of(gradient), *shardings[i]);
      EXPECT_TRUE(allclose(to_whole(gradient), one.all()[i].grad(), 1e-10, 1e-12)) << i;
    }
  });
}

const Sharding kB = {broadcast()};
INSTANTIATE_TEST_SUITE_P(
    Parallel, OneProgram,
    ::testing::Values(Placed{"data", {2}, {split(0)}, kB, kB, kB, kB},
                      Placed{"data_uneven", {4}, {split(0)}, kB, kB, kB, kB},
                      Placed{"tensor", {2}, kB, {split(0)}, {split(0)}, {split(1)}, kB},
                      Placed{
                          "zero", {2}, {split(0)}, {split(0)}, {split(0)}, {split(0)}, {split(0)}},
                      Placed{"both",
                             {2, 2},
                             {split(0), broadcast()},
                             {broadcast(), split(0)},
                             {broadcast(), split(0)},
                             {broadcast(), split(1)},
                             {broadcast(), broadcast()}}),
    [](const auto& info) { return std::string(info.param.name); });

// The data-parallel step moves the gradients once and nothing else but the loss.
TEST(Global, DataParallelReducesEachGradientOnce) {
  const Mesh mesh({2});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const Layers net = make_layers();
    for (const Tensor& leaf : net.all()) place(leaf, mesh, kB);
    const Tensor x = distribute(numbers({10, 6}, 5), mesh, {split(0)});
    const Tensor y = distribute(numbers({10, 3}, 6), mesh, {split(0)});
    loss_of(net, x, y).backward();
    const comm::Traffic traffic = world.traffic();
    EXPECT_EQ(traffic.all_reduce.calls, 4);
    EXPECT_EQ(traffic.all_gather.calls + traffic.reduce_scatter.calls + traffic.all_to_all.calls,
              0);
    EXPECT_EQ(traffic.all_reduce.bytes, (12 * 6 + 12 + 3 * 12 + 3) * 8);  // 2 (n-1)/n of each
  });
}

TEST(Global, TensorParallelReducesOneActivationEachWay) {
  const Mesh mesh({2});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const Layers net = make_layers();
    place(net.w1, mesh, {split(0)});
    place(net.b1, mesh, {split(0)});
    place(net.w2, mesh, {split(1)});
    place(net.b2, mesh, kB);
    const Tensor x = distribute(numbers({10, 6}, 5), mesh, kB).requires_grad_();
    const Tensor y = distribute(numbers({10, 3}, 6), mesh, kB);
    loss_of(net, x, y).backward();
    const comm::Traffic traffic = world.traffic();
    EXPECT_EQ(traffic.all_reduce.calls, 2);  // the second product, and the gradient of x
    EXPECT_EQ(traffic.all_reduce.bytes, (10 * 3 + 10 * 6) * 8);
    EXPECT_EQ(traffic.all_gather.calls + traffic.reduce_scatter.calls + traffic.all_to_all.calls,
              0);
  });
}

TEST(Global, ToGlobalJoinsWhatRanksHold) {
  const Mesh mesh({3});
  comm::run_ranks(3, [&](comm::Communicator& all) {
    World world(all);
    const int64_t rows = all.rank() == 2 ? 1 : 2;  // parts of 5
    const Tensor own = full({rows, 2}, double(all.rank()), kFloat64).requires_grad_();
    const Tensor x = to_global(own, mesh, {split(0)});
    EXPECT_EQ(x.sizes(), (Shape{5, 2}));
    EXPECT_EQ(sum(x).item<double>(), (0 * 2 + 1 * 2 + 2 * 1) * 2);
    sum(square(x)).backward();
    EXPECT_TRUE(allclose(own.grad(), 2 * own.detach()));
    const Tensor parts = to_global(ones({2}, kFloat64), mesh, {partial()});
    EXPECT_TRUE(equal(to_whole(parts), full({2}, 3.0, kFloat64)));
  });
}

TEST(Global, ChangesInPlaceReachViewsAndBases) {
  const Mesh mesh({2});
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    const Tensor x = distribute(zeros({4, 3}, kFloat64), mesh, {split(0)});
    x.add_(1.0);
    x.transpose(0, 1).mul_(3.0);
    EXPECT_TRUE(equal(to_whole(x), full({4, 3}, 3.0, kFloat64)));
  });
}

TEST(Global, ErrorsSayWhatToWriteInstead) {
  const auto message_of = [](const std::function<void(comm::Communicator&)>& body) {
    try {
      comm::run_ranks(2, body);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const Tensor x = ones({4, 2});
  EXPECT_THAT(message_of([&](comm::Communicator&) { distribute(x, Mesh({2}), kB); }),
              HasSubstr("make one from the rank's communicator first"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                distribute(x, Mesh({3}), kB);
              }),
              HasSubstr("mesh [0=3] has 3 ranks, the world has 2"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                distribute(x, Mesh({2}), {split(2)});
              }),
              HasSubstr("names a dimension that a tensor of shape [4, 2] does not have"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                distribute(x, Mesh({2}), {split(0), split(1)});
              }),
              HasSubstr("write one of S(axis), B, P for each"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                to_global(ones({all.rank() + 1, 2}), Mesh({2}), {broadcast()});
              }),
              HasSubstr("but it is placed B"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                to_global(ones({all.rank() + 1, 2}), Mesh({2}), {split(0)});
              }),
              HasSubstr("parts are equal, longer ones first"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                const Tensor a = distribute(x, Mesh({2}, {"data"}), kB);
                const Tensor b = distribute(x, Mesh({2}, {"tensor"}), kB);
                a + b;
              }),
              HasSubstr("different meshes, [data=2] and [tensor=2]"));
  EXPECT_THAT(message_of([&](comm::Communicator& all) {
                World world(all);
                distribute(x, Mesh({2}), {partial()}).add_(1.0);
              }),
              HasSubstr("cannot be done in place along mesh dimension \"0\" on [4, 2] placed"));
}

// A head of one value has a bias and rows of which all ranks but one hold nothing.
TEST(Global, GradientsOfSizesBelowTheRanksAreAdded) {
  const Mesh mesh({3});
  comm::run_ranks(3, [&](comm::Communicator& all) {
    World world(all);
    for (const Shape& sizes : {Shape{1}, Shape{1, 1}, Shape{2, 1}, Shape{0, 5}}) {
      const Tensor x = distribute(ones(sizes, kFloat64), mesh, {split(0)}).requires_grad_();
      ((x * x).sum() + (x * 3.0).sum()).backward();
      EXPECT_EQ(sharding_of(x.grad()), Sharding{split(0)});
      EXPECT_TRUE(equal(to_whole(x.grad()), full(sizes, 5.0, kFloat64))) << sizes;
    }
  });
}

TEST(Global, ViewsAreChangedInPlaceWithGradients) {
  const Tensor whole = numbers({4, 6}, 1).requires_grad_();
  const auto run = [](const Tensor& x) {
    const Tensor y = x * 2.0;
    y.narrow(1, 1, 3).mul_(3.0);
    y.unsqueeze(0).add_(1.0);
    (y * y).sum().backward();
    return y;
  };
  const Tensor expected = run(whole);
  comm::run_ranks(2, [&](comm::Communicator& all) {
    World world(all);
    for (const Placement& placement : {broadcast(), split(0)}) {
      const Tensor x = distribute(whole.detach(), Mesh({2}), {placement}).requires_grad_();
      EXPECT_TRUE(allclose(to_whole(run(x)), expected)) << placement;
      EXPECT_TRUE(allclose(to_whole(x.grad()), whole.grad())) << placement;
    }
  });
}

// equal(), decompositions that check their matrix, and drawing in place read values on the way.
// O(1): the second rank along a mesh dimension has all, the others nothing; any rank may ask.
TEST(Global, OneRankOwnsATensor) {
  const Tensor whole = numbers({5, 4}, 9), weight = numbers({4, 2}, 10);
  comm::run_ranks(4, [&](comm::Communicator& all) {
    World world(all);
    const Mesh mesh({2, 2}, {"pipeline", "data"});
    for (const Sharding& sharding :
         {Sharding{Placement::owner(1), broadcast()}, Sharding{Placement::owner(1), split(0)}}) {
      const Tensor x = distribute(whole, mesh, sharding);
      EXPECT_EQ(local_part(x).numel() == 0, all.rank() < 2);
      EXPECT_TRUE(equal(to_whole(x), whole));
      EXPECT_TRUE(allclose(to_whole(matmul(x, weight)), matmul(whole, weight)));
      EXPECT_NEAR(x.sum().item<double>(), whole.sum().item<double>(), 1e-12);
      x.mul_(2).add_(distribute(whole, mesh, sharding));
      EXPECT_EQ(sharding_of(x), sharding);
      EXPECT_TRUE(allclose(to_whole(x), whole * 3));
      x.copy_(whole);
      EXPECT_TRUE(equal(to_whole(x), whole));
      EXPECT_TRUE(equal(to_whole(reshard(x, {Placement::owner(0), broadcast()})), whole));
    }
    const Tensor number = distribute(full({}, 3.0), mesh, {Placement::owner(1), broadcast()});
    EXPECT_EQ(number.item<double>(), 3.0);
    EXPECT_THROW(distribute(whole, mesh, {Placement::owner(2), broadcast()}), Error);
  });
}

TEST(Global, WhatReadsValuesHasThoseOfAllRanks) {
  Tensor drawn = zeros({4, 6}, kFloat64);
  manual_seed(4);
  normal_(drawn);
  uniform_(drawn.narrow(0, 0, 4), 0, 1);
  const Tensor square = numbers({6, 6}, 1).matmul(numbers({6, 6}, 1).t()) + eye(6, kFloat64);
  manual_seed(4);
  comm::run_ranks(3, [&](comm::Communicator& all) {
    World world(all);
    const Tensor x = distribute(zeros({4, 6}, kFloat64), Mesh({3}), {split(0)});
    normal_(x);
    uniform_(x, 0, 1);
    EXPECT_TRUE(allclose(to_whole(x), drawn));
    EXPECT_TRUE(equal(x, x));
    EXPECT_FALSE(equal(x, x + 1.0));
    const Tensor a = distribute(square, Mesh({3}), {split(0)});
    EXPECT_TRUE(allclose(to_whole(inverse(a)), inverse(square)));
    EXPECT_TRUE(allclose(to_whole(linalg_cholesky(a)), linalg_cholesky(square)));
  });
}

}  // namespace
}  // namespace oneagent::distributed
