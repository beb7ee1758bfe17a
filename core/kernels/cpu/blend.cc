#include "core/kernels/cpu/blend.h"

#include "core/kernels/cpu/lerp.h"
#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
struct Addcmul {
  T value;
  explicit Addcmul(const Params& params) : value(param<T>(params, 0)) {}
  T operator()(T a, T b, T c) const { return static_cast<T>(a + value * b * c); }
};
template <class T>
struct Addcdiv {
  T value;
  explicit Addcdiv(const Params& params) : value(param<T>(params, 0)) {}
  T operator()(T a, T b, T c) const { return a + value * b / c; }
};
template <class T>
struct Lerp {
  explicit Lerp(const Params&) {}
  T operator()(T a, T b, T c) const { return lerp_of(a, b, c); }
};
template <class T>
struct Clamp {
  explicit Clamp(const Params&) {}
  T operator()(T a, T b, T c) const {
    T y = a < b ? b : a;
    y = y > c ? c : y;
    y = c != c ? c : y;
    y = b != b ? b : y;
    return a != a ? a : y;
  }
};

// An operand of stride 0 is one value for the whole row.
template <class T, class F, bool kA, bool kB, bool kC>
void flat(int64_t n, char* const* data, const F& f) {
  T* out = reinterpret_cast<T*>(data[0]);
  const T* a = reinterpret_cast<const T*>(data[1]);
  const T* b = reinterpret_cast<const T*>(data[2]);
  const T* c = reinterpret_cast<const T*>(data[3]);
  const T a0 = *a, b0 = *b, c0 = *c;
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = f(kA ? a[i] : a0, kB ? b[i] : b0, kC ? c[i] : c0);
}

template <class T, class F>
void row(int64_t n, char* const* data, const int64_t* strides, const Params& params) {
  const F f(params);
  constexpr int64_t kStep = sizeof(T);
  const auto is = [&](int64_t a, int64_t b, int64_t c) {
    return strides[1] == a && strides[2] == b && strides[3] == c;
  };
  if (strides[0] == kStep) {
    if (is(kStep, kStep, kStep)) return flat<T, F, true, true, true>(n, data, f);
    if (is(kStep, kStep, 0)) return flat<T, F, true, true, false>(n, data, f);
    if (is(kStep, 0, kStep)) return flat<T, F, true, false, true>(n, data, f);
    if (is(kStep, 0, 0)) return flat<T, F, true, false, false>(n, data, f);
  }
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(data[0] + i * strides[0]) =
        f(*reinterpret_cast<const T*>(data[1] + i * strides[1]),
          *reinterpret_cast<const T*>(data[2] + i * strides[2]),
          *reinterpret_cast<const T*>(data[3] + i * strides[3]));
}

template <template <class> class F>
Inner floating(DType dtype) {
  Inner inner = nullptr;
  with_floating(dtype, [&]<class T>(Type<T>) { inner = row<T, F<T>>; });
  return inner;
}
template <template <class> class F>
Inner numeric(DType dtype) {
  Inner inner = nullptr;
  with_number(dtype, [&]<class T>(Type<T>) { inner = row<T, F<T>>; });
  return inner;
}

}  // namespace

Inner blend(Blend function, DType dtype) {
  switch (function) {
    case Blend::kAddcmul:
      return numeric<Addcmul>(dtype);
    case Blend::kAddcdiv:
      return floating<Addcdiv>(dtype);
    case Blend::kLerp:
      return floating<Lerp>(dtype);
    case Blend::kClamp:
      return numeric<Clamp>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
