#include "core/graph/view.h"

#include "core/graph/recorder.h"
#include "core/kernels/copy.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"base_sizes", AttrKind::kInts},
                               {"sizes", AttrKind::kInts},
                               {"strides", AttrKind::kInts},
                               {"offset", AttrKind::kInt}};

TensorMeta part_meta(const Attrs& attrs, const TensorMeta& base) {
  return {attrs.list(1), attrs.list(2), base.offset + attrs.integer(3), base.dtype, base.device};
}

void part_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(1), in[0]->dtype);
}
void replace_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[1]->dtype);
}
void part_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor base = as_contiguous(stream, in[0]);
  copy_into(stream, out[0], alias_of(base, part_meta(attrs, base.impl().meta)));
}
// Without a base the rest is zero.
void replace_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (in.has(0))
    copy_into(stream, out[0], in[0]);
  else
    fill(stream, out[0], 0);
  copy_into(stream, alias_of(out[0], part_meta(attrs, out[0].impl().meta)), in[1]);
}

void part_vjp(VjpCall& call) {
  const Tensor none;
  call.set(0, call_op(kReplacePart, {&none, &call.grad()}, call.attrs()));
}
// A part may lie anywhere in its base, so that neither is split.
std::string letters(const Attrs& attrs) {
  return std::string("abcdefghijklmnopqrstuvwxyz").substr(0, attrs.list(1).size());
}
std::string part_rule(Metas, const Attrs& attrs) {
  return "...->" + letters(attrs) + ";..." + letters(attrs);
}
std::string replace_rule(Metas, const Attrs& attrs) {
  return "...," + letters(attrs) + "->...;..." + letters(attrs);
}

void replace_vjp(VjpCall& call) {
  if (call.needs(1)) call.set(1, call_op(kPartOf, {&call.grad()}, call.attrs()));
  if (!call.needs(0)) return;
  const Tensor zero = empty_on(context().stream, call.attrs().list(1), call.grad().dtype());
  fill(context().stream, zero, 0);
  call.set(0, call_op(kReplacePart, {&call.grad(), &zero}, call.attrs()));
}

Samples part_samples() {
  return {{{normal({3, 4})}, Attrs().add(Shape{3, 4}).add(Shape{2, 3}).add(Shape{4, 1}).add(1)},
          {{normal({2, 3})}, Attrs().add(Shape{2, 3}).add(Shape{2}).add(Shape{3}).add(2)}};
}
Samples replace_samples() {
  return {
      {{normal({3, 4}), normal({2, 3})},
       Attrs().add(Shape{3, 4}).add(Shape{2, 3}).add(Shape{4, 1}).add(1)},
      {{normal({2, 3}), normal({2})}, Attrs().add(Shape{2, 3}).add(Shape{2}).add(Shape{3}).add(2)}};
}

// Where a view lies in its base, which must be contiguous.
Attrs geometry(const TensorImpl& base, const TensorImpl& view) {
  OA_REQUIRE(base.contiguous, "in-place change of a view: its base of shape ", base.meta.sizes,
             " with strides ", base.meta.strides,
             " must be contiguous to record gradients; change a clone()");
  OA_REQUIRE(base.meta.dtype == view.meta.dtype,
             "in-place change of a view of another element type: not recorded; change a clone()");
  return Attrs()
      .add(base.meta.sizes)
      .add(view.meta.sizes)
      .add(view.meta.strides)
      .add(view.meta.offset - base.meta.offset);
}

Ref<TapeNode> node_of(const Op& op, const Attrs& attrs, std::initializer_list<Tensor> inputs) {
  auto node = make_ref<TapeNode>(op, attrs);
  for (const Tensor& input : inputs) {
    node->edges.push_back(edge_to(input));
    node->inputs.emplace_back();
  }
  node->outputs.resize(1);
  node->output_count = 1;
  return node;
}

void set_history(TensorImpl& impl, const Ref<TapeNode>& node) {
  impl.grad_fn = Ref<GradNode>(node.get());
  impl.output_index = 0;
}

}  // namespace

constinit const Op kCopyOf = {
    .name = "copy_of",
    .infer = [](Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); },
    .rule = {.factors = "...->...", .linear = 1},
    .half = true,
    .complex = true,
    .vjp = [](VjpCall& call) { call.set(0, call.grad()); },
    .kernels = {[](Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
      copy_into(stream, out[0], in[0]);
    }},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}}, {{normal({})}}};
        }};
constinit const Op kPartOf = {.name = "part_of",
                              .attrs = kAttrs,
                              .infer = part_infer,
                              .rule = {.generate = part_rule},
                              .complex = true,
                              .vjp = part_vjp,
                              .kernels = {part_kernel},
                              .samples = part_samples};
constinit const Op kReplacePart = {.name = "replace_part",
                                   .attrs = kAttrs,
                                   .infer = replace_infer,
                                   .absent = saves_input(0),
                                   .rule = {.generate = replace_rule},
                                   .complex = true,
                                   .vjp = replace_vjp,
                                   .kernels = {replace_kernel},
                                   .samples = replace_samples};

void refresh_view(TensorImpl& view) {
  TensorImpl& base = *view.view_base;
  if (view.seen == base.changes) return;
  OA_REQUIRE(view.made_in == TensorImpl::Mode::kRecording || !base.grad_fn,
             "view: A view was created in ", mode_name(view),
             " and its base or another view of its base has been modified inplace");
  view.seen = base.changes;
  const Tensor now(view.view_base);
  if (!base.grad_fn) return;
  set_history(view, node_of(kPartOf, geometry(base, view), {now}));
}

void changed_in_place(const Tensor& self) {
  TensorImpl& impl = self.impl();
  if (!impl.view_base) {
    ++impl.changes;
    return;
  }
  TensorImpl& base = *impl.view_base;
  set_history(base, node_of(kReplacePart, geometry(base, impl), {Tensor(impl.view_base), self}));
  ++base.changes;
  refresh_view(impl);
}

Tensor copy_of(const Tensor& x) {
  if (!x.impl().storage->symbolic()) return contiguous_copy(context().stream, x);
  const NoGradGuard no_grad;
  return call_op(kCopyOf, {&x});
}

}  // namespace oneagent
