// The one place of process state, one per thread: the recorder stack, grad mode, the current
// stream, the default dtype and generator.
#pragma once

#include "core/graph/recorder.h"

namespace oneagent {

struct Context {
  static constexpr size_t kMaxRecorders = 8;

  Context();
  Recorder* recorders[kMaxRecorders];
  size_t depth = 0;
  bool grad_mode = true;
  DType default_dtype = DType::kFloat32;
  Stream stream;
  Generator generator;  // used where a random op is given none
};

Context& context();  // of this thread

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

class GradModeGuard {
 public:
  explicit GradModeGuard(bool on) : before_(context().grad_mode) { context().grad_mode = on; }
  ~GradModeGuard() { context().grad_mode = before_; }
  GradModeGuard(const GradModeGuard&) = delete;
  GradModeGuard& operator=(const GradModeGuard&) = delete;

 private:
  bool before_;
};

struct NoGradGuard : GradModeGuard {
  NoGradGuard() : GradModeGuard(false) {}
};
struct AutoGradMode : GradModeGuard {
  using GradModeGuard::GradModeGuard;
};
struct GradMode {
  static bool is_enabled() { return context().grad_mode; }
  static void set_enabled(bool on) { context().grad_mode = on; }
};

inline DType get_default_dtype() { return context().default_dtype; }
void set_default_dtype(DType dtype);  // of this thread; floating
inline Generator& default_generator() { return context().generator; }
inline void manual_seed(uint64_t seed) { context().generator.manual_seed(seed); }

// Threads that large kernels of this thread may use, this one included. Results do not depend on
// it.
void set_num_threads(int count);
int get_num_threads();

}  // namespace oneagent
