// The recorder at the bottom: infer, allocate, run the kernel.
#pragma once

#include "core/graph/op.h"
#include "core/graph/recorder.h"

namespace oneagent {

// Runs the kernel of a call whose results exist already; 16-bit operands pass through float32 where
// the op has no kernel for them.
void run_kernel(const Call& call, Stream& stream);

// Strides of the result of an elementwise op (keeps_layout) over the operands: its dimensions lie
// in memory in the order of the first operand that tells two of them apart, as in PyTorch. A
// dimension along which an operand is broadcast tells nothing; of equal strides the longer one lies
// outside.
Shape layout_of(Metas in, const Shape& sizes);

inline bool keeps_layout(const Op& op) { return op.loop || op.keeps_layout; }

class RunRecorder final : public Recorder {
 public:
  void record(const Call& call, size_t level) override;
};

}  // namespace oneagent
