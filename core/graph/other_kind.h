// Calls with sparse operands, or with complex ones where the record has no kernel for them: they
// leave the usual path before anything is recorded or allocated, and are made of calls with dense,
// real operands, which record gradients by themselves (core/ops/op_sparse.h, op_complex.h).
#pragma once

#include "core/graph/recorder.h"

namespace oneagent {

// Fills call.out, or changes call.in[0] in place. Error: the op has no meaning for such operands.
using OtherKind = void (*)(const Call& call);
void set_other_kind(OtherKind run);  // once, before the first call
void run_other_kind(const Call& call);

// Does an operand need the other path?
inline bool is_other(const Op& op, const TensorImpl& operand) {
  return operand.sparse ||
         (operand.meta.dtype >= DType::kComplex64 && !op.complex && op.alias_of < 0);
}

}  // namespace oneagent
