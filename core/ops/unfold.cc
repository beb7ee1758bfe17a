#include "core/ops/unfold.h"

#include "core/kernels/copy.h"
#include "core/kernels/elementwise.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"dimension", AttrKind::kInt}, {"size", AttrKind::kInt}, {"step", AttrKind::kInt}};
constexpr AttrSpec kBackwardAttrs[] = {{"sizes", AttrKind::kInts},
                                       {"dim", AttrKind::kInt},
                                       {"size", AttrKind::kInt},
                                       {"step", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  const int64_t size = attrs.integer(1), step = attrs.integer(2);
  if (meta.sizes.empty()) {
    meta.sizes = {size};
    meta.strides = {1};
    return;
  }
  const auto dim = static_cast<size_t>(attrs.integer(0));
  const int64_t stride = meta.strides[dim];
  meta.sizes[dim] = (meta.sizes[dim] - size) / step + 1;
  meta.strides[dim] *= step;
  meta.sizes.push_back(size);
  meta.strides.push_back(stride);
}
// "abc->ayc,z;byz" in one direction, the reverse in the other.
std::string windows_rule(size_t rank, size_t dim, bool backward) {
  const std::string whole = rule_letters(rank);
  std::string windows = whole + "z", closed = "z";
  if (rank > 0) {
    closed += whole[dim];
    closed += 'y';
    windows[dim] = 'y';
  }
  return (backward ? windows + "->" + whole : whole + "->" + windows) + ";" + closed;
}
std::string rule(Metas in, const Attrs& attrs) {
  return windows_rule(in[0]->sizes.size(), static_cast<size_t>(attrs.integer(0)), false);
}
std::string backward_rule(Metas, const Attrs& attrs) {
  return windows_rule(attrs.list(0).size(), static_cast<size_t>(attrs.integer(1)), true);
}

void vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, unfold_backward(call.grad(), call.input_sizes(0), attrs.integer(0), attrs.integer(1),
                              attrs.integer(2)));
}
constinit const Op kUnfold = {
    .name = "unfold",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule},
    .alias_of = 0,
    .vjp = vjp,
    .samples =
        [] {
          return Samples{{{normal({7})}, Attrs().add(0).add(3).add(1)},
                         {{normal({2, 9, 2})}, Attrs().add(1).add(2).add(3)},
                         {{normal({2, 5})}, Attrs().add(1).add(4).add(1)},
                         {{normal({})}, Attrs().add(0).add(1).add(1)}};
        },
};

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[0]->dtype);
}
TensorMeta without_last(TensorMeta meta, int64_t index) {
  const size_t last = meta.sizes.size() - 1;
  meta.offset += index * meta.strides[last];
  meta.sizes.erase(last);
  meta.strides.erase(last);
  return meta;
}
// Added in slices within which no element appears twice: one window, or one element of each.
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  fill(stream, out[0], 0);
  if (out[0].dim() == 0) return copy_into(stream, out[0], in[0]);
  const auto dim = static_cast<size_t>(attrs.integer(1));
  const TensorMeta* whole = &out[0].impl().meta;
  Inferred windows;
  infer(Metas(&whole, 1), Attrs().add(attrs.integer(1)).add(attrs.integer(2)).add(attrs.integer(3)),
        windows);
  const int64_t count = windows[0].sizes[dim], size = attrs.integer(2);
  const auto add_slice = [&](const TensorMeta& target, const TensorMeta& gradient) {
    const Tensor to = alias_of(out[0], target);
    run_binary(stream, cpu::Binary::kAdd, to, to, alias_of(in[0], gradient));
  };
  if (size <= count) {
    for (int64_t i = 0; i < size; ++i)
      add_slice(without_last(windows[0], i), without_last(in[0].impl().meta, i));
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    TensorMeta target = windows[0], gradient = in[0].impl().meta;
    for (TensorMeta* meta : {&target, &gradient}) {
      meta->offset += i * meta->strides[dim];
      meta->sizes[dim] = 1;
    }
    add_slice(target, gradient);
  }
}
void backward_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, unfold(call.grad(), attrs.integer(1), attrs.integer(2), attrs.integer(3)));
}
constinit const Op kUnfoldBackward = {
    .name = "unfold_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .rule = {.linear = 1, .generate = backward_rule},
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 3})}, Attrs().add(Shape{7}).add(0).add(3).add(1)},
                         {{normal({2, 3, 2, 2})}, Attrs().add(Shape{2, 9, 2}).add(1).add(2).add(3)},
                         {{normal({2, 2, 4})}, Attrs().add(Shape{2, 5}).add(1).add(4).add(1)},
                         {{normal({1})}, Attrs().add(Shape{}).add(0).add(1).add(1)}};
        },
};

}  // namespace

Tensor unfold(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  const int64_t dim = wrap_dim(dimension, self.dim(), "unfold");
  const int64_t limit = self.dim() == 0 ? 1 : self.sizes()[static_cast<size_t>(dim)];
  OA_REQUIRE(size >= 0 && size <= limit, "unfold: maximum size for tensor at dimension ", dimension,
             " is ", limit, " but size is ", size);
  OA_REQUIRE(step > 0, "unfold: the step must be positive, was ", step);
  return call_op(kUnfold, {&self}, Attrs().add(dim).add(size).add(step));
}
Tensor unfold_backward(const Tensor& grad_in, const Shape& input_sizes, int64_t dim, int64_t size,
                       int64_t step) {
  const auto rank = static_cast<int64_t>(input_sizes.size());
  return call_op(
      kUnfoldBackward, {&grad_in},
      Attrs().add(input_sizes).add(wrap_dim(dim, rank, "unfold_backward")).add(size).add(step));
}

OA_OP(unfold, &kUnfold, &kUnfoldBackward)

}  // namespace oneagent
