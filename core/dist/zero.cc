#include "core/dist/zero.h"

#include <algorithm>

#include "core/dist/global.h"
#include "core/dist/reshard.h"
#include "core/graph/recompute.h"
#include "core/kernels/copy.h"

namespace oneagent::distributed {
namespace {

bool splits_later(const Sharding& sharding, size_t dim, int64_t axis) {
  for (size_t later = dim + 1; later < sharding.size(); ++later)
    if (sharding[later].is_split(axis)) return true;
  return false;
}

// This rank's part of `local` along `dim`, as a view.
Tensor part_of_local(const Tensor& local, const Mesh& mesh, size_t dim, size_t axis, int rank) {
  const AxisRange range = part_of(local.sizes()[axis], mesh.size(dim), mesh.coordinate(rank, dim));
  TensorMeta meta = local.impl().meta;
  meta.sizes[axis] = range.length;
  meta.offset += range.begin * meta.strides[axis];
  return Tensor(make_ref<TensorImpl>(std::move(meta), local.impl().storage));
}

}  // namespace

Sharding split_along(const Shape& sizes, const Mesh& mesh, const Sharding& sharding, size_t dim) {
  const int64_t ranks = mesh.size(dim);
  if (ranks == 1 || !sharding[dim].is_broadcast()) return sharding;
  const Shape local = local_sizes(sizes, mesh, sharding, 0);
  Sharding out = sharding;
  double least = 1;
  for (size_t axis = 0; axis < local.size(); ++axis) {
    const auto number = static_cast<int64_t>(axis);
    if (local[axis] < 2 || splits_later(sharding, dim, number)) continue;
    const double share = static_cast<double>(part_of(local[axis], ranks, 0).length) /
                         static_cast<double>(local[axis]);
    if (share >= least) continue;
    least = share;
    out[dim] = Placement::split(number);
  }
  return out;
}

void split_step(const Tensor& leaf, size_t dim) {
  auto& parts = static_cast<GlobalParts&>(*leaf.impl().parts);
  const Sharding to = split_along(leaf.sizes(), *parts.mesh, parts.sharding, dim);
  if (to == parts.sharding || parts.stepped.defined()) return;
  const int rank = World::current("zero").rank();
  const Tensor part =
      part_of_local(parts.local, *parts.mesh, dim, static_cast<size_t>(to[dim].axis), rank);
  Tensor stepped = global_like(leaf, part);
  static_cast<GlobalParts&>(*stepped.impl().parts).sharding = to;
  parts.stepped = std::move(stepped);
}

void join_steps(const std::vector<Tensor>& leaves) {
  World& world = World::current("zero");
  for (const Tensor& leaf : leaves) {
    if (!is_global(leaf) || !leaf.grad().defined()) continue;
    const GlobalParts& parts = global_parts(leaf);
    if (!parts.stepped.defined()) continue;
    const GlobalParts& own = global_parts(parts.stepped);
    for (size_t dim = 0; dim < parts.sharding.size(); ++dim) {
      if (own.sharding[dim] == parts.sharding[dim]) continue;
      const int64_t axis = own.sharding[dim].axis;
      if (axis == 0 && parts.local.is_contiguous()) {  // in its place
        comm::Communicator& group = world.communicator(world.group(*parts.mesh, dim));
        const int64_t rows = parts.local.size(0);
        std::vector<size_t> counts;
        for (int rank = 0; rank < group.size(); ++rank)
          counts.push_back(static_cast<size_t>(part_of(rows, group.size(), rank).length *
                                               (parts.local.numel() / rows)));
        group.all_gather(own.local.data_ptr(), parts.local.data_ptr(), counts, parts.local.dtype());
      } else {
        const NoGradGuard no_grad;
        copy_into(
            context().stream, parts.local,
            reshard_local(own.local, leaf.sizes(), *parts.mesh, own.sharding, parts.sharding));
      }
    }
    leaf.impl().bump_version();
  }
}

std::set<ValueId> gatherable(const Program& program, const std::vector<ValueId>& sources) {
  std::set<ValueId> out;
  std::set<BufferId> fixed;
  for (const ProgramNode& node : program.nodes)
    if (node.op->alias_of < 0)
      for (const ValueId value : node.out) fixed.insert(program.buffer(value));
  for (const ValueId value : program.outputs) fixed.insert(program.buffer(value));
  for (const ValueId value : sources)
    if (value != kNoValue && !fixed.contains(program.buffer(value))) out.insert(value);
  return out;
}

GatherOnUse::GatherOnUse(const Program& program, const ShardingPlan& plan, const Mesh& mesh,
                         const std::set<ValueId>& sources, double bytes, Run run)
    : program_(program),
      plan_(plan),
      mesh_(mesh),
      run_(run),
      waiting_(program.nodes.size()),
      most_(bytes) {
  for (const ValueId source : sources) {
    source_of_[source] = source;
    family_[source].push_back(source);
  }
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    const int base = node.op->alias_of;
    if (base >= 0) {
      const auto found = source_of_.find(node.in[static_cast<size_t>(base)]);
      if (found == source_of_.end()) continue;
      waiting_[i] = true;
      for (const ValueId value : node.out) {
        family_[found->second].push_back(value);
        made_by_[value] = i;
        source_of_[value] = found->second;
      }
      continue;
    }
    std::set<ValueId> read;
    double needed = 0;
    for (const ValueId value : node.in)
      if (const auto found = source_of_.find(value); found != source_of_.end())
        if (read.insert(found->second).second) needed += bytes_of(found->second);
    most_ = std::max(most_, needed);
  }
}

double GatherOnUse::bytes_of(ValueId source) const {
  const TensorMeta& meta = program_.meta(source);
  return static_cast<double>(local_sizes(meta.sizes, mesh_, plan_.sources.at(source), 0).numel() *
                             static_cast<int64_t>(size_of(meta.dtype)));
}

void GatherOnUse::drop(ValueId source, Values& values) {
  for (const ValueId value : family_.at(source)) values.erase(value);
}

void GatherOnUse::make(ValueId value, Values& values) {
  if (values.contains(value)) return;
  const auto made = made_by_.find(value);
  if (made == made_by_.end()) {
    const RecomputeScope again;  // what was gathered before is not to be kept for this call
    values[value] = reshard(split_.at(value), plan_.sources.at(value));
    return;
  }
  const ProgramNode& node = program_.nodes[made->second];
  make(node.in[static_cast<size_t>(node.op->alias_of)], values);
  run_(program_, plan_, mesh_, made->second, values);
}

void GatherOnUse::gather_for(size_t index, Values& values) {
  if (split_.empty())
    for (const auto& [source, views] : family_) {
      split_[source] = values.at(source);
      values.erase(source);
    }
  std::vector<ValueId> read;
  for (const ValueId value : program_.nodes[index].in) {
    const auto found = source_of_.find(value);
    if (found == source_of_.end()) continue;
    if (std::find(read.begin(), read.end(), found->second) == read.end())
      read.push_back(found->second);
  }
  if (read.empty()) return;
  const auto stands = [&](ValueId source) {
    return std::find(gathered_.begin(), gathered_.end(), source) != gathered_.end();
  };
  double bytes = 0;
  bool fresh = false;
  for (const ValueId source : read) {
    fresh |= !stands(source);
    bytes += bytes_of(source);
  }
  for (const ValueId source : read) std::erase(gathered_, source);
  if (fresh) {
    for (const ValueId source : gathered_) bytes += bytes_of(source);
    while (!gathered_.empty() && bytes > most_) {
      bytes -= bytes_of(gathered_.front());
      drop(gathered_.front(), values);
      gathered_.erase(gathered_.begin());
    }
  }
  gathered_.insert(gathered_.end(), read.begin(), read.end());
  for (const ValueId value : program_.nodes[index].in)
    if (source_of_.contains(value)) make(value, values);
}

}  // namespace oneagent::distributed
