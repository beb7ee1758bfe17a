#include "core/dist/global_ops.h"

#include "core/graph/recorder.h"

namespace oneagent::distributed {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"mesh", AttrKind::kInt}, {"sharding", AttrKind::kInts}, {"sizes", AttrKind::kInts}};
constexpr AttrSpec kReshardAttrs[] = {
    {"mesh", AttrKind::kInt}, {"sharding", AttrKind::kInts}, {"from", AttrKind::kInts}};

void refuse(Metas, const Attrs&, Inferred& out) {
  throw_error(str(out.op(),
                  ": there is no World in this thread; make one from the rank's "
                  "communicator first"));
}

int64_t code_of(const Placement& placement) {
  return static_cast<int64_t>(placement.kind) * 64 +
         (placement.is_partial() ? static_cast<int64_t>(placement.reduce) : placement.axis);
}

Placement placement_of(int64_t code) {
  const auto kind = static_cast<Placement::Kind>(code / 64);
  if (kind == Placement::Kind::kPartial) return Placement::partial(static_cast<Reduce>(code % 64));
  return {kind, static_cast<int8_t>(code % 64), Reduce::kSum};
}

Shape codes_of(const Sharding& sharding) {
  Shape codes;
  for (const Placement& placement : sharding) codes.push_back(code_of(placement));
  return codes;
}

Sharding sharding_at(const Attrs& attrs, size_t at) {
  Sharding out;
  for (const int64_t code : attrs.list(at)) out.push_back(placement_of(code));
  return out;
}

// The gradient goes back to where the value came from; parts of a plain one are joined again.
void reshard_vjp(VjpCall& call) {
  const int mesh = mesh_number_of(call.attrs());
  const Sharding from = sharding_at(call.attrs(), 2);
  const bool plain = from.size() == 0;
  const Sharding to =
      plain ? Sharding::broadcast(sharding_of(call.attrs()).size()) : gradient_sharding(from);
  const Tensor moved = call_op(kReshard, {&call.grad()}, reshard_attrs(mesh, to, call.grad()));
  call.set(
      0, plain ? call_op(kToLocal, {&moved}, placement_attrs(mesh, to).add(moved.sizes())) : moved);
}

void to_global_vjp(VjpCall& call) {
  const int mesh = mesh_number_of(call.attrs());
  const Sharding to = gradient_sharding(sharding_of(call.attrs()));
  const Tensor placed = call_op(kReshard, {&call.grad()}, reshard_attrs(mesh, to, call.grad()));
  call.set(0, call_op(kToLocal, {&placed}, placement_attrs(mesh, to).add(placed.sizes())));
}

void to_local_vjp(VjpCall& call) {
  const Attrs attrs =
      placement_attrs(mesh_number_of(call.attrs()), gradient_sharding(sharding_of(call.attrs())));
  call.set(0, call_op(kToGlobal, {&call.grad()}, Attrs(attrs).add(call.attrs().list(2))));
}

constexpr Op record(const char* name, std::span<const AttrSpec> attrs, void (*vjp)(VjpCall&)) {
  Op op;
  op.name = name;
  op.attrs = attrs;
  op.infer = refuse;
  op.rule = {.factors = "...->...", .linear = 1};
  op.half = op.complex = true;
  op.vjp = vjp;
  return op;
}

}  // namespace

constinit const Op kReshard = record("reshard", kReshardAttrs, reshard_vjp);
constinit const Op kToGlobal = record("to_global", kAttrs, to_global_vjp);
constinit const Op kToLocal = record("to_local", kAttrs, to_local_vjp);

Attrs placement_attrs(int mesh, const Sharding& sharding) {
  return Attrs().add(mesh).add(codes_of(sharding));
}
Attrs reshard_attrs(int mesh, const Sharding& to, const Tensor& from) {
  return placement_attrs(mesh, to).add(is_global(from) ? codes_of(global_parts(from).sharding)
                                                       : Shape());
}

int mesh_number_of(const Attrs& attrs) { return static_cast<int>(attrs.integer(0)); }
Sharding sharding_of(const Attrs& attrs) { return sharding_at(attrs, 1); }

Sharding gradient_sharding(Sharding sharding) {
  for (size_t i = 0; i < sharding.size(); ++i)
    if (sharding[i].is_partial()) sharding[i] = Placement::broadcast();
  return sharding;
}

}  // namespace oneagent::distributed
