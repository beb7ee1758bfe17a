#include "core/kernels/cpu/ctc.h"

#include "core/kernels/cpu/curve_math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
constexpr T kNothing = -static_cast<T>(__builtin_inf());

template <class T, int64_t Step>
void advance(const CtcStep& step) {
  const T* before = static_cast<const T*>(step.before);
  const T* skip = static_cast<const T*>(step.skip) + (Step < 0 ? 0 : 2);
  const T* own = static_cast<const T*>(step.own);
  T* now = static_cast<T*>(step.now);
#pragma GCC ivdep
  for (int64_t s = 0; s < step.n; ++s) {
    const T a = before[s], b = before[s + Step], c = before[s + 2 * Step] + skip[s];
    const T ab = a > b ? a : b, top = ab > c ? ab : c;
    const T shift = top == kNothing<T> ? T(0) : top;
    const T sum = low_exp_(a - shift) + low_exp_(b - shift) + low_exp_(c - shift);
    now[s] = shift + log_(sum) + own[s];
  }
}

template <class T>
void occupancy(const CtcOccupancy& args) {
  const T* alpha = static_cast<const T*>(args.alpha);
  const T* beta = static_cast<const T*>(args.beta);
  const T* own = static_cast<const T*>(args.own);
  const T loss = static_cast<T>(args.loss);
  T* out = static_cast<T*>(args.out);
#pragma GCC ivdep
  for (int64_t s = 0; s < args.n; ++s) {
    const T both = alpha[s] + beta[s];
    out[s] = both == kNothing<T> ? T(0) : low_exp_(both - own[s] + loss);
  }
}

}  // namespace

void ctc_step(DType dtype, const CtcStep& step) {
  with_floating(dtype, [&]<class T>(Type<T>) {
    if (step.backward)
      advance<T, 1>(step);
    else
      advance<T, -1>(step);
  });
}
void ctc_occupancy(DType dtype, const CtcOccupancy& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { occupancy<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
