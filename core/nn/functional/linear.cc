#include "core/nn/functional/linear.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor linear(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  return oneagent::linear(input, weight, bias);
}

Tensor bilinear(const Tensor& input1, const Tensor& input2, const Tensor& weight,
                const Tensor& bias) {
  OA_REQUIRE(
      weight.dim() == 3 && input1.dim() == input2.dim() && input1.size(-1) == weight.size(1) &&
          input2.size(-1) == weight.size(2),
      "bilinear: expected inputs [..., in1] and [..., in2] for a weight [out, in1, in2], was ",
      input1.sizes(), " and ", input2.sizes(), " for ", weight.sizes());
  const int64_t out = weight.size(0), in1 = weight.size(1), in2 = weight.size(2);
  Shape sizes = input1.sizes();
  sizes[sizes.size() - 1] = out;
  const Tensor a = input1.reshape({-1, in1}), b = input2.reshape({-1, in2});
  // [rows, in1] [in1, out in2] -> [rows, out, in2], then the product with each row of b
  const Tensor left = matmul(a, weight.transpose(0, 1).reshape({in1, out * in2}));
  const Tensor result = matmul(left.view({-1, out, in2}), b.unsqueeze(2)).squeeze(2);
  return (bias.defined() ? result + bias : result).reshape(sizes);
}

}  // namespace oneagent::nn::functional
