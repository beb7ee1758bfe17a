#include "core/ops/bilinear.h"
#include "core/ops/binary.h"
#include "core/ops/matmul.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"

namespace oneagent {

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const std::optional<Tensor>& bias) {
  OA_REQUIRE(input1.dim() >= 1 && input1.dim() == input2.dim() && weight.dim() == 3,
             "bilinear: expected two inputs of one rank and a weight [out, in1, in2], was ",
             input1.sizes(), ", ", input2.sizes(), " and ", weight.sizes());
  Shape sizes = input1.sizes();
  for (size_t d = 0; d + 1 < sizes.size(); ++d)
    OA_REQUIRE(sizes[d] == input2.sizes()[d], "bilinear: inputs of shape ", sizes, " and ",
               input2.sizes(), " differ before their last dimension");
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  OA_REQUIRE(input1.size(-1) == in1 && input2.size(-1) == in2, "bilinear: a weight of shape ",
             weight.sizes(), " does not fit inputs ", input1.sizes(), " and ", input2.sizes());
  OA_REQUIRE(!bias.has_value() || !bias->defined() || bias->sizes() == Shape{out},
             "bilinear: expected a bias of shape [", out, "]");
  const int64_t rows = in1 == 0 ? 0 : input1.numel() / in1;
  const Tensor middle =
      mm(reshape(input1, {rows, in1}), reshape(permute(weight, {1, 0, 2}), {in1, out * in2}));
  const Tensor y = bmm(view(middle, {rows, out, in2}), reshape(input2, {rows, in2, 1}));
  sizes[sizes.size() - 1] = out;
  const Tensor shaped = view(y, sizes);
  return bias.has_value() && bias->defined() ? add(shaped, *bias) : shaped;
}

Tensor _trilinear(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Shape& expand1,
                  const Shape& expand2, const Shape& expand3, const Shape& sumdim, int64_t) {
  const auto expanded = [](Tensor x, Shape dims) {
    std::sort(dims.begin(), dims.end());
    for (const int64_t dim : dims) x = unsqueeze(x, dim);
    return x;
  };
  const Tensor product =
      mul(mul(expanded(i1, expand1), expanded(i2, expand2)), expanded(i3, expand3));
  return sumdim.empty() ? product : sum(product, sumdim);
}

}  // namespace oneagent
