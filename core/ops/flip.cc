#include "core/ops/flip.h"

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/permute.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kFlipAttrs[] = {{"dims", AttrKind::kInts}};
constexpr AttrSpec kRollAttrs[] = {{"shifts", AttrKind::kInts}, {"dims", AttrKind::kInts}};

void infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }

template <size_t DimsAttr>
std::string rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string closed;
  for (const int64_t dim : attrs.list(DimsAttr)) closed += operand[static_cast<size_t>(dim)];
  return operand + "->" + operand + ";" + closed;
}

void flip_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  TensorMeta meta = in[0].impl().meta;
  for (const int64_t dim : attrs.list(0)) {
    const auto d = static_cast<size_t>(dim);
    meta.offset += (meta.sizes[d] - 1) * meta.strides[d];
    meta.strides[d] = -meta.strides[d];
  }
  copy_into(stream, out[0], alias_of(in[0], meta));
}
void flip_vjp(VjpCall& call) { call.set(0, flip(call.grad(), call.attrs().list(0))); }

constinit const Op kFlip = {
    .name = "flip",
    .attrs = kFlipAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule<0>},
    .half = true,
    .complex = true,
    .vjp = flip_vjp,
    .kernels = {flip_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(Shape{1})},
                         {{normal({2, 3, 4})}, Attrs().add(Shape{0, 2})},
                         {{normal({19})}, Attrs().add(Shape{0})},
                         {{normal({1, 3})}, Attrs().add(Shape{0, 1})},
                         {{normal({0, 3})}, Attrs().add(Shape{1})},
                         {{normal({})}, Attrs().add(Shape{})}};
        },
};

// Each rolled dimension falls into two parts that change places: at most 2^n blocks are copied.
void roll_blocks(Stream& stream, const Attrs& attrs, size_t at, const Tensor& in, TensorMeta from,
                 const Tensor& out, TensorMeta to) {
  const Shape shifts = attrs.list(0), dims = attrs.list(1);
  if (at == dims.size()) return copy_into(stream, alias_of(out, to), alias_of(in, from));
  const auto d = static_cast<size_t>(dims[at]);
  const int64_t size = from.sizes[d], shift = ((shifts[at] % size) + size) % size;
  const auto block = [&](int64_t read, int64_t write, int64_t count) {
    if (count == 0) return;
    TensorMeta source = from, target = to;
    source.offset += read * from.strides[d];
    target.offset += write * to.strides[d];
    source.sizes[d] = target.sizes[d] = count;
    roll_blocks(stream, attrs, at + 1, in, source, out, target);
  };
  block(0, shift, size - shift);
  block(size - shift, 0, shift);
}
void roll_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].numel() == 0) return;
  roll_blocks(stream, attrs, 0, in[0], in[0].impl().meta, out[0], out[0].impl().meta);
}
void roll_vjp(VjpCall& call) {
  Shape back = call.attrs().list(0);
  for (int64_t& shift : back) shift = -shift;
  call.set(0, roll(call.grad(), back, call.attrs().list(1)));
}

constinit const Op kRoll = {
    .name = "roll",  // no dimension appears twice
    .attrs = kRollAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule<1>},
    .half = true,
    .complex = true,
    .vjp = roll_vjp,
    .kernels = {roll_kernel},
    .samples =
        [] {
          return Samples{{{normal({5})}, Attrs().add(Shape{2}).add(Shape{0})},
                         {{normal({3, 4})}, Attrs().add(Shape{-1, 5}).add(Shape{0, 1})},
                         {{normal({2, 3, 4})}, Attrs().add(Shape{1}).add(Shape{1})},
                         {{normal({0, 3})}, Attrs().add(Shape{1}).add(Shape{1})}};
        },
};

void require_rank(const char* op, const Tensor& x, int64_t rank) {
  OA_REQUIRE(x.dim() >= rank, op, ": needs at least ", rank, " dimensions, was shape ", x.sizes());
}

}  // namespace

Tensor flip(const Tensor& self, const Shape& dims) {
  Shape wrapped = dims;
  uint32_t seen = 0;
  for (int64_t& dim : wrapped) {
    dim = wrap_dim(dim, self.dim(), "flip");
    OA_REQUIRE((seen & (1u << dim)) == 0, "flip: dim ", dim,
               " appears multiple times in the list of dims, ", dims);
    seen |= 1u << dim;
  }
  return call_op(kFlip, {&self}, Attrs().add(self.dim() == 0 ? Shape{} : wrapped));
}
Tensor fliplr(const Tensor& self) {
  require_rank("fliplr", self, 2);
  return flip(self, Shape{1});
}
Tensor flipud(const Tensor& self) {
  require_rank("flipud", self, 1);
  return flip(self, Shape{0});
}

Tensor rot90(const Tensor& self, int64_t k, const Shape& dims) {
  require_rank("rot90", self, 2);
  OA_REQUIRE(dims.size() == 2, "rot90: expected two dimensions, were ", dims);
  const int64_t a = wrap_dim(dims[0], self.dim(), "rot90"),
                b = wrap_dim(dims[1], self.dim(), "rot90");
  OA_REQUIRE(a != b, "rot90: expected rotation dims to be different, were ", dims);
  switch (((k % 4) + 4) % 4) {
    case 1:
      return transpose(flip(self, Shape{b}), a, b);
    case 2:
      return flip(self, Shape{a, b});
    case 3:
      return transpose(flip(self, Shape{a}), a, b);
    default:
      return clone(self, MemoryFormat::Contiguous);
  }
}

Tensor roll(const Tensor& self, const Shape& shifts, const Shape& dims) {
  OA_REQUIRE(!shifts.empty(), "roll: needs at least one shift");
  if (dims.empty() && shifts.size() == 1)
    return view(roll(reshape(self, {-1}), shifts, Shape{0}), self.sizes());
  OA_REQUIRE(shifts.size() == dims.size(),
             "roll: shifts and dimensions must align. shifts: ", shifts.size(),
             ", dims: ", dims.size());
  Shape along, by;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t dim = wrap_dim(dims[i], self.dim(), "roll");
    size_t at = 0;
    while (at < along.size() && along[at] != dim) ++at;
    if (at == along.size()) {
      along.push_back(dim);
      by.push_back(0);
    }
    by[at] += shifts[i];
  }
  if (self.dim() == 0) return clone(self);
  return call_op(kRoll, {&self}, Attrs().add(by).add(along));
}

OA_OP(flip, &kFlip, &kRoll)

}  // namespace oneagent
