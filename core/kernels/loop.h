// Runs an inner loop over strided, broadcast operands of up to 8 dimensions: dimensions are merged
// where every operand allows it, and the rest is walked outside. Operand 0 is the result and gives
// the shape; the others have its shape or are broadcast to it.
#pragma once

#include <span>
#include <vector>

#include "core/kernels/cpu/inner.h"
#include "core/tensor/tensor.h"

namespace oneagent {

inline constexpr size_t kMaxLoopOperands = 4;

// `what` names the op in errors; `inner` null: the dtype has no such function.
void run_loop(Stream& stream, const char* what, cpu::Inner inner,
              std::span<const Tensor* const> operands, const cpu::Params& params = {});

// Takes down the loops that this thread's kernels would run, while it lives; nothing is computed.
// For ops whose kernel is one loop (Op::loop), so that a plan can run several of them block by
// block.
class LoopProbe {
 public:
  struct Call {
    cpu::Inner inner;
    cpu::Params params;
    std::vector<const TensorImpl*> operands;  // the result first
  };

  LoopProbe();
  ~LoopProbe();
  LoopProbe(const LoopProbe&) = delete;
  LoopProbe& operator=(const LoopProbe&) = delete;

  std::vector<Call> calls;

 private:
  LoopProbe* before_;
};

}  // namespace oneagent
