#include "core/ops/trace.h"

#include "core/ops/diagonal.h"
#include "core/ops/expand.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

void infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(in[0]->sizes.size() == 2, "trace: expected a matrix, but got tensor of shape ",
             in[0]->sizes);
  out.add({}, is_floating(in[0]->dtype) ? in[0]->dtype : DType::kInt64);
}
template <class T, class Sum>
void sum_diagonal(const Tensor& x, const Tensor& out) {
  const int64_t count = std::min(x.sizes()[0], x.sizes()[1]);
  const int64_t step = x.strides()[0] + x.strides()[1];
  const T* values = x.data_ptr<T>();
  Sum sum = 0;
  for (int64_t i = 0; i < count; ++i) sum += static_cast<Sum>(values[i * step]);
  *out.data_ptr<Sum>() = sum;
}
void kernel(Stream&, const Attrs&, Inputs in, std::span<Tensor> out) {
  if (in[0].dtype() == DType::kBool) return sum_diagonal<bool, int64_t>(in[0], out[0]);
  if (with_floating(in[0].dtype(), [&]<class T>(Type<T>) { sum_diagonal<T, T>(in[0], out[0]); }))
    return;
  with_integral(in[0].dtype(), [&]<class T>(Type<T>) { sum_diagonal<T, int64_t>(in[0], out[0]); });
}
void vjp(VjpCall& call) {
  const Shape& sizes = call.input_sizes(0);
  const Tensor diagonal = expand(call.grad(), {std::min(sizes[0], sizes[1])});
  call.set(0, diagonal_backward(diagonal, sizes, 0, 0, 1));
}

constinit const Op kTrace = {
    .name = "trace",
    .infer = infer,
    .rule = {.factors = "mn->", .closed = "mn", .linear = 1},
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 3})}},
                         {{normal({2, 5})}},
                         {{ints({4, 3}, -5, 6, kInt32)}},
                         {{normal({0, 3})}}};
        },
};

}  // namespace

Tensor trace(const Tensor& self) { return call_op(kTrace, {&self}); }

OA_OP(trace, &kTrace)

}  // namespace oneagent
