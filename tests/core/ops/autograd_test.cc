// Backward: accumulation, views, in-place changes, freed graphs, second gradients.
#include "core/graph/autograd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Tensor leaf(std::initializer_list<double> values) {
  return tensor(std::vector<double>(values), kFloat64).requires_grad_();
}

TEST(Autograd, GradientsOfSeveralUsesAreSummed) {
  const Tensor x = leaf({2, 3});
  sum(x * x + x).backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{5, 7}));
}

TEST(Autograd, BackwardAddsToTheGradientOfALeaf) {
  const Tensor x = leaf({1, 1});
  sum(x * 2.0).backward();
  sum(x * 3.0).backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{5, 5}));
}

TEST(Autograd, GradientGivenToBackwardIsNotChangedByLaterOnes) {
  const Tensor x = leaf({1, 1}), g = tensor({1, 2}, kFloat64);
  (x + 0.0).backward(g);
  (x + 0.0).backward(g);
  EXPECT_EQ(to_vector<double>(g), (std::vector<double>{1, 2}));
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{2, 4}));
}

TEST(Autograd, ViewsPassGradientsToTheirBase) {
  const Tensor x = rand({3, 4}, kFloat64).requires_grad_();
  sum(x.transpose(0, 1)[1].slice(0, 0, 3, 2) * 2.0).backward();
  EXPECT_EQ(x.grad().sum().item<double>(), 4.0);
  EXPECT_EQ(x.grad()[0][1].item<double>(), 2.0);
  EXPECT_EQ(x.grad()[1][1].item<double>(), 0.0);
}

TEST(Autograd, NothingIsRecordedUnderNoGradGuard) {
  const Tensor x = leaf({1});
  const NoGradGuard guard;
  EXPECT_FALSE((x * 2.0).requires_grad());
}

TEST(Autograd, DetachCutsTheGraph) {
  const Tensor x = leaf({3});
  const Tensor y = (x * 2.0).detach() * x;
  y.backward(ones_like(y));
  EXPECT_EQ(x.grad().item<double>(), 6.0);
}

TEST(Autograd, UseOfAnOverwrittenValueIsAnError) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1.0;
  const Tensor z = square(y);
  y.add_(1.0);
  EXPECT_THAT(error_of([&] { sum(z).backward(); }), HasSubstr("modified by an inplace operation"));
}

TEST(Autograd, InPlaceChangeIsPartOfTheGraph) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1.0;
  y.mul_(x);
  sum(y).backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{2, 4}));
}

TEST(Autograd, InPlaceOnALeafThatNeedsAGradientIsAnError) {
  const Tensor x = leaf({1});
  EXPECT_THAT(error_of([&] { x.add_(1.0); }), HasSubstr("a leaf Variable that requires grad"));
  const NoGradGuard guard;
  EXPECT_NO_THROW(x.add_(1.0));
}

TEST(Autograd, SecondBackwardNeedsRetainGraph) {
  const Tensor x = leaf({2});
  const Tensor y = square(x);
  y.backward({}, true);
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 8.0);
  EXPECT_THAT(error_of([&] { y.backward(); }), HasSubstr("a second time"));
}

TEST(Autograd, BackwardOfManyElementsNeedsAGradient) {
  EXPECT_THAT(error_of([] {
                leaf({1, 2}).mul(2.0).backward();
              }),
              HasSubstr("only for scalar outputs, this one has shape [2]"));
}

TEST(Autograd, GradLeavesLeavesAlone) {
  const Tensor x = leaf({3}), w = leaf({2});
  const Tensor y = w * square(x);
  const auto grads = autograd::grad({y}, {x});
  EXPECT_EQ(grads[0].item<double>(), 12.0);
  EXPECT_FALSE(x.grad().defined());
  EXPECT_FALSE(w.grad().defined());
}

TEST(Autograd, GradOfAnIntermediateValue) {
  const Tensor x = leaf({3});
  const Tensor y = square(x);
  const auto grads = autograd::grad({y * y}, {y});
  EXPECT_EQ(grads[0].item<double>(), 18.0);
}

TEST(Autograd, GradOfAnUnusedInputIsAnErrorOrUndefined) {
  const Tensor x = leaf({3}), unused = leaf({1});
  const Tensor y = square(x);
  EXPECT_THAT(error_of([&] { autograd::grad({y}, {unused}, {}, true); }),
              HasSubstr("(input 0) appears to not have been used in the graph"));
  EXPECT_FALSE(autograd::grad({y}, {unused}, {}, false, false, true)[0].defined());
}

TEST(Autograd, ThirdDerivativeOfAPower) {
  const Tensor x = leaf({2});
  Tensor y = pow(x, 4.0);
  for (int i = 0; i < 3; ++i) y = autograd::grad({y}, {x}, {}, true, true)[0];
  EXPECT_DOUBLE_EQ(y.item<double>(), 48.0);  // 24 x
}

TEST(Autograd, LongChainsAreFreedWithoutRecursion) {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 200'000; ++i) y = y + 1.0;
  y.backward();
  EXPECT_EQ(x.grad().item<double>(), 1.0);
  y = Tensor();
}

TEST(Autograd, BroadcastOperandsGetSummedGradients) {
  const Tensor a = zeros({2, 3}, kFloat64).requires_grad_(),
               b = zeros({3}, kFloat64).requires_grad_(), c = zeros({}, kFloat64).requires_grad_();
  sum((a + b) + c).backward();
  EXPECT_EQ(to_vector<double>(b.grad()), (std::vector<double>{2, 2, 2}));
  EXPECT_EQ(c.grad().item<double>(), 6.0);
}

// A recorder sees every call and may pass it on: this is how a tracer or a mesh joins in.
class CountingRecorder final : public Recorder {
 public:
  void record(const Call& call, size_t level) override {
    names.emplace_back(call.op.name);
    dispatch(call, level - 1);
  }
  std::vector<std::string> names;
};

TEST(RecorderStack, TheTopRecorderSeesEveryCall) {
  const Tensor x = leaf({1, 2});
  CountingRecorder counter;
  {
    const RecorderScope scope(counter);
    sum(exp(x) * 2.0);
  }
  exp(x);
  EXPECT_EQ(counter.names, (std::vector<std::string>{"exp", "mul_number", "sum"}));
}

TEST(Versions, DataHasItsOwn) {
  const Tensor x = leaf({1, 2});
  const Tensor y = square(x).sum();
  x.data().mul_(2);
  EXPECT_EQ(x._version(), 0);
  y.backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{4, 8}));
  const Tensor view = x.data().view({2, 1});
  view.add_(1);
  EXPECT_EQ(view._version(), 1);
  EXPECT_EQ(x._version(), 0);
}

TEST(InPlace, RefusesElementsThatShareAPlace) {
  const Tensor x = ones({1, 3}).expand({2, 3});
  EXPECT_THAT(error_of([&] { x.add_(1); }), HasSubstr("more than one element"));
  EXPECT_THAT(error_of([&] { x.copy_(ones({2, 3})); }), HasSubstr("more than one element"));
  x.fill_(2);
  EXPECT_EQ(to_vector<double>(x)[5], 2);
}

TEST(InPlace, RefusesViewsMadeWithoutRecording) {
  const Tensor x = leaf({1, 2}) * 1;
  Tensor view;
  {
    const NoGradGuard guard;
    view = x.view({2, 1});
    view.add_(1);
  }
  EXPECT_TRUE(view.requires_grad());
  EXPECT_THAT(error_of([&] { view.add_(1); }), HasSubstr("A view was created in no_grad mode"));
  {
    const InferenceMode guard;
    view = x.view({2, 1});
  }
  EXPECT_THAT(error_of([&] { view.add_(1); }), HasSubstr("A view was created in inference mode"));
  const Tensor leaf_view = arange(4.0).view({4}).requires_grad_();
  EXPECT_THAT(error_of([&] { leaf_view.view({2, 2}).mul_(2); }), HasSubstr("view of a leaf"));
}

TEST(Autograd, AViewThatIsALeafHasSecondGradients) {
  const Tensor x = arange(4.0, kFloat64).view({2, 2}).requires_grad_();
  ASSERT_TRUE(x.is_view() && x.is_leaf());
  const Tensor first = autograd::grad({sum(x * x * x)}, {x}, {}, true, true)[0];
  ASSERT_TRUE(first.requires_grad());
  sum(first).backward();
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{0, 6, 12, 18}));
}

TEST(Autograd, AGradientTakesTheTypeOfTheOneThatIsThere) {
  const Tensor x = ones({2}).requires_grad_();
  x.mutable_grad() = ones({2}, kFloat64);
  sum(x).backward();
  EXPECT_EQ(x.grad().scalar_type(), kFloat64);
  EXPECT_EQ(to_vector<double>(x.grad()), (std::vector<double>{2, 2}));
  x.mutable_grad() = ones({3});
  EXPECT_THAT(error_of([&] { sum(x).backward(); }), HasSubstr("but its .grad was given shape [3]"));
}

TEST(Autograd, HooksMustKeepTheType) {
  const Tensor x = leaf({1, 2});
  x.register_hook([](const Tensor& g) { return g.to(kFloat32); });
  EXPECT_THROW(sum(x).backward(), std::runtime_error);
  const Tensor y = leaf({1, 2}), z = y * 2.0;
  z.register_hook([](const Tensor& g) { return g.to(kFloat32); });
  EXPECT_THROW(sum(z).backward(), std::runtime_error);
}

}  // namespace
}  // namespace oneagent
