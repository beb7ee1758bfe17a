#include "core/ops/fft.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/fft.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"

namespace oneagent {
namespace {

constexpr AttrSpec kR2cAttrs[] = {
    {"dims", AttrKind::kInts}, {"normalization", AttrKind::kInt}, {"onesided", AttrKind::kBool}};
constexpr AttrSpec kC2cAttrs[] = {
    {"dims", AttrKind::kInts}, {"normalization", AttrKind::kInt}, {"forward", AttrKind::kBool}};
constexpr AttrSpec kC2rAttrs[] = {{"dims", AttrKind::kInts},
                                  {"normalization", AttrKind::kInt},
                                  {"last_dim_size", AttrKind::kInt}};

Attrs attrs_of(const Shape& dims, int64_t normalization, int64_t last) {
  return Attrs().add(dims).add(normalization).add(last);
}
size_t last_dim(const Attrs& attrs) { return static_cast<size_t>(attrs.list(0).back()); }

void require_signal(const char* op, const TensorMeta& meta, const Attrs& attrs, bool complex_in) {
  require_floating(op, meta);
  OA_REQUIRE(!complex_in || (!meta.sizes.empty() && meta.sizes.back() == 2), op,
             ": expected complex numbers as a last dimension of 2, was shape ", meta.sizes);
  for (const int64_t dim : attrs.list(0))
    OA_REQUIRE(meta.sizes[static_cast<size_t>(dim)] > 0, op,
               ": Invalid number of data points (0) specified, dimension ", dim, " of shape ",
               meta.sizes);
}

void r2c_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_signal("fft_r2c", *in[0], attrs, false);
  Shape sizes = in[0]->sizes;
  if (attrs.flag(2)) sizes[last_dim(attrs)] = sizes[last_dim(attrs)] / 2 + 1;
  sizes.push_back(2);
  out.add(sizes, in[0]->dtype);
}
void c2c_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_signal("fft_c2c", *in[0], attrs, true);
  out.add(in[0]->sizes, in[0]->dtype);
}
void c2r_infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_signal("fft_c2r", *in[0], attrs, true);
  Shape sizes = in[0]->sizes;
  const int64_t n = attrs.integer(2);
  OA_REQUIRE(n >= 1 && sizes[last_dim(attrs)] == n / 2 + 1, "fft_c2r: a signal of ", n,
             " elements has ", n / 2 + 1, " in its spectrum, was ", sizes[last_dim(attrs)]);
  sizes.erase(sizes.size() - 1);
  sizes[last_dim(attrs)] = n;
  out.add(sizes, in[0]->dtype);
}

// `sizes` are those of the whole signal.
double scale_of(const Attrs& attrs, const Shape& sizes) {
  double count = 1;
  for (const int64_t dim : attrs.list(0))
    count *= static_cast<double>(sizes[static_cast<size_t>(dim)]);
  const int64_t mode = attrs.integer(1);
  return mode == 0 ? 1.0 : mode == 1 ? 1.0 / std::sqrt(count) : 1.0 / count;
}

void r2c_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Shape dims = attrs.list(0);
  fft_real_to_complex(stream, out[0], as_contiguous(stream, in[0]), dims.back(),
                      scale_of(attrs, in[0].sizes()));
  for (size_t i = 0; i + 1 < dims.size(); ++i)
    fft_complex(stream, out[0], out[0], dims[i], false, 1);
}
void c2c_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Shape dims = attrs.list(0);
  Tensor from = as_contiguous(stream, in[0]);
  double scale = scale_of(attrs, in[0].sizes());
  for (size_t i = dims.size(); i-- > 0;) {
    fft_complex(stream, out[0], from, dims[i], !attrs.flag(2), scale);
    from = out[0];
    scale = 1;
  }
  if (dims.empty()) copy_into(stream, out[0], from);
}
void c2r_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Shape dims = attrs.list(0);
  Tensor from = as_contiguous(stream, in[0]);
  if (dims.size() > 1) {
    const Tensor inner = empty_on(stream, from.sizes(), from.dtype());
    for (size_t i = 0; i + 1 < dims.size(); ++i) {
      fft_complex(stream, inner, from, dims[i], true, 1);
      from = inner;
    }
  }
  fft_complex_to_real(stream, out[0], from, dims.back(), scale_of(attrs, out[0].sizes()));
}

// A factor for the elements of half a spectrum that stand for two, broadcast over the result.
Tensor weighted_half(const Tensor& spectrum, const Attrs& attrs, int64_t n, double factor) {
  const size_t dim = last_dim(attrs);
  Shape sizes;
  for (size_t i = dim; i < spectrum.sizes().size(); ++i) sizes.push_back(1);
  sizes[0] = n / 2 + 1;
  const Tensor weights = full(sizes, factor, spectrum.dtype());
  with_floating(weights.dtype(), [&]<class T>(Type<T>) {
    weights.data_ptr<T>()[0] = T(1);
    if (n % 2 == 0) weights.data_ptr<T>()[n / 2] = T(1);
  });
  return mul(spectrum, weights);
}

void r2c_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const Shape dims = attrs.list(0);
  if (!attrs.flag(2)) {
    const Tensor back = fft_c2c(call.grad(), dims, attrs.integer(1), false);
    return call.set(0, select(back, -1, 0));
  }
  const int64_t n = call.input_sizes(0)[last_dim(attrs)];
  const Tensor half = weighted_half(call.grad(), attrs, n, 0.5);
  call.set(0, fft_c2r(half, dims, attrs.integer(1), n));
}
void c2c_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  call.set(0, fft_c2c(call.grad(), attrs.list(0), attrs.integer(1), !attrs.flag(2)));
}
void c2r_vjp(VjpCall& call) {
  const Attrs& attrs = call.attrs();
  const Tensor spectrum = fft_r2c(call.grad(), attrs.list(0), attrs.integer(1), true);
  call.set(0, weighted_half(spectrum, attrs, attrs.integer(2), 2.0));
}

std::string letters_of(size_t rank) {
  std::string out;
  for (size_t i = 0; i < rank; ++i) out += static_cast<char>('a' + i);
  return out;
}
// All transformed dimensions stay whole; the half one has another letter in the result.
std::string rule_of(size_t rank, const Attrs& attrs, bool complex_in, bool complex_out,
                    bool resized) {
  const std::string from = letters_of(rank);
  std::string to = from, closed = "yz";
  if (resized) to[last_dim(attrs)] = 'z';
  for (const int64_t dim : attrs.list(0)) closed += from[static_cast<size_t>(dim)];
  return from + (complex_in ? "y" : "") + "->" + to + (complex_out ? "y" : "") + ";" + closed;
}
std::string r2c_rule(Metas in, const Attrs& attrs) {
  return rule_of(in[0]->sizes.size(), attrs, false, true, attrs.flag(2));
}
std::string c2c_rule(Metas in, const Attrs& attrs) {
  return rule_of(in[0]->sizes.size() - 1, attrs, true, true, false);
}
std::string c2r_rule(Metas in, const Attrs& attrs) {
  return rule_of(in[0]->sizes.size() - 1, attrs, true, false, true);
}

double flops(Metas in, const Attrs&, const Inferred&) {
  const auto count = static_cast<double>(in[0]->sizes.numel());
  return 5 * count * std::log2(count + 1);
}

constinit const Op kR2c = {
    .name = "fft_r2c",
    .attrs = kR2cAttrs,
    .infer = r2c_infer,
    .rule = {.linear = 1, .generate = r2c_rule},
    .flops = flops,
    .vjp = r2c_vjp,
    .kernels = {r2c_kernel},
    .samples =
        [] {
          return Samples{{{normal({8})}, attrs_of({0}, 0, 1)},
                         {{normal({3, 15})}, attrs_of({1}, 1, 1)},
                         {{normal({6, 4, 2})}, attrs_of({0, 1}, 2, 1)},
                         {{normal({5, 9})}, attrs_of({1, 0}, 0, 0)},
                         {{normal({1, 2})}, attrs_of({0}, 0, 1)},
                         {{normal({58})}, attrs_of({0}, 0, 0)},
                         {{normal({0, 4})}, attrs_of({1}, 0, 1)}};
        },
};
constinit const Op kC2c = {
    .name = "fft_c2c",
    .attrs = kC2cAttrs,
    .infer = c2c_infer,
    .rule = {.linear = 1, .generate = c2c_rule},
    .flops = flops,
    .vjp = c2c_vjp,
    .kernels = {c2c_kernel},
    .samples =
        [] {
          return Samples{{{normal({16, 2})}, attrs_of({0}, 0, 1)},
                         {{normal({2, 30, 2})}, attrs_of({1}, 1, 0)},
                         {{normal({7, 3, 2})}, attrs_of({0, 1}, 2, 1)},
                         {{normal({29, 2, 2})}, attrs_of({0}, 0, 0)},
                         {{normal({72, 2})}, attrs_of({0}, 0, 1)},
                         {{normal({3, 2})}, attrs_of({}, 0, 1)},
                         {{normal({0, 4, 2})}, attrs_of({1}, 0, 1)}};
        },
};
constinit const Op kC2r = {
    .name = "fft_c2r",
    .attrs = kC2rAttrs,
    .infer = c2r_infer,
    .rule = {.linear = 1, .generate = c2r_rule},
    .flops = flops,
    .vjp = c2r_vjp,
    .kernels = {c2r_kernel},
    .samples =
        [] {
          return Samples{{{normal({5, 2})}, attrs_of({0}, 0, 8)},
                         {{normal({3, 8, 2})}, attrs_of({1}, 1, 15)},
                         {{normal({6, 3, 2, 2})}, attrs_of({0, 1}, 2, 4)},
                         {{normal({2, 2, 2})}, attrs_of({1}, 0, 2)},
                         {{normal({30, 2})}, attrs_of({0}, 0, 58)},
                         {{normal({0, 3, 2})}, attrs_of({1}, 0, 4)}};
        },
};

Shape signal_dims(const char* op, const Shape& dims, int64_t rank) {
  Shape out;
  uint32_t seen = 0;
  for (const int64_t dim : dims) {
    const int64_t at = wrap_dim(dim, rank, op);
    OA_REQUIRE((seen & (1u << at)) == 0, op, ": a dimension appears twice in ", dims);
    seen |= 1u << at;
    out.push_back(at);
  }
  return out;
}
void require_mode(const char* op, int64_t normalization) {
  OA_REQUIRE(normalization >= 0 && normalization <= 2, op,
             ": normalization must be 0, 1 or 2, was ", normalization);
}

}  // namespace

Tensor fft_r2c(const Tensor& signal, const Shape& dim, int64_t normalization, bool onesided) {
  require_mode("fft_r2c", normalization);
  OA_REQUIRE(!dim.empty() && signal.dim() > 0, "fft_r2c: expected at least one dimension");
  return call_op(kR2c, {&signal},
                 attrs_of(signal_dims("fft_r2c", dim, signal.dim()), normalization, onesided));
}
Tensor fft_c2c(const Tensor& signal, const Shape& dim, int64_t normalization, bool forward) {
  require_mode("fft_c2c", normalization);
  OA_REQUIRE(signal.dim() > 0, "fft_c2c: expected complex numbers as a last dimension of 2");
  return call_op(kC2c, {&signal},
                 attrs_of(signal_dims("fft_c2c", dim, signal.dim() - 1), normalization, forward));
}
Tensor fft_c2r(const Tensor& signal, const Shape& dim, int64_t normalization,
               int64_t last_dim_size) {
  require_mode("fft_c2r", normalization);
  OA_REQUIRE(!dim.empty() && signal.dim() > 1, "fft_c2r: expected at least one dimension");
  return call_op(
      kC2r, {&signal},
      attrs_of(signal_dims("fft_c2r", dim, signal.dim() - 1), normalization, last_dim_size));
}

OA_OP(fft, &kR2c, &kC2c, &kC2r)

}  // namespace oneagent
