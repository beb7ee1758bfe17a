// What happens to an op call. Recorders stand in a stack (core/graph/context.h); a call goes to the
// top one, which may pass it below: run executes it, tape remembers it for backward. A tracer or a
// global-tensor recorder is one more file.
#pragma once

#include "core/graph/op.h"

namespace oneagent {

struct Call {
  const Op& op;
  Inputs in;
  const Attrs& attrs;
  std::span<Tensor> out;  // filled by the recorder; in_place: out[0] is in[0] already
  bool in_place = false;
};

class Recorder {
 public:
  virtual ~Recorder() = default;
  // `level` is this recorder's place in the stack; pass a call on with dispatch(call, level - 1).
  virtual void record(const Call& call, size_t level) = 0;
};

}  // namespace oneagent
