// In-place changes under autograd: of tensors, of views, of bases whose views are used later.
#include <gtest/gtest.h>

#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/custom.h"
#include "core/graph/node.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

Tensor leaf(std::vector<double> values) { return tensor(values, kFloat64).requires_grad_(); }

std::vector<double> values(const Tensor& x) { return to_vector<double>(x); }

using V = std::vector<double>;

TEST(InPlaceViews, AViewChangedInPlaceChangesTheHistoryOfItsBase) {
  const Tensor x = leaf({1, 2, 3});
  const Tensor base = x * 2;
  base[1].mul_(10);
  EXPECT_EQ(values(base), (V{2, 40, 6}));
  base.sum().backward();
  EXPECT_EQ(values(x.grad()), (V{2, 20, 2}));
}

TEST(InPlaceViews, WritingIntoAPlainTensorConnectsIt) {
  const Tensor w = leaf({3, 4});
  const Tensor base = zeros({2, 2}, kFloat64);
  base[1].copy_(w * w);
  EXPECT_TRUE(base.requires_grad());
  (base * base).sum().backward();  // sum of w^4
  EXPECT_EQ(values(w.grad()), (V{4 * 27, 4 * 64}));
}

TEST(InPlaceViews, OtherViewsLearnOfTheChange) {
  const Tensor w = leaf({5});
  const Tensor base = zeros({4}, kFloat64);
  const Tensor first = base.slice(0, 0, 2), all = base.view({2, 2});
  first.copy_(w.expand({2}));
  EXPECT_TRUE(all.requires_grad());
  EXPECT_EQ(all.grad_fn()->name(), "AsStridedBackward0");
  (all[0] * tensor({2.0, 3.0}, kFloat64)).sum().backward();
  EXPECT_EQ(values(w.grad()), (V{5}));
}

TEST(InPlaceViews, ViewsOfViewsAndTransposedViews) {
  const Tensor x = leaf({1, 2, 3, 4, 5, 6});
  const Tensor base = (x * 1).view({2, 3});
  base.t()[2].select(0, 1).mul_(7);  // base[1][2]
  (base * base).sum().backward();
  EXPECT_EQ(values(x.grad()), (V{2, 4, 6, 8, 10, 2 * 6 * 49}));
}

TEST(InPlaceViews, SecondGradientsPassThroughReplacedParts) {
  const Tensor x = leaf({2, 3});
  const Tensor base = zeros({3}, kFloat64);
  base.slice(0, 1, 3).copy_(x * x * x);
  const Tensor first = autograd::grad({base.sum()}, {x}, {}, true, true)[0];
  const Tensor second = autograd::grad({first.sum()}, {x})[0];
  EXPECT_EQ(values(second), (V{12, 18}));
}

TEST(InPlaceViews, ViewsOfLeavesAreRefused) {
  const Tensor x = leaf({1, 2});
  EXPECT_THROW(x[0].add_(1), Error);
  EXPECT_THROW(x.add_(1), Error);
  const NoGradGuard guard;
  x[0].add_(1);
  EXPECT_EQ(values(x), (V{2, 2}));
}

TEST(InPlaceViews, AnOverwrittenSavedValueIsCaught) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.exp();
  y[0].add_(1);
  EXPECT_THROW(y.sum().backward(), Error);
}

TEST(Hooks, SeeAndReplaceGradients) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 2;
  int calls = 0;
  y.register_hook([&](const Tensor& gradient) { return gradient * 10; });
  const unsigned counting = x.register_hook([&](const Tensor&) { ++calls; });
  (y + y).sum().backward({}, true);
  EXPECT_EQ(values(x.grad()), (V{40, 40}));
  EXPECT_EQ(calls, 1) << "a leaf's hook sees the sum once";
  x.remove_hook(counting);
  y.sum().backward();
  EXPECT_EQ(calls, 1);
}

TEST(Hooks, RetainGradKeepsTheGradientOfATensorThatIsNoLeaf) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 3;
  y.retain_grad();
  (y * y).sum().backward();
  EXPECT_EQ(values(y.grad()), (V{6, 12}));
  EXPECT_TRUE(y.retains_grad());
}

TEST(Anomaly, NamesTheFunctionThatMadeANan) {
  const DetectAnomalyGuard guard;
  const Tensor x = leaf({0, 1});
  const Tensor y = (x.sqrt() * 0).sum();
  try {
    y.backward();
    FAIL() << "no error";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("SqrtBackward0"), std::string::npos) << error.what();
  }
}

TEST(CustomNode, GivesItsOwnGradient) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.detach() * 5;
  attach_custom("five", {x}, {y},
                [](const std::vector<Tensor>& g) { return std::vector<Tensor>{g[0] * 100}; });
  y.sum().backward();
  EXPECT_EQ(values(x.grad()), (V{100, 100}));
  EXPECT_EQ(y.grad_fn()->name(), "five");
}

TEST(Backward, OnlyIntoTheInputsThatAreNamed) {
  const Tensor x = leaf({1}), w = leaf({2});
  (x * w).sum().backward({}, std::nullopt, false, std::vector<Tensor>{w});
  EXPECT_FALSE(x.grad().defined());
  EXPECT_EQ(values(w.grad()), (V{1}));
}

TEST(GradFn, NamesTheOpAndLeadsToTheLeaves) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x.exp().sum();
  EXPECT_EQ(y.grad_fn()->name(), "SumBackward0");
  const auto next = y.grad_fn()->next_edges();
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].function->name(), "ExpBackward0");
  EXPECT_EQ(next[0].function->next_edges()[0].function->name(), "torch::autograd::AccumulateGrad");
}

// 16-bit types go through float32 and come back rounded.
TEST(HalfTypes, ComputeInFloat32) {
  for (const DType type : {kFloat16, kBFloat16}) {
    const Tensor x = arange(1, 9, kFloat32);
    const Tensor y = (x.to(type) / 3).exp();
    EXPECT_EQ(y.scalar_type(), type);
    const Tensor expected = (x / 3).to(type).to(kFloat32).exp().to(type);
    EXPECT_TRUE(equal(y, expected)) << type;
    const Tensor leaf = x.to(type).requires_grad_();
    (leaf * leaf).sum().backward();
    EXPECT_TRUE(equal(leaf.grad(), (x * 2).to(type))) << type;
  }
}

TEST(HalfTypes, RoundToNearestEven) {
  const Tensor x = tensor({1.0009765625, 65504.0, 65520.0, 5.9604645e-8, 2.9802322e-8, -0.0});
  EXPECT_EQ(values(x.to(kFloat16)),
            (V{1.0009765625, 65504, INFINITY, 5.960464477539063e-08, 0, -0.0}));
  EXPECT_EQ(values(tensor({1.00390625, 1.01171875, 3.39e38, 3.4e38}).to(kBFloat16)),
            (V{1.0, 1.015625, 3.3895313892515355e+38, INFINITY}));
}

}  // namespace
}  // namespace oneagent
