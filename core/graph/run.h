// The recorder at the bottom: infer, allocate, run the kernel.
#pragma once

#include "core/graph/recorder.h"

namespace oneagent {

// Runs the kernel of a call whose results exist already; 16-bit operands pass through float32 where
// the op has no kernel for them.
void run_kernel(const Call& call, Stream& stream);

class RunRecorder final : public Recorder {
 public:
  void record(const Call& call, size_t level) override;
};

}  // namespace oneagent
