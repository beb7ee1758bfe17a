#include "core/kernels/cpu/optimizer.h"

#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
struct Arrays {
  explicit Arrays(const UpdateArrays& args)
      : x(static_cast<T*>(args.parameter)),
        g(static_cast<const T*>(args.gradient)),
        a(static_cast<T*>(args.state[0])),
        b(static_cast<T*>(args.state[1])),
        c(static_cast<T*>(args.state[2])),
        n(args.n) {}
  T* x;
  const T* g;
  T *a, *b, *c;
  int64_t n;
};

enum class AdamForm : uint8_t { kUsual, kLargest, kNesterov, kPlain };

template <class T, AdamForm F>
void adam_form(const AdamArgs& args) {
  const Arrays<T> at(args);
  T *const x = at.x, *const m = at.a, *const v = at.b, *const largest = at.c;
  const T* const g = at.g;
  const T beta1 = static_cast<T>(args.beta1), rest1 = static_cast<T>(1 - args.beta1);
  const T beta2 = static_cast<T>(args.beta2), rest2 = static_cast<T>(1 - args.beta2);
  const T step = static_cast<T>(args.step), root = static_cast<T>(args.root),
          epsilon = static_cast<T>(args.epsilon),
          gradient_step = static_cast<T>(args.gradient_step);
  const T decay = static_cast<T>(args.weight_decay), shrink = static_cast<T>(args.shrink);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T before = x[i] * shrink;
    const T gradient = fma_(decay, before, g[i]);
    const T first = fma_(beta1, m[i], rest1 * gradient);
    T second = fma_(beta2, v[i], rest2 * gradient * gradient);
    m[i] = first;
    v[i] = second;
    if constexpr (F == AdamForm::kPlain) {
      x[i] = before - step * first;
    } else {
      if constexpr (F == AdamForm::kLargest) {
        second = largest[i] > second ? largest[i] : second;
        largest[i] = second;
      }
      T move = step * first;
      if constexpr (F == AdamForm::kNesterov) move = fma_(gradient_step, gradient, move);
      x[i] = before - move / fma_(sqrt_(second), root, epsilon);
    }
  }
}

template <class T>
void adam_typed(const AdamArgs& args) {
  if (args.plain) return adam_form<T, AdamForm::kPlain>(args);
  if (args.gradient_step != 0) return adam_form<T, AdamForm::kNesterov>(args);
  if (args.state[2] != nullptr) return adam_form<T, AdamForm::kLargest>(args);
  adam_form<T, AdamForm::kUsual>(args);
}

template <class T>
void adamax_typed(const AdamaxArgs& args) {
  const Arrays<T> at(args);
  const T beta1 = static_cast<T>(args.beta1), rest1 = static_cast<T>(1 - args.beta1),
          beta2 = static_cast<T>(args.beta2), step = static_cast<T>(args.step),
          epsilon = static_cast<T>(args.epsilon), decay = static_cast<T>(args.weight_decay);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T gradient = fma_(decay, at.x[i], at.g[i]);
    const T first = fma_(beta1, at.a[i], rest1 * gradient);
    const T faded = beta2 * at.b[i], now = abs_(gradient) + epsilon;
    const T bound = faded > now ? faded : now;
    at.a[i] = first;
    at.b[i] = bound;
    at.x[i] -= step * first / bound;
  }
}

template <class T>
void sgd_typed(const SgdArgs& args) {
  const Arrays<T> at(args);
  T *const x = at.x, *const buffer = at.a;
  const T* const g = at.g;
  const T lr = static_cast<T>(args.lr), decay = static_cast<T>(args.weight_decay),
          momentum = static_cast<T>(args.momentum), scale = static_cast<T>(args.gradient_scale);
  const T rest = args.first_step ? T(1) : static_cast<T>(1 - args.dampening);
  if (buffer == nullptr) {
#pragma GCC ivdep
    for (int64_t i = 0; i < at.n; ++i) x[i] -= lr * (scale * fma_(decay, x[i], g[i]));
    return;
  }
  const bool first_step = args.first_step, nesterov = args.nesterov;
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T gradient = scale * fma_(decay, x[i], g[i]);
    const T before = first_step ? T(0) : buffer[i];
    const T velocity = fma_(momentum, before, rest * gradient);
    buffer[i] = velocity;
    x[i] -= lr * (nesterov ? fma_(momentum, velocity, gradient) : velocity);
  }
}

template <class T>
void adagrad_typed(const AdagradArgs& args) {
  const Arrays<T> at(args);
  const T step = static_cast<T>(args.step), epsilon = static_cast<T>(args.epsilon),
          decay = static_cast<T>(args.weight_decay);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T gradient = fma_(decay, at.x[i], at.g[i]);
    const T total = fma_(gradient, gradient, at.a[i]);
    at.a[i] = total;
    at.x[i] -= step * gradient / (sqrt_(total) + epsilon);
  }
}

template <class T, bool kCentered, bool kMomentum>
void rmsprop_form(const RmspropArgs& args) {
  const Arrays<T> at(args);
  const T alpha = static_cast<T>(args.alpha), rest = static_cast<T>(1 - args.alpha),
          lr = static_cast<T>(args.lr), epsilon = static_cast<T>(args.epsilon),
          decay = static_cast<T>(args.weight_decay), momentum = static_cast<T>(args.momentum);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T gradient = fma_(decay, at.x[i], at.g[i]);
    const T squares = fma_(alpha, at.a[i], rest * gradient * gradient);
    at.a[i] = squares;
    T spread = squares;
    if constexpr (kCentered) {
      const T mean = fma_(alpha, at.c[i], rest * gradient);
      at.c[i] = mean;
      spread = fma_(-mean, mean, squares);
    }
    T move = gradient / (sqrt_(spread) + epsilon);
    if constexpr (kMomentum) {
      move = fma_(momentum, at.b[i], move);
      at.b[i] = move;
    }
    at.x[i] -= lr * move;
  }
}

template <class T>
void rmsprop_typed(const RmspropArgs& args) {
  const bool centered = args.state[2] != nullptr, momentum = args.state[1] != nullptr;
  if (centered)
    return momentum ? rmsprop_form<T, true, true>(args) : rmsprop_form<T, true, false>(args);
  return momentum ? rmsprop_form<T, false, true>(args) : rmsprop_form<T, false, false>(args);
}

template <class T>
void adadelta_typed(const AdadeltaArgs& args) {
  const Arrays<T> at(args);
  const T rho = static_cast<T>(args.rho), rest = static_cast<T>(1 - args.rho),
          lr = static_cast<T>(args.lr), epsilon = static_cast<T>(args.epsilon),
          decay = static_cast<T>(args.weight_decay);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) {
    const T gradient = fma_(decay, at.x[i], at.g[i]);
    const T squares = fma_(rho, at.a[i], rest * gradient * gradient);
    const T move = sqrt_(at.b[i] + epsilon) / sqrt_(squares + epsilon) * gradient;
    at.a[i] = squares;
    at.b[i] = fma_(rho, at.b[i], rest * move * move);
    at.x[i] -= lr * move;
  }
}

// Sums in double over a fixed number of lanes, so that every build adds in the same order.
constexpr int kLanes = 16;

inline double total_of(const double* lanes) {
  double total = 0;
  for (int lane = 0; lane < kLanes; ++lane) total += lanes[lane];
  return total;
}

template <class Add>
SquareSums summed(int64_t n, const Add& add) {
  double first[kLanes] = {}, second[kLanes] = {};
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
#pragma GCC ivdep
    for (int lane = 0; lane < kLanes; ++lane) add(i + lane, first[lane], second[lane]);
  for (int lane = 0; i < n; ++i, ++lane) add(i, first[lane], second[lane]);
  return {total_of(first), total_of(second)};
}

template <class T>
struct LambRatio {
  explicit LambRatio(const LambArgs& args)
      : root1(static_cast<T>(args.root1)),
        root2(static_cast<T>(args.root2)),
        epsilon(static_cast<T>(args.epsilon)),
        decay(static_cast<T>(args.weight_decay)) {}
  T operator()(T x, T m, T v) const {
    return fma_(decay, x, m * root1 / fma_(sqrt_(v), root2, epsilon));
  }
  T root1, root2, epsilon, decay;
};

template <class T>
SquareSums lamb_moments_typed(const LambArgs& args) {
  const Arrays<T> at(args);
  const LambRatio<T> ratio(args);
  const T beta1 = static_cast<T>(args.beta1), rest1 = static_cast<T>(1 - args.beta1);
  const T beta2 = static_cast<T>(args.beta2), rest2 = static_cast<T>(1 - args.beta2);
  return summed(at.n, [&](int64_t i, double& parameter, double& other) {
    const T first = fma_(beta1, at.a[i], rest1 * at.g[i]);
    const T second = fma_(beta2, at.b[i], rest2 * at.g[i] * at.g[i]);
    at.a[i] = first;
    at.b[i] = second;
    const double x = at.x[i], r = ratio(at.x[i], first, second);
    parameter = fma_(x, x, parameter);
    other = fma_(r, r, other);
  });
}

template <class T>
void lamb_step_typed(const LambArgs& args) {
  const Arrays<T> at(args);
  const LambRatio<T> ratio(args);
  const T step = static_cast<T>(args.step);
#pragma GCC ivdep
  for (int64_t i = 0; i < at.n; ++i) at.x[i] -= step * ratio(at.x[i], at.a[i], at.b[i]);
}

template <class T>
SquareSums square_sums_typed(const UpdateArrays& args) {
  const Arrays<T> at(args);
  return summed(at.n, [&](int64_t i, double& parameter, double& other) {
    const double x = at.x[i], g = at.g[i];
    parameter = fma_(x, x, parameter);
    other = fma_(g, g, other);
  });
}

}  // namespace

#define OA_BY_TYPE(Result, name, Args)         \
  Result name(DType dtype, const Args& args) { \
    if (dtype == DType::kFloat32)              \
      return name##_typed<float>(args);        \
    else                                       \
      return name##_typed<double>(args);       \
  }
OA_BY_TYPE(void, adam, AdamArgs)
OA_BY_TYPE(void, adamax, AdamaxArgs)
OA_BY_TYPE(void, sgd, SgdArgs)
OA_BY_TYPE(void, adagrad, AdagradArgs)
OA_BY_TYPE(void, rmsprop, RmspropArgs)
OA_BY_TYPE(void, adadelta, AdadeltaArgs)
OA_BY_TYPE(SquareSums, lamb_moments, LambArgs)
OA_BY_TYPE(void, lamb_step, LambArgs)
OA_BY_TYPE(SquareSums, square_sums, UpdateArrays)
#undef OA_BY_TYPE

}  // namespace oneagent::cpu::OA_ISA
