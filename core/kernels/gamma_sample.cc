#include "core/kernels/gamma_sample.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/draw.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 512;

// A stream of its own for each element, so that it may draw as often as it needs.
Rng rng_of(const RngState& at, int64_t index) {
  const uint64_t counter = at.position + static_cast<uint64_t>(index);
  const auto block =
      philox_block({static_cast<uint32_t>(at.seed), static_cast<uint32_t>(at.seed >> 32)},
                   {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                    static_cast<uint32_t>(at.stream), static_cast<uint32_t>(at.stream >> 32)});
  return Rng((uint64_t{block[1]} << 32) | block[0], (uint64_t{block[3]} << 32) | block[2]);
}

// log of a sample, so that tiny shapes keep their precision.
double log_sample(double a, Rng& rng) {
  double boost = 0;
  if (a < 1) {
    boost = std::log(1 - rng.uniform_double()) / a;
    a += 1;
  }
  const double d = a - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double z = rng.normal(), root = 1 + c * z;
    if (root <= 0) continue;
    const double v = root * root * root, u = 1 - rng.uniform_double(), zz = z * z;
    if (u < 1 - 0.0331 * zz * zz || std::log(u) < 0.5 * zz + d * (1 - v + std::log(v)))
      return std::log(d * v) + boost;
  }
}

// Numbers of a block of elements for the first attempt, which nearly always is the last.
struct FirstDraws {
  double normal[kGrain], uniform[kGrain], boost[kGrain];

  void fill(const RngState& at, int64_t begin, int64_t count) {
    constexpr uint64_t kStep = 0x9E3779B97F4A7C15;  // between the streams of the three
    cpu::DrawArgs args{.seed = at.seed,
                       .stream = at.stream ^ kStep,
                       .counter = at.position + static_cast<uint64_t>(begin),
                       .n = count,
                       .out = normal};
    cpu::draw_normal(DType::kFloat64, args);
    args.stream += kStep;
    args.out = uniform;
    cpu::draw_uniform(DType::kFloat64, args);
    args.stream += kStep;
    args.out = boost;
    cpu::draw_uniform(DType::kFloat64, args);
  }
};

// A sample by the first draws, or -1 where they are rejected.
double first_sample(double shape, double z, double uniform, double boost) {
  const double a = shape < 1 ? shape + 1 : shape;
  const double d = a - 1.0 / 3, root = 1 + z / std::sqrt(9 * d);
  if (root <= 0) return -1;
  const double v = root * root * root, u = 1 - uniform, zz = z * z;
  if (u >= 1 - 0.0331 * zz * zz && std::log(u) >= 0.5 * zz + d * (1 - v + std::log(v))) return -1;
  return shape < 1 ? d * v * std::exp(std::log(1 - boost) / shape) : d * v;
}

// The logarithmic derivative of the gamma function: recurrence up to 6, then the asymptotic series.
double digamma_of(double x) {
  double shift = 0;
  for (; x < 6; x += 1) shift -= 1 / x;
  const double r = 1 / (x * x);
  const double series =
      r *
      (1.0 / 12 -
       r * (1.0 / 120 - r * (1.0 / 252 - r * (1.0 / 240 - r * (1.0 / 132 - r * 691.0 / 32760)))));
  return shift + std::log(x) - 0.5 / x - series;
}

// A value with its derivative by a.
struct Dual {
  double value = 0, slope = 0;
};
Dual operator+(Dual x, Dual y) { return {x.value + y.value, x.slope + y.slope}; }
Dual operator*(Dual x, Dual y) {
  return {x.value * y.value, x.slope * y.value + x.value * y.slope};
}
Dual inverse(Dual x) { return {1 / x.value, -x.slope / (x.value * x.value)}; }

// P = x^a e^-x / Gamma(a + 1) S with S = sum of x^n / ((a + 1) ... (a + n)); P / p = x S / a.
double from_series(double a, double x) {
  double term = 1, log_slope = 0, s = 1, slope = 0;
  for (int n = 1; n < 10000; ++n) {
    term *= x / (a + n);
    log_slope -= 1 / (a + n);
    s += term;
    slope += term * log_slope;
    if (term * -log_slope < 1e-17 * s && term < 1e-17 * s) break;
  }
  return -x / a * (s * (std::log(x) - digamma_of(a + 1)) + slope);
}

// Q = 1 - P = x^a e^-x / Gamma(a) C with Legendre's continued fraction C = 1 / (x + 1 - a - (1 - a)
// / (x + 3 - a - 2 (2 - a) / ...)), by the modified method of Lentz; Q / p = x C.
double from_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  const auto kept = [](Dual v) { return v.value == 0 ? Dual{kTiny, v.slope} : v; };
  Dual b{x + 1 - a, -1};
  Dual c{1 / kTiny, 0}, d = inverse(kept(b)), fraction = d;
  for (int n = 1; n < 10000; ++n) {
    const Dual top{-n * (n - a), static_cast<double>(n)};
    b.value += 2;
    d = inverse(kept(top * d + b));
    c = kept(top * inverse(c) + b);
    const Dual factor = c * d;
    fraction = fraction * factor;
    if (std::abs(factor.value - 1) < 1e-16 && std::abs(factor.slope) < 1e-16) break;
  }
  return x * (fraction.value * (std::log(x) - digamma_of(a)) + fraction.slope);
}

// For large a: x = a + z a^1/2 + (z^2 - 1) / 3 + (z^3 - 7 z) / (36 a^1/2) - (3 z^4 + 7 z^2 - 16) /
// (810 a) of the normal quantile z (Cornish and Fisher 1937), differentiated at the z of x.
double from_normal(double a, double x) {
  const double root = std::sqrt(a);
  double z = (x - a) / root;
  for (int i = 0; i < 6; ++i) {
    const double zz = z * z;
    const double value = a + z * root + (zz - 1) / 3 + z * (zz - 7) / (36 * root) -
                         (3 * zz * zz + 7 * zz - 16) / (810 * a);
    const double slope =
        root + 2 * z / 3 + (3 * zz - 7) / (36 * root) - z * (12 * zz + 14) / (810 * a);
    z -= (value - x) / slope;
  }
  const double zz = z * z;
  return 1 + z / (2 * root) - z * (zz - 7) / (72 * a * root) +
         (3 * zz * zz + 7 * zz - 16) / (810 * a * a);
}

}  // namespace

double standard_gamma_grad(double a, double x) {
  if (!(a > 0) || !(x >= 0)) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return 0;
  const double deviations = std::abs(x - a) / std::sqrt(a);
  if (a > 1e4 && deviations < 8) return from_normal(a, x);
  return x < 1 || x < a + 1 ? from_series(a, x) : from_fraction(a, x);
}

void run_standard_gamma(Stream& stream, const Tensor& out, const Tensor& shape,
                        const RngState& at) {
  const Tensor shapes = as_contiguous(stream, shape);
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const T* a = shapes.data_ptr<T>();
    T* to = out.data_ptr<T>();
    stream.parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
      FirstDraws first;
      for (int64_t i = begin; i < end; ++i) {
        const int64_t j = (i - begin) % kGrain;
        if (j == 0) first.fill(at, i, std::min(kGrain, end - i));
        double sample = first_sample(a[i], first.normal[j], first.uniform[j], first.boost[j]);
        if (!(sample >= 0)) {
          Rng rng = rng_of(at, i);
          sample = std::exp(log_sample(a[i], rng));
        }
        const T value = static_cast<T>(sample);
        to[i] = value < std::numeric_limits<T>::min() ? std::numeric_limits<T>::min() : value;
      }
    });
  });
}

void run_standard_gamma_grad(Stream& stream, const Tensor& out, const Tensor& shape,
                             const Tensor& sample) {
  const Tensor shapes = as_contiguous(stream, shape), samples = as_contiguous(stream, sample);
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const T* a = shapes.data_ptr<T>();
    const T* x = samples.data_ptr<T>();
    T* to = out.data_ptr<T>();
    stream.parallel_for(out.numel(), kGrain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i] = static_cast<T>(standard_gamma_grad(a[i], x[i]));
    });
  });
}

}  // namespace oneagent
