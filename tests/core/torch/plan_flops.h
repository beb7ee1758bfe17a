// FLOPs of one run of a plan, or of eager calls, on this rank: of products and convolutions, which
// are what ranks share out. Elementwise calls, reductions and look-ups are bound by bytes, not by
// FLOPs, and norms and losses are computed by all tensor ranks (Shoeybi et al. 2019).
#pragma once

#include <string_view>
#include <vector>

#include "core/graph/recorder.h"
#include "core/plan/plan.h"

namespace oneagent {

inline bool is_product(const Op& op) {
  const std::string_view name = op.name;
  return name.find("mm") != name.npos || name.find("linear") != name.npos ||
         name.find("conv") != name.npos;
}

inline double flops_of_plan(const Plan& plan) {
  double sum = 0;
  for (const ProgramNode& node : plan.program.nodes) {
    if (!is_product(*node.op)) continue;
    std::vector<const TensorMeta*> in;
    for (const ValueId value : node.in)
      in.push_back(value == kNoValue ? nullptr : &plan.program.meta(value));
    Inferred inferred(node.op->name);
    for (const ValueId value : node.out)
      inferred.add(plan.program.meta(value).sizes, plan.program.meta(value).dtype);
    sum += flops_of(*node.op, Metas(in.data(), in.size()), node.attrs, inferred);
  }
  return sum;
}

// Counts those of what this thread runs while it is alive. It takes the place below a World's
// recorder: make it first.
class FlopCount final : public Recorder {
 public:
  FlopCount() : below_(context().recorders[0]) { context().recorders[0] = this; }
  ~FlopCount() override { context().recorders[0] = below_; }
  FlopCount(const FlopCount&) = delete;
  FlopCount& operator=(const FlopCount&) = delete;
  double sum() const { return sum_; }
  void record(const Call& call, size_t) override {
    below_->record(call, 0);
    if (!is_product(call.op)) return;
    std::vector<const TensorMeta*> in;
    for (size_t i = 0; i < call.in.size(); ++i)
      in.push_back(call.in.has(i) ? &call.in.meta(i) : nullptr);
    Inferred inferred(call.op.name);
    for (const Tensor& result : call.out) inferred.add(result.sizes(), result.dtype());
    sum_ += flops_of(call.op, Metas(in.data(), in.size()), call.attrs, inferred);
  }

 private:
  Recorder* below_;
  double sum_ = 0;
};

}  // namespace oneagent
