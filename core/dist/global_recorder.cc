#include "core/dist/global_recorder.h"

#include "absl/container/inlined_vector.h"
#include "core/base/caller.h"
#include "core/dist/composite.h"
#include "core/dist/global.h"
#include "core/dist/global_ops.h"
#include "core/dist/placing.h"
#include "core/dist/reshard.h"
#include "core/graph/other_kind.h"
#include "core/graph/view.h"
#include "core/ops/ops.h"

namespace oneagent::distributed {
namespace {

Tensor whole_of(const Tensor& x) {
  const NoGradGuard no_grad;
  return to_whole(x.detach());
}
Scalar item_of(const Tensor& x) { return whole_of(x).item_scalar(); }

// The rows of a sparse tensor, equal on all ranks, that this rank holds of `like`.
Tensor sparse_part(const Tensor& x, const TensorImpl& like) {
  const auto& parts = static_cast<const GlobalParts&>(*like.parts);
  const Shape& sizes = like.meta.sizes;
  const Shape own = parts.local.sizes();
  const AxisRange rows =
      ranges_of(sizes, *parts.mesh, parts.sharding, World::current("sparse gradient").rank())[0];
  OA_REQUIRE(x._indices().size(0) == 1 && std::equal(own.begin() + 1, own.end(), sizes.begin() + 1),
             "sparse gradient: of a tensor placed ", parts.sharding,
             "; place it split along dimension 0, or whole");
  const Tensor like_tensor{Ref<TensorImpl>(const_cast<TensorImpl*>(&like))};
  if (rows.length == sizes[0]) return global_like(like_tensor, x);
  const Tensor row = reshape(x._indices(), {-1});
  const Tensor kept =
      reshape(nonzero(logical_and(ge(row, rows.begin), lt(row, rows.begin + rows.length))), {-1});
  return global_like(
      like_tensor, _sparse_coo_tensor_unsafe(unsqueeze(index_select(row, 0, kept) - rows.begin, 0),
                                             index_select(x._values(), 0, kept), own));
}

Tensor placed_like(const Tensor& x, const TensorImpl& like) {
  if (World::find() == nullptr) return x;  // recorded as on one device
  if (x.is_sparse() && like.parts) return sparse_part(x, like);
  if (!like.parts) return to_whole(x);
  const auto& parts = static_cast<const GlobalParts&>(*like.parts);
  return is_global(x) ? reshard(x, parts.sharding) : distribute(x, *parts.mesh, parts.sharding);
}

void add_over_parts(const Tensor& x, double* values, size_t count) {
  World& world = World::current("optimizer");
  const GlobalParts& parts = global_parts(x);
  for (size_t dim = 0; dim < parts.sharding.size(); ++dim)
    if (parts.sharding[dim].is_split() || parts.sharding[dim].is_owner())
      world.communicator(world.group(*parts.mesh, dim))
          .all_reduce(values, count, DType::kFloat64, Reduce::kSum);
}

// A tensor without memory of its own: its storage counts versions.
Tensor make_global(TensorMeta meta, Ref<Storage> storage, Ref<RefCounted> parts) {
  auto impl = make_ref<TensorImpl>(std::move(meta), std::move(storage));
  impl->parts = std::move(parts);
  impl->inference = context().inference_mode;
  return Tensor(std::move(impl));
}

Tensor make_global(const Shape& sizes, const Tensor& local, const std::shared_ptr<const Mesh>& mesh,
                   const Sharding& sharding) {
  TensorMeta meta;
  meta.sizes = sizes;
  meta.strides = contiguous_strides(sizes);
  meta.dtype = local.dtype();
  const size_t bytes = static_cast<size_t>(sizes.numel()) * size_of(meta.dtype);
  return make_global(std::move(meta), make_ref<Storage>(Storage::Symbolic{}, bytes),
                     Ref<RefCounted>(make_ref<GlobalParts>(mesh, sharding, local).get()));
}

Sharding sharding_on(const Mesh& mesh, const Tensor& x) {
  return is_global(x) ? global_parts(x).sharding : Sharding::broadcast(mesh.dims());
}

[[noreturn]] void refuse_meshes(const Call& call, const Mesh& a, const Mesh& b) {
  const std::string line = calling_line();
  throw_error(str(call.op.name, ": operands lie on different meshes, ", a.text(), " and ", b.text(),
                  "; bring one to the other's with to_whole() and distribute()",
                  line.empty() ? "" : "; called at ", line));
}

// The mesh of the operands that have one; null when none is global.
std::shared_ptr<const Mesh> mesh_of(const Call& call) {
  std::shared_ptr<const Mesh> mesh;
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!call.in.has(i) || !is_global(call.in[i])) continue;
    const auto& own = global_parts(call.in[i]).mesh;
    if (mesh == nullptr)
      mesh = own;
    else if (mesh != own && !(*mesh == *own))
      refuse_meshes(call, *mesh, *own);
  }
  return mesh;
}

bool moves_split_or_partial(const std::vector<Sharding>& from, const std::vector<Sharding>& to) {
  for (size_t i = 0; i < from.size(); ++i)
    for (size_t dim = 0; dim < from[i].size(); ++dim)
      if (!from[i][dim].is_broadcast() && to[i][dim].is_broadcast()) return true;
  return false;
}

// What has been reduced stays so, and is not reduced again for the next op that reads it; the value
// is the same. Not where views look into the old memory.
void keep_reduced(const Tensor& x, const Tensor& local, const Sharding& sharding) {
  if (!is_global(x) || x.impl().is_view) return;
  auto& parts = static_cast<GlobalParts&>(*x.impl().parts);
  if (!parts.sharding.has_partial() || sharding.has_partial()) return;
  if (parts.local.impl().storage->use_count() > 1) return;
  parts.local = local;
  parts.sharding = sharding;
}

}  // namespace

void GlobalRecorder::install() {
  below_ = context().recorders[0];
  context().recorders[0] = this;
  set_global_hooks({item_of, whole_of, placed_like, add_over_parts});
}

void GlobalRecorder::remove() { context().recorders[0] = below_; }

void GlobalRecorder::record(const Call& call, size_t level) {
  if (&call.op == &kReshard || &call.op == &kToGlobal || &call.op == &kToLocal) return change(call);
  const std::shared_ptr<const Mesh> mesh = mesh_of(call);
  if (mesh == nullptr) return below_->record(call, 0);
  for (size_t i = 0; i < call.in.size(); ++i) {
    if (!call.in.has(i)) continue;
    OA_REQUIRE(!call.in[i].is_sparse(), call.op.name,
               ": sparse and global tensors cannot be mixed; use to_dense()");
    if (is_other(call.op, call.in[i].impl())) return run_other_kind(call);
  }
  run_global(call, mesh, level, nullptr);
}

void GlobalRecorder::run_global(const Call& call, const std::shared_ptr<const Mesh>& mesh,
                                size_t level, const Placing* given) {
  const size_t count = call.in.size();
  absl::InlinedVector<const TensorMeta*, kMaxInputs> metas(count);
  std::vector<Sharding> from(count);
  for (size_t i = 0; i < count; ++i) {
    metas[i] = call.in.has(i) ? &call.in.meta(i) : nullptr;
    from[i] = call.in.has(i) ? sharding_on(*mesh, call.in[i]) : Sharding::broadcast(mesh->dims());
  }
  const Metas inputs(metas.data(), count);
  Inferred inferred(call.op.name);
  call.op.infer(inputs, call.attrs, inferred);
  OA_CHECK(inferred.size() == call.out.size(), call.op.name, ": infers ", inferred.size(),
           " results, ", call.out.size(), " were asked for");
  absl::InlinedVector<const TensorMeta*, kMaxOutputs> result_metas;
  for (size_t i = 0; i < inferred.size(); ++i) result_metas.push_back(&inferred[i]);
  const Metas results(result_metas.data(), result_metas.size());
  // What was reduced for another call is changed as it lies now.
  if (given != nullptr && call.in_place && !(from[0] == given->in[0])) given = nullptr;
  const Placing placing =
      given != nullptr ? *given
                       : choose_placing({call.op, call.attrs, inputs, results, from, call.in_place},
                                        *mesh, world_.cost());
  if (given == nullptr && moves_split_or_partial(from, placing.in) && !call.in_place &&
      run_composite(call, level))
    return;

  absl::InlinedVector<Tensor, kMaxInputs> locals(count);
  absl::InlinedVector<const Tensor*, kMaxInputs> operands(count);
  for (size_t i = 0; i < count; ++i) {
    operands[i] = &locals[i];
    if (!call.in.has(i)) continue;
    locals[i] =
        reshard_local(local_part(call.in[i]), call.in[i].sizes(), *mesh, from[i], placing.in[i]);
    keep_reduced(call.in[i], locals[i], placing.in[i]);
  }
  const Shape first = inferred.size() == 0
                          ? Shape()
                          : local_sizes(inferred[0].sizes, *mesh, placing.out[0], world_.rank());
  const auto rows_of = [&](const TensorMeta* meta, const Sharding& sharding) {
    if (meta == nullptr || meta->sizes.empty()) return AxisRange();
    return ranges_of(meta->sizes, *mesh, sharding, world_.rank())[0];
  };
  LocalRows rows;
  if (count > 0) rows.input = rows_of(metas[0], placing.in[0]);
  if (inferred.size() > 0) rows.result = rows_of(result_metas[0], placing.out[0]);
  if (call.op.random)
    rows.ranges = ranges_of(inferred[0].sizes, *mesh, placing.out[0], world_.rank());
  const Attrs attrs = local_attrs(call.op, call.attrs, inputs, results, first, rows);
  absl::InlinedVector<Tensor, kMaxOutputs> out(call.out.size());
  if (call.in_place) {
    const Tensor& self = call.in[0];
    OA_REQUIRE(!is_global(self) || !global_parts(self).moved_view, call.op.name,
               ": in place on a view whose data had to be moved, so that the tensor it was taken "
               "from would not change; write the result to a new tensor");
    out[0] = locals[0];
    self.impl().bump_version();
  }
  run_local(
      {call.op, Inputs(operands.data(), count), attrs, {out.data(), out.size()}, call.in_place});
  if (call.in_place) return;
  for (size_t i = 0; i < out.size(); ++i) {
    if (call.op.alias_of < 0) {
      call.out[i] = make_global(inferred[i].sizes, out[i], mesh, placing.out[i]);
      continue;
    }
    const auto base_at = static_cast<size_t>(call.op.alias_of);
    const Tensor& base = call.in[base_at];
    auto parts = make_ref<GlobalParts>(mesh, placing.out[i], out[i]);
    parts->moved_view = !(from[base_at] == placing.in[base_at]) ||
                        (is_global(base) && global_parts(base).moved_view);
    call.out[i] = make_global(inferred[i], base.impl().storage, Ref<RefCounted>(parts.get()));
    TensorImpl& view = call.out[i].impl();
    view.is_view = true;
    view.view_base = base.impl().view_base ? base.impl().view_base : base.ref();
    view.seen = view.view_base->changes;
    view.inference = base.impl().inference;
  }
}

void GlobalRecorder::change(const Call& call) {
  const Tensor& x = call.in[0];
  const auto& mesh = world_.mesh(mesh_number_of(call.attrs));
  const Sharding sharding = sharding_of(call.attrs);
  if (&call.op == &kToLocal) {
    const Tensor& local = local_part(x);
    call.out[0] = Tensor(make_ref<TensorImpl>(local.impl().meta, local.impl().storage));
    return;
  }
  if (&call.op == &kToGlobal) {
    call.out[0] = make_global(call.attrs.list(2), local_part(x), mesh, sharding);
    return;
  }
  Tensor local = reshard_local(local_part(x), x.sizes(), *mesh, sharding_on(*mesh, x), sharding);
  if (local.is_alias_of(local_part(x))) {
    Tensor copy;
    run_local({kCopyOf, {&local}, Attrs(), std::span(&copy, 1)});
    local = copy;
  }
  call.out[0] = make_global(x.sizes(), local, mesh, sharding);
}

}  // namespace oneagent::distributed
