#include "core/kernels/cpu/loss.h"

#include "core/kernels/cpu/curve_math.h"
#include "core/kernels/cpu/lanes.h"
#include "core/kernels/cpu/ternary_rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

#define OA_LOSS(Name, shared, value, slope)                                                     \
  template <class T>                                                                            \
  struct Name {                                                                                 \
    T p, scale;                                                                                 \
    explicit Name(const Params& params) : p(param<T>(params, 0)), scale(param<T>(params, 1)) {} \
    T operator()([[maybe_unused]] T x, [[maybe_unused]] T t) const {                            \
      [[maybe_unused]] const T d = shared;                                                      \
      return value;                                                                             \
    }                                                                                           \
    T operator()(T g, [[maybe_unused]] T x, [[maybe_unused]] T t) const {                       \
      [[maybe_unused]] const T d = shared;                                                      \
      return g * scale * (slope);                                                               \
    }                                                                                           \
  };

template <class T>
OA_INLINE T sign_of(T x) {
  return static_cast<T>((x > T(0)) - (x < T(0)));
}
template <class T>
OA_INLINE T bounded_log(T x) {
  return larger(log_(x), T(-100));
}

OA_LOSS(Squared, x - t, d* d, T(2) * d)
OA_LOSS(Absolute, x - t, abs_(d), sign_of(d))
OA_LOSS(SmoothL1, x - t, abs_(d) < p ? T(0.5) * d * d / p : abs_(d) - T(0.5) * p,
        d <= -p  ? T(-1)
        : d >= p ? T(1)
                 : d / p)
OA_LOSS(Huber, x - t, abs_(d) <= p ? T(0.5) * d * d : p * (abs_(d) - T(0.5) * p),
        d <= -p  ? -p
        : d >= p ? p
                 : d)
OA_LOSS(CrossEntropy, T(1) - x, (t - T(1)) * bounded_log(d) - t * bounded_log(x),
        (x - t) / larger(x * d, T(1e-12)))
OA_LOSS(LogitsCrossEntropy, x, softplus_(d) - d * t, logistic_(d) - t)
OA_LOSS(SoftMargin, -t* x, softplus_(d), -t* logistic_(d))
OA_LOSS(Divergence, t, (t > T(0) ? t * log_(t) : t == T(0) ? T(0) : log_(t)) - t * x, -t)
OA_LOSS(LogDivergence, exp_(t), d*(t - x), -d)

template <class T, class F>
double sum_of(const PairLossArgs& args) {
  const F f(args.params);
  const T* x = static_cast<const T*>(args.x);
  const T* t = static_cast<const T*>(args.t);
  return lane_sum<T>(args.n, [&](int64_t i) { return f(x[i], t[i]); });
}

// What is wanted of a loss: one of the loops, or the sum.
struct Wanted {
  DType dtype;
  Inner inner = nullptr;
  const PairLossArgs* sum = nullptr;
  double total = 0;
  bool backward = false;
};

template <template <class> class F>
void visit(Wanted& wanted) {
  with_floating(wanted.dtype, [&]<class T>(Type<T>) {
    if (wanted.sum != nullptr)
      wanted.total = sum_of<T, F<T>>(*wanted.sum);
    else
      wanted.inner = wanted.backward ? ternary_row<T, F<T>> : binary_row<T, T, F<T>>;
  });
}

void choose(PairLoss function, Wanted& wanted) {
  switch (function) {
    case PairLoss::kSquared:
      return visit<Squared>(wanted);
    case PairLoss::kAbsolute:
      return visit<Absolute>(wanted);
    case PairLoss::kSmoothL1:
      return visit<SmoothL1>(wanted);
    case PairLoss::kHuber:
      return visit<Huber>(wanted);
    case PairLoss::kCrossEntropy:
      return visit<CrossEntropy>(wanted);
    case PairLoss::kLogitsCrossEntropy:
      return visit<LogitsCrossEntropy>(wanted);
    case PairLoss::kSoftMargin:
      return visit<SoftMargin>(wanted);
    case PairLoss::kDivergence:
      return visit<Divergence>(wanted);
    case PairLoss::kLogDivergence:
      return visit<LogDivergence>(wanted);
  }
}

template <class T>
bool probabilities(const T* x, int64_t n) {
  int lanes[kLanes] = {};
  int64_t at = 0;
  for (; at + kLanes <= n; at += kLanes)
    for (int i = 0; i < kLanes; ++i) lanes[i] |= !(x[at + i] >= T(0) && x[at + i] <= T(1));
  for (; at < n; ++at) lanes[0] |= !(x[at] >= T(0) && x[at] <= T(1));
  for (int i = 1; i < kLanes; ++i) lanes[0] |= lanes[i];
  return lanes[0] == 0;
}

}  // namespace

Inner pair_loss(PairLoss function, DType dtype) {
  Wanted wanted{dtype};
  choose(function, wanted);
  return wanted.inner;
}
Inner pair_loss_backward(PairLoss function, DType dtype) {
  Wanted wanted{dtype};
  wanted.backward = true;
  choose(function, wanted);
  return wanted.inner;
}
double pair_loss_sum(PairLoss function, DType dtype, const PairLossArgs& args) {
  Wanted wanted{dtype};
  wanted.sum = &args;
  choose(function, wanted);
  return wanted.total;
}
bool all_probabilities(DType dtype, const void* x, int64_t n) {
  bool good = true;
  with_floating(dtype,
                [&]<class T>(Type<T>) { good = probabilities(static_cast<const T*>(x), n); });
  return good;
}

}  // namespace oneagent::cpu::OA_ISA
