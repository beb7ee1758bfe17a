#include "core/kernels/cpu/bias_gradient.h"

#include "core/kernels/cpu/fold.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
constexpr int kN = kPackBytes / static_cast<int>(sizeof(T));

template <Activation A, class T>
Pack<T, kN<T>> before_(Pack<T, kN<T>> gradient, Pack<T, kN<T>> result) {
  if constexpr (A == Activation::kTanh) return gradient * (T(1) - result * result);
  if constexpr (A == Activation::kSigmoid) return gradient * (T(1) - result) * result;
  return result > T(0) ? gradient : Pack<T, kN<T>>{};
}

// W packs of columns side by side. Blocks of rows as those of sums (reduce.cc).
template <Activation A, int W, class T>
void packs(const BiasGradientArgs& args, int64_t column) {
  const int64_t stride = args.stride, rows = args.rows;
  const T* gradient = static_cast<const T*>(args.gradient) + column;
  const T* result = static_cast<const T*>(args.result) + column;
  T* out = static_cast<T*>(args.out) + column;
  T* to = static_cast<T*>(args.sums) + column;
  for (int64_t at = 0; at < rows; at += kBlock) {
    const int64_t count = rows - at < kBlock ? rows - at : kBlock;
    Pack<T, kN<T>> sums[W] = {};
    for (int64_t i = 0; i < count; ++i) {
#pragma GCC unroll 8
      for (int w = 0; w < W; ++w) {
        const auto value =
            before_<A, T>(load<kN<T>>(gradient + w * kN<T>), load<kN<T>>(result + w * kN<T>));
        store(out + w * kN<T>, value);
        sums[w] = sums[w] + value;
      }
      gradient += stride;
      result += stride;
      out += stride;
    }
    for (int w = 0; w < W; ++w)
      store(to + w * kN<T>, (at == 0 ? Pack<T, kN<T>>{} : load<kN<T>>(to + w * kN<T>)) + sums[w]);
  }
}

template <Activation A, class T>
void run(const BiasGradientArgs& args) {
  int64_t column = 0;
  for (; column + 8 * kN<T> <= args.columns; column += 8 * kN<T>) packs<A, 8, T>(args, column);
  for (; column < args.columns; column += kN<T>) packs<A, 1, T>(args, column);
}

template <class T>
void typed(const BiasGradientArgs& args) {
  if (args.activation == Activation::kTanh) return run<Activation::kTanh, T>(args);
  if (args.activation == Activation::kSigmoid) return run<Activation::kSigmoid, T>(args);
  run<Activation::kRelu, T>(args);
}

}  // namespace

void bias_gradient(DType dtype, const BiasGradientArgs& args) {
  if (dtype == DType::kFloat32)
    typed<float>(args);
  else
    typed<double>(args);
}

}  // namespace oneagent::cpu::OA_ISA
