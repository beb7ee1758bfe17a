#include "core/dist/global.h"

#include "core/dist/global_ops.h"
#include "core/dist/reshard.h"
#include "core/graph/context.h"
#include "core/kernels/copy.h"

namespace oneagent::distributed {
namespace {

const GlobalParts& checked(const char* what, const Tensor& x) {
  OA_REQUIRE(is_global(x), what, ": expected a global tensor; make one with to_global(x, mesh, ",
             "sharding) or distribute(x, mesh, sharding)");
  return global_parts(x);
}

Attrs attrs_of(const Mesh& mesh, const Sharding& sharding) {
  return placement_attrs(World::current("global tensor").mesh_number(mesh), sharding);
}

// Logical sizes of what the ranks hold, from all their local sizes.
Shape logical_sizes(World& world, const Tensor& local, const Mesh& mesh, const Sharding& sharding) {
  const size_t rank = local.sizes().size();
  std::vector<int64_t> own(rank + 2);
  own[0] = static_cast<int64_t>(rank);
  own[1] = static_cast<int64_t>(local.scalar_type());
  std::copy(local.sizes().begin(), local.sizes().end(), own.begin() + 2);
  Shape sizes = local.sizes();
  for (size_t dim = sharding.size(); dim-- > 0;) {
    comm::Communicator& group = world.communicator(world.group(mesh, dim));
    std::copy(sizes.begin(), sizes.end(), own.begin() + 2);
    const std::vector<size_t> counts(static_cast<size_t>(group.size()), own.size());
    std::vector<int64_t> all(own.size() * counts.size());
    group.all_gather(own.data(), all.data(), counts, DType::kInt64);
    for (size_t r = 0; r < counts.size(); ++r) {
      const int64_t* other = all.data() + r * own.size();
      OA_REQUIRE(other[0] == own[0] && other[1] == own[1], "to_global: rank ", r,
                 " along mesh dimension \"", mesh.name(dim), "\" has a tensor of ", other[0],
                 " dimensions of type ", name_of(static_cast<DType>(other[1])), ", rank ",
                 group.rank(), " of ", own[0], " dimensions of type ", name_of(local.dtype()));
      for (size_t axis = 0; axis < rank; ++axis)
        OA_REQUIRE(sharding[dim].is_split(static_cast<int64_t>(axis)) || sharding[dim].is_owner() ||
                       other[2 + axis] == own[2 + axis],
                   "to_global: along mesh dimension \"", mesh.name(dim), "\" dimension ", axis,
                   " is ", other[2 + axis], " on rank ", r, " and ", own[2 + axis], " on rank ",
                   group.rank(), ", but it is placed ", sharding[dim]);
    }
    if (sharding[dim].is_owner()) {
      const auto owner = static_cast<size_t>(sharding[dim].axis);
      for (size_t axis = 0; axis < rank; ++axis) sizes[axis] = all[owner * own.size() + 2 + axis];
    }
    if (!sharding[dim].is_split()) continue;
    const auto axis = static_cast<size_t>(sharding[dim].axis);
    sizes[axis] = 0;
    for (size_t r = 0; r < counts.size(); ++r) sizes[axis] += all[r * own.size() + 2 + axis];
  }
  const Shape expected = local_sizes(sizes, mesh, sharding, world.rank());
  OA_REQUIRE(expected == local.sizes(), "to_global: rank ", world.rank(), " has ", local.sizes(),
             " of a tensor of shape ", sizes, " placed ", sharding, " on mesh ", mesh.text(),
             "; its part is ", expected, " (parts are equal, longer ones first)");
  return sizes;
}

Tensor call(const Op& op, const Tensor& x, const Attrs& attrs) {
  World::current(op.name);
  return call_op(op, {&x}, attrs);
}

}  // namespace

Tensor to_global(const Tensor& local, const Mesh& mesh, const Sharding& sharding) {
  OA_REQUIRE(local.defined() && !is_global(local),
             "to_global: expected this rank's part, a plain tensor; reshard() changes global ones");
  const Sharding placed = checked_sharding("to_global", local.sizes(), mesh, sharding);
  World& world = World::current("to_global");
  return call(kToGlobal, local,
              attrs_of(mesh, placed).add(logical_sizes(world, local, mesh, placed)));
}

Tensor distribute(const Tensor& whole, const Mesh& mesh, const Sharding& sharding) {
  OA_REQUIRE(whole.defined() && !is_global(whole),
             "distribute: expected a plain tensor, equal on all ranks; reshard() changes global "
             "ones");
  const Sharding to = checked_sharding("distribute", whole.sizes(), mesh, sharding);
  return call(kReshard, whole,
              reshard_attrs(World::current("distribute").mesh_number(mesh), to, whole));
}

Tensor reshard(const Tensor& x, const Sharding& sharding) {
  const GlobalParts& parts = checked("reshard", x);
  const Sharding to = checked_sharding("reshard", x.sizes(), *parts.mesh, sharding);
  if (to == parts.sharding) return x;
  return call(kReshard, x,
              reshard_attrs(World::current("reshard").mesh_number(*parts.mesh), to, x));
}

Tensor to_local(const Tensor& x) {
  const GlobalParts& parts = checked("to_local", x);
  return call(kToLocal, x, attrs_of(*parts.mesh, parts.sharding).add(x.sizes()));
}

Tensor to_whole(const Tensor& x) {
  return to_local(reshard(x, Sharding::broadcast(checked("to_whole", x).sharding.size())));
}

const Sharding& sharding_of(const Tensor& x) { return checked("sharding_of", x).sharding; }
const Mesh& mesh_of(const Tensor& x) { return *checked("mesh_of", x).mesh; }

void place(const Tensor& leaf, const Mesh& mesh, const Sharding& sharding) {
  OA_REQUIRE(leaf.is_leaf(), "place: only leaves can be placed; use reshard() or distribute()");
  const NoGradGuard no_grad;
  const Tensor plain = leaf.detach();
  leaf.set_data(is_global(leaf) ? reshard(plain, sharding) : distribute(plain, mesh, sharding));
}

}  // namespace oneagent::distributed
