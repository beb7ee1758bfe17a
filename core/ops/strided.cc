#include "core/ops/strided.h"

#include <algorithm>

#include "core/graph/view.h"
#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// input_strides is empty for a contiguous operand.
constexpr AttrSpec kAttrs[] = {{"sizes", AttrKind::kInts},
                               {"strides", AttrKind::kInts},
                               {"offset", AttrKind::kInt},
                               {"input_offset", AttrKind::kInt},
                               {"input_strides", AttrKind::kInts}};
constexpr AttrSpec kScatterAttrs[] = {
    {"sizes", AttrKind::kInts}, {"strides", AttrKind::kInts}, {"offset", AttrKind::kInt}};

struct Geometry {
  Shape sizes, strides;
  int64_t offset = 0;
  int64_t last() const {  // of the elements' offsets
    int64_t at = offset;
    for (size_t i = 0; i < sizes.size(); ++i) at += (sizes[i] - 1) * strides[i];
    return at;
  }
  bool empty() const { return sizes.numel() == 0; }
  // May two elements lie in one place? Sorted by stride, each must be beyond all smaller ones.
  bool overlaps() const {
    std::vector<std::pair<int64_t, int64_t>> dims;
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes[i] > 1) dims.emplace_back(strides[i], sizes[i]);
    std::sort(dims.begin(), dims.end());
    int64_t reach = 0;
    for (const auto& [stride, size] : dims) {
      if (stride <= reach) return true;
      reach += stride * (size - 1);
    }
    return false;
  }
  Tensor positions() const {  // of the elements in row-major order, int64
    const Tensor out = empty_on(context().stream, {sizes.numel()}, DType::kInt64);
    int64_t* at = out.data_ptr<int64_t>();
    Shape index = sizes;
    for (int64_t& i : index) i = 0;
    int64_t place = offset;
    for (int64_t i = 0; i < sizes.numel(); ++i) {
      at[i] = place;
      for (size_t d = sizes.size(); d-- > 0;) {
        place += strides[d];
        if (++index[d] < sizes[d]) break;
        place -= sizes[d] * strides[d];
        index[d] = 0;
      }
    }
    return out;
  }
};

Geometry geometry_of(const Attrs& attrs) {
  return {attrs.list(0), attrs.list(1), attrs.integer(2)};
}
TensorMeta strided_meta(TensorMeta meta, const Attrs& attrs) {
  meta.sizes = attrs.list(0);
  meta.strides = attrs.list(1);
  meta.offset = attrs.integer(2);
  return meta;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) { out.add() = strided_meta(*in[0], attrs); }
std::string rule(Metas in, const Attrs& attrs) { return closed_rule(in, {attrs.list(0).size()}); }

Tensor divided_by_uses(const Tensor& storage, const Geometry& from) {
  const Tensor ones = full({from.sizes.numel()}, 1, storage.dtype());
  const Tensor count =
      index_add(zeros(storage.sizes(), storage.dtype()), 0, from.positions(), ones);
  return div(storage, clamp(count, 1));
}

// The gradient is laid into zeros as large as the part of the storage that both tensors see, and
// read there the way the operand reads it (see as_strided_backward of libtorch).
void vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  Geometry from = {call.input_sizes(0), attrs.list(4), attrs.integer(3)}, to = geometry_of(attrs);
  if (from.strides.empty()) from.strides = contiguous_strides(from.sizes);
  Tensor gradient = call.grad();
  if (from.empty() || to.empty()) return call.set(0, zeros(from.sizes, gradient.dtype()));
  Shape repeated;
  for (size_t i = 0; i < to.sizes.size(); ++i) {
    if (to.strides[i] != 0 || to.sizes[i] == 1) continue;
    repeated.push_back(static_cast<int64_t>(i));
    to.sizes[i] = 1;
  }
  if (!repeated.empty()) gradient = sum(gradient, repeated, true);
  const int64_t low = std::min(from.offset, to.offset);
  const int64_t count = std::max(from.last(), to.last()) + 1 - low;
  from.offset -= low;
  to.offset -= low;
  const bool whole = from.offset == 0 && count == from.sizes.numel() &&
                     from.strides == contiguous_strides(from.sizes);
  if (!to.overlaps()) {
    const Tensor none;
    const Shape base = whole ? from.sizes : Shape{count};
    Tensor storage = call_op(kReplacePart, {&none, &gradient},
                             Attrs().add(base).add(to.sizes).add(to.strides).add(to.offset));
    if (whole) return call.set(0, storage);
    if (from.overlaps()) storage = divided_by_uses(storage, from);
    return call.set(0, as_strided(storage, from.sizes, from.strides, from.offset));
  }
  Tensor storage =
      index_add(zeros({count}, gradient.dtype()), 0, to.positions(), reshape(gradient, {-1}));
  if (from.overlaps()) storage = divided_by_uses(storage, from);
  call.set(0, as_strided(storage, from.sizes, from.strides, from.offset));
}

constinit const Op kAsStrided = {
    .name = "as_strided",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule},
    .alias_of = 0,
    .vjp = vjp,
    .samples =
        [] {
          const auto attrs = [](const Shape& sizes, const Shape& strides, int64_t offset) {
            return Attrs().add(sizes).add(strides).add(offset).add(0).add(Shape{});
          };
          return Samples{{{normal({3, 4})}, attrs({2, 2}, {4, 1}, 1)},
                         {{normal({8})}, attrs({3, 4}, {2, 1}, 0)},
                         {{normal({2, 3})}, attrs({3, 2, 4}, {1, 3, 0}, 0)},
                         {{normal({})}, attrs({2}, {0}, 0)}};
        },
};

void scatter_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[1]->sizes == attrs.list(0), "as_strided_scatter: expected a source of shape ",
             attrs.list(0), ", was ", in[1]->sizes);
  require_same_dtype("as_strided_scatter", in);
  out.add(in[0]->sizes, in[0]->dtype);
}
void scatter_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  copy_into(stream, out[0], in[0]);
  copy_into(stream, alias_of(out[0], strided_meta(out[0].impl().meta, attrs)), in[1]);
}
void scatter_vjp(VjpCall& call) {
  const Geometry at = geometry_of(call.attrs());
  const Tensor whole = contiguous(call.grad());
  if (call.needs(0))
    call.set(0, as_strided_scatter(whole, zeros(at.sizes, whole.dtype()), at.sizes, at.strides,
                                   at.offset));
  if (call.needs(1))
    call.set(1, as_strided(whole, at.sizes, at.strides, whole.storage_offset() + at.offset));
}

constinit const Op kAsStridedScatter = {
    .name = "as_strided_scatter",
    .attrs = kScatterAttrs,
    .infer = scatter_infer,
    .rule = {.linear = kTogether | 3, .generate = closed_same_rule},
    .half = true,
    .complex = true,
    .vjp = scatter_vjp,
    .kernels = {scatter_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4}), normal({2, 2})}, Attrs().add(Shape{2, 2}).add(Shape{4, 1}).add(1)},
              {{normal({6}), normal({3})}, Attrs().add(Shape{3}).add(Shape{2}).add(0)}};
        },
};

void check_geometry(const char* op, const Geometry& at, int64_t available) {
  OA_REQUIRE(at.sizes.size() == at.strides.size(), op, ": sizes ", at.sizes, " and strides ",
             at.strides, " differ in length");
  OA_REQUIRE(at.offset >= 0, op, ": the offset must not be negative, was ", at.offset);
  for (size_t i = 0; i < at.sizes.size(); ++i)
    OA_REQUIRE(at.sizes[i] >= 0 && at.strides[i] >= 0, op,
               ": sizes and strides must not be negative, were ", at.sizes, " and ", at.strides);
  const bool none = std::find(at.sizes.begin(), at.sizes.end(), 0) != at.sizes.end();
  int64_t last = at.offset, count = 1;
  bool fits = true;
  for (size_t i = 0; !none && i < at.sizes.size(); ++i) {
    int64_t step;
    fits = fits && !__builtin_mul_overflow(at.sizes[i] - 1, at.strides[i], &step) &&
           !__builtin_add_overflow(last, step, &last) &&
           !__builtin_mul_overflow(count, at.sizes[i], &count);
  }
  OA_REQUIRE(none || (fits && last < available), op, ": sizes ", at.sizes, ", strides ", at.strides,
             " and offset ", at.offset, " reach beyond a storage of ", available, " elements");
}

}  // namespace

Tensor as_strided(const Tensor& self, const Shape& size, const Shape& stride,
                  std::optional<int64_t> storage_offset) {
  OA_REQUIRE(self.defined(), "as_strided: expected a defined tensor, this handle is empty");
  const Geometry at = {size, stride, storage_offset.value_or(self.storage_offset())};
  check_geometry("as_strided", at,
                 static_cast<int64_t>(self.impl().storage->bytes() / self.element_size()));
  return call_op(
      kAsStrided, {&self},
      Attrs()
          .add(at.sizes)
          .add(at.strides)
          .add(at.offset)
          .add(self.storage_offset())
          .add(self.is_contiguous() || !self.requires_grad() ? Shape{} : self.strides()));
}
const Tensor& as_strided_(const Tensor& self, const Shape& size, const Shape& stride,
                          std::optional<int64_t> storage_offset) {
  return become_view(self, as_strided(self, size, stride, storage_offset));
}
Tensor _reshape_alias(const Tensor& self, const Shape& size, const Shape& stride) {
  OA_REQUIRE(size.numel() == self.numel(), "_reshape_alias: shape ", self.sizes(),
             " does not fit into ", size);
  return as_strided(self, size, stride);
}

Tensor as_strided_scatter(const Tensor& self, const Tensor& src, const Shape& size,
                          const Shape& stride, std::optional<int64_t> storage_offset) {
  const Geometry at = {size, stride, storage_offset.value_or(0)};
  check_geometry("as_strided_scatter", at, self.numel());
  const Tensor source = to(src, self.dtype());
  return call_op(kAsStridedScatter, {&self, &source},
                 Attrs().add(at.sizes).add(at.strides).add(at.offset));
}

OA_OP(strided, &kAsStrided, &kAsStridedScatter)

}  // namespace oneagent
