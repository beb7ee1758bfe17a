#include "core/plan/bias_gradient.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/bias_gradient.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"activation", AttrKind::kInt}};

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("bias_gradient", in);
  require_floating("bias_gradient", *in[0]);
  const Shape& sizes = in[0]->sizes;
  OA_REQUIRE(
      !sizes.empty() && sizes == in[1]->sizes && sizes.back() % cpu::kBiasGradientColumns == 0,
      "bias_gradient: expected two tensors [..., n] with n a multiple of ",
      cpu::kBiasGradientColumns, ", was ", sizes, " and ", in[1]->sizes);
  out.add(sizes, in[0]->dtype);
  out.add({sizes.back()}, in[0]->dtype);
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  constexpr int64_t kGrain = 32768, kLeast = 128;  // elements and columns of a chunk
  Tensor held[2];
  const Tensor *gradient = &in[0], *result = &in[1];
  if (!gradient->is_contiguous()) gradient = &(held[0] = contiguous_copy(stream, *gradient));
  if (!result->is_contiguous()) result = &(held[1] = contiguous_copy(stream, *result));
  cpu::BiasGradientArgs args;
  args.activation = static_cast<cpu::Activation>(attrs.integer(0));
  args.columns = args.stride = in[0].sizes().back();
  args.rows = args.columns == 0 ? 0 : in[0].numel() / args.columns;
  args.gradient = gradient->data_ptr();
  args.result = result->data_ptr();
  args.out = out[0].data_ptr();
  args.sums = out[1].data_ptr();
  if (args.rows == 0) return fill(stream, out[1], 0);
  const int64_t grain = std::max(kLeast, kGrain / args.rows / kLeast * kLeast);
  stream.parallel_for(args.columns, grain, [&](int64_t begin, int64_t end) {
    cpu::BiasGradientArgs part = args;
    part.columns = end - begin;
    const auto skip = begin * static_cast<int64_t>(size_of(out[0].dtype()));
    part.gradient = static_cast<const char*>(args.gradient) + skip;
    part.result = static_cast<const char*>(args.result) + skip;
    part.out = static_cast<char*>(args.out) + skip;
    part.sums = static_cast<char*>(args.sums) + skip;
    cpu::bias_gradient(out[0].dtype(), part);
  });
}

// Sums go over all rows, so that only columns can be split.
std::string rule(Metas in, const Attrs&) {
  const std::string rows = std::string("abcdefgh").substr(0, in[0]->sizes.size() - 1);
  return rows + "n," + rows + "n->" + rows + "n,n;" + rows;
}

}  // namespace

constinit const Op kBiasGradient = {
    .name = "bias_gradient",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .flops = [](Metas in, const Attrs&,
                const Inferred&) { return 4.0 * static_cast<double>(in[0]->sizes.numel()); },
    .kernels = {kernel},
};

}  // namespace oneagent
