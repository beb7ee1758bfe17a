// Reductions of a row in a fixed number of lanes, so that they vectorise and every build gives the
// same bits.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kLanes = 16;

template <class T>
OA_INLINE T lane_total(T* lanes) {
  for (int width = kLanes / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  return lanes[0];
}

// The sum of term(i) for i in 0..n-1.
template <class T, class F>
OA_INLINE T lane_sum(int64_t n, const F& term) {
  T lanes[kLanes] = {};
  int64_t at = 0;
  for (; at + kLanes <= n; at += kLanes) {
#pragma GCC ivdep
    for (int i = 0; i < kLanes; ++i) lanes[i] += term(at + i);
  }
  for (int i = 0; at < n; ++at, ++i) lanes[i] += term(at);
  return lane_total(lanes);
}

template <class T>
OA_INLINE T larger_or_nan(T a, T b) {
  return (b > a) | (b != b) ? b : a;
}

template <class T>
OA_INLINE T larger_of(T a, T b) {
  return b > a ? b : a;
}

// The largest of n > 0 values; a NaN may be passed over: sums over the row find it.
template <class T>
OA_INLINE T lane_max(const T* x, int64_t n) {
  T best = x[0];
  int64_t at = 0;
  if (n >= kLanes) {
    T lanes[kLanes];
    for (int i = 0; i < kLanes; ++i) lanes[i] = x[i];
    for (at = kLanes; at + kLanes <= n; at += kLanes) {
#pragma GCC ivdep
      for (int i = 0; i < kLanes; ++i) lanes[i] = larger_of(lanes[i], x[at + i]);
    }
    for (int i = 0; i < kLanes; ++i) best = larger_of(best, lanes[i]);
  }
  for (; at < n; ++at) best = larger_of(best, x[at]);
  return best;
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
