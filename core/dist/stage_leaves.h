// Leaves of a program that is cut into stages: on the mesh of the world, whose first dimension is
// the pipeline, the ranks of a leaf's stage hold it as the plan of a stage and ZeRO say, the others
// hold nothing.
#pragma once

#include <set>

#include "core/dist/logical_recording.h"
#include "core/dist/stages.h"

namespace oneagent::distributed {

// `first` along the pipeline, then the placements of a stage's mesh.
Sharding on_pipeline(const Placement& first, const Sharding& sharding, size_t dims);

// Makes leaves global tensors on `mesh` and tells optimizers what they step (core/dist/zero.h).
// The values of those that lie otherwise than `plan` says: they are gathered for their uses.
std::set<ValueId> place_in_stages(const Logical& logical, const std::vector<Tensor>& leaves,
                                  const ParallelOptions& options, const ShardingPlan& plan,
                                  const StagePlan& stages, const Mesh& mesh);

// A leaf as the ranks of its stage see it; elsewhere without memory.
Tensor seen_in_stage(const Tensor& leaf, int rank);

}  // namespace oneagent::distributed
