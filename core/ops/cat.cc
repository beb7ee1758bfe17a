#include "core/ops/cat.h"

#include "absl/container/inlined_vector.h"
#include "core/kernels/copy.h"
#include "core/kernels/join.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"
#include "core/ops/view.h"
#include "core/tensor/promote.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

size_t dim_of(const Attrs& attrs) { return static_cast<size_t>(attrs.integer(0)); }

int64_t outer_of(const Shape& sizes, size_t dim) {
  int64_t outer = 1;
  for (size_t i = 0; i < dim; ++i) outer *= sizes[i];
  return outer;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("cat", in);
  const size_t dim = dim_of(attrs);
  Shape sizes = in[0]->sizes;
  OA_REQUIRE(!sizes.empty(),
             "cat: zero-dimensional tensor (at position 0) cannot be concatenated; use stack");
  for (size_t i = 1; i < in.size(); ++i) {
    const Shape& next = in[i]->sizes;
    OA_REQUIRE(!next.empty(), "cat: zero-dimensional tensor (at position ", i,
               ") cannot be concatenated");
    OA_REQUIRE(next.size() == sizes.size(),
               "cat: Tensors must have same number of dimensions: got ", sizes.size(), " and ",
               next.size());
    for (size_t d = 0; d < next.size(); ++d)
      OA_REQUIRE(d == dim || next[d] == sizes[d],
                 "cat: Sizes of tensors must match except in dimension ", dim, ". Expected size ",
                 sizes[d], " but got size ", next[d], " for tensor number ", i, " in the list.");
    sizes[dim] += next[dim];
  }
  out.add(sizes, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const size_t dim = dim_of(attrs);
  std::vector<Part> parts;
  parts.reserve(in.size());
  TensorMeta place = out[0].impl().meta;
  for (size_t i = 0; i < in.size(); ++i) {
    place.sizes[dim] = in[i].sizes()[dim];
    parts.push_back({in[i], place});
    place.offset += place.sizes[dim] * place.strides[dim];
  }
  run_join(stream, out[0], parts, outer_of(out[0].sizes(), dim));
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
  const std::string all = rule_letters(in[0]->sizes.size());
  std::string text;
  const size_t dim = dim_of(attrs);
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
    .half = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3}), normal({4, 3})}, Attrs().add(0)},
                         {{normal({2, 3}), normal({2, 0}), normal({2, 1})}, Attrs().add(1)},
                         {{normal({3, 2, 4}), normal({3, 1, 4})}, Attrs().add(1)},
                         {{normal({2})}, Attrs().add(0)}};
        },
};

void stack_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype("stack", in);
  for (size_t i = 1; i < in.size(); ++i)
    OA_REQUIRE(in[i]->sizes == in[0]->sizes, "stack expects each tensor to be equal size, but got ",
               in[0]->sizes, " at entry 0 and ", in[i]->sizes, " at entry ", i);
  Shape sizes = in[0]->sizes;
  sizes.insert(dim_of(attrs), static_cast<int64_t>(in.size()));
  out.add(sizes, in[0]->dtype);
}
void stack_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const size_t dim = dim_of(attrs);
  std::vector<Part> parts;
  parts.reserve(in.size());
  TensorMeta place = out[0].impl().meta;
  const int64_t step = place.strides[dim];
  place.sizes.erase(dim);
  place.strides.erase(dim);
  for (size_t i = 0; i < in.size(); ++i) {
    parts.push_back({in[i], place});
    place.offset += step;
  }
  run_join(stream, out[0], parts, outer_of(out[0].sizes(), dim));
}
void stack_vjp(VjpCall& call) {
  for (size_t i = 0; i < call.input_count(); ++i)
    if (call.needs(i))
      call.set(i, select(call.grad(), call.attrs().integer(0), static_cast<int64_t>(i)));
}
std::string stack_rule(Metas in, const Attrs& attrs) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  std::string text, result = operand;
  for (size_t i = 0; i < in.size(); ++i) text += (i > 0 ? "," : "") + operand;
  result.insert(dim_of(attrs), 1, 'z');
  return text + "->" + result + ";z";
}

constinit const Op kStack = {
    .name = "stack",
    .attrs = kAttrs,
    .infer = stack_infer,
    .rule = {.linear = ~0u, .generate = stack_rule},
    .half = true,
    .complex = true,
    .vjp = stack_vjp,
    .kernels = {stack_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3}), normal({2, 3})}, Attrs().add(0)},
                         {{normal({2, 3}), normal({2, 3}), normal({2, 3})}, Attrs().add(1)},
                         {{normal({2, 3}), normal({2, 3})}, Attrs().add(2)},
                         {{normal({}), normal({})}, Attrs().add(0)},
                         {{normal({0, 2}), normal({0, 2})}, Attrs().add(1)}};
        },
};

void block_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("block_diag", in);
  Shape sizes = {0, 0};
  for (const TensorMeta* meta : in) {
    OA_REQUIRE(meta->sizes.size() == 2, "block_diag: expected at most 2 dimensions, was shape ",
               meta->sizes);
    for (const size_t d : {0, 1}) sizes[d] += meta->sizes[d];
  }
  out.add(sizes, in[0]->dtype);
}
void block_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  fill(stream, out[0], 0);
  TensorMeta place = out[0].impl().meta;
  for (size_t i = 0; i < in.size(); ++i) {
    place.sizes = in[i].sizes();
    copy_into(stream, alias_of(out[0], place), in[i]);
    place.offset += place.sizes[0] * place.strides[0] + place.sizes[1] * place.strides[1];
  }
}
void block_vjp(VjpCall& call) {
  int64_t row = 0, column = 0;
  for (size_t i = 0; i < call.input_count(); ++i) {
    const Shape sizes = call.input_sizes(i);
    if (call.needs(i))
      call.set(i, narrow(narrow(call.grad(), 0, row, sizes[0]), 1, column, sizes[1]));
    row += sizes[0];
    column += sizes[1];
  }
}
std::string block_rule(Metas in, const Attrs&) { return closed_rule(in, {2}); }

constinit const Op kBlockDiag = {
    .name = "block_diag",
    .infer = block_infer,
    .rule = {.linear = ~0u, .generate = block_rule},
    .half = true,
    .vjp = block_vjp,
    .kernels = {block_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3}), normal({1, 2})}},
                         {{normal({2, 0}), normal({1, 1}), normal({2, 2})}},
                         {{normal({3, 1})}}};
        },
};

DType common_type(const std::vector<Tensor>& tensors) {
  bool one = true;
  for (const Tensor& tensor : tensors) one = one && tensor.dtype() == tensors[0].dtype();
  if (one) return tensors[0].dtype();
  ResultType type;
  for (const Tensor& tensor : tensors) type.add_tensor(tensor.dtype(), tensor.dim() > 0);
  return type.result(get_default_dtype_value());
}

// Calls `op` on the tensors, converted to their common type.
Tensor call_joined(const Op& op, const std::vector<Tensor>& tensors, const Attrs& attrs) {
  const DType dtype = common_type(tensors);
  std::vector<Tensor> converted;
  absl::InlinedVector<const Tensor*, kMaxInputs> operands;
  converted.reserve(tensors.size());
  for (const Tensor& tensor : tensors) {
    if (tensor.dtype() == dtype) {
      operands.push_back(&tensor);
    } else {
      converted.push_back(to(tensor, dtype));
      operands.push_back(&converted.back());
    }
  }
  return call_op(op, Inputs(operands.data(), operands.size()), attrs);
}

bool left_out(const Tensor& x) { return x.defined() && x.dim() == 1 && x.sizes()[0] == 0; }

}  // namespace

Tensor cat(const std::vector<Tensor>& tensors, int64_t dim) {
  OA_REQUIRE(!tensors.empty(), "torch.cat(): expected a non-empty list of Tensors");
  bool skips = false;
  for (const Tensor& tensor : tensors) skips = skips || left_out(tensor);
  if (!skips)
    return call_joined(kCat, tensors, Attrs().add(wrap_dim(dim, tensors[0].dim(), "cat")));
  std::vector<Tensor> rest;
  const DType dtype = common_type(tensors);
  for (const Tensor& tensor : tensors)
    if (!left_out(tensor)) rest.push_back(to(tensor, dtype));
  if (rest.empty()) return zeros({0}, dtype);
  return call_joined(kCat, rest, Attrs().add(wrap_dim(dim, rest[0].dim(), "cat")));
}
Tensor concat(const std::vector<Tensor>& tensors, int64_t dim) { return cat(tensors, dim); }
Tensor concatenate(const std::vector<Tensor>& tensors, int64_t dim) { return cat(tensors, dim); }

Tensor stack(const std::vector<Tensor>& tensors, int64_t dim) {
  OA_REQUIRE(!tensors.empty(), "stack expects a non-empty TensorList");
  return call_joined(kStack, tensors, Attrs().add(wrap_dim(dim, tensors[0].dim() + 1, "stack")));
}

Tensor block_diag(const std::vector<Tensor>& tensors) {
  if (tensors.empty()) return zeros({1, 0});
  return call_joined(kBlockDiag, atleast_2d(tensors), {});
}

OA_OP(cat, &kCat, &kStack, &kBlockDiag)

}  // namespace oneagent
