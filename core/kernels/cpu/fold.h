// The functions of reductions and the fold of one block of adjacent terms.
#pragma once

#include <cmath>
#include <type_traits>

#include "core/kernels/cpu/pack.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kUnroll = 8;        // packs in flight
constexpr int kFewPacks = 4;      // fewer terms are joined one by one
constexpr int64_t kBlock = 2048;  // terms joined straight; blocks are then joined in order

// Each function has Part, the type within a block, Total, that of the result, what it starts from,
// what a term is and how two are joined. map and join take scalars and packs.
template <class T>
struct Sum {
  using Total = std::conditional_t<is_real<T>, T, int64_t>;
  using Part =
      std::conditional_t<is_real<T>, T, std::conditional_t<sizeof(T) <= 2, int32_t, int64_t>>;
  static constexpr Part kStart = 0;
  double power;
  template <class X>
  auto map(X x) const {
    return widen<Part>(x);
  }
  template <class A>
  static A join(A a, A b) {
    return a + b;
  }
};
template <class T>
struct NanSum : Sum<T> {
  template <class X>
  auto map(X x) const {
    return widen<typename Sum<T>::Part>(x == x ? x : X{});
  }
};
template <class T>
struct SumSquares : Sum<T> {
  template <class X>
  auto map(X x) const {
    const auto wide = widen<typename Sum<T>::Total>(x);
    return wide * wide;
  }
  using Part = typename Sum<T>::Total;
  static constexpr Part kStart = 0;
};
template <class X>
X magnitude(X x) {
  return static_cast<X>((x < X{} ? -x : x) + X{});
}
template <class T>
struct SumAbs : Sum<T> {
  template <class X>
  auto map(X x) const {
    return magnitude(widen<typename Sum<T>::Part>(x));
  }
};
template <class T>
struct SumPower : Sum<T> {
  T map(T x) const { return static_cast<T>(std::pow(magnitude(x), static_cast<T>(this->power))); }
  template <class X>
  X map(X x) const {
    for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); ++i) x[i] = map(static_cast<T>(x[i]));
    return x;
  }
};
template <class T>
struct SumCubes : Sum<T> {
  template <class X>
  X map(X x) const {
    const X size = magnitude(x);
    return size * size * size;
  }
};
template <class T>
struct Count {
  using Total = int64_t;
  using Part = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;
  static constexpr Part kStart = 0;
  double power;
  template <class X>
  auto map(X x) const {
    if constexpr (is_scalar<X>)
      return static_cast<Part>(x != X{});
    else
      return -widen<Part>(x != X{});
  }
  template <class A>
  static A join(A a, A b) {
    return a + b;
  }
};
template <class T>
struct Prod {
  using Total = std::conditional_t<is_real<T>, T, int64_t>;
  using Part = Total;
  static constexpr Part kStart = 1;
  double power;
  template <class X>
  auto map(X x) const {
    return widen<Part>(x);
  }
  template <class A>
  static A join(A a, A b) {
    return a * b;
  }
};
template <class T>
struct Max {
  using Total = T;
  using Part = T;
  static constexpr Part kStart = lowest<T>();
  double power;
  template <class X>
  X map(X x) const {
    return x;
  }
  template <class A>
  static A join(A a, A b) {
    return (b > a) | (b != b) ? b : a;
  }
  template <class A>
  static A join_numbers(A a, A b) {  // join where neither is NaN
    return b > a ? b : a;
  }
};
template <class T>
struct Min : Max<T> {
  static constexpr T kStart = highest<T>();
  template <class A>
  static A join(A a, A b) {
    return (b < a) | (b != b) ? b : a;
  }
  template <class A>
  static A join_numbers(A a, A b) {
    return b < a ? b : a;
  }
};
template <class T>
struct MaxAbs : Max<T> {
  static constexpr T kStart = 0;
  template <class X>
  X map(X x) const {
    return magnitude(x);
  }
};
template <class T>
struct MinAbs : Min<T> {
  template <class X>
  X map(X x) const {
    return magnitude(x);
  }
};

template <class F>
inline constexpr int kWidth = kPackBytes / static_cast<int>(sizeof(typename F::Part));

template <class F, class V>
typename F::Part across(const V& pack) {
  typename F::Part lanes[kWidth<F>];
  store(lanes, pack);
  for (int width = kWidth<F> / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i) lanes[i] = F::join(lanes[i], lanes[i + width]);
  return lanes[0];
}

// At most kBlock terms. The order does not depend on the stride.
template <bool kAdjacent = true, class F, class T>
typename F::Part reduce_block(const F& f, const T* in, int64_t count, int64_t stride = 1) {
  using Part = typename F::Part;
  constexpr int kN = kWidth<F>;
  Part total = F::kStart;
  int64_t at = 0;
  const auto pack = [&](int64_t i) { return f.map(take<kN, kAdjacent>(in + i * stride, stride)); };
  if (count >= kFewPacks * kN) {
    Pack<Part, kN> first = splat<kN>(Part(F::kStart));
    if (count >= kN * kUnroll) {
      Pack<Part, kN> sums[kUnroll];
      for (int u = 0; u < kUnroll; ++u) sums[u] = first;
      if constexpr (requires { F::join_numbers(first, first); } && is_real<Part>) {
        // As if there were no NaN; if there was one, again as below.
        auto unordered = first != first;
        for (; at + kN * kUnroll <= count; at += kN * kUnroll)
#pragma GCC unroll 8
          for (int u = 0; u < kUnroll; ++u) {
            const Pack<Part, kN> terms = pack(at + u * kN);
            sums[u] = F::join_numbers(sums[u], terms);
            unordered |= terms != terms;
          }
        bool found = false;
        for (int i = 0; i < kN; ++i) found |= unordered[i] != 0;
        if (found) {
          at = 0;
          for (int u = 0; u < kUnroll; ++u) sums[u] = first;
        }
      }
      for (; at + kN * kUnroll <= count; at += kN * kUnroll)
#pragma GCC unroll 8
        for (int u = 0; u < kUnroll; ++u) sums[u] = F::join(sums[u], pack(at + u * kN));
#pragma GCC unroll 4
      for (int half = kUnroll / 2; half > 0; half /= 2)
#pragma GCC unroll 4
        for (int u = 0; u < half; ++u) sums[u] = F::join(sums[u], sums[u + half]);
      first = sums[0];
    }
    for (; at + kN <= count; at += kN) first = F::join(first, pack(at));
    total = across<F>(first);
  }
  for (; at < count; ++at) total = F::join(total, Part(f.map(in[at * stride])));
  return total;
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
