#include "core/ops/matmul.h"

#include "core/kernels/gemm.h"
#include "core/ops/binary.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

void mm_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("mm", in);
  require_floating("mm", *in[0]);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.size() == 2 && b.size() == 2 && a[1] == b[0], "mm: expected [m, k] and [k, n], was ",
             a, " and ", b);
  out.add({a[0], b[1]}, in[0]->dtype);
}
void mm_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_gemm(stream, out[0], in[0], in[1]);
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
    .saves = saves_input(0) | saves_input(1),
    .flops = mm_flops,
    .vjp = mm_vjp,
    .kernels = {mm_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), normal({4, 5})}},
                         {{normal({17, 9}), normal({9, 35})}},
                         {{normal({1, 300}), normal({300, 2})}},
                         {{normal({2, 0}), normal({0, 3})}}};
        },
};

void bmm_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("bmm", in);
  require_floating("bmm", *in[0]);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  OA_REQUIRE(a.size() == 3 && b.size() == 3 && a[0] == b[0] && a[2] == b[1],
             "bmm: expected [b, m, k] and [b, k, n], was ", a, " and ", b);
  out.add({a[0], a[1], b[2]}, in[0]->dtype);
}

Tensor matrix_of(const Tensor& x, int64_t index) {
  const TensorMeta& meta = x.impl().meta;
  return alias_of(x, {{meta.sizes[1], meta.sizes[2]},
                      {meta.strides[1], meta.strides[2]},
                      meta.offset + index * meta.strides[0],
                      meta.dtype,
                      meta.device});
}
void bmm_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  for (int64_t i = 0; i < out[0].sizes()[0]; ++i)
    run_gemm(stream, matrix_of(out[0], i), matrix_of(in[0], i), matrix_of(in[1], i));
}
void bmm_vjp(VjpCall& call) {
  if (call.needs(0)) call.set(0, bmm(call.grad(), transpose(call.input(1), 1, 2)));
  if (call.needs(1)) call.set(1, bmm(transpose(call.input(0), 1, 2), call.grad()));
}

constinit const Op kBmm = {
    .name = "bmm",
    .infer = bmm_infer,
    .rule = {.factors = "bmk,bkn->bmn", .linear = 3},
    .saves = saves_input(0) | saves_input(1),
    .flops = mm_flops,
    .vjp = bmm_vjp,
    .kernels = {bmm_kernel},
    .samples =
        [] {
          return Samples{{{normal({2, 3, 4}), normal({2, 4, 5})}},
                         {{normal({0, 3, 4}), normal({0, 4, 5})}}};
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
  return view(bmm(left, right), matrix_shape(batch, a.size(-2), b.size(-1)));
}

}  // namespace

Tensor mm(const Tensor& a, const Tensor& b) { return call_op(kMm, {&a, &b}); }
Tensor bmm(const Tensor& a, const Tensor& b) { return call_op(kBmm, {&a, &b}); }

Tensor matmul(const Tensor& a, const Tensor& b) {
  OA_REQUIRE(a.dim() > 0 && b.dim() > 0, "matmul: both operands need dimensions, was ", a.sizes(),
             " and ", b.sizes());
  if (a.dim() == 2 && b.dim() == 2) return mm(a, b);
  if (a.dim() == 1) {
    const Tensor out = matmul(unsqueeze(a, 0), b);
    return squeeze(out, b.dim() == 1 ? 0 : -2);
  }
  if (b.dim() == 1) return squeeze(matmul(a, unsqueeze(b, 1)), -1);
  if (b.dim() == 2) {
    Shape sizes = a.sizes();
    OA_REQUIRE(sizes.back() == b.sizes()[0], "matmul: inner sizes of ", a.sizes(), " and ",
               b.sizes(), " differ");
    sizes[sizes.size() - 1] = b.sizes()[1];
    return view(mm(reshape(a, {-1, a.size(-1)}), b), sizes);
  }
  return batched(a, b);
}

Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, Scalar beta, Scalar alpha) {
  const Tensor product = alpha.number() == 1.0 ? mm(a, b) : mul(mm(a, b), alpha);
  return add(beta.number() == 1.0 ? bias : mul(bias, beta), product);
}

OA_OP(matmul, &kMm, &kBmm)

}  // namespace oneagent
