#include "core/ops/pad.h"

#include "core/kernels/copy.h"
#include "core/kernels/pad.h"
#include "core/ops/mirror_pad.h"
#include "core/ops/op_fits.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"pad", AttrKind::kInts}, {"value", AttrKind::kNumber}};

Attrs pad_attrs(const Shape& pad, double value) { return Attrs().add(pad).add(value); }

// Before and after dimension d of `rank`.
std::pair<int64_t, int64_t> ends_of(const Shape& pad, size_t rank, size_t d) {
  const size_t at = 2 * (rank - 1 - d);
  return at < pad.size() ? std::pair{pad[at], pad[at + 1]} : std::pair<int64_t, int64_t>{0, 0};
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  const Shape pad = attrs.list(0);
  Shape sizes = in[0]->sizes;
  OA_REQUIRE(pad.size() % 2 == 0, "constant_pad_nd: Padding length must be divisible by 2, was ",
             pad);
  OA_REQUIRE(pad.size() <= 2 * sizes.size(),
             "constant_pad_nd: Padding length too large: expected two values for each of at most ",
             sizes.size(), " dimensions, was ", pad);
  for (size_t d = 0; d < sizes.size(); ++d) {
    const auto [before, after] = ends_of(pad, sizes.size(), d);
    const bool fits = !__builtin_add_overflow(sizes[d], before, &sizes[d]) &&
                      !__builtin_add_overflow(sizes[d], after, &sizes[d]);
    OA_REQUIRE(fits, "constant_pad_nd: ", pad, " makes more elements of ", in[0]->sizes,
               " than can be counted");
    OA_REQUIRE(sizes[d] >= 0, "constant_pad_nd: ", pad, " cuts more than there is of ",
               in[0]->sizes);
  }
  out.add(sizes, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Shape pad = attrs.list(0);
  const Shape& sizes = in[0].sizes();
  if (sizes.empty()) return copy_into(stream, out[0], in[0]);
  std::vector<PadMap> maps(sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    const int64_t before = ends_of(pad, sizes.size(), d).first, count = out[0].sizes()[d];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t from = i - before;
      maps[d].from.push_back(from >= 0 && from < sizes[d] ? from : -1);
    }
    maps[d].first = std::clamp<int64_t>(before, 0, count);
    maps[d].last = std::clamp<int64_t>(before + sizes[d], maps[d].first, count);
  }
  run_pad(stream, out[0], as_contiguous(stream, in[0]), maps, attrs.number(1));
}

void vjp(VjpCall& call) {
  Shape cut = call.attrs().list(0);
  for (int64_t& size : cut) size = -size;
  call.set(0, constant_pad_nd(call.grad(), cut));
}

std::string rule(Metas in, const Attrs& attrs) {
  const size_t rank = in[0]->sizes.size();
  std::string from, to, closed;
  for (size_t d = 0; d < rank; ++d) {
    from += static_cast<char>('a' + d);
    const auto [before, after] = ends_of(attrs.list(0), rank, d);
    to += static_cast<char>((before == 0 && after == 0 ? 'a' : 'A') + d);
    if (from.back() != to.back()) closed += {from.back(), to.back()};
  }
  return from + "->" + to + ";" + closed;
}

constinit const Op kConstantPad = {
    .name = "constant_pad_nd",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, pad_attrs({1, 2}, 0.5)},
                         {{normal({2, 3, 4})}, pad_attrs({0, 0, 2, 1, -1, 1}, 0.0)},
                         {{normal({2, 5})}, pad_attrs({-1, -2, 1, 0}, -1.5)},
                         {{normal({})}, pad_attrs({}, 2.0)},
                         {{normal({0, 2})}, pad_attrs({1, 0, 1, 1}, 1.0)}};
        },
};

}  // namespace

// The record's value is a number; a large integer one is exact up to 2^53.
Tensor constant_pad_nd(const Tensor& input, const Shape& pad, Scalar value) {
  if (input.defined()) require_fits(value, input.scalar_type());
  return call_op(kConstantPad, {&input}, pad_attrs(pad, value.number()));
}

Tensor _pad_enum(const Tensor& input, const Shape& pad, int64_t mode, std::optional<double> value) {
  constexpr std::string_view kModes[] = {"constant", "reflect", "replicate", "circular"};
  OA_REQUIRE(mode >= 0 && mode < 4, "pad: unknown mode ", mode);
  return oneagent::pad(input, pad, kModes[mode], value);
}

Tensor pad(const Tensor& input, const Shape& pad, std::string_view mode,
           std::optional<double> value) {
  if (mode == "constant") return constant_pad_nd(input, pad, value.value_or(0.0));
  OA_REQUIRE(!value.has_value() || *value == 0.0, "pad: mode \"", mode, "\" takes no value, was ",
             *value);
  if (mode == "circular") return _pad_circular(input, pad);
  OA_REQUIRE(mode == "reflect" || mode == "replicate",
             "pad: expected mode \"constant\", \"reflect\", \"replicate\" or \"circular\", was \"",
             mode, "\"");
  const auto dims = static_cast<int64_t>(pad.size() / 2);
  OA_REQUIRE(pad.size() % 2 == 0, "pad: mode \"", mode, "\" takes pairs of numbers, was ", pad);
  if (dims < 1 || dims > 3 || (input.dim() != dims + 1 && input.dim() != dims + 2))
    throw NotImplementedError(
        str("Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: mode \"",
            mode, "\" pads the last 1, 2 or 3 dimensions of a tensor with one or two more, was ",
            pad, " for ", input.sizes()));
  if (dims == 1)
    return mode == "reflect" ? reflection_pad1d(input, pad) : replication_pad1d(input, pad);
  if (dims == 2)
    return mode == "reflect" ? reflection_pad2d(input, pad) : replication_pad2d(input, pad);
  return mode == "reflect" ? reflection_pad3d(input, pad) : replication_pad3d(input, pad);
}

OA_OP(pad, &kConstantPad)

}  // namespace oneagent
