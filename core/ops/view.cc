#include "core/ops/view.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

std::string letters(size_t count, char first = 'a') {
  std::string out;
  for (size_t i = 0; i < count; ++i) out += static_cast<char>(first + i);
  return out;
}

// Strides of a view with new sizes, or nothing if the layout does not allow one.
std::optional<Shape> view_strides(const TensorMeta& meta, const Shape& sizes) {
  if (is_contiguous(meta)) return contiguous_strides(sizes);
  Shape strides = sizes;
  size_t at = sizes.size();
  int64_t chunk = 1, view_chunk = 1;
  int64_t base = meta.strides.size() > 0 ? meta.strides.back() : 1;
  for (size_t i = meta.sizes.size(); i-- > 0;) {
    chunk *= meta.sizes[i];
    if (i > 0 && (meta.sizes[i - 1] == 1 || meta.strides[i - 1] == chunk * base)) continue;
    while (at > 0 && (view_chunk < chunk || sizes[at - 1] == 1)) {
      --at;
      strides[at] = view_chunk * base;
      view_chunk *= sizes[at];
    }
    if (view_chunk != chunk) return std::nullopt;
    if (i > 0) {
      base = meta.strides[i - 1];
      chunk = view_chunk = 1;
    }
  }
  return at == 0 ? std::optional(strides) : std::nullopt;
}

Shape filled_sizes(const char* op, const Tensor& x, const Shape& sizes) {
  Shape out = sizes;
  int64_t known = 1, unknown = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    OA_REQUIRE(sizes[i] >= -1 && !(sizes[i] == -1 && unknown >= 0), op,
               ": only one size may be -1 and none below, was ", sizes);
    if (sizes[i] == -1)
      unknown = static_cast<int64_t>(i);
    else
      known *= sizes[i];
  }
  if (unknown >= 0) {
    OA_REQUIRE(known != 0 && x.numel() % known == 0, op, ": shape ", x.sizes(),
               " does not fit into ", sizes);
    out[static_cast<size_t>(unknown)] = x.numel() / known;
  }
  OA_REQUIRE(out.numel() == x.numel(), op, ": shape ", x.sizes(), " with ", x.numel(),
             " elements does not fit into ", sizes);
  return out;
}

constexpr AttrSpec kSizesAttrs[] = {{"sizes", AttrKind::kInts}};
constexpr AttrSpec kDimsAttrs[] = {{"dims", AttrKind::kInts}};
TensorMeta& alias(Metas in, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  return meta;
}

void view_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias(in, out);
  const Shape sizes = attrs.list(0);
  const std::optional<Shape> strides = view_strides(*in[0], sizes);
  OA_REQUIRE(strides.has_value(), "view: a tensor of shape ", in[0]->sizes, " with strides ",
             in[0]->strides, " has no view of shape ", sizes, "; use reshape");
  meta.sizes = sizes;
  meta.strides = *strides;
}
void view_vjp(VjpCall& call) { call.set(0, reshape(call.grad(), call.input_sizes(0))); }

// Equal leading sizes keep their factors; the rest is closed.
std::string view_rule(Metas in, const Attrs& attrs) {
  const Shape from = in[0]->sizes, to = attrs.list(0);
  size_t same = 0;
  while (same < from.size() && same < to.size() && from[same] == to[same]) ++same;
  const std::string kept = letters(same),
                    left = letters(from.size() - same, static_cast<char>('a' + same));
  const std::string right = letters(to.size() - same, 'n');
  return kept + left + "->" + kept + right + ";" + left + right;
}

constinit const Op kView = {
    .name = "view",
    .attrs = kSizesAttrs,
    .infer = view_infer,
    .rule = {.linear = 1, .generate = view_rule},
    .alias_of = 0,
    .vjp = view_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(Shape{2, 6})},
                         {{normal({2, 3, 4})}, Attrs().add(Shape{2, 12})},
                         {{normal({})}, Attrs().add(Shape{1, 1})}};
        },
};

void permute_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias(in, out);
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
  const std::string operand = letters(in[0]->sizes.size());
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

void expand_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias(in, out);
  meta.sizes = attrs.list(0);
  meta.strides = meta.sizes;
  OA_REQUIRE(meta.sizes.size() >= in[0]->sizes.size(), "expand: shape ", in[0]->sizes,
             " has more dimensions than ", meta.sizes);
  const size_t extra = meta.sizes.size() - in[0]->sizes.size();
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    const int64_t from = i < extra ? 1 : in[0]->sizes[i - extra];
    OA_REQUIRE(from == meta.sizes[i] || from == 1, "expand: shape ", in[0]->sizes,
               " cannot be expanded to ", meta.sizes);
    meta.strides[i] =
        i < extra || (from == 1 && meta.sizes[i] != 1) ? 0 : in[0]->strides[i - extra];
  }
}
void expand_vjp(VjpCall& call) { call.set(0, sum_to(call.grad(), call.input_sizes(0))); }
std::string expand_rule(Metas in, const Attrs& attrs) {
  const Shape to = attrs.list(0);
  const std::string result = letters(to.size());
  return result.substr(to.size() - in[0]->sizes.size()) + "->" + result;
}

constinit const Op kExpand = {
    .name = "expand",
    .attrs = kSizesAttrs,
    .infer = expand_infer,
    .rule = {.linear = 1, .generate = expand_rule},
    .alias_of = 0,
    .vjp = expand_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 1})}, Attrs().add(Shape{2, 3, 4})},
                         {{normal({})}, Attrs().add(Shape{3})}};
        },
};

}  // namespace

Tensor view(const Tensor& x, const Shape& sizes) {
  return call_op(kView, {&x}, Attrs().add(filled_sizes("view", x, sizes)));
}

Tensor reshape(const Tensor& x, const Shape& sizes) {
  const Shape filled = filled_sizes("reshape", x, sizes);
  if (x.sizes() == filled) return x;
  if (view_strides(x.impl().meta, filled)) return call_op(kView, {&x}, Attrs().add(filled));
  const Tensor copy = clone(x, MemoryFormat::Contiguous);
  return call_op(kView, {&copy}, Attrs().add(filled));
}

Tensor flatten(const Tensor& x, int64_t start_dim, int64_t end_dim) {
  if (x.dim() == 0) return view(x, {1});
  const auto first = static_cast<size_t>(wrap_dim(start_dim, x.dim(), "flatten"));
  const auto last = static_cast<size_t>(wrap_dim(end_dim, x.dim(), "flatten"));
  OA_REQUIRE(first <= last, "flatten: start_dim ", start_dim, " comes after end_dim ", end_dim);
  Shape sizes;
  for (size_t i = 0; i < x.sizes().size(); ++i) {
    if (i > first && i <= last)
      sizes[first] *= x.sizes()[i];
    else
      sizes.push_back(x.sizes()[i]);
  }
  return reshape(x, sizes);
}

Tensor permute(const Tensor& x, const Shape& dims) {
  OA_REQUIRE(static_cast<int64_t>(dims.size()) == x.dim(), "permute: ", dims, " does not name the ",
             x.dim(), " dimensions of shape ", x.sizes());
  Shape wrapped = dims;
  uint32_t seen = 0;
  for (int64_t& dim : wrapped) {
    dim = wrap_dim(dim, x.dim(), "permute");
    OA_REQUIRE((seen & (1u << dim)) == 0, "permute: a dimension appears twice in ", dims);
    seen |= 1u << dim;
  }
  return call_op(kPermute, {&x}, Attrs().add(wrapped));
}

Tensor transpose(const Tensor& x, int64_t dim0, int64_t dim1) {
  if (x.dim() == 0) return x;
  Shape dims;
  for (int64_t i = 0; i < x.dim(); ++i) dims.push_back(i);
  std::swap(dims[static_cast<size_t>(wrap_dim(dim0, x.dim(), "transpose"))],
            dims[static_cast<size_t>(wrap_dim(dim1, x.dim(), "transpose"))]);
  return call_op(kPermute, {&x}, Attrs().add(dims));
}

Tensor t(const Tensor& x) {
  OA_REQUIRE(x.dim() <= 2, "t: expected at most 2 dimensions, was shape ", x.sizes());
  return x.dim() < 2 ? x : transpose(x, 0, 1);
}

Tensor expand(const Tensor& x, const Shape& sizes) {
  Shape filled = sizes;
  const size_t extra = sizes.size() >= x.sizes().size() ? sizes.size() - x.sizes().size() : 0;
  for (size_t i = extra; i < sizes.size(); ++i)
    if (filled[i] == -1) filled[i] = x.sizes()[i - extra];
  if (x.sizes() == filled) return x;
  return call_op(kExpand, {&x}, Attrs().add(filled));
}

Tensor squeeze(const Tensor& x) {
  Shape sizes;
  for (const int64_t size : x.sizes())
    if (size != 1) sizes.push_back(size);
  return view(x, sizes);
}

Tensor squeeze(const Tensor& x, int64_t dim) {
  const auto at = static_cast<size_t>(wrap_dim(dim, x.dim(), "squeeze"));
  if (x.dim() == 0 || x.sizes()[at] != 1) return x;
  Shape sizes = x.sizes();
  sizes.erase(at);
  return view(x, sizes);
}

Tensor unsqueeze(const Tensor& x, int64_t dim) {
  Shape sizes = x.sizes();
  sizes.insert(static_cast<size_t>(wrap_dim(dim, x.dim() + 1, "unsqueeze")), 1);
  return view(x, sizes);
}

OA_OP(view, &kView, &kPermute, &kExpand)

}  // namespace oneagent
