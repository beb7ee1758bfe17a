#include "core/ops/creation.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kFullAttrs[] = {{"sizes", AttrKind::kInts},
                                   {"number", AttrKind::kNumber},
                                   {"integer", AttrKind::kInt},
                                   {"dtype", AttrKind::kDType}};

void full_infer(Metas, const Attrs& attrs, Inferred& out) {
  out.add(attrs.list(0), attrs.dtype(3));
}
void full_kernel(Stream& stream, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  fill(stream, out[0],
       is_floating(out[0].dtype()) ? Scalar(attrs.number(1)) : Scalar(attrs.integer(2)));
}

constinit const Op kFull = {
    .name = "full",
    .attrs = kFullAttrs,
    .infer = full_infer,
    .rule = {.factors = "->..."},
    .half = true,
    .kernels = {full_kernel},
    .samples =
        [] {
          return Samples{{{}, Attrs().add(Shape{2, 3}).add(1.5).add(1).add(DType::kFloat32)},
                         {{}, Attrs().add(Shape{}).add(3.0).add(3).add(DType::kInt64)}};
        },
};

constexpr AttrSpec kArangeAttrs[] = {{"start", AttrKind::kNumber},
                                     {"step", AttrKind::kNumber},
                                     {"count", AttrKind::kInt},
                                     {"dtype", AttrKind::kDType}};

void arange_infer(Metas, const Attrs& attrs, Inferred& out) {
  out.add({attrs.integer(2)}, attrs.dtype(3));
}

template <class T>
void arange_values(const Attrs& attrs, const Tensor& out) {
  T* values = out.data_ptr<T>();
  for (int64_t i = 0; i < out.numel(); ++i)
    values[i] = static_cast<T>(attrs.number(0) + static_cast<double>(i) * attrs.number(1));
}
void arange_kernel(Stream&, const Attrs& attrs, Inputs, std::span<Tensor> out) {
  const bool known =
      with_number(out[0].dtype(), [&]<class T>(Type<T>) { arange_values<T>(attrs, out[0]); });
  OA_REQUIRE(known, "arange: has no meaning for ", name_of(out[0].dtype()));
}

constinit const Op kArange = {
    .name = "arange",
    .attrs = kArangeAttrs,
    .infer = arange_infer,
    .rule = {.factors = "->n"},
    .kernels = {arange_kernel},
    .samples =
        [] {
          return Samples{{{}, Attrs().add(0.0).add(1.0).add(5).add(DType::kInt64)},
                         {{}, Attrs().add(0.5).add(0.25).add(4).add(DType::kFloat32)}};
        },
};

Tensor finished(Tensor out, const TensorOptions& options) {
  if (options.requires_grad()) out.requires_grad_();
  return out;
}

template <class T>
Tensor from_values(const std::vector<T>& values, const TensorOptions& options, DType otherwise) {
  Tensor out = empty({static_cast<int64_t>(values.size())}, dtype_of<T>);
  std::copy(values.begin(), values.end(), out.data_ptr<T>());
  return finished(to(out, options.dtype_opt().value_or(otherwise)), options);
}

}  // namespace

Tensor empty(const Shape& sizes, const TensorOptions& options) {
  return finished(
      empty_on(context().stream, sizes, options.dtype_opt().value_or(get_default_dtype())),
      options);
}
Tensor empty_like(const Tensor& like) {
  return empty_on(context().stream, like.sizes(), like.dtype());
}

Tensor full(const Shape& sizes, Scalar value, const TensorOptions& options) {
  const DType otherwise = value.is_floating() ? get_default_dtype() : value.kind();
  const Attrs attrs = Attrs()
                          .add(sizes)
                          .add(value.number())
                          .add(value.to<int64_t>())
                          .add(options.dtype_opt().value_or(otherwise));
  return finished(call_op(kFull, {}, attrs), options);
}
Tensor zeros(const Shape& sizes, const TensorOptions& options) {
  return full(sizes, 0.0, options.dtype(options.dtype_opt().value_or(get_default_dtype())));
}
Tensor ones(const Shape& sizes, const TensorOptions& options) {
  return full(sizes, 1.0, options.dtype(options.dtype_opt().value_or(get_default_dtype())));
}
Tensor zeros_like(const Tensor& like) { return full(like.sizes(), 0, like.dtype()); }
Tensor ones_like(const Tensor& like) { return full(like.sizes(), 1, like.dtype()); }
Tensor full_like(const Tensor& like, Scalar value) {
  return full(like.sizes(), value, like.dtype());
}

Tensor arange(Scalar end, const TensorOptions& options) { return arange(0, end, options); }
Tensor arange(Scalar start, Scalar end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}
Tensor arange(Scalar start, Scalar end, Scalar step, const TensorOptions& options) {
  OA_REQUIRE(step.number() != 0, "arange: the step must not be 0");
  const double count = std::ceil((end.number() - start.number()) / step.number());
  OA_REQUIRE(count >= 0, "arange: from ", start, " to ", end, " in steps of ", step,
             " leads nowhere");
  const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  const DType dtype = options.dtype_opt().value_or(floating ? get_default_dtype() : DType::kInt64);
  return finished(call_op(kArange, {},
                          Attrs()
                              .add(start.number())
                              .add(step.number())
                              .add(static_cast<int64_t>(count))
                              .add(dtype)),
                  options);
}

Tensor eye(int64_t n, const TensorOptions& options) {
  const Tensor out = zeros({n, n}, options.requires_grad(false));
  const TensorMeta diagonal{{n}, {n + 1}, 0, out.dtype(), out.device()};
  fill(context().stream, alias_of(out, diagonal), 1);
  return finished(out, options);
}

Tensor tensor(std::initializer_list<double> values, const TensorOptions& options) {
  return from_values(std::vector<double>(values), options, get_default_dtype());
}
Tensor tensor(const std::vector<float>& values, const TensorOptions& options) {
  return from_values(values, options, DType::kFloat32);
}
Tensor tensor(const std::vector<double>& values, const TensorOptions& options) {
  return from_values(values, options, get_default_dtype());
}
Tensor tensor(const std::vector<int64_t>& values, const TensorOptions& options) {
  return from_values(values, options, DType::kInt64);
}
Tensor tensor(const std::vector<int32_t>& values, const TensorOptions& options) {
  return from_values(values, options, DType::kInt32);
}
Tensor tensor(Scalar value, const TensorOptions& options) { return full({}, value, options); }

OA_OP(creation, &kFull, &kArange)

}  // namespace oneagent
