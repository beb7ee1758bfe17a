#include "core/ops/permute.h"

#include <algorithm>

#include "core/ops/complex.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kDimsAttrs[] = {{"dims", AttrKind::kInts}};
constexpr AttrSpec kPairAttrs[] = {{"dim0", AttrKind::kInt}, {"dim1", AttrKind::kInt}};

void permute_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  const Shape dims = attrs.list(0);
  for (size_t i = 0; i < dims.size(); ++i) {
    meta.sizes[i] = in[0]->sizes[static_cast<size_t>(dims[i])];
    meta.strides[i] = in[0]->strides[static_cast<size_t>(dims[i])];
  }
}
void permute_vjp(VjpCall& call) {
  const Shape dims = call.attrs().list(0);
  Shape inverse = dims;
  for (size_t i = 0; i < dims.size(); ++i)
    inverse[static_cast<size_t>(dims[i])] = static_cast<int64_t>(i);
  call.set(0, permute(call.grad(), inverse));
}
std::string permute_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string result;
  for (const int64_t dim : attrs.list(0)) result += operand[static_cast<size_t>(dim)];
  return operand + "->" + result;
}

constinit const Op kPermute = {
    .name = "permute",
    .attrs = kDimsAttrs,
    .infer = permute_infer,
    .rule = {.linear = 1, .generate = permute_rule},
    .alias_of = 0,
    .vjp = permute_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(Shape{1, 0})},
                         {{normal({2, 3, 4})}, Attrs().add(Shape{2, 0, 1})}};
        },
};

void transpose_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  const auto a = static_cast<size_t>(attrs.integer(0)), b = static_cast<size_t>(attrs.integer(1));
  if (meta.sizes.empty()) return;
  std::swap(meta.sizes[a], meta.sizes[b]);
  std::swap(meta.strides[a], meta.strides[b]);
}
void transpose_vjp(VjpCall& call) {
  call.set(0, transpose(call.grad(), call.attrs().integer(0), call.attrs().integer(1)));
}
std::string transpose_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string result = operand;
  if (!result.empty())
    std::swap(result[static_cast<size_t>(attrs.integer(0))],
              result[static_cast<size_t>(attrs.integer(1))]);
  return operand + "->" + result;
}

constinit const Op kTranspose = {
    .name = "transpose",
    .attrs = kPairAttrs,
    .infer = transpose_infer,
    .rule = {.linear = 1, .generate = transpose_rule},
    .alias_of = 0,
    .vjp = transpose_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(0).add(1)},
                         {{normal({2, 3, 4})}, Attrs().add(2).add(0)},
                         {{normal({})}, Attrs().add(0).add(0)},
                         {{normal({0, 3})}, Attrs().add(0).add(1)}};
        },
};

}  // namespace

Tensor permute(const Tensor& self, const Shape& dims) {
  OA_REQUIRE(static_cast<int64_t>(dims.size()) == self.dim(),
             "permute: number of dimensions in the tensor input does not match the length of the "
             "desired ordering of dimensions: input.dim() = ",
             self.dim(), " is not equal to len(dims) = ", dims.size());
  Shape wrapped = dims;
  uint32_t seen = 0;
  for (int64_t& dim : wrapped) {
    dim = wrap_dim(dim, self.dim(), "permute");
    OA_REQUIRE((seen & (1u << dim)) == 0, "permute: duplicate dims are not allowed, were ", dims);
    seen |= 1u << dim;
  }
  return call_op(kPermute, {&self}, Attrs().add(wrapped));
}

Tensor transpose(const Tensor& self, int64_t dim0, int64_t dim1) {
  return call_op(kTranspose, {&self},
                 Attrs()
                     .add(wrap_dim(dim0, self.dim(), "transpose"))
                     .add(wrap_dim(dim1, self.dim(), "transpose")));
}
Tensor swapaxes(const Tensor& self, int64_t axis0, int64_t axis1) {
  return transpose(self, axis0, axis1);
}
Tensor swapdims(const Tensor& self, int64_t dim0, int64_t dim1) {
  return transpose(self, dim0, dim1);
}

Tensor t(const Tensor& self) {
  OA_REQUIRE(self.dim() <= 2, "t: t() expects a tensor with <= 2 dimensions, but self is ",
             self.dim(), "D");
  return transpose(self, 0, self.dim() < 2 ? 0 : 1);
}
Tensor numpy_T(const Tensor& self) {
  Shape dims;
  for (int64_t i = self.dim(); i-- > 0;) dims.push_back(i);
  return permute(self, dims);
}
Tensor mT(const Tensor& self) {
  OA_REQUIRE(self.dim() >= 2, "mT: expected at least 2 dimensions, was shape ", self.sizes());
  return transpose(self, -2, -1);
}
Tensor matrix_H(const Tensor& self) {
  OA_REQUIRE(self.dim() == 2 || self.dim() == 0, "matrix_H: expected 2 dimensions, was shape ",
             self.sizes());
  return conj(self.dim() == 0 ? alias(self) : transpose(self, 0, 1));
}
Tensor adjoint(const Tensor& self) {
  OA_REQUIRE(self.dim() != 1, "adjoint: a 1-d tensor has none, was shape ", self.sizes());
  return conj(self.dim() == 0 ? alias(self) : transpose(self, -2, -1));
}
Tensor mH(const Tensor& self) { return adjoint(self); }

Tensor movedim(const Tensor& self, const Shape& source, const Shape& destination) {
  OA_REQUIRE(source.size() == destination.size(), "movedim: ", source.size(), " sources and ",
             destination.size(), " destinations");
  const auto rank = static_cast<size_t>(self.dim());
  std::array<int64_t, Shape::kMaxRank> from;
  from.fill(-1);
  uint32_t moved = 0;
  for (size_t i = 0; i < source.size(); ++i) {
    const int64_t a = wrap_dim(source[i], self.dim(), "movedim"),
                  b = wrap_dim(destination[i], self.dim(), "movedim");
    OA_REQUIRE((moved & (1u << a)) == 0, "movedim: a source appears twice in ", source);
    OA_REQUIRE(from[static_cast<size_t>(b)] < 0, "movedim: a destination appears twice in ",
               destination);
    moved |= 1u << a;
    from[static_cast<size_t>(b)] = a;
  }
  if (rank == 0) return alias(self);
  Shape order;
  int64_t next = 0;
  for (size_t i = 0; i < rank; ++i) {
    if (from[i] < 0) {
      while ((moved & (1u << next)) != 0) ++next;
      from[i] = next++;
    }
    order.push_back(from[i]);
  }
  return permute(self, order);
}
Tensor movedim(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, Shape{source}, Shape{destination});
}
Tensor moveaxis(const Tensor& self, const Shape& source, const Shape& destination) {
  return movedim(self, source, destination);
}
Tensor moveaxis(const Tensor& self, int64_t source, int64_t destination) {
  return movedim(self, Shape{source}, Shape{destination});
}

const Tensor& t_(const Tensor& self) { return become_view(self, t(self)); }
const Tensor& transpose_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return become_view(self, transpose(self, dim0, dim1));
}
const Tensor& swapaxes_(const Tensor& self, int64_t axis0, int64_t axis1) {
  return transpose_(self, axis0, axis1);
}
const Tensor& swapdims_(const Tensor& self, int64_t dim0, int64_t dim1) {
  return transpose_(self, dim0, dim1);
}

OA_OP(permute, &kPermute, &kTranspose)

}  // namespace oneagent
