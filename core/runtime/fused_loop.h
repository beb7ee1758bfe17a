// Runs elementwise loops block by block: all loops over the first block, then all over the next.
// Results that only later loops of the same run read lie in scratch blocks on the stack.
#pragma once

#include <vector>

#include "core/kernels/loop.h"
#include "core/plan/fuse.h"

namespace oneagent {

class FusedLoop {
 public:
  explicit FusedLoop(int64_t elements) : elements_(elements) {}

  // The loop that `op`'s kernel takes down in a probe. An operand whose storage is `scratch[k]`
  // lies in scratch block k. Operands of one element serve all of a longer result.
  void add(const char* op, const LoopProbe& probe, const std::vector<const Storage*>& scratch);
  void run(Stream& stream) const;

 private:
  struct Operand {
    const TensorImpl* tensor;
    int64_t step;     // bytes from one element to the next
    int64_t scratch;  // bytes into the scratch memory, or -1
  };
  struct Loop {
    cpu::Inner inner;
    cpu::Params params;
    size_t count;
    Operand operands[kMaxLoopOperands];
  };
  void run_part(int64_t begin, int64_t end) const;

  int64_t elements_;
  std::vector<Loop> loops_;
};

}  // namespace oneagent
