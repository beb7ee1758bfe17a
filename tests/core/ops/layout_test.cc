// How results of elementwise functions lie in memory, and results that go to an out tensor.
#include <gtest/gtest.h>

#include "core/graph/autograd.h"
#include "core/ops/ops.h"
#include "core/ops/out_forms.h"

namespace oneagent {
namespace {

using V = std::vector<double>;

V list(const Tensor& x) { return to_vector<double>(x.detach()); }
Tensor numbers(const Shape& sizes) { return arange(1, sizes.numel() + 1, kFloat32).reshape(sizes); }

TEST(Layout, ResultsLieLikeTheirOperands) {
  const Tensor m = numbers({3, 4}), t = numbers({4, 3}).t();
  for (const Tensor& y :
       {exp(t), neg(t), t + 1, t * t, 2 / t, t.relu(), t.gt(3), t.isnan(), gelu(t), t.to(kFloat64),
        where(t.gt(2), t, 0), lerp(t, t, 0.5), gelu(t)}) {
    EXPECT_EQ(y.strides(), (Shape{1, 3}));
    EXPECT_EQ(y.sizes(), (Shape{3, 4}));
  }
  EXPECT_EQ(list(t + 1), list(t.contiguous() + 1));
  // The first operand that tells the dimensions apart decides.
  EXPECT_EQ((m + t).strides(), (Shape{4, 1}));
  EXPECT_EQ((t + m).strides(), (Shape{1, 3}));
  EXPECT_EQ(list(t + m), list(m + t));
  EXPECT_EQ((numbers({4}) + t).strides(), (Shape{1, 3}));
  EXPECT_EQ((t + numbers({3, 1})).strides(), (Shape{1, 3}));
  EXPECT_EQ((t * numbers({2, 1, 1})).strides(), (Shape{12, 1, 3}));
  // What is not dense gets a dense result in the same order.
  EXPECT_EQ(exp(t.slice(0, 0, 2)).strides(), (Shape{1, 2}));
  EXPECT_EQ(exp(m.slice(1, 0, 4, 2)).strides(), (Shape{2, 1}));
  EXPECT_EQ(exp(m.select(1, 0).unsqueeze(0).expand({5, 3})).strides(), (Shape{3, 1}));
  EXPECT_EQ(exp(numbers({2, 3, 4}).permute({2, 0, 1})).strides(), (Shape{1, 12, 4}));
  const Tensor image = numbers({2, 3, 4, 5}).contiguous(MemoryFormat::ChannelsLast);
  EXPECT_TRUE((image * 2).is_contiguous(MemoryFormat::ChannelsLast));
  EXPECT_EQ(list(image * 2), list(numbers({2, 3, 4, 5}) * 2));
  EXPECT_EQ(exp(zeros({0, 3}).t()).sizes(), (Shape{3, 0}));
}

TEST(Layout, GradientsOfLeavesAreContiguous) {
  const Tensor x = numbers({3, 4}).requires_grad_();
  const Tensor y = (x.t() * 2).tanh();
  EXPECT_EQ(y.strides(), (Shape{1, 4}));
  y.backward(ones_like(y));
  EXPECT_TRUE(x.grad().is_contiguous());
  EXPECT_EQ(x.grad().sizes(), x.sizes());
  const Tensor z = numbers({3, 4}).requires_grad_();
  (z * 2).tanh().sum().backward();
  EXPECT_EQ(list(x.grad()), list(z.grad()));
  // A gradient that somebody else holds stays theirs.
  const Tensor w = numbers({2, 3}).requires_grad_(), g = numbers({3, 2});
  w.t().backward(g);
  w.grad().zero_();
  EXPECT_EQ(list(g), list(numbers({3, 2})));
}

TEST(OutForms, WriteIntoTheMemoryOfOut) {
  const Tensor a = numbers({2, 3}), b = numbers({2, 3}) * 10;
  Tensor out = zeros({2, 3});
  const void* memory = out.data_ptr();
  const auto version = out._version();
  EXPECT_TRUE(add_out(out, a, b).is_same(out));
  EXPECT_EQ(list(out), list(a + b));
  EXPECT_EQ(out.data_ptr(), memory);
  EXPECT_GT(out._version(), version);
  // An operand may be the result or overlap it.
  Tensor same = a.clone();
  sub_out(same, b, same);
  EXPECT_EQ(list(same), list(b - a));
  Tensor square = numbers({3, 3});
  const Tensor turned = square.t();
  add_out(square, square, turned);
  EXPECT_EQ(list(square), list(numbers({3, 3}) + numbers({3, 3}).t()));
  Tensor blended = a.clone();
  addcmul_out(blended, blended, a, b, 2);
  EXPECT_EQ(list(blended), list(a + 2 * a * b));
  // Other shapes, types and layouts.
  Tensor wrong = zeros({5});
  mul_out(wrong, a, b);
  EXPECT_EQ(list(wrong), list(a * b));
  Tensor wide = zeros({2, 3}, kFloat64);
  exp_out(wide, a);
  EXPECT_EQ(wide.scalar_type(), kFloat64);
  EXPECT_EQ(list(wide), list(exp(a)));
  Tensor part = zeros({2, 6}), every = part.slice(1, 0, 6, 2);
  add_out(every, a, b);
  EXPECT_EQ(list(part.slice(1, 0, 6, 2)), list(a + b));
  EXPECT_EQ(list(part.slice(1, 1, 6, 2)), list(zeros({2, 3})));
}

TEST(OutForms, OfFunctionsMadeOfSeveral) {
  const Tensor x = numbers({3, 4}), y = numbers({3, 4}).flip({1});
  Tensor out = zeros({3, 4});
  logaddexp_out(out, x, y);
  EXPECT_EQ(list(out), list(logaddexp(x, y)));
  softmax_out(out, x, 1);
  EXPECT_EQ(list(out), list(softmax(x, 1)));
  flip_out(out, x, {0, 1});
  EXPECT_EQ(list(out), list(flip(x, {0, 1})));
  cumsum_out(out, x, 1);
  EXPECT_EQ(list(out), list(cumsum(x, 1)));
  Tensor line = zeros({3});
  mean_out(line, x, {1});
  EXPECT_EQ(list(line), list(mean(x, {1})));
  std_out(line, x, {1}, true);
  EXPECT_EQ(list(line), list(x.std(Shape{1}, true)));
  // A result that is a view of the memory that out lent.
  Tensor turned = zeros({4, 4});
  const Tensor square = numbers({4, 4});
  matmul_out(turned, square, square.t());
  EXPECT_EQ(list(turned), list(matmul(square, square.t())));
  const Tensor leaf = numbers({3, 4}).requires_grad_();
  EXPECT_THROW(exp_out(out, leaf), std::exception);
  {
    const NoGradGuard guard;
    exp_out(out, leaf);
  }
  EXPECT_EQ(list(out), list(exp(x)));
  EXPECT_FALSE(out.requires_grad());
}

}  // namespace
}  // namespace oneagent
