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

// Part `index` of `count` of an axis, as a view.
Tensor part_of_local(const Tensor& local, size_t axis, int64_t count, int64_t index) {
  const AxisRange range = part_of(local.sizes()[axis], count, index);
  TensorMeta meta = local.impl().meta;
  meta.sizes[axis] = range.length;
  meta.offset += range.begin * meta.strides[axis];
  return Tensor(make_ref<TensorImpl>(std::move(meta), local.impl().storage));
}

// A tensor of which each rank of a group has written its part.
struct Joined {
  Tensor whole, own;
  size_t axis;
};

Tensor flat_place(const Tensor& flat, int64_t at, const Shape& sizes) {
  TensorMeta meta = flat.impl().meta;
  meta.sizes = sizes;
  meta.strides = contiguous_strides(sizes);
  meta.offset = at;
  return Tensor(make_ref<TensorImpl>(std::move(meta), flat.impl().storage));
}

// One all-gather for all members; where they lie, if it is one split by rows.
void join(comm::Communicator& group, const std::vector<Joined>& members) {
  Stream& stream = context().stream;
  const DType dtype = members[0].whole.dtype();
  std::vector<size_t> counts;
  for (int rank = 0; rank < group.size(); ++rank) {
    int64_t count = 0;
    for (const Joined& member : members)
      count += part_of_local(member.whole, member.axis, group.size(), rank).numel();
    counts.push_back(static_cast<size_t>(count));
  }
  if (members.size() == 1 && members[0].axis == 0 && members[0].whole.is_contiguous())
    return group.all_gather(members[0].own.data_ptr(), members[0].whole.data_ptr(), counts, dtype);
  int64_t all = 0, at = 0;
  for (const size_t count : counts) all += static_cast<int64_t>(count);
  const Tensor flat = empty_on(stream, {all}, dtype);
  const Tensor own =
      empty_on(stream, {static_cast<int64_t>(counts[static_cast<size_t>(group.rank())])}, dtype);
  for (const Joined& member : members) {
    copy_into(stream, flat_place(own, at, member.own.sizes()), member.own);
    at += member.own.numel();
  }
  group.all_gather(own.data_ptr(), flat.data_ptr(), counts, dtype);
  at = 0;
  for (int rank = 0; rank < group.size(); ++rank)
    for (const Joined& member : members) {
      const Tensor part = part_of_local(member.whole, member.axis, group.size(), rank);
      if (rank != group.rank()) copy_into(stream, part, flat_place(flat, at, part.sizes()));
      at += part.numel();
    }
}

}  // namespace

Sharding split_along(const Shape& sizes, const Mesh& mesh, const Sharding& sharding, size_t dim) {
  const int64_t ranks = mesh.size(dim);
  if (ranks == 1 || !sharding[dim].is_broadcast()) return sharding;
  Sharding held = sharding;  // as an owner sees it
  for (size_t i = 0; i < held.size(); ++i)
    if (held[i].is_owner()) held[i] = Placement::broadcast();
  const Shape local = local_sizes(sizes, mesh, held, 0);
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
  const Tensor part = part_of_local(parts.local, static_cast<size_t>(to[dim].axis),
                                    parts.mesh->size(dim), parts.mesh->coordinate(rank, dim));
  Tensor stepped = global_like(leaf, part);
  static_cast<GlobalParts&>(*stepped.impl().parts).sharding = to;
  parts.stepped = std::move(stepped);
}

void join_steps(const std::vector<Tensor>& leaves, double bucket_bytes) {
  World& world = World::current("zero");
  using Kind = std::pair<int, DType>;  // group
  std::map<Kind, std::vector<Joined>> open;
  std::map<Kind, double> held;
  const auto flush = [&](const Kind& kind) {
    join(world.communicator(kind.first), open[kind]);
    open[kind].clear();
    held[kind] = 0;
  };
  for (const Tensor& leaf : leaves) {
    if (!is_global(leaf) || !leaf.grad().defined()) continue;
    const GlobalParts& parts = global_parts(leaf);
    if (!parts.stepped.defined() || parts.local.numel() == 0) continue;  // others own it
    const GlobalParts& own = global_parts(parts.stepped);
    size_t dim = 0;
    while (own.sharding[dim] == parts.sharding[dim]) ++dim;
    const Kind kind = {world.group(*parts.mesh, dim), parts.local.dtype()};
    const auto bytes = static_cast<double>(parts.local.nbytes());
    if (!open[kind].empty() && held[kind] + bytes > bucket_bytes) flush(kind);
    open[kind].push_back({parts.local, own.local, static_cast<size_t>(own.sharding[dim].axis)});
    held[kind] += bytes;
    leaf.impl().bump_version();
  }
  for (auto& [kind, members] : open)
    if (!members.empty()) flush(kind);
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

void GatherOnUse::gather_for(size_t index, Values& values, int part) {
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
  if (part != part_) {
    for (const ValueId source : gathered_) drop(source, values);
    gathered_.clear();
    part_ = part;
  }
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
