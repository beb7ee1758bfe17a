#include "core/ops/cat.h"

#include "core/kernels/copy.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(!in.empty(), "cat: needs at least one tensor");
  require_same_dtype("cat", in);
  const auto dim = static_cast<size_t>(attrs.integer(0));
  Shape sizes = in[0]->sizes;
  OA_REQUIRE(!sizes.empty(), "cat: 0-d tensors cannot be joined; use stack");
  for (size_t i = 1; i < in.size(); ++i) {
    Shape rest = in[i]->sizes;
    OA_REQUIRE(rest.size() == sizes.size(), "cat: tensor ", i, " of shape ", rest,
               " differs in rank from ", in[0]->sizes);
    sizes[dim] += rest[dim];
    rest[dim] = in[0]->sizes[dim];
    OA_REQUIRE(rest == in[0]->sizes, "cat: tensor ", i, " of shape ", in[i]->sizes,
               " does not match ", in[0]->sizes, " outside dimension ", dim);
  }
  out.add(sizes, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const auto dim = static_cast<size_t>(attrs.integer(0));
  TensorMeta place = out[0].impl().meta;
  for (size_t i = 0; i < in.size(); ++i) {
    place.sizes[dim] = in[i].sizes()[dim];
    copy_into(stream, alias_of(out[0], place), in[i]);
    place.offset += place.sizes[dim] * place.strides[dim];
  }
}

void vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  int64_t start = 0;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const int64_t length = call.input_sizes(i)[static_cast<size_t>(dim)];
    if (call.needs(i)) call.set(i, narrow(call.grad(), dim, start, length));
    start += length;
  }
}

std::string rule(Metas in, const Attrs& attrs) {
  std::string all;
  for (size_t i = 0; i < in[0]->sizes.size(); ++i) all += static_cast<char>('a' + i);
  std::string text;
  const auto dim = static_cast<size_t>(attrs.integer(0));
  std::string closed;
  for (size_t i = 0; i < in.size(); ++i) {
    std::string operand = all;
    operand[dim] = static_cast<char>('A' + i % 24);
    closed += operand[dim];
    text += (i > 0 ? "," : "") + operand;
  }
  return text + "->" + all + ";" + closed + all[dim];
}

constinit const Op kCat = {
    .name = "cat",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = ~0u, .generate = rule},
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3}), normal({4, 3})}, Attrs().add(0)},
                         {{normal({2, 3}), normal({2, 0}), normal({2, 1})}, Attrs().add(1)},
                         {{normal({2})}, Attrs().add(0)}};
        },
};

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, int64_t dim) {
  OA_REQUIRE(!tensors.empty(), "cat: needs at least one tensor");
  std::vector<const Tensor*> operands;
  for (const Tensor& tensor : tensors) operands.push_back(&tensor);
  return call_op(kCat, Inputs(operands.data(), operands.size()),
                 Attrs().add(wrap_dim(dim, tensors[0].dim(), "cat")));
}

Tensor stack(const std::vector<Tensor>& tensors, int64_t dim) {
  OA_REQUIRE(!tensors.empty(), "stack: needs at least one tensor");
  std::vector<Tensor> raised;
  for (const Tensor& tensor : tensors) {
    OA_REQUIRE(tensor.sizes() == tensors[0].sizes(), "stack: shapes ", tensors[0].sizes(), " and ",
               tensor.sizes(), " differ");
    raised.push_back(unsqueeze(tensor, dim));
  }
  return cat(raised, wrap_dim(dim, tensors[0].dim() + 1, "stack"));
}

OA_OP(cat, &kCat)

}  // namespace oneagent
