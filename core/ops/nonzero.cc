#include "core/ops/nonzero.h"

#include "core/kernels/copy.h"
#include "core/ops/op_reduce.h"
#include "core/ops/reduce.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"
#include "core/tensor/global_parts.h"

namespace oneagent {
namespace {

// The number of results depends on the values, so the caller counts them first.
constexpr AttrSpec kAttrs[] = {{"count", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  out.add({attrs.integer(0), static_cast<int64_t>(in[0]->sizes.size())}, DType::kInt64);
}
std::string rule(Metas in, const Attrs&) {
  const std::string text = along_rule(in[0]->sizes, 0);
  const std::string letters = text.substr(0, in[0]->sizes.size());
  return letters + "->yz;" + letters + "yz";
}

// Row by row; places of a row are gathered without branches, then written with the row's own index.
template <class T>
int64_t find(const Tensor& x, int64_t* out) {
  const auto* in = static_cast<const T*>(x.data_ptr());
  const Shape& sizes = x.sizes();
  const size_t rank = sizes.size();
  if (rank == 0) return in[0] != T(0) ? 1 : 0;
  const int64_t row = sizes.back();
  std::vector<int64_t> places(static_cast<size_t>(row) + 1);
  int64_t index[Shape::kMaxRank] = {};
  int64_t total = 0;
  for (int64_t at = 0; at < x.numel(); at += row) {
    int64_t found = 0;
    int64_t* to = rank == 1 ? out : places.data();
    for (int64_t i = 0; i < row; ++i) {
      to[found] = i;
      found += in[at + i] != T(0) ? 1 : 0;
    }
    if (rank == 1) return found;
    for (int64_t i = 0; i < found; ++i) {
      for (size_t d = 0; d + 1 < rank; ++d) *out++ = index[d];
      *out++ = places[static_cast<size_t>(i)];
    }
    total += found;
    for (size_t d = rank - 1; d-- > 0;) {
      if (++index[d] < sizes[d]) break;
      index[d] = 0;
    }
  }
  return total;
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  if (x.numel() == 0) return;
  // One place more: the last write of a row may be of an element that is zero.
  const Tensor room = empty_on(stream, {out[0].numel() + 1}, DType::kInt64);
  int64_t count = 0;
  with_number_or_bool(x.dtype(),
                      [&]<class T>(Type<T>) { count = find<T>(x, room.data_ptr<int64_t>()); });
  OA_CHECK(count == attrs.integer(0), "nonzero: counted ", attrs.integer(0), ", found ", count);
  std::copy_n(room.data_ptr<int64_t>(), out[0].numel(), out[0].data_ptr<int64_t>());
}

constinit const Op kNonzero = {
    .name = "nonzero",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .flops = reduce_flops,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{positive({2, 3})}, Attrs().add(6)},
                         {{ints({4}, 0, 1)}, Attrs().add(0)},
                         {{ints({2, 2, 2}, 1, 2, DType::kInt32)}, Attrs().add(8)},
                         {{normal({})}, Attrs().add(1)},
                         {{normal({0, 3})}, Attrs().add(0)}};
        },
};

}  // namespace

Tensor nonzero(const Tensor& self) {
  const Tensor x = whole_values(self.detach());
  return call_op(kNonzero, {&x}, Attrs().add(count_nonzero(x).item<int64_t>()));
}
Tensor argwhere(const Tensor& self) { return nonzero(self); }
std::vector<Tensor> nonzero_numpy(const Tensor& self) {
  const Tensor places = nonzero(self.dim() == 0 ? unsqueeze(self, 0) : self);
  std::vector<Tensor> out;
  for (int64_t d = 0; d < places.size(1); ++d) out.push_back(select(places, 1, d));
  return out;
}

OA_OP(nonzero, &kNonzero)

}  // namespace oneagent
