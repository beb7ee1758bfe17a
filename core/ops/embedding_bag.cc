#include "core/ops/embedding_bag.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/copy.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/embedding.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

enum Mode : int64_t { kSum, kMean, kMax };

constexpr AttrSpec kAttrs[] = {{"mode", AttrKind::kInt},
                               {"scale_grad_by_freq", AttrKind::kBool},
                               {"include_last_offset", AttrKind::kBool},
                               {"padding_idx", AttrKind::kInt},
                               {"sparse", AttrKind::kBool}};
constexpr AttrSpec kBackwardAttrs[] = {{"num_weights", AttrKind::kInt},
                                       {"mode", AttrKind::kInt},
                                       {"scale_grad_by_freq", AttrKind::kBool},
                                       {"padding_idx", AttrKind::kInt}};
constexpr AttrSpec kWeightsAttrs[] = {{"padding_idx", AttrKind::kInt}};

void require_ints(const TensorMeta& x, size_t rank) {
  OA_REQUIRE(x.dtype == DType::kInt64 && x.sizes.size() == rank,
             "embedding_bag: indices and offsets are int64 vectors, was ", name_of(x.dtype), " ",
             x.sizes);
}

// Inputs: weight, indices, offsets, per_sample_weights or absent.
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape& weight = in[0]->sizes;
  require_floating("embedding_bag", *in[0]);
  OA_REQUIRE(weight.size() == 2, "embedding_bag: expected a weight [v, d], was ", weight);
  require_ints(*in[1], 1);
  require_ints(*in[2], 1);
  const int64_t n = in[1]->sizes[0];
  OA_REQUIRE(in[3] == nullptr || (in[3]->sizes == Shape{n} && in[3]->dtype == in[0]->dtype),
             "embedding_bag: expected per_sample_weights of shape [", n, "] and type ",
             name_of(in[0]->dtype));
  OA_REQUIRE(in[3] == nullptr || attrs.integer(0) == kSum,
             "embedding_bag: per_sample_weights need the mode sum");
  const int64_t bags = in[2]->sizes[0] - (attrs.flag(2) ? 1 : 0);
  OA_REQUIRE(bags >= 0, "embedding_bag: include_last_offset needs an offset");
  out.add({bags, weight[1]}, in[0]->dtype);
  out.add({n}, DType::kInt64);
  out.add({bags}, DType::kInt64);
  out.add(attrs.integer(0) == kMax ? Shape{bags, weight[1]} : Shape{bags}, DType::kInt64);
}

void require_offsets(const int64_t* offsets, int64_t count, int64_t n, bool include_last) {
  if (count == 0) {
    OA_REQUIRE(n == 0, "embedding_bag: no bag for ", n, " indices");
    return;
  }
  OA_REQUIRE(offsets[0] == 0, "embedding_bag: the first offset must be 0, was ", offsets[0]);
  for (int64_t i = 1; i < count; ++i)
    OA_REQUIRE(offsets[i] >= offsets[i - 1], "embedding_bag: offsets must not decrease, but ",
               offsets[i], " follows ", offsets[i - 1]);
  OA_REQUIRE(offsets[count - 1] <= n, "embedding_bag: offset ", offsets[count - 1],
             " lies beyond the ", n, " indices");
  OA_REQUIRE(!include_last || offsets[count - 1] == n,
             "embedding_bag: the last offset must be the number of indices, ", n, ", was ",
             offsets[count - 1]);
}

// out[k] = the sum of rows' elements k, for as many blocks of kParts registers as d - at holds.
template <int64_t kParts, class T>
void sum_blocks(const T* weight, const int64_t* index, int64_t begin, int64_t end, int64_t n,
                int64_t d, int64_t padding, T* out, int64_t& at) {
  typedef T Lanes __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
  constexpr int64_t kWidth = 32 / sizeof(T), kBlock = kWidth * kParts, kAhead = 16;
  for (; at + kBlock <= d; at += kBlock) {
    Lanes sum[kParts] = {};
    for (int64_t i = begin; i < end; ++i) {
      if (index[i] == padding) continue;
      const auto* row = reinterpret_cast<const Lanes*>(weight + index[i] * d + at);
      if (i + kAhead < n) {  // cache lines of 64 bytes
        const T* next = weight + index[i + kAhead] * d + at;
#pragma GCC unroll 8
        for (int64_t p = 0; p < kParts; p += 2) __builtin_prefetch(next + p * kWidth);
      }
#pragma GCC unroll 16
      for (int64_t p = 0; p < kParts; ++p) sum[p] += row[p];
    }
    std::memcpy(out + at, sum, sizeof(sum));
  }
}

template <class T>
int64_t sum_of(const T* weight, const int64_t* index, int64_t begin, int64_t end, int64_t n,
               int64_t d, int64_t padding, T* out) {
  int64_t at = 0;
  sum_blocks<8>(weight, index, begin, end, n, d, padding, out, at);
  sum_blocks<4>(weight, index, begin, end, n, d, padding, out, at);
  for (; at < d; ++at) {
    T sum = 0;
    for (int64_t i = begin; i < end; ++i)
      if (index[i] != padding) sum += weight[index[i] * d + at];
    out[at] = sum;
  }
  return end - begin - (padding < 0 ? 0 : std::count(index + begin, index + end, padding));
}

template <class T>
void bag_of(const T* weight, const int64_t* index, const T* factor, int64_t begin, int64_t end,
            int64_t n, int64_t d, int64_t padding, int64_t mode, T* out, int64_t* size,
            int64_t* maxima) {
  const bool plain = mode != kMax && factor == nullptr;
  int64_t taken = 0;
  if (plain)
    taken = sum_of(weight, index, begin, end, n, d, padding, out);
  else
    std::fill_n(out, d, T(0));
  for (int64_t i = begin; i < end && !plain; ++i) {
    if (index[i] == padding) continue;
    const T* row = weight + index[i] * d;
    if (mode == kMax) {
      for (int64_t k = 0; k < d; ++k)
        if (taken == 0 || row[k] > out[k]) {
          out[k] = row[k];
          maxima[k] = index[i];
        }
    } else {
      for (int64_t k = 0; k < d; ++k) out[k] += factor[i] * row[k];
    }
    ++taken;
  }
  *size = taken;
  if (mode == kMean && taken > 0) {
    const T share = T(1) / static_cast<T>(taken);
    for (int64_t k = 0; k < d; ++k) out[k] *= share;
  }
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor weight = as_contiguous(stream, in[0]), indices = as_contiguous(stream, in[1]);
  const Tensor offsets = as_contiguous(stream, in[2]);
  const Tensor factors = in.has(3) ? as_contiguous(stream, in[3]) : Tensor();
  const int64_t n = indices.numel(), bags = out[0].size(0), d = weight.size(1);
  const int64_t *index = indices.data_ptr<int64_t>(), *start = offsets.data_ptr<int64_t>();
  require_offsets(start, offsets.numel(), n, attrs.flag(2));
  const int64_t rows = weight.size(0);
  int64_t bad = 0;
  for (int64_t i = 0; i < n; ++i) bad |= index[i] | (rows - 1 - index[i]);
  for (int64_t i = 0; i < n && bad < 0; ++i)
    OA_REQUIRE(index[i] >= 0 && index[i] < rows, "embedding_bag: index ", index[i],
               " is not one of ", rows, " rows");
  fill(stream, out[3], 0);
  const auto end_of = [&](int64_t bag) { return bag + 1 < offsets.numel() ? start[bag + 1] : n; };
  int64_t* bag_of_index = out[1].data_ptr<int64_t>();
  for (int64_t bag = 0; bag < bags; ++bag)
    std::fill(bag_of_index + start[bag], bag_of_index + end_of(bag), bag);
  const int64_t mode = attrs.integer(0);
  with_floating(weight.dtype(), [&]<class T>(Type<T>) {
    stream.parallel_for(bags, 64, [&](int64_t begin, int64_t end) {
      for (int64_t bag = begin; bag < end; ++bag)
        bag_of(weight.data_ptr<T>(), index, factors.defined() ? factors.data_ptr<T>() : nullptr,
               start[bag], end_of(bag), n, d, attrs.integer(3), mode,
               out[0].data_ptr<T>() + bag * d, out[2].data_ptr<int64_t>() + bag,
               mode == kMax ? out[3].data_ptr<int64_t>() + bag * d : nullptr);
    });
  });
}

// Inputs: gradient [b, d], indices [n], bags of the indices [n], sizes [b], maxima,
// per_sample_weights or absent. The gradient of the weight.
void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[0]->sizes.size() == 2, "embedding_bag_backward: expected a gradient [b, d], was ",
             in[0]->sizes);
  out.add({attrs.integer(0), in[0]->sizes[1]}, in[0]->dtype);
}
std::vector<int64_t> counts_of(const Tensor& indices, int64_t rows) {
  std::vector<int64_t> counts(static_cast<size_t>(rows), 0);
  for (const int64_t index : indices.values<int64_t>()) ++counts[static_cast<size_t>(index)];
  return counts;
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), indices = as_contiguous(stream, in[1]);
  const Tensor bag = as_contiguous(stream, in[2]), size = as_contiguous(stream, in[3]);
  const Tensor maxima = as_contiguous(stream, in[4]);
  const Tensor factors = in.has(5) ? as_contiguous(stream, in[5]) : Tensor();
  const int64_t mode = attrs.integer(1), d = g.size(1);
  const auto counts = attrs.flag(2) ? counts_of(indices, attrs.integer(0)) : std::vector<int64_t>{};
  fill(stream, out[0], 0.0);
  const int64_t *index = indices.data_ptr<int64_t>(), *of = bag.data_ptr<int64_t>();
  const int64_t* sizes = size.data_ptr<int64_t>();
  with_floating(g.dtype(), [&]<class T>(Type<T>) {
    const T* from = g.data_ptr<T>();
    T* to = out[0].data_ptr<T>();
    if (mode == kMax) {
      const int64_t* chosen = maxima.data_ptr<int64_t>();
      for (int64_t b = 0; b < g.size(0); ++b)
        for (int64_t k = 0; k < d && sizes[b] > 0; ++k)
          to[chosen[b * d + k] * d + k] += from[b * d + k];
      return;
    }
    for (int64_t i = 0; i < indices.numel(); ++i) {
      if (index[i] == attrs.integer(3)) continue;
      T factor = factors.defined() ? factors.data_ptr<T>()[i] : T(1);
      if (mode == kMean) factor /= static_cast<T>(sizes[of[i]]);
      if (!counts.empty()) factor /= static_cast<T>(counts[static_cast<size_t>(index[i])]);
      for (int64_t k = 0; k < d; ++k) to[index[i] * d + k] += factor * from[of[i] * d + k];
    }
  });
}

Tensor counts_tensor(const Tensor& indices, int64_t rows, DType dtype) {
  return tensor(counts_of(indices.contiguous(), rows), dtype);
}

std::vector<Tensor> composed_backward(const std::vector<Tensor>& in, const Attrs& attrs) {
  const Tensor &g = in[0], &indices = in[1], &bag = in[2], &size = in[3];
  const Tensor none = zeros({attrs.integer(0), g.size(1)}, g.dtype());
  if (attrs.integer(1) == kMax) {
    const Tensor taken = mul(g, unsqueeze(to(gt(size, 0), g.dtype()), 1));
    return {scatter_add(none, 0, in[4], taken)};
  }
  Tensor factor = to(ne(indices, attrs.integer(3)), g.dtype());
  if (attrs.integer(1) == kMean)
    factor = div(factor, to(clamp(index_select(size, 0, bag), 1), g.dtype()));
  if (attrs.flag(2))
    factor =
        div(factor, index_select(counts_tensor(indices, attrs.integer(0), g.dtype()), 0, indices));
  if (in[5].defined()) factor = mul(factor, in[5]);
  return {index_add(none, 0, indices, mul(index_select(g, 0, bag), unsqueeze(factor, 1)))};
}

// Inputs: gradient [b, d], weight [v, d], indices [n], bags of the indices [n]. Of the
// per_sample_weights.
void weights_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[2]->sizes, in[0]->dtype); }
void weights_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), weight = as_contiguous(stream, in[1]);
  const Tensor indices = as_contiguous(stream, in[2]), bag = as_contiguous(stream, in[3]);
  const int64_t d = weight.size(1);
  const int64_t *index = indices.data_ptr<int64_t>(), *of = bag.data_ptr<int64_t>();
  with_floating(g.dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < indices.numel(); ++i) {
      T sum = 0;
      const T *a = g.data_ptr<T>() + of[i] * d, *b = weight.data_ptr<T>() + index[i] * d;
      for (int64_t k = 0; k < d; ++k) sum += a[k] * b[k];
      out[0].data_ptr<T>()[i] = index[i] == attrs.integer(0) ? T(0) : sum;
    }
  });
}
std::vector<Tensor> composed_weights(const std::vector<Tensor>& in, const Attrs& attrs) {
  const Tensor rows = mul(index_select(in[0], 0, in[3]), index_select(in[1], 0, in[2]));
  return {mul(sum(rows, Shape{1}), to(ne(in[2], attrs.integer(0)), rows.dtype()))};
}

constinit const Op kBackward = {
    .name = "embedding_bag_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.linear = 1,
             .generate = [](Metas, const Attrs& attrs) -> std::string {
               const bool maxima = attrs.integer(1) == kMax;  // which stand for all columns
               return str("bd,n,n,b,...,n->vd;bnv...", maxima ? "d" : "");
             }},
    .saves = kSavesAllInputs,
    .vjp =
        [](VjpCall& call) {
          const Attrs attrs = call.attrs();
          vjp_by_composition(call, [attrs](const std::vector<Tensor>& in) {
            return composed_backward(in, attrs);
          });
        },
    .kernels = {backward_kernel},
    .samples =
        [] {
          const auto attrs = [](Mode mode, bool by_freq, int64_t padding) {
            return Attrs().add(5).add(int64_t{mode}).add(by_freq).add(padding);
          };
          return Samples{{{normal({2, 3}), ints({4}, 0, 5), ints({4}, 0, 2), ints({2}, 1, 4),
                           ints({2}, 0, 1), normal({4})},
                          attrs(kSum, false, 1)},
                         {{normal({2, 3}), ints({4}, 0, 5), ints({4}, 0, 2), ints({2}, 1, 4),
                           ints({2}, 0, 1), absent()},
                          attrs(kMean, true, -1)},
                         {{normal({2, 3}), ints({4}, 0, 5), ints({4}, 0, 2), ints({2}, 0, 4),
                           ints({2, 3}, 0, 5), absent()},
                          attrs(kMax, false, -1)}};
        }};
constinit const Op kWeightsBackward = {
    .name = "embedding_bag_weights_backward",
    .attrs = kWeightsAttrs,
    .infer = weights_infer,
    .absent = 0xffffffff,
    .rule = {.factors = "bd,vd,n,n->n", .closed = "bv", .linear = 3},
    .saves = kSavesAllInputs,
    .vjp =
        [](VjpCall& call) {
          const Attrs attrs = call.attrs();
          vjp_by_composition(
              call, [attrs](const std::vector<Tensor>& in) { return composed_weights(in, attrs); });
        },
    .kernels = {weights_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({2, 3}), normal({5, 3}), ints({4}, 0, 5), ints({4}, 0, 2)}, Attrs().add(1)}};
        }};

// The gradient of each row that was read, by its index.
Tensor sparse_backward(const VjpCall& call, const Tensor& indices, const Tensor& bag,
                       const Tensor& size, const Tensor& factors) {
  Tensor rows = index_select(call.grad(), 0, bag);
  if (call.attrs().integer(0) == kMean) {
    const Tensor counts = index_select(to(clamp(size, 1), rows.dtype()), 0, bag);
    rows = div(rows, unsqueeze(counts, 1));
  }
  if (factors.defined()) rows = mul(rows, unsqueeze(factors, 1));
  return embedding_sparse_backward(rows, indices, call.input_sizes(0)[0], call.attrs().integer(3),
                                   call.attrs().flag(1));
}

void vjp(VjpCall& call) {
  const Tensor indices = call.input(1), factors = call.input(3);
  const Tensor bag = call.output(1), size = call.output(2), maxima = call.output(3);
  const Attrs& attrs = call.attrs();
  if (call.needs(0) && attrs.flag(4)) {
    call.set(0, sparse_backward(call, indices, bag, size, factors));
  } else if (call.needs(0)) {
    const Attrs to_weight = Attrs()
                                .add(call.input_sizes(0)[0])
                                .add(attrs.integer(0))
                                .add(attrs.flag(1))
                                .add(attrs.integer(3));
    call.set(
        0, call_op(kBackward, {&call.grad(), &indices, &bag, &size, &maxima, &factors}, to_weight));
  }
  if (!call.needs(3)) return;
  const Tensor weight = call.input(0);
  call.set(3, call_op(kWeightsBackward, {&call.grad(), &weight, &indices, &bag},
                      Attrs().add(attrs.integer(3))));
}

constinit const Op kEmbeddingBag = {
    .name = "embedding_bag",
    .attrs = kAttrs,
    .infer = infer,
    .absent = saves_input(3),
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      const char* offsets = attrs.flag(2) ? "o" : "b";
      const char* maxima = attrs.integer(0) == kMax ? "bd" : "b";
      return str("vd,n,", offsets, ",n->bd,n,b,", maxima, ";vnbod");
    }},
    .saves = kSavesAllInputs | saves_output(1) | saves_output(2) | saves_output(3),
    .vjp = vjp,
    .kernels = {kernel},
    .samples = [] {
      const auto attrs = [](Mode mode) {
        return Attrs().add(int64_t{mode}).add(false).add(false).add(int64_t{-1}).add(false);
      };
      return Samples{{{normal({5, 3}), ints({4}, 0, 5), ints({1}, 0, 1), absent()}, attrs(kMean)},
                     {{normal({5, 3}), ints({4}, 0, 5), ints({2}, 0, 1), normal({4})}, attrs(kSum)},
                     {{normal({5, 3}), ints({4}, 0, 5), ints({1}, 0, 1), absent()}, attrs(kMax)}};
    }};

Tensor as_int64(const Tensor& x) { return x.dtype() == DType::kInt32 ? to(x, DType::kInt64) : x; }

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset, std::optional<int64_t> padding_idx) {
  OA_REQUIRE(mode >= kSum && mode <= kMax, "embedding_bag: mode must be 0, 1 or 2, was ", mode);
  OA_REQUIRE(mode != kMax || !sparse, "embedding_bag: max mode does not support sparse weights");
  int64_t padding = padding_idx.value_or(-1);
  const int64_t rows = weight.dim() == 2 ? weight.size(0) : 0;
  OA_REQUIRE(!padding_idx || (padding >= -rows && padding < rows), "embedding_bag: padding_idx ",
             padding, " is not one of ", rows, " rows");
  if (padding_idx && padding < 0) padding += rows;
  const Tensor index = as_int64(indices), start = as_int64(offsets);
  const Tensor factors = per_sample_weights.value_or(Tensor());
  Tensor out[4];
  call_op(
      kEmbeddingBag, {&weight, &index, &start, &factors},
      Attrs().add(mode).add(scale_grad_by_freq).add(include_last_offset).add(padding).add(sparse),
      out);
  return {out[0], out[1], out[2], out[3]};
}
std::tuple<Tensor, Tensor, Tensor, Tensor> embedding_bag(
    const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale_grad_by_freq,
    int64_t mode, bool sparse, const std::optional<Tensor>& per_sample_weights,
    bool include_last_offset) {
  return embedding_bag(weight, indices, offsets, scale_grad_by_freq, mode, sparse,
                       per_sample_weights, include_last_offset, std::nullopt);
}

OA_OP(embedding_bag, &kEmbeddingBag, &kBackward, &kWeightsBackward)

}  // namespace oneagent
