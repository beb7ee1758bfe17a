#include "core/ops/diagonal.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {
    {"offset", AttrKind::kInt}, {"dim1", AttrKind::kInt}, {"dim2", AttrKind::kInt}};
constexpr AttrSpec kBackwardAttrs[] = {{"sizes", AttrKind::kInts},
                                       {"offset", AttrKind::kInt},
                                       {"dim1", AttrKind::kInt},
                                       {"dim2", AttrKind::kInt}};
constexpr AttrSpec kFillAttrs[] = {
    {"number", AttrKind::kNumber}, {"integer", AttrKind::kInt}, {"wrap", AttrKind::kBool}};

// Which diagonal: offset and two dimensions, from attrs at `first`.
struct Place {
  int64_t offset;
  size_t dim1, dim2;
  Place(const Attrs& attrs, size_t first)
      : offset(attrs.integer(first)),
        dim1(static_cast<size_t>(attrs.integer(first + 1))),
        dim2(static_cast<size_t>(attrs.integer(first + 2))) {}
};

TensorMeta diagonal_of(TensorMeta meta, const Place& at) {
  const int64_t rows = meta.sizes[at.dim1], columns = meta.sizes[at.dim2];
  const int64_t down = meta.strides[at.dim1], right = meta.strides[at.dim2];
  const int64_t count = std::max<int64_t>(
      at.offset >= 0 ? std::min(rows, columns - at.offset) : std::min(rows + at.offset, columns),
      0);
  if (count > 0) meta.offset += at.offset >= 0 ? at.offset * right : -at.offset * down;
  for (const size_t dim : {std::max(at.dim1, at.dim2), std::min(at.dim1, at.dim2)}) {
    meta.sizes.erase(dim);
    meta.strides.erase(dim);
  }
  meta.sizes.push_back(count);
  meta.strides.push_back(down + right);
  return meta;
}

// "abcd->acz;bdz"
std::string diagonal_text(size_t rank, const Place& at) {
  const std::string operand = rule_letters(rank);
  std::string result = operand;
  result.erase(std::max(at.dim1, at.dim2), 1);
  result.erase(std::min(at.dim1, at.dim2), 1);
  return operand + "->" + result + "z;" + operand[at.dim1] + operand[at.dim2] + "z";
}
std::string diagonal_rule(Metas in, const Attrs& attrs) {
  return diagonal_text(in[0]->sizes.size(), Place(attrs, 0));
}
std::string embed_text(size_t rank, const Place& at) {  // "acz->abcd;bdz"
  const std::string text = diagonal_text(rank, at);
  const size_t arrow = text.find("->"), closed = text.find(';');
  return text.substr(arrow + 2, closed - arrow - 2) + "->" + text.substr(0, arrow) +
         text.substr(closed);
}

Tensor call_diagonal(const Tensor& x, const Place& at);
Tensor call_backward(const Tensor& gradient, const Shape& sizes, const Place& at);

void diagonal_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add() = diagonal_of(*in[0], Place(attrs, 0));
}
constinit const Op kDiagonal = {
    .name = "diagonal",
    .attrs = kAttrs,
    .infer = diagonal_infer,
    .rule = {.linear = 1, .generate = diagonal_rule},
    .alias_of = 0,
    .vjp =
        [](VjpCall& call) {
          call.set(0, call_backward(call.grad(), call.input_sizes(0), Place(call.attrs(), 0)));
        },
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(0).add(0).add(1)},
                         {{normal({2, 3, 4})}, Attrs().add(-1).add(2).add(1)},
                         {{normal({2, 3})}, Attrs().add(5).add(0).add(1)}};
        },
};

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), in[0]->dtype);
}
template <size_t FirstAttr>
void embed_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  fill(stream, out[0], 0);
  copy_into(stream, alias_of(out[0], diagonal_of(out[0].impl().meta, Place(attrs, FirstAttr))),
            in[0]);
}
constinit const Op kDiagonalBackward = {
    .name = "diagonal_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .rule = {.linear = 1,
             .generate =
                 [](Metas, const Attrs& attrs) {
                   return embed_text(attrs.list(0).size(), Place(attrs, 1));
                 }},
    .half = true,
    .complex = true,
    .vjp = [](VjpCall& call) { call.set(0, call_diagonal(call.grad(), Place(call.attrs(), 1))); },
    .kernels = {embed_kernel<1>},
    .samples =
        [] {
          return Samples{{{normal({3})}, Attrs().add(Shape{3, 4}).add(1).add(0).add(1)},
                         {{normal({3, 2})}, Attrs().add(Shape{2, 3, 4}).add(0).add(2).add(0)}};
        },
};

void scatter_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape expected = diagonal_of(*in[0], Place(attrs, 0)).sizes;
  OA_REQUIRE(in[1]->sizes == expected, "diagonal_scatter: expected a source of shape ", expected,
             ", was ", in[1]->sizes);
  require_same_dtype("diagonal_scatter", in);
  out.add(in[0]->sizes, in[0]->dtype);
}
void scatter_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  copy_into(stream, alias_of(out[0], diagonal_of(out[0].impl().meta, Place(attrs, 0))), in[1]);
}
void scatter_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  if (call.needs(0))
    call.set(0, diagonal_scatter(call.grad(), zeros(call.input_sizes(1), call.grad().dtype()),
                                 attrs.integer(0), attrs.integer(1), attrs.integer(2)));
  if (call.needs(1)) call.set(1, call_diagonal(call.grad(), Place(attrs, 0)));
}
constinit const Op kDiagonalScatter = {
    .name = "diagonal_scatter",
    .attrs = kAttrs,
    .infer = scatter_infer,
    .rule = {.linear = kTogether | 3, .generate = closed_same_rule},
    .in_place = true,
    .half = true,
    .complex = true,
    .vjp = scatter_vjp,
    .kernels = {scatter_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), normal({3})}, Attrs().add(1).add(0).add(1)},
                         {{normal({2, 3, 4}), normal({3, 2})}, Attrs().add(0).add(2).add(0)}};
        },
};

void embed_infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Place at(attrs, 0);
  Shape sizes = in[0]->sizes;
  const int64_t side = sizes.back() + std::abs(at.offset);
  sizes.erase(sizes.size() - 1);
  sizes.insert(std::min(at.dim1, at.dim2), side);
  sizes.insert(std::max(at.dim1, at.dim2), side);
  out.add(sizes, in[0]->dtype);
}
constinit const Op kDiagEmbed = {
    .name = "diag_embed",
    .attrs = kAttrs,
    .infer = embed_infer,
    .rule = {.linear = 1,
             .generate =
                 [](Metas in, const Attrs& attrs) {
                   return embed_text(in[0]->sizes.size() + 1, Place(attrs, 0));
                 }},
    .half = true,
    .complex = true,
    .vjp = [](VjpCall& call) { call.set(0, call_diagonal(call.grad(), Place(call.attrs(), 0))); },
    .kernels = {embed_kernel<0>},
    .samples =
        [] {
          return Samples{{{normal({3})}, Attrs().add(0).add(0).add(1)},
                         {{normal({2, 3})}, Attrs().add(1).add(0).add(2)},
                         {{normal({2, 2})}, Attrs().add(-2).add(2).add(1)},
                         {{normal({0})}, Attrs().add(1).add(0).add(1)}};
        },
};

// The diagonal that fill_diagonal writes and, wrapped around, what follows below an empty row.
std::vector<TensorMeta> filled_places(const TensorMeta& whole, bool wrap) {
  int64_t count = whole.sizes[0], step = 0;
  for (size_t i = 0; i < whole.sizes.size(); ++i) {
    count = std::min(count, whole.sizes[i]);
    step += whole.strides[i];
  }
  TensorMeta place = whole;
  place.sizes = {count};
  place.strides = {step};
  std::vector<TensorMeta> out = {place};
  if (!wrap || whole.sizes.size() != 2 || whole.sizes[0] <= whole.sizes[1] + 1) return out;
  const int64_t width = whole.sizes[1];
  for (int64_t row = width + 1; row < whole.sizes[0]; row += width + 1) {
    place.offset = whole.offset + row * whole.strides[0];
    place.sizes = {std::min(width, whole.sizes[0] - row)};
    out.push_back(place);
  }
  return out;
}
void fill_diagonal_infer(Metas in, const Attrs&, Inferred& out) {
  out.add(in[0]->sizes, in[0]->dtype);
}
void fill_diagonal_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  const Scalar value =
      is_floating(out[0].dtype()) ? Scalar(attrs.number(0)) : Scalar(attrs.integer(1));
  for (const TensorMeta& place : filled_places(out[0].impl().meta, attrs.flag(2)))
    fill(stream, alias_of(out[0], place), value);
}
void fill_diagonal_vjp(VjpCall& call);
constinit const Op kFillDiagonal = {
    .name = "fill_diagonal",
    .attrs = kFillAttrs,
    .infer = fill_diagonal_infer,
    .rule = {.linear = 0, .generate = closed_same_rule},
    .in_place = true,
    .half = true,
    .vjp = fill_diagonal_vjp,
    .kernels = {fill_diagonal_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(2.5).add(2).add(false)},
                         {{normal({7, 2})}, Attrs().add(-1.0).add(-1).add(true)},
                         {{normal({3, 3, 3})}, Attrs().add(0.5).add(0).add(false)}};
        },
};
void fill_diagonal_vjp(VjpCall& call) {
  const Tensor& gradient = call.grad();
  call.set(0,
           call_op(kFillDiagonal, {&gradient}, Attrs().add(0.0).add(0).add(call.attrs().flag(2))));
}

Attrs place_attrs(const char* op, int64_t rank, int64_t offset, int64_t dim1, int64_t dim2) {
  const int64_t a = wrap_dim(dim1, rank, op), b = wrap_dim(dim2, rank, op);
  OA_REQUIRE(rank >= 2 && a != b, op, ": diagonal dimensions cannot be identical ", dim1, ", ",
             dim2, ", and the tensor needs two, has ", rank);
  return Attrs().add(offset).add(a).add(b);
}
Tensor call_diagonal(const Tensor& x, const Place& at) {
  return call_op(
      kDiagonal, {&x},
      Attrs().add(at.offset).add(static_cast<int64_t>(at.dim1)).add(static_cast<int64_t>(at.dim2)));
}
Tensor call_backward(const Tensor& gradient, const Shape& sizes, const Place& at) {
  return call_op(kDiagonalBackward, {&gradient},
                 Attrs()
                     .add(sizes)
                     .add(at.offset)
                     .add(static_cast<int64_t>(at.dim1))
                     .add(static_cast<int64_t>(at.dim2)));
}

}  // namespace

Tensor diagonal(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  return call_op(kDiagonal, {&self}, place_attrs("diagonal", self.dim(), offset, dim1, dim2));
}
Tensor diagonal_backward(const Tensor& grad_output, const Shape& input_sizes, int64_t offset,
                         int64_t dim1, int64_t dim2) {
  const auto rank = static_cast<int64_t>(input_sizes.size());
  return call_backward(grad_output, input_sizes,
                       Place(place_attrs("diagonal_backward", rank, offset, dim1, dim2), 0));
}
Tensor diagonal_scatter(const Tensor& self, const Tensor& src, int64_t offset, int64_t dim1,
                        int64_t dim2) {
  const Tensor source = to(src, self.dtype());
  return call_op(kDiagonalScatter, {&self, &source},
                 place_attrs("diagonal_scatter", self.dim(), offset, dim1, dim2));
}
Tensor diag_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2) {
  OA_REQUIRE(self.dim() > 0, "diag_embed: needs at least 1 dimension");
  return call_op(kDiagEmbed, {&self},
                 place_attrs("diag_embed", self.dim() + 1, offset, dim1, dim2));
}
Tensor diag(const Tensor& self, int64_t offset) {
  OA_REQUIRE(self.dim() == 1 || self.dim() == 2, "diag: matrix or a vector expected, was shape ",
             self.sizes());
  return self.dim() == 1 ? diag_embed(self, offset) : clone(diagonal(self, offset));
}
Tensor diagflat(const Tensor& self, int64_t offset) { return diag(reshape(self, {-1}), offset); }

const Tensor& fill_diagonal_(const Tensor& self, Scalar fill_value, bool wrap) {
  OA_REQUIRE(self.dim() >= 2, "fill_diagonal_: needs at least 2 dimensions, was shape ",
             self.sizes());
  for (size_t i = 1; self.dim() > 2 && i < self.sizes().size(); ++i)
    OA_REQUIRE(self.sizes()[i] == self.sizes()[0],
               "fill_diagonal_: above 2 dimensions all sizes must be equal, was shape ",
               self.sizes());
  return call_in_place(
      kFillDiagonal, {&self},
      Attrs().add(fill_value.number()).add(fill_value.wrapped_to<int64_t>()).add(wrap));
}

OA_OP(diagonal, &kDiagonal, &kDiagonalBackward, &kDiagonalScatter, &kDiagEmbed, &kFillDiagonal)

}  // namespace oneagent
