#include "core/kernels/cpu/orthogonal.h"

#include <cmath>

#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr bool is_chebyshev(Orthogonal family) { return family <= Orthogonal::kShiftedChebyshevW; }
constexpr bool is_shifted(Orthogonal family) {
  return is_chebyshev(family) && family >= Orthogonal::kShiftedChebyshevT;
}
constexpr Orthogonal unshifted(Orthogonal family) {
  return is_shifted(family) ? static_cast<Orthogonal>(static_cast<int>(family) - 4) : family;
}

// Degree 1; degree 0 is 1.
template <Orthogonal kFamily, class T>
T linear(T x) {
  switch (kFamily) {
    case Orthogonal::kChebyshevU:
    case Orthogonal::kHermiteH:
      return x + x;
    case Orthogonal::kChebyshevV:
      return x + x - T(1);
    case Orthogonal::kChebyshevW:
      return x + x + T(1);
    case Orthogonal::kLaguerreL:
      return T(1) - x;
    default:
      return x;
  }
}

// Degree k + 1 from degrees k (q) and k - 1 (p).
template <Orthogonal kFamily, class T>
T next(T x, T q, T p, T k) {
  switch (kFamily) {
    case Orthogonal::kHermiteH:
      return (x + x) * q - (k + k) * p;
    case Orthogonal::kHermiteHe:
      return x * q - k * p;
    case Orthogonal::kLaguerreL:
      return ((k + k + (T(1) - x)) * q - k * p) / (k + T(1));
    case Orthogonal::kLegendreP:
      return ((k + k + T(1)) * x * q - k * p) / (k + T(1));
    default:
      return (x + x) * q - p;
  }
}

// Chebyshev polynomials of high degree within (-1, 1): trigonometric, with angle = acos(x).
template <Orthogonal kFamily, class T>
T trigonometric(T x, T n) {
  const T angle = std::acos(x);
  switch (kFamily) {
    case Orthogonal::kChebyshevT:
      return std::cos(n * angle);
    case Orthogonal::kChebyshevU:
      return std::sin((n + T(1)) * angle) / std::sin(angle);
    case Orthogonal::kChebyshevV:
      return std::cos((n + T(0.5)) * angle) / std::cos(T(0.5) * angle);
    default:
      return std::sin((n + T(0.5)) * angle) / std::sin(T(0.5) * angle);
  }
}

template <Orthogonal kFamily, class T>
T value(T x, T degree) {
  if (!(degree > T(-1))) return T(0);
  const int64_t n = static_cast<int64_t>(degree);
  if (n == 0) return T(1);
  if (is_chebyshev(kFamily) && n > 8 && std::fabs(x) < T(1))
    return trigonometric<kFamily>(x, static_cast<T>(n));
  T p = T(1), q = linear<kFamily>(x);
  for (int64_t k = 1; k < n; ++k) {
    const T r = next<kFamily>(x, q, p, static_cast<T>(k));
    p = q;
    q = r;
  }
  return q;
}

template <Orthogonal kFamily>
struct Of {
  template <class T>
  struct Row {
    explicit Row(const Params&) {}
    T operator()(T x, T n) const {
      return value<unshifted(kFamily)>(is_shifted(kFamily) ? x + x - T(1) : x, n);
    }
  };
  // Polynomials of one degree by their recurrence, block by block, so that the loops vectorise.
  template <class T>
  static void row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
    constexpr Orthogonal kPlain = unshifted(kFamily);
    constexpr int64_t kBlock = 128, kWidth = sizeof(T);
    const T degree = *reinterpret_cast<const T*>(data[2]);
    if (strides[0] != kWidth || strides[1] != kWidth || strides[2] != 0 || !(degree >= T(1)) ||
        (is_chebyshev(kFamily) && degree > T(8)))
      return binary_row<T, T, Row<T>>(n, data, strides, params);
    const T* in = reinterpret_cast<const T*>(data[1]);
    T* out = reinterpret_cast<T*>(data[0]);
    const int64_t last = static_cast<int64_t>(degree);
    for (int64_t begin = 0; begin < n; begin += kBlock) {
      const int64_t count = n - begin < kBlock ? n - begin : kBlock;
      T x[kBlock], p[kBlock], q[kBlock];
      for (int64_t i = 0; i < count; ++i) {
        x[i] = is_shifted(kFamily) ? in[begin + i] + in[begin + i] - T(1) : in[begin + i];
        p[i] = T(1);
        q[i] = linear<kPlain>(x[i]);
      }
      for (int64_t k = 1; k < last; ++k)
        for (int64_t i = 0; i < count; ++i) {
          const T r = next<kPlain>(x[i], q[i], p[i], static_cast<T>(k));
          p[i] = q[i];
          q[i] = r;
        }
      for (int64_t i = 0; i < count; ++i) out[begin + i] = q[i];
    }
  }
  static Inner inner(DType dtype) {
    Inner inner = nullptr;
    with_floating(dtype, [&]<class T>(Type<T>) { inner = row<T>; });
    return inner;
  }
};

}  // namespace

Inner orthogonal(Orthogonal function, DType dtype) {
  switch (function) {
#define OA_CASE(Name)       \
  case Orthogonal::k##Name: \
    return Of<Orthogonal::k##Name>::inner(dtype);
    OA_CASE(ChebyshevT)
    OA_CASE(ChebyshevU)
    OA_CASE(ChebyshevV)
    OA_CASE(ChebyshevW)
    OA_CASE(ShiftedChebyshevT)
    OA_CASE(ShiftedChebyshevU)
    OA_CASE(ShiftedChebyshevV)
    OA_CASE(ShiftedChebyshevW)
    OA_CASE(HermiteH)
    OA_CASE(HermiteHe)
    OA_CASE(LaguerreL)
    OA_CASE(LegendreP)
#undef OA_CASE
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
