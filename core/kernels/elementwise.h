// Elementwise kernels on tensors. The result gives the shape; operands are broadcast to it and
// share its dtype.
#pragma once

#include "core/kernels/cpu/binary.h"
#include "core/kernels/cpu/unary.h"
#include "core/kernels/loop.h"

namespace oneagent {

inline void run_unary(Stream& stream, cpu::Unary function, const Tensor& out, const Tensor& in,
                      const cpu::Params& params = {}) {
  const Tensor* operands[] = {&out, &in};
  run_loop(stream, "elementwise", cpu::unary(function, in.dtype()), operands, params);
}

inline void run_binary(Stream& stream, cpu::Binary function, const Tensor& out, const Tensor& a,
                       const Tensor& b, const cpu::Params& params = {}) {
  const Tensor* operands[] = {&out, &a, &b};
  run_loop(stream, "elementwise", cpu::binary(function, a.dtype()), operands, params);
}

inline void run_compare(Stream& stream, cpu::Compare function, const Tensor& out, const Tensor& a,
                        const Tensor& b) {
  const Tensor* operands[] = {&out, &a, &b};
  run_loop(stream, "comparison", cpu::compare(function, a.dtype()), operands);
}

inline void run_select(Stream& stream, const Tensor& out, const Tensor& condition, const Tensor& a,
                       const Tensor& b) {
  const Tensor* operands[] = {&out, &condition, &a, &b};
  run_loop(stream, "where", cpu::select(out.dtype()), operands);
}

}  // namespace oneagent
