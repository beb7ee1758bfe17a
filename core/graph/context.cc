#include "core/graph/context.h"

#include "core/graph/recorder.h"
#include "core/graph/run.h"
#include "core/graph/tape.h"
#include "core/kernels/parallel.h"

namespace oneagent {
namespace {

RunRecorder run_recorder;
TapeRecorder tape_recorder;

}  // namespace

Context::Context() {
  recorders[depth++] = &run_recorder;
  recorders[depth++] = &tape_recorder;
}

Context& context() {
  thread_local Context instance;
  return instance;
}

Tensor call_op(const Op& op, Inputs in, const Attrs& attrs) {
  Tensor out;
  dispatch(Call{op, in, attrs, std::span(&out, 1)}, context().depth - 1);
  return out;
}

void call_op(const Op& op, Inputs in, const Attrs& attrs, std::span<Tensor> out) {
  dispatch(Call{op, in, attrs, out}, context().depth - 1);
}

const Tensor& call_in_place(const Op& op, Inputs in, const Attrs& attrs) {
  Tensor self = in[0];
  dispatch(Call{op, in, attrs, std::span(&self, 1), true}, context().depth - 1);
  return in[0];
}

RecorderScope::RecorderScope(Recorder& recorder) {
  Context& now = context();
  OA_REQUIRE(now.depth < Context::kMaxRecorders, "context: at most ", Context::kMaxRecorders,
             " recorders may be nested");
  now.recorders[now.depth++] = &recorder;
}

void set_default_dtype(TypeMeta dtype) {
  OA_REQUIRE(is_floating(dtype), "set_default_dtype: must be a floating type, was ",
             name_of(dtype));
  set_default_dtype_value(dtype);
}

Generator& default_generator() {
  static Generator instance(67280421310721);  // libtorch's default seed
  Generator* own = context().generator;
  return own != nullptr ? *own : instance;
}

void set_num_threads(int count) { context().stream.set_parallel_runner(parallel_runner(count)); }

int get_num_threads() { return context().stream.is_parallel() ? parallel_runner_threads() : 1; }

}  // namespace oneagent
