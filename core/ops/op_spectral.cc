// Fourier transforms of complex tensors over the records of core/ops/fft.h.
#include <algorithm>

#include "core/ops/op_complex.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

enum Scale : int64_t { kNone, kByRoot, kByCount };

Scale scale_of(OptionalNorm norm, bool forward) {
  if (!norm || *norm == "backward") return forward ? kNone : kByCount;
  if (*norm == "forward") return forward ? kByCount : kNone;
  OA_REQUIRE(*norm == "ortho", "fft: Invalid normalization mode: \"", *norm, "\"");
  return kByRoot;
}

Tensor as_floating_signal(const Tensor& x) {
  return has_gradient(x.dtype()) ? x : x.to(get_default_dtype_value());
}
Tensor as_complex_signal(const Tensor& x) {
  const Tensor signal = as_floating_signal(x);
  return signal.to(complex_type_of(signal.scalar_type()));
}
Tensor as_real_signal(const char* op, const Tensor& x) {
  OA_REQUIRE(!x.is_complex(), op, " expects a real input tensor, but got ", x.scalar_type());
  return as_floating_signal(x);
}

Tensor c2c(const Tensor& z, const Shape& dims, Scale scale, bool forward) {
  return complex_result(fft_c2c(view_as_real(z), dims, scale, forward));
}
Tensor r2c(const Tensor& x, const Shape& dims, Scale scale, bool onesided) {
  return complex_result(fft_r2c(x, dims, scale, onesided));
}
Tensor c2r(const Tensor& z, const Shape& dims, Scale scale, int64_t last) {
  return fft_c2r(view_as_real(z), dims, scale, last);
}

// Cut or continued with zeros.
Tensor resized(Tensor x, const Shape& dims, const Shape& sizes) {
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t now = x.size(dims[i]), wanted = sizes[i];
    if (now > wanted) x = narrow(x, dims[i], 0, wanted);
    if (now >= wanted) continue;
    Shape more = x.sizes();
    more[static_cast<size_t>(dims[i])] = wanted - now;
    x = cat({x, zeros(more, x.dtype())}, dims[i]);
  }
  return x;
}

struct Plan {
  Shape dims, sizes;
  int64_t last = 0;  // elements of the whole signal along the last dimension
};

void require_sizes(const Plan& plan) {
  for (const int64_t size : plan.sizes)
    OA_REQUIRE(size > 0, "fft: Invalid number of data points (", size, ") specified");
}

Plan plan_of(const Tensor& x, const OptionalShape& s, const OptionalShape& dim) {
  Plan plan;
  const int64_t rank = x.dim();
  if (dim.has_value()) {
    for (const int64_t d : *dim) plan.dims.push_back(wrap_dim(d, rank, "fft"));
    Shape sorted = plan.dims;
    std::sort(sorted.begin(), sorted.end());
    OA_REQUIRE(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
               "FFT dims must be unique, was ", *dim);
    OA_REQUIRE(!s.has_value() || s->size() == plan.dims.size(),
               "When given, dim and shape arguments must have the same length, were ", *dim,
               " and ", s.has_value() ? *s : Shape());
  } else {
    const int64_t count = s.has_value() ? static_cast<int64_t>(s->size()) : rank;
    OA_REQUIRE(count <= rank, "Got shape with ", count, " values but input tensor only has ", rank,
               " dimensions.");
    for (int64_t d = rank - count; d < rank; ++d) plan.dims.push_back(d);
  }
  for (size_t i = 0; i < plan.dims.size(); ++i) {
    const int64_t asked = s.has_value() ? (*s)[i] : -1;
    plan.sizes.push_back(asked == -1 ? x.size(plan.dims[i]) : asked);
  }
  require_sizes(plan);
  if (!plan.sizes.empty()) plan.last = plan.sizes.back();
  return plan;
}

// Of half a spectrum: sizes say how much of it is there.
Plan half_plan_of(const Tensor& x, const OptionalShape& s, const OptionalShape& dim) {
  Plan plan = plan_of(x, s, dim);
  OA_REQUIRE(!plan.dims.empty(), "fft: must transform at least one axis");
  if (!s.has_value() || s->back() == -1) plan.last = 2 * (x.size(plan.dims.back()) - 1);
  OA_REQUIRE(plan.last >= 1, "fft: Invalid number of data points (", plan.last, ") specified");
  plan.sizes[plan.sizes.size() - 1] = plan.last / 2 + 1;
  return plan;
}

void require_points(std::optional<int64_t> n) {  // in more dimensions -1 is the whole
  OA_REQUIRE(!n || *n > 0, "fft: Invalid number of data points (", n.value_or(0), ") specified");
}
Plan line_plan(const Tensor& x, std::optional<int64_t> n, int64_t dim) {
  OA_REQUIRE(x.dim() > 0, "fft: expected a tensor of at least one dimension");
  require_points(n);
  return plan_of(x, n ? OptionalShape(Shape{*n}) : OptionalShape(), Shape{dim});
}
Plan half_line_plan(const Tensor& x, std::optional<int64_t> n, int64_t dim) {
  OA_REQUIRE(x.dim() > 0, "fft: expected a tensor of at least one dimension");
  require_points(n);
  return half_plan_of(x, n ? OptionalShape(Shape{*n}) : OptionalShape(), Shape{dim});
}

Tensor to_complex(const Tensor& signal, const Plan& plan, OptionalNorm norm, bool forward) {
  const Tensor z = resized(as_complex_signal(signal), plan.dims, plan.sizes);
  return plan.dims.empty() ? z : c2c(z, plan.dims, scale_of(norm, forward), forward);
}
Tensor to_half(const char* op, const Tensor& signal, const Plan& plan, Scale scale) {
  OA_REQUIRE(!plan.dims.empty(), op, " must transform at least one axis");
  return r2c(resized(as_real_signal(op, signal), plan.dims, plan.sizes), plan.dims, scale, true);
}
Tensor from_half(const Tensor& signal, const Plan& plan, Scale scale) {
  return c2r(resized(as_complex_signal(signal), plan.dims, plan.sizes), plan.dims, scale,
             plan.last);
}

Shape but_last(const Shape& dims) { return dims.slice(0, dims.size() - 1); }

}  // namespace

Tensor fft_fft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  const Plan plan = line_plan(signal, n, dim);
  if (signal.is_complex()) return to_complex(signal, plan, norm, true);
  const Tensor x = resized(as_floating_signal(signal), plan.dims, plan.sizes);
  return r2c(x, plan.dims, scale_of(norm, true), false);
}
Tensor fft_ifft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  return to_complex(signal, line_plan(signal, n, dim), norm, false);
}
Tensor fft_rfft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  return to_half("rfft", signal, line_plan(signal, n, dim), scale_of(norm, true));
}
Tensor fft_irfft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  return from_half(signal, half_line_plan(signal, n, dim), scale_of(norm, false));
}
Tensor fft_hfft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  return from_half(conj(signal), half_line_plan(signal, n, dim), scale_of(norm, true));
}
Tensor fft_ihfft(const Tensor& signal, std::optional<int64_t> n, int64_t dim, OptionalNorm norm) {
  return conj(to_half("ihfft", signal, line_plan(signal, n, dim), scale_of(norm, false)));
}

Tensor fft_fftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  return to_complex(signal, plan_of(signal, s, dim), norm, true);
}
Tensor fft_ifftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  return to_complex(signal, plan_of(signal, s, dim), norm, false);
}
Tensor fft_rfftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  return to_half("rfftn", signal, plan_of(signal, s, dim), scale_of(norm, true));
}
Tensor fft_irfftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  return from_half(signal, half_plan_of(signal, s, dim), scale_of(norm, false));
}
Tensor fft_hfftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  const Plan plan = half_plan_of(signal, s, dim);
  Tensor z = resized(as_complex_signal(signal), plan.dims, plan.sizes);
  if (plan.dims.size() > 1) z = c2c(z, but_last(plan.dims), scale_of(norm, true), true);
  return fft_hfft(z, plan.last, plan.dims.back(), norm);
}
Tensor fft_ihfftn(const Tensor& signal, OptionalShape s, OptionalShape dim, OptionalNorm norm) {
  const Plan plan = plan_of(signal, s, dim);
  OA_REQUIRE(!plan.dims.empty(), "ihfftn must transform at least one axis");
  const Tensor x = resized(as_real_signal("ihfftn", signal), plan.dims, plan.sizes);
  const Tensor z = fft_ihfft(x, plan.last, plan.dims.back(), norm);
  return plan.dims.size() > 1 ? c2c(z, but_last(plan.dims), scale_of(norm, false), false) : z;
}

Tensor fft_fft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_fftn(signal, s, dim, norm);
}
Tensor fft_ifft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_ifftn(signal, s, dim, norm);
}
Tensor fft_rfft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_rfftn(signal, s, dim, norm);
}
Tensor fft_irfft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_irfftn(signal, s, dim, norm);
}
Tensor fft_hfft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_hfftn(signal, s, dim, norm);
}
Tensor fft_ihfft2(const Tensor& signal, OptionalShape s, const Shape& dim, OptionalNorm norm) {
  return fft_ihfftn(signal, s, dim, norm);
}

Tensor fft_fftfreq(int64_t n, double d, const TensorOptions& options) {
  const TensorOptions plain = TensorOptions(options.dtype());
  OA_REQUIRE(n >= 0, "fft_fftfreq: the number of points must be non-negative, was ", n);
  const Tensor out = cat({arange(0, (n + 1) / 2, plain), arange(-(n / 2), 0, plain)});
  const Tensor scaled = mul(out, 1.0 / (static_cast<double>(n) * d));
  return options.requires_grad() ? scaled.requires_grad_() : scaled;
}
Tensor fft_rfftfreq(int64_t n, double d, const TensorOptions& options) {
  OA_REQUIRE(n >= 0, "fft_rfftfreq: the number of points must be non-negative, was ", n);
  const Tensor out = arange(0, n / 2 + 1, TensorOptions(options.dtype()));
  const Tensor scaled = mul(out, 1.0 / (static_cast<double>(n) * d));
  return options.requires_grad() ? scaled.requires_grad_() : scaled;
}

static Tensor shifted(const Tensor& x, const OptionalShape& dim, int64_t extra) {
  Shape dims, shifts;
  if (dim.has_value()) dims = *dim;
  for (int64_t d = 0; d < x.dim() && !dim.has_value(); ++d) dims.push_back(d);
  for (const int64_t d : dims) shifts.push_back((x.size(d) + extra) / 2);
  return roll(x, shifts, dims);
}
Tensor fft_fftshift(const Tensor& signal, OptionalShape dim) { return shifted(signal, dim, 0); }
Tensor fft_ifftshift(const Tensor& signal, OptionalShape dim) { return shifted(signal, dim, 1); }

}  // namespace oneagent
