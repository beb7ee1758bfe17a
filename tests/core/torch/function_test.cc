// Operations whose gradient the user writes.
#include "core/torch/function.h"

#include <gtest/gtest.h>

#include "core/ops/ops.h"

namespace oneagent::autograd {
namespace {

using V = std::vector<double>;

Tensor leaf(std::vector<double> values) { return tensor(values, kFloat64).requires_grad_(); }
V values(const Tensor& x) { return to_vector<double>(x); }

struct Scale : Function<Scale> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double factor) {
    ctx->saved_data["factor"] = factor;
    return x * factor;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->saved_data["factor"].toDouble(), Tensor()};
  }
};

struct Exp : Function<Exp> {
  static variable_list forward(AutogradContext* ctx, const Tensor& x) {
    const Tensor y = x.exp(), sign = x.sign();
    ctx->save_for_backward({y});
    ctx->mark_non_differentiable({sign});
    return {y, sign};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0]};
  }
};

struct Double : Function<Double> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0] * 2}; }
};

struct TooFew : Function<TooFew> {
  static Tensor forward(AutogradContext*, const Tensor& x, const Tensor& y) { return x + y; }
  static variable_list backward(AutogradContext*, variable_list grads) { return {grads[0]}; }
};

TEST(Function, UsesItsOwnGradientAndSavedNumbers) {
  const Tensor x = leaf({1, 2});
  const Tensor y = Scale::apply(x, 3.0);
  EXPECT_NE(y.grad_fn()->name().find("Scale"), std::string::npos);
  y.sum().backward();
  EXPECT_EQ(values(x.grad()), (V{3, 3}));
}

TEST(Function, SavedResultsHaveSecondGradients) {
  const Tensor x = leaf({0, 1});
  const variable_list out = Exp::apply(x);
  EXPECT_FALSE(out[1].requires_grad());
  const Tensor first = grad({out[0].sum()}, {x}, {}, true, true)[0];
  const Tensor second = grad({(first * first).sum()}, {x})[0];  // 2 e^2x
  EXPECT_NEAR(values(second)[1], 2 * std::exp(2.0), 1e-12);
}

TEST(Function, ChangesAnInputInPlace) {
  const Tensor x = leaf({1, 2});
  const Tensor y = x * 1;
  const Tensor z = Double::apply(y);
  EXPECT_TRUE(z.is_same(y));
  y.sum().backward();
  EXPECT_EQ(values(x.grad()), (V{2, 2}));
  EXPECT_EQ(values(y), (V{2, 4}));
}

TEST(Function, RecordsNothingWithoutGradients) {
  const Tensor x = leaf({1});
  EXPECT_FALSE(Scale::apply(x.detach(), 2.0).requires_grad());
  const NoGradGuard guard;
  EXPECT_FALSE(Scale::apply(x, 2.0).requires_grad());
}

TEST(Function, SaysWhatIsWrongWithItsGradients) {
  const Tensor x = leaf({1}), y = leaf({2});
  try {
    TooFew::apply(x, y).backward();
    FAIL() << "no error";
  } catch (const std::exception& error) {
    EXPECT_NE(std::string(error.what()).find("expected 2, got 1"), std::string::npos)
        << error.what();
  }
  const Tensor again = Exp::apply(x)[0].sum();
  again.backward();
  EXPECT_THROW(again.backward(), Error);
}

struct Odd : Function<Odd> {  // a gradient of another type and a broadcast shape
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * ones({3, 2}, kFloat64); }
  static variable_list backward(AutogradContext*, const variable_list& grads) {
    return {grads[0].to(kFloat32)};
  }
};
struct Misfit : Function<Misfit> {
  static Tensor forward(AutogradContext*, const Tensor& x) { return x * 1; }
  static variable_list backward(AutogradContext*, const variable_list&) {
    return {ones({7}, kFloat64)};
  }
};

TEST(Function, GradientsAreFittedToTheirInputs) {
  const Tensor x = leaf({1, 2});
  Odd::apply(x).sum().backward();
  EXPECT_EQ(x.grad().dtype(), kFloat64);
  EXPECT_EQ(values(x.grad()), (V{3, 3}));
  EXPECT_THROW(Misfit::apply(x).sum().backward(), Error);
  (x * 2).backward(ones({2}, kFloat32));
  EXPECT_EQ(values(x.grad()), (V{5, 5}));
}

struct Forgets : Function<Forgets> {
  static Tensor forward(AutogradContext* ctx, Tensor x) {
    x.mul_(2);
    ctx->mark_dirty({x});
    return x + 0;
  }
  static variable_list backward(AutogradContext*, variable_list grads) { return grads; }
};

TEST(Function, ReturnsWhatItMarkedDirty) { EXPECT_THROW(Forgets::apply(leaf({1}) * 1), Error); }

}  // namespace
}  // namespace oneagent::autograd
