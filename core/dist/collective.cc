#include "core/dist/collective.h"

#include "absl/container/inlined_vector.h"
#include "core/dist/world.h"
#include "core/graph/recorder.h"
#include "core/kernels/copy.h"

namespace oneagent::distributed {
namespace {

using Counts = absl::InlinedVector<size_t, 16>;

constexpr AttrSpec kReduceAttrs[] = {{"group", AttrKind::kInt}, {"reduce", AttrKind::kInt}};
constexpr AttrSpec kGatherAttrs[] = {
    {"group", AttrKind::kInt}, {"axis", AttrKind::kInt}, {"size", AttrKind::kInt}};
constexpr AttrSpec kScatterAttrs[] = {
    {"group", AttrKind::kInt}, {"axis", AttrKind::kInt}, {"reduce", AttrKind::kInt}};
constexpr AttrSpec kExchangeAttrs[] = {{"group", AttrKind::kInt},
                                       {"to", AttrKind::kInt},
                                       {"from", AttrKind::kInt},
                                       {"size", AttrKind::kInt}};
constexpr AttrSpec kTakeAttrs[] = {{"group", AttrKind::kInt}, {"axis", AttrKind::kInt}};
constexpr AttrSpec kOwnerAttrs[] = {
    {"group", AttrKind::kInt}, {"owner", AttrKind::kInt}, {"sizes", AttrKind::kInts}};
constexpr AttrSpec kOwnedAttrs[] = {{"group", AttrKind::kInt}, {"owner", AttrKind::kInt}};
constexpr AttrSpec kGroupAttrs[] = {{"group", AttrKind::kInt}};

comm::Communicator& group_of(const Attrs& attrs) {
  return World::current("collective").communicator(static_cast<int>(attrs.integer(0)));
}
Reduce reduce_of(const Attrs& attrs, size_t at) { return static_cast<Reduce>(attrs.integer(at)); }
size_t axis_of(const Attrs& attrs, size_t at = 1) { return static_cast<size_t>(attrs.integer(at)); }
AxisRange own_part(const comm::Communicator& group, int64_t size) {
  return part_of(size, group.size(), group.rank());
}

// The part of x at `range` of `axis`: a view.
Tensor slice_of(const Tensor& x, size_t axis, const AxisRange& range) {
  TensorMeta meta = x.impl().meta;
  meta.sizes[axis] = range.length;
  meta.offset += range.begin * meta.strides[axis];
  return Tensor(make_ref<TensorImpl>(std::move(meta), x.impl().storage));
}

void fill_zero(const Tensor& x) { std::memset(x.data_ptr(), 0, x.nbytes()); }

// Elements of each rank's part of an axis of `size`, in a tensor of `numel` elements of which
// `held` are along the axis.
Counts counts_of(const comm::Communicator& group, int64_t size, int64_t others) {
  Counts out;
  for (int rank = 0; rank < group.size(); ++rank)
    out.push_back(static_cast<size_t>(part_of(size, group.size(), rank).length * others));
  return out;
}

// The number of elements for each index of an axis.
int64_t others_of(const Shape& sizes, size_t axis) {
  int64_t out = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    if (i != axis) out *= sizes[i];
  return out;
}

// x cut along `axis` into the ranks' parts, one contiguous part behind the other.
Tensor packed(Stream& stream, const Tensor& x, size_t axis, const comm::Communicator& group) {
  if (axis == 0) return x.is_contiguous() ? x : contiguous_copy(stream, x);
  const Tensor out = empty_on(stream, {x.numel()}, x.dtype());
  int64_t at = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const Tensor part = slice_of(x, axis, part_of(x.sizes()[axis], group.size(), rank));
    TensorMeta meta = part.impl().meta;
    meta.strides = contiguous_strides(meta.sizes);
    meta.offset = at;
    copy_into(stream, Tensor(make_ref<TensorImpl>(meta, out.impl().storage)), part);
    at += part.numel();
  }
  return out;
}

// The reverse: parts of `axis`, one behind the other, into their places.
void unpack(Stream& stream, const Tensor& parts, const Tensor& out, size_t axis,
            const comm::Communicator& group) {
  int64_t at = 0;
  for (int rank = 0; rank < group.size(); ++rank) {
    const Tensor place = slice_of(out, axis, part_of(out.sizes()[axis], group.size(), rank));
    TensorMeta meta = place.impl().meta;
    meta.strides = contiguous_strides(meta.sizes);
    meta.offset = at;
    copy_into(stream, place, Tensor(make_ref<TensorImpl>(meta, parts.impl().storage)));
    at += place.numel();
  }
}

void infer_same(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }

void infer_gather(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  sizes[axis_of(attrs)] = attrs.integer(2);
  out.add(sizes, in[0]->dtype);
}

void infer_part(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  int64_t& size = sizes[axis_of(attrs)];
  size = own_part(group_of(attrs), size).length;
  out.add(sizes, in[0]->dtype);
}

void infer_exchange(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  sizes[axis_of(attrs, 2)] = attrs.integer(3);
  int64_t& size = sizes[axis_of(attrs)];
  size = own_part(group_of(attrs), size).length;
  out.add(sizes, in[0]->dtype);
}

bool owns(const Attrs& attrs) { return group_of(attrs).rank() == attrs.integer(1); }

void infer_from_owner(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(2), in[0]->dtype);
}

void infer_owned(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  if (!owns(attrs) && sizes.empty()) sizes.push_back(0);
  if (!owns(attrs)) sizes[0] = 0;
  out.add(sizes, in[0]->dtype);
}

void from_owner(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (owns(attrs)) copy_into(stream, out[0], in[0]);
  group_of(attrs).broadcast(out[0].data_ptr(), static_cast<size_t>(out[0].numel()), out[0].dtype(),
                            static_cast<int>(attrs.integer(1)));
}

void keep_owned(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (owns(attrs)) copy_into(stream, out[0], in[0]);
}

void all_reduce(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (!out[0].is_same(in[0])) copy_into(stream, out[0], in[0]);
  group_of(attrs).all_reduce(out[0].data_ptr(), static_cast<size_t>(out[0].numel()), out[0].dtype(),
                             reduce_of(attrs, 1));
}

void all_gather(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  gather_parts(stream, group_of(attrs), in[0], out[0], axis_of(attrs));
}

void reduce_scatter(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  comm::Communicator& group = group_of(attrs);
  const size_t axis = axis_of(attrs);
  const Tensor parts = packed(stream, in[0], axis, group);
  const Counts counts = counts_of(group, in[0].sizes()[axis], others_of(in[0].sizes(), axis));
  group.reduce_scatter(parts.data_ptr(), out[0].data_ptr(), counts, in[0].dtype(),
                       reduce_of(attrs, 2));
}

void all_to_all(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  comm::Communicator& group = group_of(attrs);
  const size_t to = axis_of(attrs), from = axis_of(attrs, 2);
  const Tensor sent = packed(stream, in[0], to, group);
  const Counts sends = counts_of(group, in[0].sizes()[to], others_of(in[0].sizes(), to));
  const Counts receives = counts_of(group, attrs.integer(3), others_of(out[0].sizes(), from));
  const Tensor parts = from == 0 ? out[0] : empty_on(stream, {out[0].numel()}, out[0].dtype());
  group.all_to_all(sent.data_ptr(), sends, parts.data_ptr(), receives, out[0].dtype());
  if (from != 0) unpack(stream, parts, out[0], from, group);
}

void take_part(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const size_t axis = axis_of(attrs);
  copy_into(stream, out[0], slice_of(in[0], axis, own_part(group_of(attrs), in[0].sizes()[axis])));
}

void place_part(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const size_t axis = axis_of(attrs);
  fill_zero(out[0]);
  copy_into(stream, slice_of(out[0], axis, own_part(group_of(attrs), attrs.integer(2))), in[0]);
}

void keep_first(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (group_of(attrs).rank() == 0)
    copy_into(stream, out[0], in[0]);
  else
    fill_zero(out[0]);
}

constexpr Op record(const char* name, std::span<const AttrSpec> attrs,
                    void (*infer)(Metas, const Attrs&, Inferred&), Kernel kernel,
                    bool in_place = false) {
  Op op;
  op.name = name;
  op.attrs = attrs;
  op.infer = infer;
  op.rule = {.factors = "...->...", .closed = ""};
  op.in_place = in_place;
  op.half = op.complex = true;
  op.kernels[0] = kernel;
  return op;
}

}  // namespace

constinit const Op kAllReduce = record("all_reduce", kReduceAttrs, infer_same, all_reduce, true);
constinit const Op kAllGather = record("all_gather", kGatherAttrs, infer_gather, all_gather);
constinit const Op kReduceScatter =
    record("reduce_scatter", kScatterAttrs, infer_part, reduce_scatter);
constinit const Op kAllToAll = record("all_to_all", kExchangeAttrs, infer_exchange, all_to_all);
constinit const Op kTakePart = record("take_part", kTakeAttrs, infer_part, take_part);
constinit const Op kPlacePart = record("place_part", kGatherAttrs, infer_gather, place_part);
constinit const Op kKeepFirst = record("keep_first", kGroupAttrs, infer_same, keep_first);
constinit const Op kFromOwner = record("from_owner", kOwnerAttrs, infer_from_owner, from_owner);
constinit const Op kKeepOwned = record("keep_owned", kOwnedAttrs, infer_owned, keep_owned);

void gather_parts(Stream& stream, comm::Communicator& group, const Tensor& part, const Tensor& out,
                  size_t axis) {
  const Tensor own = part.is_contiguous() ? part : contiguous_copy(stream, part);
  const Counts counts = counts_of(group, out.sizes()[axis], others_of(own.sizes(), axis));
  const Tensor parts = axis == 0 ? out : empty_on(stream, {out.numel()}, out.dtype());
  group.all_gather(own.data_ptr(), parts.data_ptr(), counts, own.dtype());
  if (axis != 0) unpack(stream, parts, out, axis, group);
}

bool is_collective(const Op& op) {
  return &op == &kAllReduce || &op == &kAllGather || &op == &kReduceScatter || &op == &kAllToAll ||
         &op == &kFromOwner;
}

Tensor change_placement(const Tensor& local, const Shape& extents, int group, const Placement& from,
                        const Placement& to) {
  const auto call = [&](const Op& op, const Attrs& attrs) {
    Tensor out;
    World::current("reshard").run_local({op, {&local}, attrs, std::span(&out, 1)});
    return out;
  };
  const auto size = [&](const Placement& split) {
    return extents[static_cast<size_t>(split.axis)];
  };
  const Attrs attrs = Attrs().add(group);
  const auto with = [&](int64_t a) { return Attrs(attrs).add(a); };
  if (from == to) return local;
  if (from.is_owner()) return call(kFromOwner, with(from.axis).add(extents));
  if (to.is_owner()) return call(kKeepOwned, with(to.axis));
  if (from.is_broadcast()) {
    if (to.is_split()) return call(kTakePart, with(to.axis));
    return to.reduce == Reduce::kSum ? call(kKeepFirst, attrs) : local;
  }
  if (from.is_split()) {
    if (to.is_broadcast()) return call(kAllGather, with(from.axis).add(size(from)));
    if (to.is_split())
      return call(kAllToAll, with(to.axis).add(int64_t{from.axis}).add(size(from)));
    return call(kPlacePart, with(from.axis).add(size(from)));
  }
  const auto reduce = static_cast<int64_t>(from.reduce);
  if (to.is_split()) return call(kReduceScatter, with(to.axis).add(reduce));
  return call(kAllReduce, with(reduce));
}

}  // namespace oneagent::distributed
