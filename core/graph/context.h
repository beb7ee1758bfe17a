// The one place of process state, one per thread: the recorder stack, grad mode, the current
// stream; and, shared by all threads, the default dtype and generator.
#pragma once

#include "core/tensor/stream.h"
#include "core/tensor/tensor.h"

namespace oneagent {

class Recorder;

struct Context {
  static constexpr size_t kMaxRecorders = 8;

  Context();
  Recorder* recorders[kMaxRecorders];
  size_t depth = 0;
  bool grad_mode = true;
  bool inference_mode = false;
  bool anomaly_mode = false;       // backward stops at the first NaN and names the op
  const Tensor* out = nullptr;     // core/graph/out_scope.h
  Generator* generator = nullptr;  // what default_generator() gives in this thread, if not the
                                   // process's
  Stream stream;
};

Context& context();  // of this thread

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
struct EnableGradGuard : GradModeGuard {
  EnableGradGuard() : GradModeGuard(true) {}
};
struct AutoGradMode : GradModeGuard {
  using GradModeGuard::GradModeGuard;
};
struct GradMode {
  static bool is_enabled() { return context().grad_mode; }
  static void set_enabled(bool on) { context().grad_mode = on; }
};

// No gradients, and tensors made in its scope can never take part in recorded work.
class InferenceMode {
 public:
  explicit InferenceMode(bool on = true)
      : grad_before_(context().grad_mode), before_(context().inference_mode) {
    context().inference_mode = on;
    context().grad_mode = !on;
  }
  ~InferenceMode() {
    context().inference_mode = before_;
    context().grad_mode = grad_before_;
  }
  InferenceMode(const InferenceMode&) = delete;
  InferenceMode& operator=(const InferenceMode&) = delete;
  static bool is_enabled() { return context().inference_mode; }

 private:
  bool grad_before_, before_;
};

class AnomalyMode {
 public:
  static bool is_enabled() { return context().anomaly_mode; }
  static void set_enabled(bool on, bool = true) { context().anomaly_mode = on; }
};

// Backward in its scope checks every gradient for NaN.
class DetectAnomalyGuard {
 public:
  explicit DetectAnomalyGuard(bool = true) : before_(context().anomaly_mode) {
    context().anomaly_mode = true;
  }
  ~DetectAnomalyGuard() { context().anomaly_mode = before_; }
  DetectAnomalyGuard(const DetectAnomalyGuard&) = delete;
  DetectAnomalyGuard& operator=(const DetectAnomalyGuard&) = delete;

 private:
  bool before_;
};

inline TypeMeta get_default_dtype() { return get_default_dtype_value(); }
inline TypeMeta get_default_complex_dtype() { return complex_type_of(get_default_dtype_value()); }
void set_default_dtype(TypeMeta dtype);  // of the process; floating

// Of the process, or of this thread (Context::generator). Threads that draw from it at the same
// time share its numbers.
Generator& default_generator();
inline void manual_seed(uint64_t seed) { default_generator().manual_seed(seed); }

// Threads that large kernels of this thread may use, this one included. Results do not depend on
// it.
void set_num_threads(int count);
int get_num_threads();

}  // namespace oneagent
