#include "core/ops/matmul.h"

#include "core/kernels/product.h"
#include "core/ops/dot.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr uint32_t kBoth = saves_input(0) | saves_input(1);

void require_numbers(const char* op, Metas in) {
  require_same_dtype(op, in);
  OA_REQUIRE(in[0]->dtype != DType::kBool, op, ": has no meaning for bool");
}

void mm_infer(Metas in, const Attrs&, Inferred& out) {
  require_numbers("mm", in);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.size() == 2, "mm: self must be a matrix, was ", a);
  OA_REQUIRE(b.size() == 2, "mm: mat2 must be a matrix, was ", b);
  OA_REQUIRE(a[1] == b[0], "mm: mat1 and mat2 shapes cannot be multiplied (", a[0], "x", a[1],
             " and ", b[0], "x", b[1], ")");
  out.add({a[0], b[1]}, in[0]->dtype);
}
void mm_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  multiply(stream, out[0], in[0], in[1]);
}
double mm_flops(Metas in, const Attrs&, const Inferred& out) {
  return 2.0 * static_cast<double>(out[0].sizes.numel() * in[0]->sizes.back());
}

void mm_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, mm(call.grad(), t(call.input(1))));
  if (call.needs(1)) call.set(1, mm(t(call.input(0)), call.grad()));
}

constinit const Op kMm = {
    .name = "mm",
    .infer = mm_infer,
    .rule = {.factors = "mk,kn->mn", .linear = 3},
    .saves = kBoth,
    .flops = mm_flops,
    .vjp = mm_vjp,
    .kernels = {mm_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), normal({4, 5})}},
                         {{normal({17, 9}), normal({9, 35})}},
                         {{normal({1, 300}), normal({300, 2})}},
                         {{normal({5, 70}), normal({70, 1})}},
                         {{ints({4, 3}, -5, 6), ints({3, 5}, -5, 6)}},
                         {{ints({4, 3}, -5, 6, kInt32), ints({3, 1}, -5, 6, kInt32)}},
                         {{normal({2, 0}), normal({0, 3})}}};
        },
};

void bmm_infer(Metas in, const Attrs&, Inferred& out) {
  require_numbers("bmm", in);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.size() == 3, "bmm: batch1 must be a 3D tensor, was ", a);
  OA_REQUIRE(b.size() == 3, "bmm: batch2 must be a 3D tensor, was ", b);
  OA_REQUIRE(a[0] == b[0] && a[2] == b[1],
             "bmm: Expected size for first two dimensions of batch2 tensor to be: [", a[0], ", ",
             a[2], "] but got: [", b[0], ", ", b[1], "].");
  out.add({a[0], a[1], b[2]}, in[0]->dtype);
}
void bmm_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  multiply_batches(stream, out[0], in[0], in[1]);
}
void bmm_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, bmm(call.grad(), transpose(call.input(1), 1, 2)));
  if (call.needs(1)) call.set(1, bmm(transpose(call.input(0), 1, 2), call.grad()));
}

constinit const Op kBmm = {
    .name = "bmm",
    .infer = bmm_infer,
    .rule = {.factors = "bmk,bkn->bmn", .linear = 3},
    .saves = kBoth,
    .flops = mm_flops,
    .vjp = bmm_vjp,
    .kernels = {bmm_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3, 4}), normal({2, 4, 5})}},
                         {{normal({2, 3, 0}), normal({2, 0, 4})}},
                         {{ints({2, 3, 4}, -5, 6), ints({2, 4, 2}, -5, 6)}},
                         {{normal({0, 3, 4}), normal({0, 4, 5})}}};
        },
};

void mv_infer(Metas in, const Attrs&, Inferred& out) {
  require_numbers("mv", in);
  const Shape &a = in[0]->sizes, &x = in[1]->sizes;
  OA_REQUIRE(a.size() == 2 && x.size() == 1 && a[1] == x[0],
             "mv: size mismatch, expected [m, k] and [k], got ", a, " and ", x);
  out.add({a[0]}, in[0]->dtype);
}
void mv_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  multiply_vector(stream, out[0], in[0], in[1]);
}
void mv_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, outer(call.grad(), call.input(1)));
  if (call.needs(1)) call.set(1, mv(t(call.input(0)), call.grad()));
}

constinit const Op kMv = {
    .name = "mv",
    .infer = mv_infer,
    .rule = {.factors = "mk,k->m", .linear = 3},
    .saves = kBoth,
    .flops = mm_flops,
    .vjp = mv_vjp,
    .kernels = {mv_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4}), normal({4})}},   {{normal({35, 97}), normal({97})}},
              {{normal({1, 32}), normal({32})}}, {{ints({4, 3}, -5, 6), ints({3}, -5, 6)}},
              {{normal({3, 0}), normal({0})}},   {{normal({0, 3}), normal({3})}}};
        },
};

Shape matrix_shape(const Shape& batch, int64_t rows, int64_t columns) {
  Shape out = batch;
  out.push_back(rows);
  out.push_back(columns);
  return out;
}

Tensor batched(const Tensor& a, const Tensor& b) {
  const auto batch_of = [](const Tensor& x) {
    return Shape(std::span(x.sizes().data(), x.sizes().size() - 2));
  };
  const Shape batch = broadcast_sizes("matmul", batch_of(a), batch_of(b));
  const Tensor left = reshape(expand(a, matrix_shape(batch, a.size(-2), a.size(-1))),
                              {batch.numel(), a.size(-2), a.size(-1)});
  const Tensor right = reshape(expand(b, matrix_shape(batch, b.size(-2), b.size(-1))),
                               {batch.numel(), b.size(-2), b.size(-1)});
  const Tensor product = bmm(left, right);
  return batch.size() == 1 ? product : view(product, matrix_shape(batch, a.size(-2), b.size(-1)));
}

// [..., k] [k, n]: the leading dimensions are rows.
Tensor folded(const Tensor& a, const Tensor& b) {
  Shape sizes = a.sizes();
  const int64_t depth = sizes.back();
  OA_REQUIRE(depth == b.sizes()[0], "matmul: size mismatch, inner sizes of ", a.sizes(), " and ",
             b.sizes(), " differ: mat1 and mat2 shapes cannot be multiplied");
  sizes[sizes.size() - 1] = 1;
  const Tensor rows = reshape(a, {sizes.numel(), depth});
  sizes[sizes.size() - 1] = b.sizes()[1];
  return view(mm(rows, b), sizes);
}

}  // namespace

static Tensor product(const Op& op, const Tensor& self, const Tensor& other) {
  OA_REQUIRE(self.defined() && other.defined(), op.name, ": an operand is an undefined tensor");
  return call_op(op, {&self, &other});
}
Tensor mm(const Tensor& self, const Tensor& mat2) { return product(kMm, self, mat2); }
Tensor bmm(const Tensor& self, const Tensor& mat2) { return product(kBmm, self, mat2); }
Tensor mv(const Tensor& self, const Tensor& vec) { return product(kMv, self, vec); }

Tensor matmul(const Tensor& self, const Tensor& other) {
  const int64_t left = self.dim(), right = other.dim();
  OA_REQUIRE(left > 0 && right > 0,
             "matmul: both arguments to matmul need to be at least 1D, but they are ", left,
             "D and ", right, "D");
  if (left == 2 && right == 2) return mm(self, other);
  if (left == 1 && right == 1) return dot(self, other);
  if (left == 2 && right == 1) return mv(self, other);
  if (left == 1 && right == 2) return mv(t(other), self);
  if (left == 1) return squeeze(matmul(unsqueeze(self, 0), other), -2);
  if (right == 1) return squeeze(matmul(self, unsqueeze(other, 1)), -1);
  if (right == 2) return folded(self, other);
  return batched(self, other);
}
Tensor linalg_matmul(const Tensor& self, const Tensor& other) { return matmul(self, other); }

OA_OP(matmul, &kMm, &kBmm, &kMv)

}  // namespace oneagent
