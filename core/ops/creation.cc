#include "core/ops/creation.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/ops/copy.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"

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
  fill(stream, out[0], Scalar::from_parts(attrs.number(1), attrs.integer(2), out[0].dtype()));
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
  const double start = attrs.number(0), step = attrs.number(1);
  const int64_t n = out.numel();
  const auto first = static_cast<int64_t>(start), by = static_cast<int64_t>(step);
  const bool whole = static_cast<double>(first) == start && static_cast<double>(by) == step;
  if (std::is_integral_v<T> && whole) {
    for (int64_t i = 0; i < n; ++i) values[i] = static_cast<T>(first + i * by);
    return;
  }
  // Blocks, because 32-bit counters are converted faster.
  constexpr int64_t kBlock = 1 << 16;
  for (int64_t at = 0; at < n; at += kBlock) {
    const auto count = static_cast<int32_t>(std::min(kBlock, n - at));
    for (int32_t i = 0; i < count; ++i)
      values[at + i] = static_cast<T>(start + (static_cast<double>(at) + i) * step);
  }
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
    .rule = {.factors = "->n", .closed = "n"},
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

TensorOptions like_options(const Tensor& like, const TensorOptions& options) {
  return TensorOptions(like.dtype()).device(like.device()).merge_in(options);
}

// The memory format of a new tensor like another: Preserve keeps the strides of a dense one.
Tensor laid_out_like(const Tensor& like, const TensorOptions& options,
                     std::optional<MemoryFormat> given) {
  const MemoryFormat format = given.value_or(MemoryFormat::Preserve);
  Shape strides = contiguous_strides(like.sizes());
  if (format == MemoryFormat::Preserve && !like.is_contiguous() &&
      like.is_non_overlapping_and_dense())
    strides = like.strides();
  else if (format != MemoryFormat::Preserve)
    strides = strides_of(format, like.sizes());
  return empty_strided(like.sizes(), strides, like_options(like, options));
}

void check_device(const TensorOptions& options) {
  if (!options.device().is_cpu())
    throw NotImplementedError(str("tensor: this build has no device ", options.device()));
  OA_REQUIRE(options.layout() == kStrided,
             "tensor: a sparse tensor is made by sparse_coo_tensor() or to_sparse()");
}

}  // namespace

Tensor empty(const Shape& size, const TensorOptions& options,
             std::optional<MemoryFormat> memory_format) {
  check_device(options);
  const auto format = memory_format ? memory_format : options.memory_format_opt();
  if (format && *format != MemoryFormat::Contiguous && *format != MemoryFormat::Preserve)
    return empty_strided(size, strides_of(*format, size), options);
  const Tensor out = empty_on(context().stream, size, options.dtype());
  out.impl().inference = context().inference_mode;
  return finished(out, options);
}

Tensor empty_strided(const Shape& size, const Shape& stride, const TensorOptions& options) {
  OA_REQUIRE(size.size() == stride.size(), "empty_strided: ", size.size(), " sizes and ",
             stride.size(), " strides");
  check_device(options);
  int64_t reach = 1;
  for (size_t i = 0; i < size.size(); ++i) {
    OA_REQUIRE(size[i] >= 0 && stride[i] >= 0,
               "empty_strided: sizes and strides must not be negative, were ", size, " and ",
               stride);
    int64_t step;
    OA_REQUIRE(!__builtin_mul_overflow(std::max<int64_t>(size[i] - 1, 0), stride[i], &step) &&
                   !__builtin_add_overflow(reach, step, &reach),
               "empty_strided: sizes ", size, " and strides ", stride,
               " reach further than an int64 counts");
  }
  if (size.numel() == 0) reach = 0;
  const Tensor memory = empty_on(context().stream, {reach}, options.dtype());
  Tensor out(make_ref<TensorImpl>(TensorMeta{size, stride, 0, memory.dtype(), memory.device()},
                                  memory.storage()));
  return finished(out, options);
}

static DType dtype_for(Scalar value, const TensorOptions& options) {
  const DType otherwise = value.is_floating()  ? get_default_dtype_value()
                          : value.is_complex() ? complex_type_of(get_default_dtype_value())
                                               : value.kind();
  return options.dtype_opt().value_or(otherwise);
}

// Numbers beyond the type's range wrap, or become infinite.
static Tensor filled(const Shape& size, Scalar value, const TensorOptions& options) {
  check_device(options);
  const DType dtype = dtype_for(value, options);
  const Scalar same = value.as(dtype);
  const Attrs attrs = Attrs()
                          .add(size)
                          .add(same.number())
                          .add(same.is_floating() ? same.wrapped_to<int64_t>() : same.integer())
                          .add(dtype);
  return finished(call_op(kFull, {}, attrs), options);
}
Tensor full(const Shape& size, Scalar value, const TensorOptions& options) {
  require_fits(value, dtype_for(value, options));
  return filled(size, value, options);
}
Tensor zeros(const Shape& size, const TensorOptions& options) {
  return full(size, 0.0, options.dtype(options.dtype()));
}
Tensor ones(const Shape& size, const TensorOptions& options) {
  return full(size, 1.0, options.dtype(options.dtype()));
}

Tensor empty_like(const Tensor& like, const TensorOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  return laid_out_like(like, options, memory_format);
}
Tensor full_like(const Tensor& like, Scalar value, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  if (like.is_contiguous() && !memory_format)
    return full(like.sizes(), value, like_options(like, options));
  const Tensor out = laid_out_like(like, options.requires_grad(false), memory_format);
  fill(context().stream, out, value);
  return finished(out, options);
}
Tensor zeros_like(const Tensor& like, const TensorOptions& options,
                  std::optional<MemoryFormat> memory_format) {
  return full_like(like, 0, options, memory_format);
}
Tensor ones_like(const Tensor& like, const TensorOptions& options,
                 std::optional<MemoryFormat> memory_format) {
  return full_like(like, 1, options, memory_format);
}

Tensor new_empty(const Tensor& self, const Shape& size, const TensorOptions& options) {
  return empty(size, like_options(self, options));
}
Tensor new_empty_strided(const Tensor& self, const Shape& size, const Shape& stride,
                         const TensorOptions& options) {
  return empty_strided(size, stride, like_options(self, options));
}
Tensor new_zeros(const Tensor& self, const Shape& size, const TensorOptions& options) {
  return zeros(size, like_options(self, options));
}
Tensor new_ones(const Tensor& self, const Shape& size, const TensorOptions& options) {
  return ones(size, like_options(self, options));
}
Tensor new_full(const Tensor& self, const Shape& size, Scalar value, const TensorOptions& options) {
  return full(size, value, like_options(self, options));
}
Tensor wrapped_scalar(const Scalar& value, const TensorOptions& options) {
  return filled({}, value, options.dtype(options.dtype()));
}
Tensor scalar_tensor(Scalar value, const TensorOptions& options) {
  require_fits(value, options.dtype());
  return wrapped_scalar(value, options);
}

namespace {

Tensor evenly(double start, double step, double count, DType dtype, const TensorOptions& options) {
  return finished(call_op(kArange, {},
                          Attrs().add(start).add(step).add(static_cast<int64_t>(count)).add(dtype)),
                  options);
}

}  // namespace

Tensor arange(Scalar end, const TensorOptions& options) { return arange(0, end, options); }
Tensor arange(Scalar start, Scalar end, const TensorOptions& options) {
  return arange(start, end, 1, options);
}
Tensor arange(Scalar start, Scalar end, Scalar step, const TensorOptions& options) {
  OA_REQUIRE(step.number() != 0, "arange: step must be nonzero");
  const bool floating = start.is_floating() || end.is_floating() || step.is_floating();
  const DType dtype =
      options.dtype_opt().value_or(floating ? get_default_dtype_value() : DType::kInt64);
  if (dtype == DType::kInt64 && floating) {  // counts whole numbers
    const auto whole = [](Scalar value) { return Scalar(value.to<int64_t>()); };
    return arange(whole(start), whole(end), whole(step), options);
  }
  const double count = std::ceil((end.number() - start.number()) / step.number());
  OA_REQUIRE(count >= 0, "arange: upper bound and larger bound inconsistent with step sign, from ",
             start, " to ", end, " in steps of ", step);
  return evenly(start.number(), step.number(), count, dtype, options);
}
Tensor range(Scalar start, Scalar end, const TensorOptions& options) {
  return range(start, end, 1, options);
}
Tensor range(Scalar start, Scalar end, Scalar step, const TensorOptions& options) {
  OA_REQUIRE(step.number() != 0, "range: step must be nonzero");
  const double count = std::floor((end.number() - start.number()) / step.number()) + 1;
  OA_REQUIRE(count >= 1, "range: upper bound and larger bound inconsistent with step sign, from ",
             start, " to ", end, " in steps of ", step);
  return evenly(start.number(), step.number(), count, options.dtype(), options);
}

Tensor linspace(Scalar start, Scalar end, int64_t steps, const TensorOptions& options) {
  OA_REQUIRE(steps >= 0, "linspace: number of steps must be non-negative, was ", steps);
  require_fits(start, options.dtype()), require_fits(end, options.dtype());
  const double first = start.wrapped_to<double>(), last = end.wrapped_to<double>();
  const double step = steps > 1 ? (last - first) / static_cast<double>(steps - 1) : 0;
  const bool direct = options.dtype() == kFloat32;
  const Tensor out = empty({steps}, direct ? kFloat32 : kFloat64);
  // From both ends, so that the end is met exactly.
  const int64_t half = steps == 1 ? 1 : steps / 2;
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    T* values = out.data_ptr<T>();
    const auto line = [&](int64_t from, int64_t to, double value, int64_t origin) {
      constexpr int64_t kBlock = 1 << 16;  // 32-bit counters are converted faster
      for (int64_t at = from; at < to; at += kBlock) {
        const auto count = static_cast<int32_t>(std::min(kBlock, to - at));
        const auto base = static_cast<double>(at - origin);
        for (int32_t i = 0; i < count; ++i)
          values[at + i] = static_cast<T>(value + step * (base + i));
      }
    };
    line(0, half, first, 0);
    line(half, steps, last, steps - 1);
  });
  return finished(to(out, options.dtype()), options);
}
Tensor logspace(Scalar start, Scalar end, int64_t steps, double base,
                const TensorOptions& options) {
  require_fits(start, options.dtype()), require_fits(end, options.dtype());
  const bool whole = !has_gradient(options.dtype());  // the exponents are of the result's type
  const Tensor exponents =
      whole ? linspace(start.wrapped_to<int64_t>(), end.wrapped_to<int64_t>(), steps, kFloat64)
            : linspace(start, end, steps, kFloat64);
  double* values = exponents.data_ptr<double>();
  for (int64_t i = 0; i < steps; ++i) values[i] = std::pow(base, values[i]);
  return finished(to(exponents, options.dtype()), options);
}

Tensor eye(int64_t n, const TensorOptions& options) { return eye(n, n, options); }
Tensor eye(int64_t n, int64_t m, const TensorOptions& options) {
  OA_REQUIRE(n >= 0 && m >= 0, "eye: sizes must not be negative, were ", n, " and ", m);
  // In memory at once, even while a graph is recorded: a constant.
  const Tensor out = empty({n, m}, options.requires_grad(false));
  fill(context().stream, out, 0);
  const TensorMeta diagonal{{std::min(n, m)}, {m + 1}, 0, out.dtype(), out.device()};
  fill(context().stream, alias_of(out, diagonal), 1);
  return finished(out, options);
}

namespace {

// f(i, n - 1) for i in 0 .. window_length - 1, where n counts one more when periodic.
template <class F>
Tensor window(const char* name, int64_t length, bool periodic, const TensorOptions& options,
              const F& f) {
  OA_REQUIRE(length >= 0, name, ": the length must not be negative, was ", length);
  OA_REQUIRE(is_floating(options.dtype()), name, ": needs a floating dtype, was ", options.dtype());
  const Tensor out = empty({length}, kFloat64);
  const auto last = static_cast<double>(periodic ? length : length - 1);
  double* values = out.data_ptr<double>();
  const int64_t mirror = periodic ? length : length - 1;  // values i and mirror - i are equal
  for (int64_t i = 0; i < length; ++i)
    values[i] = length == 1      ? 1.0
                : 2 * i > mirror ? values[mirror - i]
                                 : f(static_cast<double>(i), last);
  return finished(to(out, options.dtype()), options);
}
constexpr double kTwoPi = 6.28318530717958647692;

}  // namespace

Tensor bartlett_window(int64_t length, bool periodic, const TensorOptions& options) {
  return window("bartlett_window", length, periodic, options, [](double i, double last) {
    return i <= last / 2 ? 2 * i / last : 2 - 2 * i / last;
  });
}
Tensor blackman_window(int64_t length, bool periodic, const TensorOptions& options) {
  return window("blackman_window", length, periodic, options, [](double i, double last) {
    return 0.42 - 0.5 * std::cos(kTwoPi * i / last) + 0.08 * std::cos(2 * kTwoPi * i / last);
  });
}
Tensor hamming_window(int64_t length, bool periodic, double alpha, double beta,
                      const TensorOptions& options) {
  return window("hamming_window", length, periodic, options,
                [=](double i, double last) { return alpha - beta * std::cos(kTwoPi * i / last); });
}
Tensor hamming_window(int64_t length, bool periodic, double alpha, const TensorOptions& options) {
  return hamming_window(length, periodic, alpha, 0.46, options);
}
Tensor hamming_window(int64_t length, bool periodic, const TensorOptions& options) {
  return hamming_window(length, periodic, 0.54, options);
}
Tensor hann_window(int64_t length, bool periodic, const TensorOptions& options) {
  return hamming_window(length, periodic, 0.5, 0.5, options);
}
Tensor bartlett_window(int64_t length, const TensorOptions& options) {
  return bartlett_window(length, true, options);
}
Tensor blackman_window(int64_t length, const TensorOptions& options) {
  return blackman_window(length, true, options);
}
Tensor hamming_window(int64_t length, const TensorOptions& options) {
  return hamming_window(length, true, options);
}
Tensor hann_window(int64_t length, const TensorOptions& options) {
  return hann_window(length, true, options);
}

OA_OP(creation, &kFull, &kArange)

}  // namespace oneagent
