#include "core/runtime/fused_loop.h"

#include <algorithm>

namespace oneagent {
namespace {

constexpr int64_t kGrain = 32768;      // elements of a chunk, as of single loops
constexpr int64_t kElementBytes = 16;  // of the widest element

}  // namespace

void FusedLoop::add(const char* op, const LoopProbe& probe,
                    const std::vector<const Storage*>& scratch) {
  OA_CHECK(probe.calls.size() == 1 && probe.calls[0].inner != nullptr, op,
           ": is said to be one loop, its kernel has ", probe.calls.size());
  const LoopProbe::Call& call = probe.calls[0];
  Loop loop{call.inner, call.params, call.operands.size(), {}};
  for (size_t i = 0; i < loop.count; ++i) {
    const TensorImpl* tensor = call.operands[i];
    OA_CHECK(tensor->numel == elements_ || tensor->numel == 1, op, ": an operand of ",
             tensor->numel, " elements in a loop over ", elements_);
    const auto bytes = static_cast<int64_t>(size_of(tensor->meta.dtype));
    const auto block = std::find(scratch.begin(), scratch.end(), tensor->storage.get());
    loop.operands[i] = {
        tensor, tensor->numel == elements_ ? bytes : 0,
        block == scratch.end() ? -1 : (block - scratch.begin()) * kFusedBlock * kElementBytes};
  }
  loops_.push_back(loop);
}

void FusedLoop::run_part(int64_t begin, int64_t end) const {
  alignas(64) char scratch[kFusedScratch * kFusedBlock * kElementBytes];
  for (int64_t at = begin; at < end; at += kFusedBlock) {
    const int64_t n = std::min(kFusedBlock, end - at);
    for (const Loop& loop : loops_) {
      char* data[kMaxLoopOperands];
      int64_t steps[kMaxLoopOperands];
      for (size_t i = 0; i < loop.count; ++i) {
        const Operand& operand = loop.operands[i];
        steps[i] = operand.step;
        data[i] = operand.scratch >= 0 ? scratch + operand.scratch
                                       : operand.tensor->data() + at * operand.step;
      }
      loop.inner(n, data, steps, loop.params);
    }
  }
}

void FusedLoop::run(Stream& stream) const {
  stream.parallel_for(elements_, kGrain, [&](int64_t begin, int64_t end) { run_part(begin, end); });
}

}  // namespace oneagent
