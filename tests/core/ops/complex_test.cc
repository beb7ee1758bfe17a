// Complex tensors: every function against PyTorch (tests/golden/make_complex.py has the same
// cases), gradients against PyTorch and finite differences, parts as views, promotion, printing,
// errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/ops/fft_ns.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using C = Complex<double>;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Tensor operand(const Shape& sizes, double a, double b, double scale, double shift) {
  const Tensor out = empty(sizes, kComplexDouble);
  for (int64_t k = 0; k < out.numel(); ++k) {
    const auto at = static_cast<double>(k);
    out.data_ptr<C>()[k] = {shift + scale * std::cos(a * at + 0.2), scale * std::sin(b * at + 0.5)};
  }
  return out;
}
const Tensor& x0() {
  static const Tensor x = operand({3, 4}, 0.9, 1.3, 0.8, 0.1);
  return x;
}
const Tensor& x1() {
  static const Tensor x = operand({4, 5}, 0.9, 1.3, 0.8, 0.1);
  return x;
}
const Tensor& y() {
  static const Tensor x = operand({3, 4}, 0.5, 1.7, 0.6, 1.2);
  return x;
}
Tensor real_operand(const Shape& sizes) { return real(operand(sizes, 1.9, 0.3, 1.0, 0.5)).clone(); }
Tensor squared_by_eig(const Tensor& x) {
  const auto [values, vectors] = linalg_eig(x);
  return matmul(matmul(vectors, diag_embed(values * values)), linalg_inv(vectors));
}

struct Case {
  const char* name;
  Tensor x;
  std::function<Tensor(const Tensor&)> f;
};
using Function = Tensor (*)(const Tensor&);

std::vector<Case> cases() {
  const Tensor r = real_operand({4, 6}), line = real_operand({40});
  const Tensor a = operand({3, 3}, 2.3, 1.1, 1.0, 0.2), w = hann_window(8, kFloat64);
  const Tensor flat = operand({12}, 0.9, 1.3, 0.8, 0.1), wide = gt(real(y()), 1.2);
  const auto of = [&](const char* name, Function f) { return Case{name, x0(), f}; };
  const Tensor shifted = 3 * eye(3, kFloat64);
  return {
      {"mul", x0(), [](const Tensor& x) { return x * y(); }},
      {"div", x0(), [](const Tensor& x) { return x / y(); }},
      {"divisor", x0(), [](const Tensor& x) { return y() / (x + 2); }},
      {"sub", x0(), [](const Tensor& x) { return y() - x; }},
      {"number", x0(), [](const Tensor& x) { return (2 - x * C(1, 2)) / 3 + 0.5; }},
      {"real_factor", x0(), [](const Tensor& x) { return x * real(y()); }},
      of("abs", abs),
      of("angle", angle),
      of("conj", conj),
      of("sgn", sgn),
      of("exp", exp),
      of("log", log),
      of("log2", log2),
      of("log10", log10),
      of("sqrt", sqrt),
      of("rsqrt", rsqrt),
      of("reciprocal", reciprocal),
      of("square", square),
      of("sigmoid", sigmoid),
      {"pow", x0(), [](const Tensor& x) { return pow(x, y()); }},
      {"pow2", x0(), [](const Tensor& x) { return pow(x, 2); }},
      {"pow3", x0(), [](const Tensor& x) { return pow(x, 3); }},
      {"pow_number", x0(), [](const Tensor& x) { return pow(x, 1.7); }},
      of("sin", sin),
      of("cos", cos),
      of("tan", tan),
      of("sinh", sinh),
      of("cosh", cosh),
      of("tanh", tanh),
      of("asin", asin),
      of("acos", acos),
      of("atan", atan),
      of("asinh", asinh),
      of("acosh", acosh),
      of("atanh", atanh),
      {"sum", x0(), [](const Tensor& x) { return x.sum(); }},
      {"sum_dim", x0(), [](const Tensor& x) { return x.sum(1, true); }},
      {"mean", x0(), [](const Tensor& x) { return x.mean(0); }},
      {"prod", x0(), [](const Tensor& x) { return x.prod(1); }},
      {"cumsum", x0(), [](const Tensor& x) { return x.cumsum(1); }},
      {"norm", x0(), [](const Tensor& x) { return linalg_vector_norm(x); }},
      {"var", x0(), [](const Tensor& x) { return x.var(1); }},
      {"mm", x0(), [](const Tensor& x) { return matmul(x, x1()); }},
      {"mv", x0(), [](const Tensor& x) { return matmul(x, x1().select(1, 0)); }},
      {"dot", flat, [](const Tensor& x) { return dot(x, x * 2); }},
      {"vdot", flat, [](const Tensor& x) { return vdot(x, x.flip({0})); }},
      {"addmm", x0(), [](const Tensor& x) { return addmm(y().narrow(1, 0, 1), x, x1(), 0.5, 2); }},
      {"real_imag", x0(), [](const Tensor& x) { return real(x) * imag(x); }},
      {"stack", x0(),
       [](const Tensor& x) {
         return stack({x, y()});
       }},
      {"cat", x0(),
       [](const Tensor& x) {
         return cat({x, y()}, 1);
       }},
      {"index", x0(),
       [](const Tensor& x) {
         return x.index({tensor({2, 0, 2})});
       }},
      {"select", x0(), [](const Tensor& x) { return x.select(1, 1); }},
      {"transpose", x0(), [](const Tensor& x) { return x.t().reshape({-1}); }},
      {"where", x0(), [wide](const Tensor& x) { return where(wide, x, y()); }},
      {"masked", x0(), [wide](const Tensor& x) { return x.masked_fill(wide, 2.5); }},
      {"expand", x0(), [](const Tensor& x) { return x.narrow(1, 0, 1) + y(); }},
      {"flip_roll", x0(), [](const Tensor& x) { return x.flip({0}).roll(1, 1); }},
      {"tril", x0(), [](const Tensor& x) { return x.tril(); }},
      {"to_complex", r, [](const Tensor& x) { return x.to(kComplexDouble) * C(1, 2); }},
      {"complex", r, [](const Tensor& x) { return complex(x, x * x); }},
      {"polar", r, [](const Tensor& x) { return polar(x * x + 1, x); }},
      {"solve", a,
       [shifted](const Tensor& x) { return linalg_solve(x + shifted, x0().narrow(1, 0, 2)); }},
      {"inv", a, [shifted](const Tensor& x) { return linalg_inv(x + shifted); }},
      {"eigvals", a, [](const Tensor& x) { return std::get<0>(linalg_eigvals(x).abs().sort()); }},
      {"eig", a, squared_by_eig},
      {"eig_real", real(a).clone(), squared_by_eig},
      {"fft", x0(), [](const Tensor& x) { return fft::fft(x); }},
      {"fft_n", x0(), [](const Tensor& x) { return fft::fft(x, 6, 0, "ortho"); }},
      {"fft_cut", x0(), [](const Tensor& x) { return fft::fft(x, 3); }},
      {"fft_real", r, [](const Tensor& x) { return fft::fft(x); }},
      {"ifft", x0(), [](const Tensor& x) { return fft::ifft(x); }},
      {"ifft_forward", x0(),
       [](const Tensor& x) { return fft::ifft(x, std::nullopt, -1, "forward"); }},
      {"rfft", r, [](const Tensor& x) { return fft::rfft(x); }},
      {"rfft_odd", r, [](const Tensor& x) { return fft::rfft(x, 5, 1, "forward"); }},
      {"irfft", x0(), [](const Tensor& x) { return fft::irfft(x); }},
      {"irfft_odd", x0(), [](const Tensor& x) { return fft::irfft(x, 5, 1, "ortho"); }},
      {"hfft", x0(), [](const Tensor& x) { return fft::hfft(x); }},
      {"hfft_n", x0(), [](const Tensor& x) { return fft::hfft(x, 5, 0, "ortho"); }},
      {"ihfft", r, [](const Tensor& x) { return fft::ihfft(x); }},
      {"fft2", x0(), [](const Tensor& x) { return fft::fft2(x); }},
      {"ifft2", x0(),
       [](const Tensor& x) {
         return fft::ifft2(x, {2, 6});
       }},
      {"rfft2", r, [](const Tensor& x) { return fft::rfft2(x); }},
      {"irfft2", x0(), [](const Tensor& x) { return fft::irfft2(x); }},
      {"fftn", x0(), [](const Tensor& x) { return fft::fftn(x, std::nullopt, Shape{0}, "ortho"); }},
      {"ifftn", x0(), [](const Tensor& x) { return fft::ifftn(x); }},
      {"rfftn", r,
       [](const Tensor& x) {
         return fft::rfftn(x, {3, 5});
       }},
      {"irfftn", x0(),
       [](const Tensor& x) {
         return fft::irfftn(x, {3, 5});
       }},
      {"hfft2", x0(), [](const Tensor& x) { return fft::hfft2(x); }},
      {"ihfft2", r, [](const Tensor& x) { return fft::ihfft2(x); }},
      {"fftshift", x0(), [](const Tensor& x) { return fft::fftshift(x); }},
      {"ifftshift", x1(), [](const Tensor& x) { return fft::ifftshift(x, 1); }},
      {"stft", line,
       [w](const Tensor& x) {
         return stft(x, 8, 3, std::nullopt, w, true, "reflect", false, std::nullopt, true);
       }},
      {"stft_plain", line,
       [](const Tensor& x) {
         return stft(x.reshape({2, 20}), 8, 4, 6, hamming_window(6, kFloat64), false, "reflect",
                     true, false, true);
       }},
      {"istft", line,
       [w](const Tensor& x) {
         const Tensor z =
             stft(x, 8, 2, std::nullopt, w, true, "reflect", false, std::nullopt, true);
         return istft(z * C(1, 0.5), 8, 2, std::nullopt, w);
       }},
      {"istft_length", line,
       [w](const Tensor& x) {
         const Tensor z =
             stft(x, 8, 2, std::nullopt, w, true, "reflect", false, std::nullopt, true);
         return istft(z, 8, 2, std::nullopt, w, true, false, std::nullopt, 37);
       }},
  };
}

Tensor parts(const Tensor& x) { return (x.is_complex() ? view_as_real(x) : x).reshape({-1}); }

// A number that depends on every part of a result.
Tensor weighted(const Tensor& result) {
  const Tensor flat = parts(result);
  return (flat * cos(arange(flat.numel(), kFloat64) * 0.7 + 0.3)).sum();
}

void expect_near(const Tensor& x, const Json& golden, double tolerance) {
  const std::vector<double> values = to_vector<double>(parts(x.detach()));
  ASSERT_EQ(values.size(), golden.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], golden[i].get<double>(),
                tolerance * (1 + std::abs(golden[i].get<double>())))
        << "at " << i;
}

TEST(Complex, EveryFunctionAndItsGradientAsInPyTorch) {
  const Json golden = Json::parse(read_text(std::filesystem::path(OA_GOLDEN) / "complex.json"));
  size_t count = 0;
  for (const auto& [name, operand, f] : cases()) {
    SCOPED_TRACE(name);
    const Tensor x = operand.detach().clone().requires_grad_();
    const Tensor result = f(x);
    expect_near(result, golden[name]["values"], 1e-9);
    weighted(result).backward();
    expect_near(x.grad(), golden[name]["gradient"], 1e-8);
    ++count;
  }
  EXPECT_EQ(count, golden.size());
}

TEST(Complex, GradientsMeetFiniteDifferences) {
  const NoGradGuard guard;
  for (const auto& [name, operand, f] : cases()) {
    if (std::string_view(name) == "eigvals") continue;
    SCOPED_TRACE(name);
    Tensor gradient;
    {
      const EnableGradGuard on;
      const Tensor x = operand.detach().clone().requires_grad_();
      weighted(f(x)).backward();
      gradient = parts(x.grad()).contiguous();
    }
    for (int64_t i = 0; i < gradient.numel(); i += 3) {
      const auto at = [&](double step) {
        const Tensor moved = operand.clone();
        const Tensor all = moved.is_complex() ? view_as_real(moved) : moved;
        all.data_ptr<double>()[i] += step;
        return weighted(f(moved)).item<double>();
      };
      const double slope = (at(1e-5) - at(-1e-5)) / 2e-5;
      EXPECT_NEAR(gradient.data_ptr<double>()[i], slope, 1e-6 * (1 + std::abs(slope))) << i;
    }
  }
}

TEST(Complex, SinglePrecisionFollows) {
  for (const auto& [name, operand, f] : cases()) {
    const std::string_view product(name);  // of this operand and a double one: types must be equal
    if (product == "mm" || product == "mv" || product == "addmm") continue;
    if (!operand.is_complex()) continue;
    SCOPED_TRACE(name);
    const Tensor wide = parts(f(operand)), narrow = parts(f(operand.to(kComplexFloat)));
    const std::vector<double> a = to_vector<double>(wide), b = to_vector<double>(narrow);
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 2e-4 * (1 + std::abs(a[i])));
  }
}

TEST(ComplexTensor, PartsAreViews) {
  const Tensor z = complex(tensor({1.0, 2.0}), tensor({3.0, 4.0}));
  EXPECT_EQ(z.scalar_type(), kComplexFloat);
  EXPECT_TRUE(z.is_complex() && is_complex(z) && !z.is_floating_point());
  EXPECT_EQ(z.element_size(), 8u);
  real(z).fill_(5);
  imag(z)[1].fill_(-1);
  EXPECT_THAT(to_vector<Complex<float>>(z),
              ElementsAre(Complex<float>(5, 3), Complex<float>(5, -1)));
  EXPECT_EQ(view_as_real(z).data_ptr(), z.data_ptr());
  EXPECT_TRUE(equal(view_as_complex(view_as_real(z)), z));
  EXPECT_EQ(view_as_real(z.unsqueeze(0).t()).sizes(), (Shape{2, 1, 2}));
  EXPECT_THAT(error_of([&] { imag(ones({2})); }), HasSubstr("imag is not"
                                                            " implemented"));
  EXPECT_THAT(error_of([&] { view_as_complex(ones({3})); }), HasSubstr("last dimension of size 2"));
  EXPECT_TRUE(real(ones({2})).is_floating_point());
}

TEST(ComplexTensor, PromotionAsInPyTorch) {
  const Tensor c = zeros({2}, kComplexFloat), d = zeros({2}, kComplexDouble);
  EXPECT_EQ((c + ones({2}, kFloat64)).scalar_type(), kComplexDouble);
  EXPECT_EQ((c + ones({2})).scalar_type(), kComplexFloat);
  EXPECT_EQ((c + d).scalar_type(), kComplexDouble);
  EXPECT_EQ((c + ones({}, kFloat64)).scalar_type(), kComplexFloat);
  EXPECT_EQ((ones({2}) + zeros({}, kComplexDouble)).scalar_type(), kComplexFloat);
  EXPECT_EQ((ones({2}, kInt64) * C(0, 1)).scalar_type(), kComplexFloat);
  EXPECT_EQ((ones({2}, kFloat64) * C(0, 1)).scalar_type(), kComplexDouble);
  EXPECT_EQ(promote_types(kComplexFloat, kInt64), kComplexFloat);
  EXPECT_FALSE(can_cast(kComplexFloat, kFloat32));
}

TEST(ComplexTensor, NumbersInAndOut) {
  const Tensor z = tensor({C(1, 2), C(3, -4)}, kComplexDouble);
  EXPECT_EQ(z[1].item<C>(), C(3, -4));
  EXPECT_EQ(z[1].item().toComplexDouble(), C(3, -4));
  EXPECT_THROW(z[1].item<double>(), std::runtime_error);
  EXPECT_EQ(tensor(C(1, 2)).scalar_type(), kComplexDouble);
  EXPECT_EQ(tensor(std::vector<C>{C(1, 2)}).scalar_type(), kComplexDouble);
  EXPECT_EQ(full({2}, C(1, -1)).scalar_type(), kComplexFloat);
  EXPECT_EQ(full({2}, C(1, -1), kComplexDouble)[0].item<C>(), C(1, -1));
  EXPECT_EQ(ones({2}, kComplexDouble)[0].item<C>(), C(1, 0));
  EXPECT_EQ(z.clone().fill_(C(0, 1))[0].item<C>(), C(0, 1));
  EXPECT_EQ(z.to(kComplexFloat).to(kComplexDouble)[0].item<C>(), C(1, 2));
  EXPECT_TRUE(std::abs(z[1].item<C>()) == 5.0);
  std::vector<std::complex<double>> host = {{1, 2}, {3, 4}};
  const Tensor from = from_blob(host.data(), {2}, kComplexDouble);
  EXPECT_EQ(from[1].item<C>(), C(3, 4));
}

TEST(ComplexTensor, InPlace) {
  const Tensor z = tensor({C(1, 2), C(3, -4)}, kComplexDouble);
  z.mul_(C(0, 1));
  EXPECT_THAT(to_vector<C>(z), ElementsAre(C(-2, 1), C(4, 3)));
  z.add_(1).div_(2.0).neg_();
  EXPECT_THAT(to_vector<C>(z), ElementsAre(C(0.5, -0.5), C(-2.5, -1.5)));
  z[0].zero_();
  z.copy_(z.clone() * z);
  EXPECT_THAT(to_vector<C>(z), ElementsAre(C(0, 0), C(4, 7.5)));
  EXPECT_THAT(error_of([&] { ones({2}).mul_(z); }), HasSubstr("cannot be stored"));
  const Tensor leaf = z.clone().requires_grad_();
  const Tensor work = leaf * 1.0;
  work.mul_(work).add_(leaf);
  real(work).sum().backward();
  EXPECT_THAT(to_vector<C>(leaf.grad()), ElementsAre(C(1, 0), C(9, -15)));
}

TEST(ComplexTensor, Comparisons) {
  const Tensor z = tensor({C(1, 2), C(3, 0)}, kComplexDouble);
  EXPECT_THAT(to_vector<bool>(z == z.clone()), ElementsAre(true, true));
  EXPECT_THAT(to_vector<bool>(z == 3), ElementsAre(false, true));
  EXPECT_THAT(to_vector<bool>(z != 3), ElementsAre(true, false));
  EXPECT_THAT(to_vector<bool>(isreal(z)), ElementsAre(false, true));
  EXPECT_TRUE(equal(z, z.clone()) && allclose(z, z + 1e-9));
  EXPECT_FALSE(allclose(z, z + C(0, 1e-3)));
  EXPECT_THAT(error_of([&] { z < z; }), HasSubstr("not"
                                                  " implemented for 'ComplexDouble'"));
  EXPECT_THAT(error_of([&] { relu(z); }), HasSubstr("\"relu\" not"
                                                    " implemented for 'ComplexDouble'"));
  EXPECT_THAT(error_of([&] { floor(z); }), HasSubstr("not"
                                                     " implemented for"));
  EXPECT_THAT(error_of([&] { z.requires_grad_().sum().backward(); }),
              HasSubstr("grad can be implicitly created only for real scalar outputs"));
}

TEST(ComplexTensor, PrintsAsLibtorchDoes) {
  const Tensor z = complex(tensor({1.0, 2.0}), tensor({3.0, -4.0}));
  EXPECT_EQ(str(z), " 1\n 2\n[ CPUComplexFloatType{2} ]");
  EXPECT_EQ(str(z[0]), "1\n[ CPUComplexFloatType{} ]");
  EXPECT_EQ(str(z.dtype()), "c10::complex<float>");
}

TEST(ComplexTensor, LayoutsOfBothWidths) {
  for (const DType dtype : {kComplexFloat, kComplexDouble}) {
    const Tensor z = operand({5, 7, 3}, 0.3, 0.7, 1, 0).to(dtype);
    const Tensor turned = z.permute({2, 0, 1}).contiguous();
    for (int64_t i = 0; i < 3; ++i) EXPECT_TRUE(equal(turned[i], z.select(2, i)));
    EXPECT_TRUE(equal(z.flip({0, 2}).flip({0, 2}), z));
    EXPECT_TRUE(equal(z.repeat({2, 1, 1})[6], z[1]));
    EXPECT_TRUE(equal(z.gather(1, zeros({5, 2, 3}, kInt64)).select(1, 1), z.select(1, 0)));
    EXPECT_TRUE(
        equal(z.masked_select(abs(z) > 0.5),
              z.index({nonzero(abs(z) > 0.5).select(1, 0), nonzero(abs(z) > 0.5).select(1, 1),
                       nonzero(abs(z) > 0.5).select(1, 2)})));
    EXPECT_TRUE(equal(cat({z, z}, 2).narrow(2, 3, 3), z));
    EXPECT_TRUE(equal(z.slice(0, 0, 5, 2)[1], z[2]));
  }
}

}  // namespace
}  // namespace oneagent
