// What happens to an op call. Recorders stand in a stack (core/graph/context.h); a call goes to the
// top one, which may pass it below: run executes it, tape remembers it for backward. A tracer or a
// global-tensor recorder is one more file.
#pragma once

#include "core/graph/context.h"
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
  // Where a recorder keeps the one that stands below it, if it is not in the stack; a capture takes
  // the lowest place.
  virtual Recorder** below() { return nullptr; }
};

inline void dispatch(const Call& call, size_t level) {
  context().recorders[level]->record(call, level);
}

// Calls an op with one result through the recorder stack.
Tensor call_op(const Op& op, Inputs in, const Attrs& attrs = {});
// With several results.
void call_op(const Op& op, Inputs in, const Attrs& attrs, std::span<Tensor> out);
// In place: `in[0]` is read and written; it keeps its identity.
const Tensor& call_in_place(const Op& op, Inputs in, const Attrs& attrs = {});

// Pushes a recorder for a scope.
class RecorderScope {
 public:
  explicit RecorderScope(Recorder& recorder);
  ~RecorderScope() { --context().depth; }
  RecorderScope(const RecorderScope&) = delete;
  RecorderScope& operator=(const RecorderScope&) = delete;
};

}  // namespace oneagent
