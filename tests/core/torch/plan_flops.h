// FLOPs of one run of a plan on this rank: of products and convolutions, which are what ranks share
// out. Elementwise calls, reductions and look-ups are bound by bytes, not by FLOPs, and norms and
// losses are computed by all tensor ranks (Shoeybi et al. 2019).
#pragma once

#include <string_view>
#include <vector>

#include "core/graph/op.h"
#include "core/plan/plan.h"

namespace oneagent {

inline double flops_of_plan(const Plan& plan) {
  double sum = 0;
  for (const ProgramNode& node : plan.program.nodes) {
    const std::string_view name = node.op->name;
    if (name.find("mm") == name.npos && name.find("linear") == name.npos &&
        name.find("conv") == name.npos)
      continue;
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

}  // namespace oneagent
