#include "core/ops/expand.h"

#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kSizesAttrs[] = {{"sizes", AttrKind::kInts}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  meta.sizes = attrs.list(0);
  meta.strides = meta.sizes;
  OA_REQUIRE(meta.sizes.size() >= in[0]->sizes.size(), "expand: the number of sizes provided (",
             meta.sizes.size(),
             ") must be greater or equal to the number of dimensions in the "
             "tensor (",
             in[0]->sizes.size(), ")");
  const size_t extra = meta.sizes.size() - in[0]->sizes.size();
  for (size_t i = 0; i < meta.sizes.size(); ++i) {
    const int64_t from = i < extra ? 1 : in[0]->sizes[i - extra];
    OA_REQUIRE(from == meta.sizes[i] || (from == 1 && meta.sizes[i] >= 0),
               "expand: The expanded size of the tensor (", meta.sizes[i],
               ") must match the existing size (", from, ") at non-singleton dimension ", i,
               ".  Target sizes: ", meta.sizes, ".  Tensor sizes: ", in[0]->sizes);
    meta.strides[i] =
        i < extra || (from == 1 && meta.sizes[i] != 1) ? 0 : in[0]->strides[i - extra];
  }
}
void vjp(VjpCall& call) { call.set(0, sum_to(call.grad(), call.input_sizes(0))); }
std::string rule(Metas in, const Attrs& attrs) {
  const Shape to = attrs.list(0);
  const std::string result = rule_letters(to.size());
  return result.substr(to.size() - in[0]->sizes.size()) + "->" + result;
}

constinit const Op kExpand = {
    .name = "expand",
    .attrs = kSizesAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule},
    .alias_of = 0,
    .vjp = vjp,
    .samples =
        [] {
          return Samples{{{normal({3, 1})}, Attrs().add(Shape{2, 3, 4})},
                         {{normal({})}, Attrs().add(Shape{3})},
                         {{normal({1, 2})}, Attrs().add(Shape{0, 2})}};
        },
};

}  // namespace

Tensor expand(const Tensor& self, const Shape& size, bool) {
  Shape filled = size;
  const size_t extra = size.size() >= self.sizes().size() ? size.size() - self.sizes().size() : 0;
  for (size_t i = extra; i < size.size(); ++i)
    if (filled[i] == -1) filled[i] = self.sizes()[i - extra];
  int64_t count = 1;
  for (const int64_t n : filled)
    OA_REQUIRE(n == 0 || !__builtin_mul_overflow(count, n, &count), "expand: a tensor of shape ",
               filled, " has more elements than an int64 counts");
  return call_op(kExpand, {&self}, Attrs().add(filled));
}
Tensor expand_as(const Tensor& self, const Tensor& other) { return expand(self, other.sizes()); }
Tensor broadcast_to(const Tensor& self, const Shape& size) { return expand(self, size); }

std::vector<Tensor> broadcast_tensors(const std::vector<Tensor>& tensors) {
  Shape sizes;
  for (const Tensor& tensor : tensors)
    sizes = broadcast_sizes("broadcast_tensors", sizes, tensor.sizes());
  std::vector<Tensor> out;
  for (const Tensor& tensor : tensors)
    out.push_back(tensor.sizes() == sizes ? tensor : expand(tensor, sizes));
  return out;
}

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors) { return meshgrid(tensors, "ij"); }

std::vector<Tensor> meshgrid(const std::vector<Tensor>& tensors, std::string_view indexing) {
  OA_REQUIRE(!tensors.empty(), "meshgrid: needs at least one tensor");
  OA_REQUIRE(indexing == "ij" || indexing == "xy",
             "meshgrid: indexing must be \"ij\" or \"xy\", was \"", indexing, "\"");
  const bool swap = indexing == "xy" && tensors.size() >= 2;
  std::vector<Tensor> operands = tensors;
  if (swap) std::swap(operands[0], operands[1]);
  Shape sizes;
  for (size_t i = 0; i < operands.size(); ++i) {
    OA_REQUIRE(
        operands[i].dim() <= 1,
        "meshgrid: Expected 0D or 1D tensor in the tensor list but got: ", operands[i].sizes());
    OA_REQUIRE(operands[i].dtype() == operands[0].dtype(),
               "meshgrid: meshgrid expects all tensors to have the same dtype, were ",
               name_of(operands[0].dtype()), " and ", name_of(operands[i].dtype()));
    sizes.push_back(operands[i].numel());
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < operands.size(); ++i) {
    Shape own;
    for (size_t d = 0; d < operands.size(); ++d) own.push_back(d == i ? sizes[d] : 1);
    out.push_back(expand(view(operands[i], own), sizes));
  }
  if (swap) std::swap(out[0], out[1]);
  return out;
}

OA_OP(expand, &kExpand)

}  // namespace oneagent
