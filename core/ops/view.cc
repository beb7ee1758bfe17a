#include "core/ops/view.h"

#include <algorithm>

#include "core/ops/copy.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

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

// `sizes` with -1 replaced so that the number of elements is `count`.
Shape filled_sizes(const char* op, int64_t count, const Shape& sizes) {
  Shape out = sizes;
  int64_t known = 1, unknown = -1;
  for (size_t i = 0; i < sizes.size(); ++i) {
    OA_REQUIRE(sizes[i] >= -1, op, ": invalid shape dimension ", sizes[i], " in ", sizes);
    OA_REQUIRE(sizes[i] != -1 || unknown < 0, op,
               ": only one dimension can be inferred (be -1), was ", sizes);
    if (sizes[i] == -1)
      unknown = static_cast<int64_t>(i);
    else if (__builtin_mul_overflow(known, sizes[i], &known))
      known = 0;
  }
  if (unknown >= 0) {
    OA_REQUIRE(known != 0 || count != 0, op, ": cannot reshape tensor of 0 elements into shape ",
               sizes, " because the unspecified dimension size -1 can be any value");
    OA_REQUIRE(known != 0 && count % known == 0, op, ": shape '", sizes,
               "' is invalid for input of size ", count);
    out[static_cast<size_t>(unknown)] = count / known;
  }
  int64_t filled = 1;
  bool fits = true;
  for (const int64_t size : out) fits = !__builtin_mul_overflow(filled, size, &filled) && fits;
  fits = fits || std::find(out.begin(), out.end(), 0) != out.end();
  OA_REQUIRE(fits && out.numel() == count, op, ": shape '", sizes,
             "' is invalid for input of size ", count);
  return out;
}

constexpr AttrSpec kSizesAttrs[] = {{"sizes", AttrKind::kInts}};
constexpr AttrSpec kDimsAttrs[] = {{"dims", AttrKind::kInts}};
constexpr AttrSpec kDimAttrs[] = {{"dim", AttrKind::kInt}};
constexpr AttrSpec kDTypeAttrs[] = {{"dtype", AttrKind::kDType}};

TensorMeta& alias_meta(Metas in, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  return meta;
}

void reshape_vjp(VjpCall& call) { call.set(0, reshape(call.grad(), call.input_sizes(0))); }

void view_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias_meta(in, out);
  const Shape sizes = attrs.list(0);
  const std::optional<Shape> strides = view_strides(*in[0], sizes);
  OA_REQUIRE(strides.has_value(),
             "view: view size is not compatible with input tensor's size and "
             "stride: shape ",
             in[0]->sizes, " with strides ", in[0]->strides, " as ", sizes,
             ". Use .reshape(...) instead.");
  meta.sizes = sizes;
  meta.strides = *strides;
}

// Dimensions whose sizes multiply to the same number form a group; its leading dimensions share a
// factor, since equal parts of the one are equal parts of the other. The rest is closed.
std::string view_rule(Metas in, const Attrs& attrs) {
  const Shape from = in[0]->sizes, to = attrs.list(0);
  std::string left = rule_letters(from.size()), right = rule_letters(to.size(), 'n');
  std::string closed = left + right;
  const auto skip_ones = [](const Shape& sizes, size_t& at) {
    while (at < sizes.size() && sizes[at] == 1) ++at;
  };
  size_t i = 0, j = 0;
  while (from.numel() > 0) {
    skip_ones(from, i);
    skip_ones(to, j);
    if (i == from.size() || j == to.size()) break;
    const char letter = right[j] = left[i];
    closed.erase(closed.find(letter), 1);
    int64_t a = from[i++], b = to[j++];
    while (a != b) (a < b ? a : b) *= a < b ? from[i++] : to[j++];
  }
  return left + "->" + right + ";" + closed;
}

constinit const Op kView = {
    .name = "view",
    .attrs = kSizesAttrs,
    .infer = view_infer,
    .rule = {.linear = 1, .generate = view_rule},
    .alias_of = 0,
    .vjp = reshape_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(Shape{2, 6})},
                         {{normal({2, 3, 4})}, Attrs().add(Shape{2, 12})},
                         {{normal({})}, Attrs().add(Shape{1, 1})},
                         {{normal({4, 1, 6})}, Attrs().add(Shape{4, 3, 2})},
                         {{normal({4, 3, 1})}, Attrs().add(Shape{1, 6, 2})}};
        },
};

void alias_infer(Metas in, const Attrs&, Inferred& out) { alias_meta(in, out); }

constinit const Op kAlias = {
    .name = "alias",
    .infer = alias_infer,
    .rule = {.factors = "...->...", .linear = 1},
    .alias_of = 0,
    .vjp = [](VjpCall& call) { call.set(0, call.grad()); },
    .samples =
        [] {
          return Samples{{{normal({3, 4})}}, {{normal({})}}, {{normal({0, 2})}}};
        },
};

void squeeze_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias_meta(in, out);
  const Shape dims = attrs.list(0);
  for (size_t i = dims.size(); i-- > 0;) {
    meta.sizes.erase(static_cast<size_t>(dims[i]));
    meta.strides.erase(static_cast<size_t>(dims[i]));
  }
}
std::string squeeze_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string result = operand, dropped;
  const Shape dims = attrs.list(0);
  for (size_t i = dims.size(); i-- > 0;) {
    dropped += operand[static_cast<size_t>(dims[i])];
    result.erase(static_cast<size_t>(dims[i]), 1);
  }
  return operand + "->" + result + ";" + dropped;
}

constinit const Op kSqueeze = {
    .name = "squeeze",  // dims: sorted, each of size 1
    .attrs = kDimsAttrs,
    .infer = squeeze_infer,
    .rule = {.linear = 1, .generate = squeeze_rule},
    .alias_of = 0,
    .vjp = reshape_vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 1, 4, 1})}, Attrs().add(Shape{1, 3})},
                         {{normal({1, 2})}, Attrs().add(Shape{0})},
                         {{normal({2, 2})}, Attrs().add(Shape{})}};
        },
};

void unsqueeze_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias_meta(in, out);
  const auto dim = static_cast<size_t>(attrs.integer(0));
  const int64_t stride = dim < meta.sizes.size() ? meta.sizes[dim] * meta.strides[dim] : 1;
  meta.sizes.insert(dim, 1);
  meta.strides.insert(dim, stride);
}
std::string unsqueeze_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string result = operand;
  result.insert(static_cast<size_t>(attrs.integer(0)), 1, 'z');
  return operand + "->" + result + ";z";
}

constinit const Op kUnsqueeze = {
    .name = "unsqueeze",
    .attrs = kDimAttrs,
    .infer = unsqueeze_infer,
    .rule = {.linear = 1, .generate = unsqueeze_rule},
    .alias_of = 0,
    .vjp = [](VjpCall& call) { call.set(0, squeeze(call.grad(), call.attrs().integer(0))); },
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(1)},
                         {{normal({2})}, Attrs().add(1)},
                         {{normal({})}, Attrs().add(0)}};
        },
};

// Element sizes differ by a factor: the last dimension is multiplied or divided by it.
void view_dtype_infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = alias_meta(in, out);
  meta.dtype = attrs.dtype(0);
  const auto from = static_cast<int64_t>(size_of(in[0]->dtype)),
             to = static_cast<int64_t>(size_of(meta.dtype));
  if (from == to) return;
  OA_REQUIRE(!meta.sizes.empty(), "view: a 0-d ", name_of(in[0]->dtype),
             " tensor cannot be viewed as ", name_of(meta.dtype), " with another element size");
  const size_t last = meta.sizes.size() - 1;
  OA_REQUIRE(meta.strides[last] == 1 || in[0]->sizes.numel() == 0,
             "view: to view as a dtype of another size the last stride must be 1, was ",
             meta.strides[last]);
  const auto scale = [&](int64_t value, const char* what) {
    if (from > to) return value * (from / to);
    OA_REQUIRE(value % (to / from) == 0, "view: to view ", name_of(in[0]->dtype), " as ",
               name_of(meta.dtype), " the ", what, " must be divisible by ", to / from, ", was ",
               value);
    return value / (to / from);
  };
  meta.sizes[last] = scale(meta.sizes[last], "last size");
  meta.offset = scale(meta.offset, "storage offset");
  for (size_t i = 0; i < last; ++i) meta.strides[i] = scale(meta.strides[i], "stride");
}
std::string view_dtype_rule(Metas in, const Attrs&) {
  const size_t rank = in[0]->sizes.size();
  if (rank == 0) return "->";
  const std::string kept = rule_letters(rank - 1);
  return kept + "y->" + kept + "z;yz";
}

constinit const Op kViewDType = {
    .name = "view_dtype",
    .attrs = kDTypeAttrs,
    .infer = view_dtype_infer,
    .rule = {.generate = view_dtype_rule},
    .alias_of = 0,
    .samples =
        [] {
          return Samples{{{ints({3, 2}, 0, 90)}, Attrs().add(DType::kInt32)},
                         {{ints({2, 8}, 0, 9, DType::kUInt8)}, Attrs().add(DType::kInt32)},
                         {{ints({3}, 0, 9, DType::kUInt8)}, Attrs().add(DType::kInt8)}};
        },
};

Tensor squeeze_dims(const Tensor& self, const Shape& dims) {
  return call_op(kSqueeze, {&self}, Attrs().add(dims));
}

template <class Each>
std::vector<Tensor> map(const std::vector<Tensor>& tensors, const Each& each) {
  std::vector<Tensor> out;
  out.reserve(tensors.size());
  for (const Tensor& tensor : tensors) out.push_back(each(tensor));
  return out;
}

}  // namespace

Tensor view(const Tensor& self, const Shape& size) {
  return call_op(kView, {&self}, Attrs().add(filled_sizes("view", self.numel(), size)));
}
Tensor view(const Tensor& self, DType dtype) {
  return self.dtype() == dtype ? self : call_op(kViewDType, {&self}, Attrs().add(dtype));
}
Tensor view_as(const Tensor& self, const Tensor& other) { return view(self, other.sizes()); }
Tensor _unsafe_view(const Tensor& self, const Shape& size) { return view(self, size); }
Tensor alias(const Tensor& self) { return call_op(kAlias, {&self}); }

Tensor reshape(const Tensor& self, const Shape& shape) {
  const Shape filled = filled_sizes("reshape", self.numel(), shape);
  if (view_strides(self.impl().meta, filled)) return call_op(kView, {&self}, Attrs().add(filled));
  const Tensor copy = clone(self, MemoryFormat::Contiguous);
  return call_op(kView, {&copy}, Attrs().add(filled));
}
Tensor reshape_as(const Tensor& self, const Tensor& other) { return reshape(self, other.sizes()); }

Tensor flatten(const Tensor& self, int64_t start_dim, int64_t end_dim) {
  const auto first = static_cast<size_t>(wrap_dim(start_dim, self.dim(), "flatten"));
  const auto last = static_cast<size_t>(wrap_dim(end_dim, self.dim(), "flatten"));
  OA_REQUIRE(first <= last,
             "flatten: flatten() has invalid args: start_dim cannot come after end_dim, were ",
             start_dim, " and ", end_dim);
  if (self.dim() == 0) return reshape(self, {1});
  Shape sizes;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (i > first && i <= last)
      sizes[first] *= self.sizes()[i];
    else
      sizes.push_back(self.sizes()[i]);
  }
  return reshape(self, sizes);
}

Tensor unflatten(const Tensor& self, int64_t dim, const Shape& sizes) {
  OA_REQUIRE(!sizes.empty(), "unflatten: the new sizes must not be empty");
  const auto at = static_cast<size_t>(wrap_dim(dim, self.dim(), "unflatten"));
  OA_REQUIRE(self.dim() > 0, "unflatten: a 0-d tensor has no dimension ", dim);
  const Shape inner = filled_sizes("unflatten", self.sizes()[at], sizes);
  Shape all;
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    if (i != at) {
      all.push_back(self.sizes()[i]);
      continue;
    }
    for (const int64_t size : inner) all.push_back(size);
  }
  return view(self, all);
}

Tensor ravel(const Tensor& self) { return view(contiguous(self), {-1}); }

Tensor squeeze(const Tensor& self) {
  Shape dims;
  for (size_t i = 0; i < self.sizes().size(); ++i)
    if (self.sizes()[i] == 1) dims.push_back(static_cast<int64_t>(i));
  return squeeze_dims(self, dims);
}
Tensor squeeze(const Tensor& self, int64_t dim) {
  const int64_t at = wrap_dim(dim, self.dim(), "squeeze");
  const bool drops = self.dim() > 0 && self.sizes()[static_cast<size_t>(at)] == 1;
  return squeeze_dims(self, drops ? Shape{at} : Shape{});
}
Tensor unsqueeze(const Tensor& self, int64_t dim) {
  return call_op(kUnsqueeze, {&self}, Attrs().add(wrap_dim(dim, self.dim() + 1, "unsqueeze")));
}
const Tensor& squeeze_(const Tensor& self) { return become_view(self, squeeze(self)); }
const Tensor& squeeze_(const Tensor& self, int64_t dim) {
  return become_view(self, squeeze(self, dim));
}
const Tensor& unsqueeze_(const Tensor& self, int64_t dim) {
  return become_view(self, unsqueeze(self, dim));
}

Tensor atleast_1d(const Tensor& self) { return self.dim() > 0 ? self : reshape(self, {1}); }
Tensor atleast_2d(const Tensor& self) {
  if (self.dim() == 0) return reshape(self, {1, 1});
  return self.dim() == 1 ? unsqueeze(self, 0) : self;
}
Tensor atleast_3d(const Tensor& self) {
  if (self.dim() == 0) return reshape(self, {1, 1, 1});
  if (self.dim() == 1) return unsqueeze(unsqueeze(self, 0), -1);
  return self.dim() == 2 ? unsqueeze(self, -1) : self;
}
std::vector<Tensor> atleast_1d(const std::vector<Tensor>& tensors) {
  return map(tensors, [](const Tensor& x) { return atleast_1d(x); });
}
std::vector<Tensor> atleast_2d(const std::vector<Tensor>& tensors) {
  return map(tensors, [](const Tensor& x) { return atleast_2d(x); });
}
std::vector<Tensor> atleast_3d(const std::vector<Tensor>& tensors) {
  return map(tensors, [](const Tensor& x) { return atleast_3d(x); });
}

const Tensor& become_view(const Tensor& target, const Tensor& other) {
  TensorImpl& impl = target.impl();
  OA_REQUIRE(!(impl.requires_grad && target.is_leaf() && other.requires_grad()),
             "view: a leaf Variable that requires grad is being used in an in-place operation");
  impl.meta = other.impl().meta;
  impl.numel = other.impl().numel;
  impl.contiguous = other.impl().contiguous;
  impl.bump_version();
  if (other.impl().grad_fn) {
    impl.grad_fn = other.impl().grad_fn;
    impl.output_index = other.impl().output_index;
  }
  return target;
}

OA_OP(view, &kView, &kAlias, &kSqueeze, &kUnsqueeze, &kViewDType)

}  // namespace oneagent
