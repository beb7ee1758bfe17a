#include "core/ops/embedding.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/kernels/copy.h"
#include "core/kernels/copy_run.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/index.h"
#include "core/ops/nonzero.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/sparse.h"
#include "core/ops/view.h"
#include "core/tensor/global_parts.h"

namespace oneagent {
namespace {

// A rank that holds some rows of a table reads and writes these (core/dist/signature.h): where they
// begin, and the number of all rows; zeros for a whole table.
constexpr AttrSpec kAttrs[] = {{"padding_idx", AttrKind::kInt},
                               {"scale_grad_by_freq", AttrKind::kBool},
                               {"sparse", AttrKind::kBool},
                               {"begin_of_input", AttrKind::kInt},
                               {"size_of_input", AttrKind::kInt}};
constexpr AttrSpec kBackwardAttrs[] = {{"num_weights", AttrKind::kInt},
                                       {"padding_idx", AttrKind::kInt},
                                       {"scale_grad_by_freq", AttrKind::kBool},
                                       {"begin_of_result", AttrKind::kInt},
                                       {"size_of_result", AttrKind::kInt}};
constexpr AttrSpec kRenormAttrs[] = {{"max_norm", AttrKind::kNumber},
                                     {"norm_type", AttrKind::kNumber}};

constexpr int64_t kAhead = 16;  // rows that are fetched into the cache early

void require_indices(const char* op, const TensorMeta& indices) {
  OA_REQUIRE(indices.dtype == DType::kInt64, op, ": indices must be int64 or int32, was ",
             name_of(indices.dtype));
}
int64_t checked(const char* op, int64_t index, int64_t rows) {
  if (index < 0 || index >= rows)
    throw IndexError(str(op, ": index out of range in self: ", index, " of ", rows, " rows"));
  return index;
}

// The rows of a table that are here.
struct Rows {
  int64_t begin, count, all;
  Rows(const Attrs& attrs, size_t at, int64_t here)
      : begin(attrs.integer(at)), count(here), all(std::max(attrs.integer(at + 1), here)) {}
  // Where `index` lies among them; none of [0, count) where it lies elsewhere.
  int64_t place(const char* op, int64_t index) const { return checked(op, index, all) - begin; }
  bool has(int64_t place) const { return place >= 0 && place < count; }
};

void infer(Metas in, const Attrs&, Inferred& out) {
  const Shape& weight = in[0]->sizes;
  OA_REQUIRE(weight.size() == 2, "embedding: expected a weight [rows, d], was ", weight);
  require_indices("embedding", *in[1]);
  Shape sizes = in[1]->sizes;
  sizes.push_back(weight[1]);
  out.add(sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor weight = as_contiguous(stream, in[0]), indices = as_contiguous(stream, in[1]);
  const Rows rows(attrs, 3, weight.size(0));
  const size_t bytes = static_cast<size_t>(weight.size(1)) * weight.element_size();
  const int64_t* index = indices.data_ptr<int64_t>();
  const char* from = static_cast<const char*>(weight.data_ptr());
  char* to = static_cast<char*>(out[0].data_ptr());
  const int64_t grain = std::max<int64_t>(65536 / static_cast<int64_t>(bytes + 1), 1);
  stream.parallel_for(indices.numel(), grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (i + kAhead < end)
        if (const int64_t later = index[i + kAhead] - rows.begin; rows.has(later))
          __builtin_prefetch(from + static_cast<size_t>(later) * bytes);
      const int64_t row = rows.place("embedding", index[i]);
      char* const place = to + static_cast<size_t>(i) * bytes;
      if (rows.has(row))
        copy_run(place, from + static_cast<size_t>(row) * bytes, bytes);
      else
        std::memset(place, 0, bytes);
    }
  });
}

void backward_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_indices("embedding_dense_backward", *in[1]);
  Shape expected = in[1]->sizes;
  expected.push_back(in[0]->sizes.empty() ? 0 : in[0]->sizes.back());
  OA_REQUIRE(in[0]->sizes == expected, "embedding_dense_backward: for indices of shape ",
             in[1]->sizes, " the gradient has the shape [..., d], was ", in[0]->sizes);
  out.add({attrs.integer(0), in[0]->sizes.back()}, in[0]->dtype);
}

std::vector<int64_t> counts_of(const Tensor& indices, const Rows& rows) {
  std::vector<int64_t> counts(static_cast<size_t>(rows.count), 0);
  const int64_t* index = indices.data_ptr<int64_t>();
  for (int64_t i = 0; i < indices.numel(); ++i)
    if (const int64_t row = rows.place("embedding", index[i]); rows.has(row))
      ++counts[static_cast<size_t>(row)];
  return counts;
}

void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), indices = as_contiguous(stream, in[1]);
  fill(stream, out[0], 0.0);
  const Rows rows(attrs, 3, attrs.integer(0));
  const int64_t padding = attrs.integer(1), d = out[0].size(1);
  const auto counts = attrs.flag(2) ? counts_of(indices, rows) : std::vector<int64_t>{};
  const int64_t* index = indices.data_ptr<int64_t>();
  with_floating(g.dtype(), [&]<class T>(Type<T>) {
    const T* from = g.data_ptr<T>();
    for (int64_t i = 0; i < indices.numel(); ++i) {
      const int64_t row = rows.place("embedding_dense_backward", index[i]);
      if (index[i] == padding || !rows.has(row)) continue;
      T* to = out[0].data_ptr<T>() + row * d;
      if (counts.empty()) {
        for (int64_t k = 0; k < d; ++k) to[k] += from[i * d + k];
      } else {
        const T factor = T(1) / static_cast<T>(counts[static_cast<size_t>(row)]);
        for (int64_t k = 0; k < d; ++k) to[k] += from[i * d + k] * factor;
      }
    }
  });
}

void vjp(VjpCall& call) {
  call.set(0,
           embedding_backward(call.grad(), call.input(1), call.input_sizes(0)[0],
                              call.attrs().integer(0), call.attrs().flag(1), call.attrs().flag(2)));
}

// What each read row's gradient is multiplied by: [..., 1].
Tensor factors(const Tensor& indices, const Attrs& attrs, DType dtype) {
  const Tensor flat = whole_values(indices).contiguous();
  const Tensor out = empty(indices.sizes(), dtype);
  const auto counts =
      attrs.flag(2) ? counts_of(flat, Rows(attrs, 3, attrs.integer(0))) : std::vector<int64_t>{};
  const int64_t* index = flat.data_ptr<int64_t>();
  with_any(dtype, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < flat.numel(); ++i) {
      double factor = index[i] == attrs.integer(1) ? 0.0 : 1.0;
      if (!counts.empty()) factor /= static_cast<double>(counts[static_cast<size_t>(index[i])]);
      out.data_ptr<T>()[i] = Scalar(factor).wrapped_to<T>();
    }
  });
  return unsqueeze(out, -1);
}
void backward_vjp(VjpCall& call) {
  const Tensor indices = call.input(1), read = embedding(call.grad(), indices);
  const bool plain = call.attrs().integer(1) < 0 && !call.attrs().flag(2);
  call.set(0, plain ? read : mul(read, factors(indices, call.attrs(), read.dtype())));
}

void renorm_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("embedding_renorm", *in[0]);
  OA_REQUIRE(in[0]->sizes.size() == 2, "embedding_renorm: expected a weight [rows, d], was ",
             in[0]->sizes);
  require_indices("embedding_renorm", *in[1]);
  out.add(in[0]->sizes, in[0]->dtype);
}
template <class T>
double norm_of(const T* row, int64_t n, int64_t step, double p) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double x = std::abs(static_cast<double>(row[i * step]));
    if (std::isinf(p))
      sum = std::max(sum, x);
    else
      sum += p == 2 ? x * x : p == 1 ? x : std::pow(x, p);
  }
  return std::isinf(p) || p == 1 ? sum : p == 2 ? std::sqrt(sum) : std::pow(sum, 1 / p);
}
void renorm_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  if (out[0].data_ptr() != in[0].data_ptr()) copy_into(stream, out[0], in[0]);
  const Tensor indices = as_contiguous(stream, in[1]);
  const int64_t* index = indices.data_ptr<int64_t>();
  std::vector<int64_t> rows(index, index + indices.numel());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const int64_t d = out[0].size(1), step = out[0].stride(1);
  with_floating(out[0].dtype(), [&]<class T>(Type<T>) {
    for (const int64_t i : rows) {
      T* row = static_cast<T*>(out[0].data_ptr()) +
               checked("embedding_renorm_", i, out[0].size(0)) * out[0].stride(0);
      const double norm = norm_of(row, d, step, attrs.number(1));
      if (!(norm > attrs.number(0))) continue;
      const T scale = static_cast<T>(attrs.number(0) / (norm + 1e-7));
      for (int64_t k = 0; k < d; ++k) row[k * step] *= scale;
    }
  });
}

std::string rule(Metas in, const Attrs&) {
  std::string index;
  for (size_t i = 0; i < in[1]->sizes.size(); ++i) index += static_cast<char>('a' + i);
  return "vz," + index + "->" + index + "z";
}
std::string backward_rule(Metas in, const Attrs& attrs) {
  std::string index;
  for (size_t i = 0; i < in[1]->sizes.size(); ++i) index += static_cast<char>('a' + i);
  const bool by_freq = attrs.flag(2);  // frequencies are those of all indices
  return index + "z," + index + "->vz" + (by_freq ? ";" + index : "");
}

// A row is read and written for each index; of a gradient's table all rows are written.
double bytes_of_rows(Metas in, const Attrs&, const Inferred& out) {
  return static_cast<double>(2 * out[0].sizes.numel()) *
             static_cast<double>(size_of(out[0].dtype)) +
         8 * static_cast<double>(in[1]->sizes.numel());
}
double backward_bytes(Metas in, const Attrs&, const Inferred& out) {
  return static_cast<double>(3 * in[0]->sizes.numel() + out[0].sizes.numel()) *
             static_cast<double>(size_of(out[0].dtype)) +
         8 * static_cast<double>(in[1]->sizes.numel());
}

Attrs attrs_of(int64_t padding, bool by_freq, bool sparse = false) {
  return Attrs().add(padding).add(by_freq).add(sparse).add(int64_t{0}).add(int64_t{0});
}
Attrs backward_attrs(int64_t rows, int64_t padding, bool by_freq) {
  return Attrs().add(rows).add(padding).add(by_freq).add(int64_t{0}).add(int64_t{0});
}

constinit const Op kEmbedding = {.name = "embedding",
                                 .attrs = kAttrs,
                                 .infer = infer,
                                 .rule = {.linear = 1, .generate = rule},
                                 .saves = saves_input(1),
                                 .half = true,
                                 .bytes = bytes_of_rows,
                                 .vjp = vjp,
                                 .kernels = {kernel},
                                 .samples = [] {
                                   return Samples{
                                       {{normal({5, 3}), ints({4}, 0, 5)}, attrs_of(-1, false)},
                                       {{normal({5, 3}), ints({}, 0, 5)}, attrs_of(-1, false)},
                                       {{normal({5, 3}), ints({0}, 0, 5)}, attrs_of(-1, false)}};
                                 }};
constinit const Op kEmbeddingBackward = {
    .name = "embedding_dense_backward",
    .attrs = kBackwardAttrs,
    .infer = backward_infer,
    .rule = {.linear = 1, .generate = backward_rule},
    .saves = saves_input(1),
    .bytes = backward_bytes,
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = [] {
      return Samples{{{normal({6, 3}), ints({6}, 0, 4)}, backward_attrs(4, -1, false)},
                     {{normal({2, 6, 3}), ints({2, 6}, 0, 4)}, backward_attrs(5, 2, true)}};
    }};
constinit const Op kRenorm = {
    .name = "embedding_renorm",
    .attrs = kRenormAttrs,
    .infer = renorm_infer,
    .rule = {.generate = [](Metas in, const Attrs&) -> std::string {
      return in[1]->sizes.size() == 1 ? "vz,a->vz;vza" : "vz,ab->vz;vzab";
    }},
    .in_place = true,
    .kernels = {renorm_kernel},
    .samples = [] {
      return Samples{{{normal({5, 4}), ints({3}, 0, 5)}, Attrs().add(1.0).add(2.0)},
                     {{normal({4, 3}), ints({2, 2}, 0, 4)}, Attrs().add(0.5).add(1.0)}};
    }};

Tensor as_int64(const Tensor& indices) {
  return indices.dtype() == DType::kInt32 ? to(indices, DType::kInt64) : indices;
}

}  // namespace

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t padding_idx,
                 bool scale_grad_by_freq, bool sparse) {
  OA_REQUIRE(weight.defined(), "embedding: the weight is an undefined tensor");
  const Tensor index = as_int64(indices);
  return call_op(kEmbedding, {&weight, &index}, attrs_of(padding_idx, scale_grad_by_freq, sparse));
}
Tensor embedding_sparse_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                                 int64_t padding_idx, bool scale_grad_by_freq) {
  OA_REQUIRE(!scale_grad_by_freq,
             "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  const int64_t d = grad.size(-1), n = indices.numel();
  const Tensor all = whole_values(grad);  // a rank takes those of its rows
  Tensor index = reshape(as_int64(whole_values(indices)), {n}), values = reshape(all, {n, d});
  if (padding_idx != -1) {
    const Tensor kept = reshape(nonzero(ne(index, padding_idx)), {-1});
    if (kept.numel() < n) {
      index = index_select(index, 0, kept);
      values = index_select(values, 0, kept);
    }
  }
  return _sparse_coo_tensor_unsafe(unsqueeze(index, 0), values, {num_weights, d});
}
Tensor embedding_dense_backward(const Tensor& grad_output, const Tensor& indices,
                                int64_t num_weights, int64_t padding_idx, bool scale_grad_by_freq) {
  const Tensor index = as_int64(indices);
  return call_op(kEmbeddingBackward, {&grad_output, &index},
                 backward_attrs(num_weights, padding_idx, scale_grad_by_freq));
}
Tensor embedding_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights,
                          int64_t padding_idx, bool scale_grad_by_freq, bool sparse) {
  if (sparse)
    return embedding_sparse_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
  return embedding_dense_backward(grad, indices, num_weights, padding_idx, scale_grad_by_freq);
}
Tensor embedding_renorm(const Tensor& self, const Tensor& indices, double max_norm,
                        double norm_type) {
  return embedding_renorm_(clone(self.detach()), indices, max_norm, norm_type);
}
Tensor& embedding_renorm_(const Tensor& self, const Tensor& indices, double max_norm,
                          double norm_type) {
  const Tensor index = as_int64(indices);
  const NoGradGuard guard;
  return const_cast<Tensor&>(
      call_in_place(kRenorm, {&self, &index}, Attrs().add(max_norm).add(norm_type)));
}

OA_OP(embedding, &kEmbedding, &kEmbeddingBackward, &kRenorm)

}  // namespace oneagent
