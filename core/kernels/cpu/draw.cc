// Box-Muller: sqrt(-2 log(1 - u)) cos(2 pi v), u and v from the upper 53 bits of two 64-bit halves
// of a block. Subtractions of u and v are exact: near 1 the logarithm takes u itself, and the
// cosine is the sine of 2 pi (|v - 1/2| - 1/4). float takes 32 bits of each.
#include "core/kernels/cpu/draw.h"

#include "core/kernels/cpu/philox_lanes.h"
#include "core/kernels/cpu/trig_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

// The upper 53 bits of (high, low) as a fraction; signed conversions are the ones that vectorise.
inline double fraction(uint32_t low, uint32_t high) {
  const double upper = static_cast<double>(static_cast<int32_t>(high ^ 0x80000000u));
  const double lower = static_cast<double>(static_cast<int32_t>(low >> 11));
  return (upper + 0x1p31) * 0x1p-32 + lower * 0x1p-53;
}
inline float half_open(uint32_t bits) {  // (bits + 1/2) / 2^32
  const float top = static_cast<float>(static_cast<int32_t>(bits >> 16));
  const float rest = static_cast<float>(static_cast<int32_t>(bits & 0xffff));
  return __builtin_fmaf(rest, 0x1p-32f, __builtin_fmaf(top, 0x1p-16f, 0x1p-33f));
}

struct FloatSource {
  static float uniform(const uint32_t* low, const uint32_t*) {
    return static_cast<float>(static_cast<int32_t>(*low >> 8)) * 0x1p-24f;
  }
  static float normal(uint32_t, uint32_t b, uint32_t, uint32_t d) {
    const float u = half_open(b), rest = half_open(~b);  // 1 - u
    const int32_t shifted = bits_of(rest) - 0x3f3504f3;  // of sqrt(1/2)
    const bool near_one = shifted >= 0;
    const float scaled = float_of((shifted & 0x007fffff) + 0x3f3504f3);
    const float m = near_one ? -u : scaled - 1.0f;
    const float e = static_cast<float>(shifted >> 23);
    float y = __builtin_fmaf(e, -2.12194440e-4f, log1p_poly_(m));
    y = __builtin_fmaf(e, 0.693359375f, m + y);
    const float radius = __builtin_sqrtf(__builtin_fabsf(2.0f * y));
    const int32_t around = static_cast<int32_t>(d ^ 0x80000000u);
    const int32_t beyond = (around < 0 ? ~around : around) - 0x40000000;
    return radius * sin_poly_((static_cast<float>(beyond) + 0.5f) * 1.4629180792671596e-09f);
  }
};

// log(x) for x in [2^-53, 1], and log(1 - u) where x = 1 - u is near 1 (fdlibm's e_log.c).
inline double log_unit(double x, double u) {
  const int64_t shifted = __builtin_bit_cast(int64_t, x) - 0x3fe6a09e667f3bcd;  // of sqrt(1/2)
  const int64_t mantissa = (shifted & 0x000fffffffffffff) + 0x3fe6a09e667f3bcd;
  const bool near_one = x >= 0.7071067811865476;
  // The exponent is in -53..0: as the lower bits of a double near 2^52.
  const int64_t biased = static_cast<int64_t>(static_cast<uint64_t>(shifted) >> 52) & 0xfff;
  const double above = __builtin_bit_cast(double, biased | 0x4330000000000000) - 0x1p52;
  const double e = near_one ? 0.0 : above - 4096.0;
  const double f = near_one ? -u : __builtin_bit_cast(double, mantissa) - 1.0;
  const double s = f / (2.0 + f), z = s * s;
  double p = 1.479819860511658591e-01;
  p = __builtin_fma(p, z, 1.531383769920937332e-01);
  p = __builtin_fma(p, z, 1.818357216161805012e-01);
  p = __builtin_fma(p, z, 2.222219843214978396e-01);
  p = __builtin_fma(p, z, 2.857142874366239149e-01);
  p = __builtin_fma(p, z, 3.999999999940941908e-01);
  p = __builtin_fma(p, z, 6.666666666666735130e-01) * z;
  const double half = 0.5 * f * f;
  const double y = half - __builtin_fma(s, half + p, e * 1.90821492927058770002e-10);
  return __builtin_fma(e, 6.93147180369123816490e-01, f - y);
}

// sin(r) for |r| <= pi / 2: the series.
inline double sin_series(double r) {
  const double z = r * r;
  double p = 1.9572941063391263e-20;
  p = __builtin_fma(p, z, -8.220635246624330e-18);
  p = __builtin_fma(p, z, 2.811457254345521e-15);
  p = __builtin_fma(p, z, -7.647163731819816e-13);
  p = __builtin_fma(p, z, 1.6059043836821613e-10);
  p = __builtin_fma(p, z, -2.505210838544172e-08);
  p = __builtin_fma(p, z, 2.7557319223985893e-06);
  p = __builtin_fma(p, z, -1.984126984126984e-04);
  p = __builtin_fma(p, z, 8.333333333333333e-03);
  p = __builtin_fma(p, z, -1.6666666666666666e-01);
  return __builtin_fma(p * z, r, r);
}

struct DoubleSource {
  static double uniform(const uint32_t* low, const uint32_t* high) { return fraction(*low, *high); }
  static double normal(uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    const double u = fraction(a, b);
    const double radius = __builtin_sqrt(__builtin_fabs(2.0 * log_unit(1.0 - u, u)));
    const double beyond = __builtin_fabs(fraction(c, d) - 0.5) - 0.25;
    return radius * sin_series(beyond * 6.283185307179586);
  }
};

// `one` makes a number of a block, of whose words those in `Wanted` are there.
template <class T, int Wanted, class One>
OA_INLINE void blocks(const DrawArgs& args, const One& one) {
  T* out = static_cast<T*>(args.out);
  uint32_t words[4][kPhiloxLanes] = {};
  T values[kPhiloxLanes];
  for (int64_t at = 0; at < args.n; at += kPhiloxLanes) {
    const uint64_t counter = args.counter + static_cast<uint64_t>(at);
    if (args.n - at >= kPhiloxLanes) {
      philox_words<Wanted>(args.seed, args.stream, counter, words);
#pragma GCC ivdep
      for (int i = 0; i < kPhiloxLanes; ++i)
        out[at + i] = one(words[0][i], words[1][i], words[2][i], words[3][i]);
      continue;
    }
    const int count = static_cast<int>(args.n - at + 7) / 8 * 8;
    philox_words<Wanted>(args.seed, args.stream, counter, words, count);
#pragma GCC ivdep
    for (int i = 0; i < count; ++i)
      values[i] = one(words[0][i], words[1][i], words[2][i], words[3][i]);
    for (int64_t i = 0; i < args.n - at; ++i) out[at + i] = values[i];
  }
}

template <class T, class Source>
void uniform_of(const DrawArgs& args) {
  const T shift = static_cast<T>(args.shift), scale = static_cast<T>(args.scale);
  blocks<T, sizeof(T) == 4 ? 1 : 3>(args, [=](uint32_t a, uint32_t b, uint32_t, uint32_t) {
    return shift + scale * Source::uniform(&a, &b);
  });
}

template <class T, class Source>
void normal_of(const DrawArgs& args) {
  const T shift = static_cast<T>(args.shift), scale = static_cast<T>(args.scale);
  blocks<T, sizeof(T) == 4 ? 10 : 15>(args, [=](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
    return shift + scale * Source::normal(a, b, c, d);
  });
}

template <class T>
void ints_of(const DrawArgs& args, int64_t low, uint64_t range) {
  const auto factor = static_cast<uint32_t>(range);
  blocks<T, 3>(args, [=](uint32_t a, uint32_t b, uint32_t, uint32_t) {
    const uint64_t bits = uint64_t{b} * factor + ((uint64_t{a} * factor) >> 32);
    return static_cast<T>(low + static_cast<int64_t>(bits >> 32));
  });
}

}  // namespace

void draw_uniform(DType dtype, const DrawArgs& args) {
  if (dtype == DType::kFloat32)
    uniform_of<float, FloatSource>(args);
  else
    uniform_of<double, DoubleSource>(args);
}
void draw_normal(DType dtype, const DrawArgs& args) {
  if (dtype == DType::kFloat32)
    normal_of<float, FloatSource>(args);
  else
    normal_of<double, DoubleSource>(args);
}
void draw_ints(DType dtype, const DrawArgs& args, int64_t low, uint64_t range) {
  if (dtype == DType::kFloat32)
    ints_of<float>(args, low, range);
  else if (dtype == DType::kFloat64)
    ints_of<double>(args, low, range);
  else
    ints_of<int64_t>(args, low, range);
}

}  // namespace oneagent::cpu::OA_ISA
