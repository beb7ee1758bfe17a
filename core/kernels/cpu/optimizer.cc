#include "core/kernels/cpu/optimizer.h"

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void adam_typed(const AdamArgs& args) {
  T* p = static_cast<T*>(args.parameter);
  const T* g = static_cast<const T*>(args.gradient);
  T* m = static_cast<T*>(args.first);
  T* v = static_cast<T*>(args.second);
  const T beta1 = static_cast<T>(args.beta1), rest1 = static_cast<T>(1 - args.beta1);
  const T beta2 = static_cast<T>(args.beta2), rest2 = static_cast<T>(1 - args.beta2);
  const T step = static_cast<T>(args.step_size), correction = static_cast<T>(args.root_correction),
          epsilon = static_cast<T>(args.epsilon);
  const T decay = static_cast<T>(args.weight_decay), shrink = static_cast<T>(args.shrink);
#pragma GCC ivdep
  for (int64_t i = 0; i < args.n; ++i) {
    const T x = p[i] * shrink;
    const T gradient = fma_(decay, x, g[i]);
    const T first = fma_(beta1, m[i], rest1 * gradient);
    const T second = fma_(beta2, v[i], rest2 * gradient * gradient);
    m[i] = first;
    v[i] = second;
    p[i] = x - step * first / (sqrt_(second) / correction + epsilon);
  }
}

template <class T>
void sgd_typed(const SgdArgs& args) {
  T* p = static_cast<T*>(args.parameter);
  const T* g = static_cast<const T*>(args.gradient);
  T* buffer = static_cast<T*>(args.momentum_buffer);
  const T lr = static_cast<T>(args.lr), decay = static_cast<T>(args.weight_decay),
          momentum = static_cast<T>(args.momentum);
  const T rest = args.first_step ? T(1) : static_cast<T>(1 - args.dampening);
  if (buffer == nullptr) {
#pragma GCC ivdep
    for (int64_t i = 0; i < args.n; ++i) p[i] -= lr * fma_(decay, p[i], g[i]);
    return;
  }
#pragma GCC ivdep
  for (int64_t i = 0; i < args.n; ++i) {
    const T gradient = fma_(decay, p[i], g[i]);
    const T before = args.first_step ? T(0) : buffer[i];
    const T velocity = fma_(momentum, before, rest * gradient);
    buffer[i] = velocity;
    p[i] -= lr * (args.nesterov ? fma_(momentum, velocity, gradient) : velocity);
  }
}

}  // namespace

void adam(DType dtype, const AdamArgs& args) {
  if (dtype == DType::kFloat32)
    adam_typed<float>(args);
  else
    adam_typed<double>(args);
}

void sgd(DType dtype, const SgdArgs& args) {
  if (dtype == DType::kFloat32)
    sgd_typed<float>(args);
  else
    sgd_typed<double>(args);
}

}  // namespace oneagent::cpu::OA_ISA
