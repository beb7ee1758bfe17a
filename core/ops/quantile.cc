#include "core/ops/quantile.h"

#include "core/kernels/quantile.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/op_wrapped.h"
#include "core/ops/reduce.h"
#include "core/ops/sort.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"interpolation", AttrKind::kInt}, {"ignore_nan", AttrKind::kBool}};
Attrs attrs_of(Interpolation interpolation, bool ignore_nan) {
  return Attrs().add(static_cast<int64_t>(interpolation)).add(ignore_nan);
}

// Sorted rows [m, n] and q [k]: places below and above, weights, [m, k] each.
void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("quantile", in);
  require_floating("quantile", *in[0]);
  OA_REQUIRE(in[0]->sizes.size() == 2 && in[1]->sizes.size() == 1 && in[0]->sizes[1] > 0,
             "quantile: expected sorted rows and a list of q, were ", in[0]->sizes, " and ",
             in[1]->sizes);
  const Shape sizes{in[0]->sizes[0], in[1]->sizes[0]};
  out.add(sizes, DType::kInt64);
  out.add(sizes, DType::kInt64);
  out.add(sizes, in[0]->dtype);
}
constinit const Op kPlaces = {
    .name = "quantile_places",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.factors = "mn,k->mk,mk,mk", .closed = "n"},
    .kernels = {[](Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
      run_quantile_places(stream, out[0], out[1], out[2], in[0], in[1],
                          static_cast<Interpolation>(attrs.integer(0)), attrs.flag(1));
    }},
    .samples =
        [] {
          return Samples{
              {{normal({2, 4}), positive({3})}, attrs_of(Interpolation::kLinear, false)},
              {{normal({1, 7}), positive({2})}, attrs_of(Interpolation::kMidpoint, true)},
              {{normal({3, 5}), positive({2})}, attrs_of(Interpolation::kNearest, false)}};
        },
};

Interpolation parse(std::string_view name) {
  constexpr std::string_view kNames[] = {"linear", "lower", "higher", "midpoint", "nearest"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (kNames[i] == name) return static_cast<Interpolation>(i);
  OA_REQUIRE(false,
             "quantile: interpolation must be linear, lower, higher, midpoint or nearest, was ",
             name);
  return {};
}

// From the nearer end, so that weight 1 gives exactly b.
Tensor between(const Tensor& a, const Tensor& b, const Tensor& weight) {
  const Tensor rise = sub(b, a);
  return where(lt(weight, 0.5), add(a, mul(weight, rise)), sub(b, mul(rise, sub(1, weight))));
}

Tensor quantiles(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                 std::string_view interpolation, bool ignore_nan) {
  const Interpolation mode = parse(interpolation);
  OA_REQUIRE(self.numel() > 0, "quantile: needs at least one element, shape ", self.sizes());
  OA_REQUIRE(q.dim() <= 1, "quantile: q must be a number or 1-d, was ", q.sizes());
  OA_REQUIRE(self.dtype() == q.dtype(), "quantile: the operand and q have types ",
             name_of(self.dtype()), " and ", name_of(q.dtype()));
  OA_REQUIRE(all(logical_and(ge(q, 0), le(q, 1))).item<bool>(),
             "quantile: every q must be in [0, 1]");
  const bool flat = !dim || self.dim() == 0;
  const int64_t at = dim ? wrap_dim(*dim, self.dim(), "quantile") : 0;
  const Tensor moved =
      flat ? reshape(self, {-1}) : squeeze(transpose(unsqueeze(self, -1), at, -1), at);
  const Tensor rows = reshape(moved, {-1, moved.size(-1)});
  const Tensor sorted = std::get<0>(sort(rows, 1, false));
  const Tensor wanted = reshape(q.detach(), {-1});
  Tensor places[3];
  call_op(kPlaces, {&sorted, &wanted}, attrs_of(mode, ignore_nan), places);
  Tensor out = gather(sorted, 1, places[0]);
  if (mode == Interpolation::kLinear || mode == Interpolation::kMidpoint)
    out = between(out, gather(sorted, 1, places[1]), places[2]);
  Shape sizes;
  if (q.dim() > 0) sizes.push_back(q.numel());
  for (size_t i = 0; i < self.sizes().size(); ++i) {
    const bool reduced = flat || static_cast<int64_t>(i) == at;
    if (!reduced || keepdim) sizes.push_back(reduced ? 1 : self.sizes()[i]);
  }
  return reshape(transpose(out, 0, 1), sizes);
}

Tensor number(const Tensor& self, double q) {
  OA_REQUIRE(q >= 0 && q <= 1, "quantile: quantile() q must be in the range [0, 1] but got ", q);
  return wrapped_scalar(q, self.options());
}

}  // namespace

Tensor quantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles(self, q, dim, keepdim, interpolation, false);
}
Tensor quantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                std::string_view interpolation) {
  return quantiles(self, number(self, q), dim, keepdim, interpolation, false);
}
Tensor nanquantile(const Tensor& self, const Tensor& q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles(self, q, dim, keepdim, interpolation, true);
}
Tensor nanquantile(const Tensor& self, double q, std::optional<int64_t> dim, bool keepdim,
                   std::string_view interpolation) {
  return quantiles(self, number(self, q), dim, keepdim, interpolation, true);
}

OA_OP(quantile, &kPlaces)

}  // namespace oneagent
