// Elementwise functions: special values, types, errors, and what is done in place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/ops/op.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Tensor floats(const std::vector<double>& values) { return tensor(values).to(kFloat32); }
Tensor longs(std::vector<int64_t> values) { return tensor(values); }
std::vector<double> doubles(const Tensor& x) { return to_vector<double>(x); }
bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

using Function = Tensor (*)(const Tensor&);
using Reference = double (*)(double);

struct Known {
  const char* name;
  Function function;
  Reference reference;
};
#define OA_KNOWN(name)                                            \
  Known {                                                         \
#name, &oneagent::name, [](double x) { return std::name(x); } \
  }
const Known kKnown[] = {OA_KNOWN(exp),   OA_KNOWN(exp2),  OA_KNOWN(expm1), OA_KNOWN(log),
                        OA_KNOWN(log2),  OA_KNOWN(log10), OA_KNOWN(log1p), OA_KNOWN(sin),
                        OA_KNOWN(cos),   OA_KNOWN(tan),   OA_KNOWN(asin),  OA_KNOWN(acos),
                        OA_KNOWN(atan),  OA_KNOWN(sinh),  OA_KNOWN(cosh),  OA_KNOWN(tanh),
                        OA_KNOWN(asinh), OA_KNOWN(acosh), OA_KNOWN(atanh), OA_KNOWN(erf),
                        OA_KNOWN(erfc),  OA_KNOWN(lgamma)};

// 1e-6 relative; limits exactly, with the sign of zeros.
TEST(Elementary, FollowTheirReferenceAtLimitsAndOverTheWholeRange) {
  std::vector<float> values = {0.0F,
                               -0.0F,
                               1.0F,
                               -1.0F,
                               3e38F,
                               -3e38F,
                               1e-40F,
                               -1e-40F,
                               1e-10F,
                               static_cast<float>(kInf),
                               static_cast<float>(-kInf),
                               static_cast<float>(kNan)};
  for (float x = 1e-20F; x < 1e20F; x *= 1.37F) values.push_back(x), values.push_back(-x);
  for (int i = -900; i <= 900; ++i) values.push_back(0.11F * static_cast<float>(i));
  const Tensor x = tensor(values);
  for (const Known& known : kKnown) {
    const auto y = to_vector<float>(known.function(x));
    const auto wide = doubles(known.function(x.to(kFloat64)));
    for (size_t i = 0; i < values.size(); ++i) {
      const double exact = known.reference(values[i]);
      const auto rounded = static_cast<float>(exact);
      if (!std::isfinite(exact) || exact == 0) {
        EXPECT_TRUE(same(wide[i], exact)) << known.name << " " << values[i] << " " << wide[i];
      } else {
        EXPECT_NEAR(wide[i], exact, 2e-15 * std::abs(exact)) << known.name << " " << values[i];
      }
      if (!std::isfinite(rounded) || rounded == 0)
        EXPECT_TRUE(same(y[i], rounded)) << known.name << " " << values[i] << " " << y[i];
      else
        EXPECT_NEAR(y[i], exact, 8e-7 * std::abs(exact) + 3e-45) << known.name << " " << values[i];
    }
  }
}

TEST(Elementary, PowersHaveTheLimitsOfC) {
  const std::vector<float> values = {0.0F,
                                     -0.0F,
                                     1.0F,
                                     -1.0F,
                                     2.0F,
                                     -2.0F,
                                     3.0F,
                                     0.5F,
                                     -0.5F,
                                     2.5F,
                                     1e-40F,
                                     3e38F,
                                     static_cast<float>(kInf),
                                     static_cast<float>(-kInf),
                                     static_cast<float>(kNan)};
  for (const float b : values)
    for (const float e : values) {
      const double expected = std::pow(double{b}, double{e});
      for (const DType dtype : {kFloat32, kFloat64}) {
        const Tensor x = full({1}, b, dtype), y = full({1}, e, dtype);
        const double actual = pow(x, y).item<double>();
        const double rounded = dtype == kFloat32 ? static_cast<float>(expected) : expected;
        EXPECT_TRUE(same(actual, rounded) || std::abs(actual - rounded) <= 2e-7 * std::abs(rounded))
            << b << " ^ " << e << " = " << actual << ", expected " << rounded;
        EXPECT_TRUE(std::isnan(actual) ? std::isnan(pow(x, static_cast<double>(e)).item<double>())
                                       : true);
      }
    }
}

TEST(Elementary, LayoutAndPositionDoNotChangeBits) {
  const Tensor x = arange(1000, kFloat64).mul(0.013).sub(6.5);
  for (const DType dtype : {kFloat32, kFloat64})
    for (const Known& known : kKnown) {
      const Tensor whole = known.function(x.to(dtype));
      const Tensor part = known.function(x.to(dtype).narrow(0, 3, 994));
      const auto a = doubles(whole.narrow(0, 3, 994)), b = doubles(part);
      for (size_t i = 0; i < a.size(); ++i) ASSERT_TRUE(same(a[i], b[i])) << known.name << " " << i;
    }
}

// A lane far below 0 beside one above it must not be climbed to 10 in steps of two.
TEST(Elementary, PolygammasOfFarNumbersTakeNoTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor x = tensor(std::vector<double>{-1e12 - 0.5, 1, infinity, -infinity, 1e12}, kFloat64);
  EXPECT_NEAR(digamma(x)[1].item<double>(), -0.5772156649015329, 1e-14);
  EXPECT_NEAR(digamma(x)[4].item<double>(), std::log(1e12), 1e-11);
  EXPECT_NEAR(polygamma(1, x)[1].item<double>(), 1.6449340668482264, 1e-14);
}

TEST(Division, RoundsAsPythonDoes) {
  const Tensor a = longs({7, -7, 7, -7}), b = longs({2, 2, -2, -2});
  EXPECT_THAT(doubles(div(a, b, "floor")), ElementsAre(3, -4, -4, 3));
  EXPECT_THAT(doubles(div(a, b, "trunc")), ElementsAre(3, -3, -3, 3));
  EXPECT_THAT(doubles(remainder(a, b)), ElementsAre(1, 1, -1, -1));
  EXPECT_THAT(doubles(fmod(a, b)), ElementsAre(1, -1, 1, -1));
  EXPECT_THAT(doubles(remainder(a.to(kFloat32), b)), ElementsAre(1, 1, -1, -1));
  EXPECT_EQ(div(a, b).dtype(), kFloat32);
  EXPECT_EQ(div(a, b, "floor").dtype(), kInt64);
  EXPECT_THAT(error_of([&] {
                floor_divide(a, longs({1, 0, 1, 1}));
              }),
              HasSubstr("ZeroDivisionError"));
  EXPECT_THAT(error_of([&] { div(a, b, "up"); }), HasSubstr("but found 'up'"));
  const auto whole = doubles(remainder(floats({1e30, 5, -5, 5}), floats({3, kInf, kInf, 0})));
  EXPECT_EQ(whole[0], std::fmod(1e30F, 3.0F));
  EXPECT_EQ(whole[1], 5);
  EXPECT_EQ(whole[2], kInf);
  EXPECT_TRUE(std::isnan(whole[3]));
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  EXPECT_EQ(floor_divide(longs({kLow}), longs({-1})).item<int64_t>(), kLow);
}

TEST(Division, OfNarrowIntegersIsExact) {
  for (const DType dtype : {kInt8, kUInt8, kInt16, kInt32, kInt64}) {
    const Tensor a = arange(dtype == kUInt8 ? 0 : -100, 100).to(dtype).view({-1, 1});
    const Tensor b = arange(1, 50).to(dtype).view({1, -1});
    const Tensor q = div(a, b, "floor"), r = remainder(a, b);
    EXPECT_TRUE(equal(q * b + r, a.expand({a.size(0), b.size(1)}))) << name_of(dtype);
    EXPECT_TRUE(all(r.ge(0)).item<bool>());
    EXPECT_TRUE(all(r.lt(b)).item<bool>());
  }
}

TEST(Integers, PowersGcdAndShifts) {
  EXPECT_THAT(doubles(pow(longs({2, -3, 7}), 3)), ElementsAre(8, -27, 343));
  EXPECT_THAT(doubles(pow(longs({1, -1, 2, -1}), longs({-5, -3, -1, -2}))),
              ElementsAre(1, -1, 0, 1));
  EXPECT_THAT(error_of([] { pow(longs({2}), -1); }),
              HasSubstr("Integers to negative integer powers"));
  EXPECT_EQ(pow(tensor({1.0, 0.0}).to(kBool), 2).dtype(), kInt64);
  EXPECT_THAT(doubles(gcd(longs({12, -18, 0, 0}), longs({18, 12, 5, 0}))), ElementsAre(6, 6, 5, 0));
  EXPECT_THAT(doubles(lcm(longs({4, -6, 0}), longs({6, 4, 3}))), ElementsAre(12, 12, 0));
  EXPECT_THAT(doubles(bitwise_left_shift(longs({1, 1, 1}), longs({3, 64, -1}))),
              ElementsAre(8, 0, 0));
  EXPECT_THAT(doubles(bitwise_right_shift(longs({-8, 8, -1}), longs({1, 70, 3}))),
              ElementsAre(-4, 0, -1));
  EXPECT_EQ(bitwise_not(tensor({1.0}).to(kBool)).item<bool>(), false);
  EXPECT_THAT(doubles(__lshift__(floats({1.5}), 2)), ElementsAre(6));
  EXPECT_THAT(error_of([] { bitwise_and(floats({1}), floats({1})); }), HasSubstr("float32"));
}

TEST(Promotion, OfNumbersFollowsTheirCategory) {
  EXPECT_EQ(add(longs({1}), 2).dtype(), kInt64);
  EXPECT_EQ(add(longs({1}), 2.5).dtype(), kFloat32);
  EXPECT_EQ(add(longs({1}).to(kUInt8), 300).dtype(), kUInt8);
  EXPECT_EQ(add(longs({1}).to(kBool), true).dtype(), kBool);
  EXPECT_EQ(mul(longs({1}).to(kBool), 2).dtype(), kInt64);
  EXPECT_EQ(clamp(longs({1}), 0.5).dtype(), kFloat32);
  EXPECT_EQ(clamp(longs({1, 5}), 2, 3).dtype(), kInt64);
  EXPECT_EQ(where(longs({1}).to(kBool), 1.0, 2).dtype(), kFloat32);
  EXPECT_EQ(where(longs({1}).to(kBool), 1, 2).dtype(), kInt64);
  EXPECT_EQ(float_power(longs({2}), 2).dtype(), kFloat64);
  EXPECT_EQ(atan2(longs({1}), longs({1})).dtype(), kFloat32);
  EXPECT_EQ(exp(longs({1}).to(kBFloat16)).dtype(), kBFloat16);
}

TEST(Promotion, InPlaceKeepsTheTypeOrRefuses) {
  const Tensor x = longs({1, 2});
  EXPECT_THAT(error_of([&] { x.add_(1.5); }), HasSubstr("cannot be stored in int64"));
  EXPECT_THAT(error_of([&] { exp_(x); }), HasSubstr("cannot be stored in int64"));
  EXPECT_THAT(error_of([&] { x.div_(2); }), HasSubstr("cannot be stored in int64"));
  EXPECT_THAT(error_of([&] { x.to(kBool).add_(x); }), HasSubstr("cannot be stored in bool"));
  const Tensor narrow = x.to(kInt8);
  narrow.add_(longs({1000, 1}));
  EXPECT_THAT(doubles(narrow), ElementsAre(-23, 3));
  const Tensor single = floats({1.5, 2.5});
  single.mul_(tensor({2.0, 3.0}, kFloat64));
  EXPECT_EQ(single.dtype(), kFloat32);
  EXPECT_THAT(doubles(single), ElementsAre(3, 7.5));
  eq_(single, 3);
  EXPECT_THAT(doubles(single), ElementsAre(1, 0));
  logical_not_(single);
  EXPECT_THAT(doubles(single), ElementsAre(0, 1));
}

TEST(Alpha, ScalesTheSecondOperand) {
  EXPECT_THAT(doubles(add(floats({1, 2}), floats({3, 4}), 0.5)), ElementsAre(2.5, 4));
  EXPECT_THAT(doubles(sub(longs({1, 2}), longs({3, 4}), 2)), ElementsAre(-5, -6));
  EXPECT_THAT(doubles(rsub(longs({1, 2}), 10, 3)), ElementsAre(7, 4));
  EXPECT_THAT(error_of([] { add(longs({1}), longs({1}), 0.5); }), HasSubstr("alpha"));
  EXPECT_THAT(error_of([] { sub(longs({1}).to(kBool), longs({1}).to(kBool)); }),
              HasSubstr("logical_xor"));
}

TEST(Tests, OfSpecialValues) {
  const Tensor x = floats({1, -0.0, kInf, -kInf, kNan});
  EXPECT_THAT(doubles(isinf(x)), ElementsAre(0, 0, 1, 1, 0));
  EXPECT_THAT(doubles(isposinf(x)), ElementsAre(0, 0, 1, 0, 0));
  EXPECT_THAT(doubles(isneginf(x)), ElementsAre(0, 0, 0, 1, 0));
  EXPECT_THAT(doubles(isnan(x)), ElementsAre(0, 0, 0, 0, 1));
  EXPECT_THAT(doubles(isfinite(x)), ElementsAre(1, 1, 0, 0, 0));
  EXPECT_THAT(doubles(signbit(x)), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_THAT(doubles(nan_to_num(x, 7.0, 8.0, 9.0)), ElementsAre(1, 0, 8, 9, 7));
  EXPECT_THAT(doubles(isclose(x, x)), ElementsAre(1, 1, 1, 1, 0));
  EXPECT_THAT(doubles(isclose(x, x, 0, 0, true)), ElementsAre(1, 1, 1, 1, 1));
  EXPECT_THAT(doubles(maximum(x, floats({kNan}))).size(), 5U);
  EXPECT_THAT(doubles(fmax(x, floats({2}))), ElementsAre(2, 2, kInf, 2, 2));
  EXPECT_TRUE(std::isnan(doubles(clamp(x, 0, 1))[4]));
  EXPECT_FALSE(allclose(x, x));
  EXPECT_EQ(nextafter(floats({1}), floats({2})).item<float>(), std::nextafter(1.0F, 2.0F));
  EXPECT_EQ(nextafter(floats({0}), floats({-1})).item<float>(), std::nextafter(0.0F, -1.0F));
}

TEST(Special, KnownValues) {
  const auto value = [](const Tensor& x) { return x.item<double>(); };
  const auto at = [](double x) { return full({}, x, kFloat64); };
  EXPECT_NEAR(value(erfinv(at(0.5))), 0.476936276204469873, 1e-15);
  EXPECT_NEAR(value(erfinv(at(1e-12))), 8.862269254527581e-13, 1e-27);
  EXPECT_EQ(value(erfinv(at(1))), kInf);
  EXPECT_NEAR(value(special_ndtri(at(1e-100))), -21.27345357, 1e-7);
  EXPECT_NEAR(value(special_erfcx(at(50))), 0.011281536265323773, 1e-16);
  EXPECT_NEAR(value(special_log_ndtr(at(-40))), -804.608442, 1e-5);
  EXPECT_EQ(value(special_entr(at(-1))), -kInf);
  EXPECT_NEAR(value(special_zeta(at(2), at(1))), 1.6449340668482264, 1e-14);
  EXPECT_NEAR(value(polygamma(1, at(0.25))), 17.19732915450711, 1e-12);
  EXPECT_NEAR(value(digamma(at(-0.5))), 0.03648997397857652, 1e-14);
  EXPECT_NEAR(value(mvlgamma(at(5), 3)), 9.1406446991925, 1e-12);
  EXPECT_NEAR(value(igamma(at(2), at(3))), 0.8008517265285442, 1e-14);
  EXPECT_NEAR(value(lgamma(full({}, -2.5, kFloat32))), -0.05624371649767405, 1e-7);
  EXPECT_EQ(value(xlogy(at(0), at(0))), 0);
  EXPECT_TRUE(std::isnan(value(xlogy(at(0), at(kNan)))));
  EXPECT_EQ(value(logaddexp(at(kInf), at(kInf))), kInf);
  EXPECT_EQ(value(logaddexp(at(-kInf), at(-kInf))), -kInf);
  EXPECT_EQ(value(hypot(at(kInf), at(kNan))), kInf);
  const auto [mantissa, exponent] = frexp(floats({0, 10, -1e-40, kInf}));
  EXPECT_THAT(doubles(exponent), ElementsAre(0, 4, -132, 0));
  EXPECT_EQ(exponent.dtype(), kInt32);
  EXPECT_EQ(doubles(mantissa)[1], 0.625);
  EXPECT_FLOAT_EQ(static_cast<float>(std::ldexp(doubles(mantissa)[2], -132)), -1e-40F);
}

TEST(Gradients, StayFiniteWherePowersAreConstant) {
  const Tensor base = floats({0, 2}).requires_grad_(), exponent = floats({0, 3}).requires_grad_();
  pow(base, exponent).sum().backward();
  EXPECT_THAT(doubles(base.grad()), ElementsAre(0, 12));
  EXPECT_EQ(doubles(exponent.grad())[0], 0);
  const Tensor x = floats({0, 1}).requires_grad_();
  pow(x, 0).sum().backward();
  EXPECT_THAT(doubles(x.grad()), ElementsAre(0, 0));
}

TEST(Numbers, ThatATypeCannotHoldAreRefused) {
  const auto refused = [](const std::function<void()>& action) {
    EXPECT_THROW(action(), std::runtime_error);
  };
  const Tensor x = ones({2}), n = ones({2}, kInt64), b = ones({2}, kUInt8);
  const Tensor mask = ones({2}, kBool);
  refused([&] { full({2}, 1e300, kFloat32); });
  refused([&] { full({2}, 300, kUInt8); });
  refused([&] { x.clone().fill_(1e300); });
  refused([&] { n.clone().fill_(kNan); });
  refused([&] { masked_fill(x, mask, 1e300); });
  refused([&] { clamp(x, 1e300); });
  refused([&] { where(mask, x, 1e300); });
  refused([&] { x.clone().index_fill_(0, zeros({1}, kInt64), 1e300); });
  refused([&] { b.clone().scatter_(0, zeros({1}, kInt64), 300); });
  refused([&] { linspace(0, 1e300, 3, kFloat32); });
  EXPECT_EQ(to_vector<double>(full({1}, -1, kUInt8)), (std::vector<double>{255}));
  EXPECT_EQ(to_vector<double>(full({1}, kInf, kFloat32)), (std::vector<double>{kInf}));
  EXPECT_EQ(to_vector<double>(x < 1e300), (std::vector<double>{1, 1}));
}

TEST(Numbers, TakeTheTypeOfIntegerTensors) {
  const Tensor n = arange(3);
  EXPECT_EQ((2.5 - n).scalar_type(), kInt64);
  EXPECT_EQ(to_vector<double>(2.5 - n), (std::vector<double>{2, 1, 0}));
  EXPECT_EQ(to_vector<double>(rsub(n, 2.5)), (std::vector<double>{2.5, 1.5, 0.5}));
  EXPECT_EQ(arange(0, 2.5, kInt64).numel(), 2);
  EXPECT_EQ(to_vector<double>(logspace(0, 2.5, 3, 10, kInt64)), (std::vector<double>{1, 10, 100}));
  EXPECT_EQ(to_vector<double>(clamp(tensor({true, false}), 2)), (std::vector<double>{2, 2}));
}

TEST(LogSumExp, OfAnInfiniteValueIsInfinite) {
  for (const int64_t n : {2, 40, 300}) {
    Tensor x = zeros({2, n});
    x.select(1, 1).fill_(kInf);
    EXPECT_EQ(to_vector<double>(logsumexp(x, {1})), (std::vector<double>{kInf, kInf})) << n;
    EXPECT_EQ(to_vector<double>(logsumexp(x.t(), {0})), (std::vector<double>{kInf, kInf})) << n;
    EXPECT_EQ(to_vector<double>(logsumexp(x.t().contiguous(), {0})),
              (std::vector<double>{kInf, kInf}));
    x.select(1, 0).fill_(kNan);
    EXPECT_TRUE(isnan(logsumexp(x, {1})).all().item<bool>()) << n;
  }
}

}  // namespace
}  // namespace oneagent
