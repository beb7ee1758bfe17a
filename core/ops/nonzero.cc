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

constexpr int64_t kBlock = 1024;

// Block by block of a row: places are gathered without branches, then written behind the row's own
// index.
template <class T>
int64_t find(const Tensor& x, int64_t* out) {
  const auto* in = static_cast<const T*>(x.data_ptr());
  const Shape& sizes = x.sizes();
  const size_t rank = sizes.size();
  if (rank == 0) return in[0] != T(0) ? 1 : 0;
  const int64_t row = sizes.back();
  int64_t places[kBlock + 1];
  int64_t index[Shape::kMaxRank] = {};
  int64_t total = 0;
  for (int64_t at = 0; at < x.numel(); at += row) {
    for (int64_t begin = 0; begin < row; begin += kBlock) {
      const int64_t end = std::min(begin + kBlock, row);
      int64_t found = 0;
      for (int64_t i = begin; i < end; ++i) {
        places[found] = i;
        found += in[at + i] != T(0) ? 1 : 0;
      }
      if (rank == 2) {
        for (int64_t i = 0; i < found; ++i, out += 2) out[0] = index[0], out[1] = places[i];
      } else {
        for (int64_t i = 0; i < found; ++i) {
          for (size_t d = 0; d + 1 < rank; ++d) *out++ = index[d];
          *out++ = places[i];
        }
      }
      total += found;
    }
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
  int64_t count = 0;
  with_number_or_bool(x.dtype(),
                      [&]<class T>(Type<T>) { count = find<T>(x, out[0].data_ptr<int64_t>()); });
  OA_CHECK(count == attrs.integer(0), "nonzero: counted ", attrs.integer(0), ", found ", count);
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
