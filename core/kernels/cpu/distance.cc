#include "core/kernels/cpu/distance.h"

#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
OA_INLINE T sign_of(T x) {
  return static_cast<T>((x > T(0)) - (x < T(0)));
}
template <class T>
OA_INLINE T power(T x, T p) {
  return std::pow(x, p);
}

// How terms are formed, joined and finished, and the derivative of a distance d by a difference.
template <class T>
struct Count {
  T p;
  T term(T d) const { return d != T(0) ? T(1) : T(0); }
  T finish(T sum) const { return sum; }
  T slope(T, T) const { return T(0); }
};
template <class T>
struct Absolute {
  T p;
  T term(T d) const { return abs_(d); }
  T finish(T sum) const { return sum; }
  T slope(T d, T) const { return sign_of(d); }
};
template <class T>
struct Euclid {
  T p;
  T term(T d) const { return d * d; }
  T finish(T sum) const { return sqrt_(sum); }
  T slope(T d, T distance) const { return distance == T(0) ? T(0) : d / distance; }
};
template <class T>
struct Largest {
  T p;
  T slope(T d, T distance) const { return abs_(d) == distance ? sign_of(d) : T(0); }
};
template <class T>
struct Power {
  T p;
  T term(T d) const { return power(abs_(d), p); }
  T finish(T sum) const { return power(sum, T(1) / p); }
  T slope(T d, T distance) const {
    if (distance == T(0) || (d == T(0) && p < T(1))) return T(0);
    return sign_of(d) * power(abs_(d), p - T(1)) / power(distance, p - T(1));
  }
};

template <class T>
T distance_of(const T* a, const T* b, int64_t m, const Largest<T>&) {
  T best = 0;
  for (int64_t i = 0; i < m; ++i) best = larger_or_nan(best, abs_(a[i] - b[i]));
  return best;
}
template <class T, class F>
T distance_of(const T* a, const T* b, int64_t m, const F& f) {
  return f.finish(lane_sum<T>(m, [&](int64_t i) { return f.term(a[i] - b[i]); }));
}

template <class T, class F>
void forward(const DistanceArgs& args, const F& f) {
  T* out = static_cast<T*>(args.out);
  for (int64_t i = 0; i < args.rows_a; ++i)
    for (int64_t j = 0; j < args.rows_b; ++j)
      *out++ = distance_of(static_cast<const T*>(args.a) + i * args.m,
                           static_cast<const T*>(args.b) + j * args.m, args.m, f);
}

template <class T, class F>
void backward(const DistanceArgs& args, const F& f) {
  const T* gradient = static_cast<const T*>(args.gradient);
  const T* distance = static_cast<const T*>(args.distance);
  for (int64_t i = 0; i < args.rows_a; ++i)
    for (int64_t j = 0; j < args.rows_b; ++j, ++gradient, ++distance) {
      const T* a = static_cast<const T*>(args.a) + i * args.m;
      const T* b = static_cast<const T*>(args.b) + j * args.m;
      T* to_a = static_cast<T*>(args.out_a) + i * args.m;
      T* to_b = static_cast<T*>(args.out_b) + j * args.m;
      const T g = *gradient, d = *distance;
#pragma GCC ivdep
      for (int64_t k = 0; k < args.m; ++k) {
        const T slope = g * f.slope(a[k] - b[k], d);
        to_a[k] += slope;
        to_b[k] -= slope;
      }
    }
}

template <class T, class Run>
void with_power(double p, const Run& run) {
  const T power_of = static_cast<T>(p);
  if (p == 0) return run(Count<T>{power_of});
  if (p == 1) return run(Absolute<T>{power_of});
  if (p == 2) return run(Euclid<T>{power_of});
  if (p == __builtin_inf()) return run(Largest<T>{power_of});
  run(Power<T>{power_of});
}

}  // namespace

void distances(DType dtype, const DistanceArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    with_power<T>(args.p, [&](const auto& f) { forward<T>(args, f); });
  });
}
void distances_backward(DType dtype, const DistanceArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    with_power<T>(args.p, [&](const auto& f) { backward<T>(args, f); });
  });
}

}  // namespace oneagent::cpu::OA_ISA
