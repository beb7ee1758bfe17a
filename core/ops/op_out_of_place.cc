#include "core/ops/op_support.h"
#include "core/ops/ops.h"

namespace oneagent {

Tensor uniform(const Tensor& input, double from, double to, std::optional<Generator> generator) {
  return uniform_(clone(input), from, to, generator);
}
Tensor exponential(const Tensor& input, double lambd, std::optional<Generator> generator) {
  return exponential_(clone(input), lambd, generator);
}
Tensor cauchy(const Tensor& input, double median, double sigma,
              std::optional<Generator> generator) {
  return cauchy_(clone(input), median, sigma, generator);
}
Tensor log_normal(const Tensor& input, double mean, double std,
                  std::optional<Generator> generator) {
  return log_normal_(clone(input), mean, std, generator);
}
Tensor geometric(const Tensor& input, double p, std::optional<Generator> generator) {
  return geometric_(clone(input), p, generator);
}
Tensor normal_functional(const Tensor& input, double mean, double std,
                         std::optional<Generator> generator) {
  return normal_(clone(input), mean, std, generator);
}
Tensor random(const Tensor& input, std::optional<Generator> generator) {
  return random_(clone(input), generator);
}
Tensor random(const Tensor& input, int64_t to, std::optional<Generator> generator) {
  return random_(clone(input), to, generator);
}
Tensor random(const Tensor& input, int64_t from, std::optional<int64_t> to,
              std::optional<Generator> generator) {
  return random_(clone(input), from, to, generator);
}
Tensor bernoulli(const Tensor& input, const Tensor& p, std::optional<Generator> generator) {
  return bernoulli_(clone(input), p, generator);
}

Tensor copy(const Tensor& input, const Tensor& source, bool) {
  return to(expand(source, input.sizes()), input.scalar_type(), false, /*copy=*/true);
}
Tensor fill(const Tensor& input, const Tensor& value) { return fill_(clone(input), value); }
Tensor zero(const Tensor& input) { return zeros_like(input); }
Tensor detach(const Tensor& input) { return input.detach(); }
Tensor& detach_(Tensor& input) { return input.detach_(); }
Tensor resize(const Tensor& input, const Shape& size, std::optional<MemoryFormat> memory_format) {
  return clone(input).resize_(size, memory_format);
}
Tensor resize_as(const Tensor& input, const Tensor& like,
                 std::optional<MemoryFormat> memory_format) {
  return clone(input).resize_as_(like, memory_format);
}
const Tensor& resize_as_(const Tensor& input, const Tensor& like,
                         std::optional<MemoryFormat> memory_format) {
  return input.resize_as_(like, memory_format);
}

Tensor flatten_dense_tensors(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> flat;
  for (const Tensor& tensor : tensors) flat.push_back(reshape(tensor, {-1}));
  return cat(flat);
}
std::vector<Tensor> unflatten_dense_tensors(const Tensor& flat,
                                            const std::vector<Tensor>& tensors) {
  std::vector<Tensor> out;
  int64_t at = 0;
  for (const Tensor& like : tensors) {
    out.push_back(view(narrow(flat, 0, at, like.numel()), like.sizes()));
    at += like.numel();
  }
  return out;
}

Tensor pad_sequence(const std::vector<Tensor>& sequences, bool batch_first, double padding_value) {
  OA_REQUIRE(!sequences.empty(), "pad_sequence: needs at least one sequence");
  int64_t longest = 0;
  for (const Tensor& sequence : sequences) {
    OA_REQUIRE(sequence.dim() > 0 && sequence.sizes().slice(1) == sequences[0].sizes().slice(1),
               "pad_sequence: sequences differ in more than their first dimension: ",
               sequences[0].sizes(), " and ", sequence.sizes());
    longest = std::max(longest, sequence.size(0));
  }
  std::vector<Tensor> padded;
  for (const Tensor& sequence : sequences) {
    std::vector<int64_t> amounts(static_cast<size_t>(2 * sequence.dim()), 0);
    amounts.back() = longest - sequence.size(0);
    padded.push_back(constant_pad_nd(sequence, Shape(amounts), padding_value));
  }
  return stack(padded, batch_first ? 0 : 1);
}

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  if (dim == -1) return norm(v, Scalar(pow));
  const int64_t kept = wrap_dim(dim, v.dim(), "norm_except_dim");
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d != kept) dims.push_back(d);
  return dims.empty() ? abs(v) : norm(v, Scalar(pow), Shape(dims), /*keepdim=*/true);
}

Tensor kaiser_window(int64_t window_length, const TensorOptions& options) {
  return kaiser_window(window_length, /*periodic=*/true, options);
}
Tensor kaiser_window(int64_t window_length, bool periodic, const TensorOptions& options) {
  return kaiser_window(window_length, periodic, /*beta=*/12.0, options);
}
Tensor kaiser_window(int64_t window_length, bool periodic, double beta,
                     const TensorOptions& options) {
  OA_REQUIRE(window_length >= 0, "kaiser_window: needs a length that is not negative, was ",
             window_length);
  if (window_length == 0) return empty({0}, options);
  if (window_length == 1) return ones({1}, options);
  const int64_t n = window_length + (periodic ? 1 : 0);
  const double half = static_cast<double>(n - 1) / 2;
  const Tensor x = sub(div(arange(n, kFloat64), half), 1);
  const Tensor window =
      div(i0(mul(sqrt(clamp_min(rsub(mul(x, x), 1), 0)), beta)), i0(full({}, beta, kFloat64)));
  return to(narrow(window, 0, 0, window_length), ones({0}, options).scalar_type());
}

Tensor linalg_diagonal(const Tensor& A, int64_t offset, int64_t dim1, int64_t dim2) {
  return diagonal(A, offset, dim1, dim2);
}

Tensor special_softmax(const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return softmax(input, dim, dtype);
}
Tensor special_log_softmax(const Tensor& input, int64_t dim, std::optional<DType> dtype) {
  return log_softmax(input, dim, dtype);
}
Tensor special_round(const Tensor& input, int64_t decimals) { return round(input, decimals); }

}  // namespace oneagent
