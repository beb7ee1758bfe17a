#include "core/dist/stage_leaves.h"

#include "core/dist/global.h"
#include "core/dist/zero.h"

namespace oneagent::distributed {

Sharding on_pipeline(const Placement& first, const Sharding& sharding, size_t dims) {
  Sharding out = {first};
  for (size_t dim = 0; dim + 1 < dims; ++dim) out.push_back(sharding[dim]);
  return out;
}

std::set<ValueId> place_in_stages(const Logical& logical, const std::vector<Tensor>& leaves,
                                  const ParallelOptions& options, const ShardingPlan& plan,
                                  const StagePlan& stages, const Mesh& mesh) {
  std::vector<ValueId> trained;
  for (size_t i = 0; i < leaves.size(); ++i)
    if (logical.gradients[i] != kNoValue) trained.push_back(logical.leaves[i]);
  const std::set<ValueId> may_gather = gatherable(logical.program, trained);
  std::set<ValueId> split;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (stages.leaf_stage[i] < 0) continue;
    const ValueId value = logical.leaves[i];
    const Sharding& computed = plan.sources.at(value);
    Sharding lies = computed;
    if (options.zero == 3 && may_gather.contains(value))
      lies = split_along(leaves[i].sizes(), options.mesh, computed, options.zero_dim);
    const Placement owner = Placement::owner(stages.leaf_stage[i] % options.pipeline);
    const Sharding on_mesh = on_pipeline(owner, lies, mesh.dims());
    if (!is_global(leaves[i]) ||
        (options.zero == 3 && !(global_parts(leaves[i]).sharding == on_mesh)))
      place(leaves[i], mesh, on_mesh);
    if (!(lies == computed))
      split.insert(value);
    else if (options.zero > 0 && logical.gradients[i] != kNoValue)
      split_step(leaves[i], options.zero_dim + 1);
  }
  return split;
}

Tensor seen_in_stage(const Tensor& leaf, int rank) {
  const GlobalParts& parts = global_parts(leaf);
  Sharding sharding = parts.sharding;
  sharding[0] = Placement::broadcast();
  Tensor local = parts.local;
  if (parts.mesh->coordinate(rank, 0) != parts.sharding[0].axis) {
    TensorMeta meta;
    meta.sizes = local_sizes(leaf.sizes(), *parts.mesh, sharding, rank);
    meta.strides = contiguous_strides(meta.sizes);
    meta.dtype = leaf.dtype();
    const size_t bytes = static_cast<size_t>(meta.sizes.numel()) * size_of(meta.dtype);
    local = Tensor(make_ref<TensorImpl>(meta, make_ref<Storage>(Storage::Symbolic{}, bytes)));
  }
  Tensor seen = global_like(leaf.detach(), local);
  static_cast<GlobalParts&>(*seen.impl().parts).sharding = sharding;
  return seen;
}

}  // namespace oneagent::distributed
