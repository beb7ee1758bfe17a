#include "core/ops/op_reduce.h"

#include <algorithm>

#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/view.h"

namespace oneagent {

Shape normal_dims(const char* op, const Tensor& x, const Shape& dims) {
  Shape out;
  if (dims.empty()) {
    for (int64_t i = 0; i < x.dim(); ++i) out.push_back(i);
    return out;
  }
  for (const int64_t dim : dims) out.push_back(wrap_dim(dim, x.dim(), op));
  std::sort(out.begin(), out.end());
  OA_REQUIRE(std::adjacent_find(out.begin(), out.end()) == out.end(), op,
             ": a dimension appears twice in ", dims);
  return x.dim() == 0 ? Shape{} : out;
}

Shape one_dim(const TensorMeta& x, int64_t dim) { return x.sizes.empty() ? Shape{} : Shape{dim}; }

double count_of(const Shape& sizes, const Shape& dims) {
  double count = 1;
  for (const int64_t dim : dims) count *= static_cast<double>(sizes[static_cast<size_t>(dim)]);
  return count;
}

double reduce_flops(Metas in, const Attrs&, const Inferred&) {
  return static_cast<double>(in[0]->sizes.numel());
}

std::string reduce_rule(const Shape& sizes, const Shape& dims, bool keepdim, int results) {
  std::string operand, result;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const char letter = static_cast<char>('a' + i);
    const bool reduced = std::find(dims.begin(), dims.end(), static_cast<int64_t>(i)) != dims.end();
    operand += letter;
    if (!reduced)
      result += letter;
    else if (keepdim)
      result += '1';
  }
  std::string out = operand + "->" + result;
  for (int i = 1; i < results; ++i) out += "," + result;
  return out;
}

std::string whole_reduce_rule(const Shape& sizes, const Shape& dims, bool keepdim, int results) {
  std::string closed;
  for (const int64_t dim : dims) closed += static_cast<char>('a' + dim);
  return reduce_rule(sizes, dims, keepdim, results) + ";" + closed;
}

std::string along_rule(const Shape& sizes, int64_t dim, int operands, int results) {
  std::string letters;
  for (size_t i = 0; i < sizes.size(); ++i) letters += static_cast<char>('a' + i);
  std::string out = letters;
  for (int i = 1; i < operands; ++i) out += "," + letters;
  out += "->" + letters;
  for (int i = 1; i < results; ++i) out += "," + letters;
  return letters.empty() ? out : str(out, ";", static_cast<char>('a' + dim));
}

Tensor spread(const Tensor& reduced, const Shape& sizes, const Shape& dims) {
  Shape kept = sizes;
  for (const int64_t dim : dims) kept[static_cast<size_t>(dim)] = 1;
  return expand(reduced.sizes() == kept ? reduced : view(contiguous(reduced), kept), sizes);
}

Tensor put_back(const Tensor& gradient, const Shape& sizes, int64_t dim, const Tensor& index,
                bool keepdim) {
  if (sizes.empty()) return gradient;
  const bool squeezed = !keepdim && gradient.sizes().size() < sizes.size();
  return scatter(zeros(sizes, gradient.dtype()), dim, squeezed ? unsqueeze(index, dim) : index,
                 squeezed ? unsqueeze(gradient, dim) : gradient);
}

Tensor as_summand(const Tensor& x, std::optional<DType> dtype) {
  if (dtype) return to(x, *dtype);
  return is_integral(x.dtype(), true) ? to(x, DType::kInt64) : x;
}

}  // namespace oneagent
