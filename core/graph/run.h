// The recorder at the bottom: infer, allocate, run the kernel.
#pragma once

#include "core/graph/recorder.h"

namespace oneagent {

class RunRecorder final : public Recorder {
 public:
  void record(const Call& call, size_t level) override;
};

}  // namespace oneagent
