#include "core/kernels/cpu/moments.h"

#include <cmath>

#include "core/kernels/cpu/pack.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kN = kPackBytes / static_cast<int>(sizeof(double));
constexpr int kUnroll = 4;
using V = Pack<double, kN>;

struct Sums {
  double first = 0, second = 0;  // of d and of d * d, d being a term less the centre
};

double across(const V& v) { return (v[0] + v[2]) + (v[1] + v[3]); }

// The order of additions does not depend on the stride.
template <bool kAdjacent, class T>
Sums sums_of_row(const T* in, int64_t count, int64_t stride, double centre) {
  V first[kUnroll] = {}, second[kUnroll] = {};
  const V middle = splat<kN>(centre);
  int64_t at = 0;
  for (; at + kN * kUnroll <= count; at += kN * kUnroll)
#pragma GCC unroll 4
    for (int u = 0; u < kUnroll; ++u) {
      const auto x = take<kN, kAdjacent>(in + (at + u * kN) * stride, stride);
      const V d = widen<double>(x) - middle;
      first[u] += d;
      second[u] += d * d;
    }
  Sums out{across((first[0] + first[1]) + (first[2] + first[3])),
           across((second[0] + second[1]) + (second[2] + second[3]))};
  for (; at < count; ++at) {
    const double d = static_cast<double>(in[at * stride]) - centre;
    out.first += d;
    out.second += d * d;
  }
  return out;
}

template <class T>
void finish(const MomentArgs& args, int64_t at, const Sums& sums, double centre) {
  const auto n = static_cast<double>(args.over.count);
  const double shift = sums.first / n;
  const double square = sums.second - sums.first * shift;
  const double divisor = n > args.correction ? n - args.correction : 0;
  const double variance = (square < 0 ? 0 : square) / divisor;
  static_cast<T*>(args.spread)[at] = static_cast<T>(args.root ? std::sqrt(variance) : variance);
  if (args.mean != nullptr) static_cast<T*>(args.mean)[at] = static_cast<T>(centre + shift);
}

constexpr int64_t kColumns = 32;

template <class T>
void sums_of_columns(const T* in, int64_t count, int64_t stride, const double* centre, Sums* out) {
  V first[kColumns / kN] = {}, second[kColumns / kN] = {};
  for (int64_t i = 0; i < count; ++i)
#pragma GCC unroll 8
    for (int w = 0; w < kColumns / kN; ++w) {
      const V d = widen<double>(load<kN>(in + i * stride + w * kN)) - load<kN>(centre + w * kN);
      first[w] += d;
      second[w] += d * d;
    }
  for (int64_t c = 0; c < kColumns; ++c) out[c] = {first[c / kN][c % kN], second[c / kN][c % kN]};
}

template <class T>
void run(const MomentArgs& args) {
  constexpr bool kShifted = sizeof(T) == sizeof(float);
  const ReduceArgs& over = args.over;
  const auto n = static_cast<double>(over.count);
  for (int64_t o = 0; o < over.outer; ++o) {
    const T* in = static_cast<const T*>(over.in) + o * over.outer_stride;
    int64_t j = 0;
    for (; over.inner > 1 && j + kColumns <= over.inner; j += kColumns) {
      double centre[kColumns] = {};
      Sums sums[kColumns];
      if (over.count > 0)
        for (int64_t c = 0; c < kColumns; ++c) centre[c] = static_cast<double>(in[j + c]);
      if (!kShifted) {
        sums_of_columns(in + j, over.count, over.count_stride, centre, sums);
        for (int64_t c = 0; c < kColumns; ++c) centre[c] += sums[c].first / n;
      }
      sums_of_columns(in + j, over.count, over.count_stride, centre, sums);
      for (int64_t c = 0; c < kColumns; ++c)
        finish<T>(args, o * over.inner + j + c, sums[c], centre[c]);
    }
    for (; j < over.inner; ++j) {
      const auto sums_around = [&](double centre) {
        return over.count_stride == 1
                   ? sums_of_row<true>(in + j, over.count, 1, centre)
                   : sums_of_row<false>(in + j, over.count, over.count_stride, centre);
      };
      double centre = over.count > 0 ? static_cast<double>(in[j]) : 0;
      if (!kShifted) centre += sums_around(centre).first / n;
      finish<T>(args, o * over.inner + j, sums_around(centre), centre);
    }
  }
}

}  // namespace

bool moments(DType dtype, const MomentArgs& args) {
  return with_floating(dtype, [&]<class T>(Type<T>) { run<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
