#include "core/ops/attention.h"

#include <cmath>

#include "core/kernels/attention.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/matmul.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_random.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"scale", AttrKind::kNumber}, {"causal", AttrKind::kBool}};
constexpr AttrSpec kDropoutAttrs[] = {{"scale", AttrKind::kNumber}, {"causal", AttrKind::kBool},
                                      {"p", AttrKind::kNumber},     {"seed", AttrKind::kInt},
                                      {"stream", AttrKind::kInt},   {"offset", AttrKind::kInt}};

Shape leading(const Shape& x) { return Shape(x.data(), x.size() - 2); }

// q, k, v and the mask (or null) from position `first` on.
void check(Metas in, size_t first) {
  const char* op = "scaled_dot_product_attention";
  require_floating(op, *in[first]);
  require_same_dtype(op, in.subspan(first, 3));
  const Shape &q = in[first]->sizes, &k = in[first + 1]->sizes, &v = in[first + 2]->sizes;
  const size_t rank = q.size();
  OA_REQUIRE(rank >= 2 && k.size() == rank && v.size() == rank && q[rank - 1] == k[rank - 1] &&
                 k[rank - 2] == v[rank - 2] && leading(q) == leading(k) && leading(q) == leading(v),
             op, ": expected query [..., l, e], key [..., s, e] and value [..., s, d], was ", q,
             ", ", k, " and ", v);
  const TensorMeta* mask = in[first + 3];
  if (mask == nullptr) return;
  OA_REQUIRE(mask->dtype == DType::kBool || mask->dtype == in[first]->dtype, op,
             ": the mask must be bool or ", name_of(in[first]->dtype), ", was ",
             name_of(mask->dtype));
  Shape scores = q;
  scores[rank - 1] = k[rank - 2];
  OA_REQUIRE(mask->sizes.size() >= 2 && broadcast_sizes(op, scores, mask->sizes) == scores, op,
             ": the mask has shape ", mask->sizes, ", the scores ", scores);
}

void infer(Metas in, const Attrs&, Inferred& out) {
  check(in, 0);
  const Shape& q = in[0]->sizes;
  Shape sizes = q;
  sizes[sizes.size() - 1] = in[2]->sizes.back();
  out.add(sizes, in[0]->dtype);
  out.add(Shape(q.data(), q.size() - 1), in[0]->dtype);
}

Attention call_of(Inputs in, size_t first, const Attrs& attrs) {
  Attention call;
  call.q = in[first];
  call.k = in[first + 1];
  call.v = in[first + 2];
  if (in.has(first + 3)) call.mask = in[first + 3];
  call.scale = attrs.number(0);
  call.causal = attrs.flag(1);
  if (attrs.size() > 2) {
    call.dropout = attrs.number(2);
    call.at = random_state(attrs, 3);
  }
  return call;
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_attention(stream, call_of(in, 0, attrs), out[0], out[1]);
}

// Inputs: gradients of both results (either may be absent), q, k, v, mask, both results. Results:
// gradients of q, k, v and of a floating mask.
void backward_infer(Metas in, const Attrs&, Inferred& out) {
  check(in, 2);
  for (size_t i = 2; i < 5; ++i) out.add(in[i]->sizes, in[i]->dtype);
  if (in[5] != nullptr && is_floating(in[5]->dtype)) out.add(in[5]->sizes, in[5]->dtype);
}
void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  AttentionGradient to;
  if (in.has(0)) to.g = in[0];
  if (in.has(1)) to.g_low = in[1];
  to.out = in[6];
  to.low = in[7];
  to.q = out[0];
  to.k = out[1];
  to.v = out[2];
  if (out.size() > 3) to.mask = out[3];
  run_attention_backward(stream, call_of(in, 2, attrs), to);
}

double flops(Metas in, const Attrs&, const Inferred& out) {
  const Shape& k = in[1]->sizes;
  return 2.0 * static_cast<double>(out[1].sizes.numel() * k[k.size() - 2]) *
         static_cast<double>(k.back() + in[2]->sizes.back());
}
double backward_flops(Metas in, const Attrs&, const Inferred&) {
  const Shape &q = in[2]->sizes, &k = in[3]->sizes;
  const int64_t scores = q.numel() / std::max<int64_t>(q.back(), 1) * k[k.size() - 2];
  return 2.0 * static_cast<double>(scores) *
         static_cast<double>(3 * k.back() + 2 * in[4]->sizes.back());
}

Tensor transposed(const Tensor& x) { return transpose(x, -1, -2); }

// The scaled and masked scores.
Tensor scores_of(const Tensor& q, const Tensor& k, const Tensor& mask, const Attrs& attrs) {
  Tensor scores = mul(matmul(q, transposed(k)), attrs.number(0));
  constexpr double kNothing = -INFINITY;
  if (mask.defined() && mask.dtype() == DType::kBool)
    scores = where(mask, scores, kNothing);
  else if (mask.defined())
    scores = add(scores, mask);
  if (!attrs.flag(1)) return scores;
  const int64_t l = q.size(-2), s = k.size(-2);
  const Tensor visible = empty({l, s}, DType::kBool);
  for (int64_t i = 0; i < l; ++i)
    for (int64_t j = 0; j < s; ++j) visible.data_ptr<bool>()[i * s + j] = j <= i;
  return where(visible, scores, kNothing);
}

Tensor dropout_factors(const Tensor& scores, const Attrs& attrs);

std::vector<Tensor> composed_backward(const std::vector<Tensor>& in, const Attrs& attrs) {
  const Tensor &q = in[2], &k = in[3], &v = in[4], &mask = in[5], &out = in[6], &low = in[7];
  const Tensor g = in[0].defined() ? in[0] : zeros(out.sizes(), out.dtype());
  const Tensor scores = scores_of(q, k, mask, attrs);
  const Tensor p = exp(sub(scores, unsqueeze(low, -1)));
  Tensor kept = p, reached = matmul(g, transposed(v));
  if (attrs.size() > 2) {
    const Tensor factors = dropout_factors(scores, attrs);
    kept = mul(p, factors);
    reached = mul(reached, factors);
  }
  Tensor shift = sum(mul(g, out), Shape{-1}, true);
  if (in[1].defined()) shift = sub(shift, unsqueeze(in[1], -1));
  const Tensor to_scores = mul(p, sub(reached, shift));
  std::vector<Tensor> results = {mul(matmul(to_scores, k), attrs.number(0)),
                                 mul(matmul(transposed(to_scores), q), attrs.number(0)),
                                 matmul(transposed(kept), g)};
  if (mask.defined() && mask.is_floating_point())
    results.push_back(sum_to(to_scores, mask.sizes()));
  return results;
}

void backward_vjp(VjpCall& call) {
  const Attrs attrs = call.attrs();
  vjp_by_composition(
      call, [attrs](const std::vector<Tensor>& in) { return composed_backward(in, attrs); });
}

// "abcl,...": leading dimensions a, b ..., then w queries, x keys, y features, z values.
std::string letters(const Shape& x, const char* matrix) {
  std::string out;
  for (size_t i = 0; i + 2 < x.size(); ++i) out += static_cast<char>('a' + i);
  return out + matrix;
}
std::string mask_letters(const Shape& q, const TensorMeta* mask) {
  if (mask == nullptr) return "";
  const std::string all = letters(q, "wx");
  return all.substr(all.size() - mask->sizes.size());
}
std::string rule(Metas in, const Attrs&) {
  const Shape& q = in[0]->sizes;
  return letters(q, "wy") + "," + letters(q, "xy") + "," + letters(q, "xz") + "," +
         mask_letters(q, in[3]) + "->" + letters(q, "wz") + "," + letters(q, "w") + ";wxyz";
}
std::string backward_rule(Metas in, const Attrs&) {
  const Shape& q = in[2]->sizes;
  const std::string mask = mask_letters(q, in[5]);
  const std::string operands = letters(q, "wy") + "," + letters(q, "xy") + "," + letters(q, "xz");
  const bool floating = in[5] != nullptr && is_floating(in[5]->dtype);
  return letters(q, "wz") + "," + letters(q, "w") + "," + operands + "," + mask + "," +
         letters(q, "wz") + "," + letters(q, "w") + "->" + operands + (floating ? "," + mask : "") +
         ";wxyz";
}

Samples samples(const Attrs& extra) {
  const auto attrs = [&](double scale, bool causal) {
    Attrs out = Attrs().add(scale).add(causal);
    if (extra.size() > 0) out.add(extra.number(0)).add(5).add(6).add(7);
    return out;
  };
  return {{{normal({3, 4}), normal({5, 4}), normal({5, 2}), absent()}, attrs(0.5, false)},
          {{normal({2, 4, 3}), normal({2, 4, 3}), normal({2, 4, 3}), absent()}, attrs(0.7, true)},
          {{normal({2, 2, 3, 4}), normal({2, 2, 5, 4}), normal({2, 2, 5, 4}), normal({2, 1, 3, 5})},
           attrs(0.5, false)},
          {{normal({2, 3, 4}), normal({2, 9, 4}), normal({2, 9, 4}), mask({2, 1, 9})},
           attrs(0.5, false)}};
}
Samples backward_samples(const Attrs& extra) {
  const auto attrs = [&](double scale, bool causal) {
    Attrs out = Attrs().add(scale).add(causal);
    if (extra.size() > 0) out.add(extra.number(0)).add(5).add(6).add(7);
    return out;
  };
  return {{{normal({3, 2}), normal({3}), normal({3, 4}), normal({5, 4}), normal({5, 2}), absent(),
            normal({3, 2}), positive({3})},
           attrs(0.5, false)},
          {{normal({2, 4, 3}), absent(), normal({2, 4, 3}), normal({2, 4, 3}), normal({2, 4, 3}),
            absent(), normal({2, 4, 3}), positive({2, 4})},
           attrs(0.7, true)},
          {{absent(), normal({2, 3}), normal({2, 3, 4}), normal({2, 5, 4}), normal({2, 5, 3}),
            normal({1, 5}), normal({2, 3, 3}), positive({2, 3})},
           attrs(0.5, false)}};
}

constexpr uint32_t kSaved = saves_input(0) | saves_input(1) | saves_input(2) | saves_input(3) |
                            saves_output(0) | saves_output(1);

void vjp(VjpCall& call);

constinit const Op kAttention = {.name = "scaled_dot_product_attention",
                                 .attrs = kAttrs,
                                 .infer = infer,
                                 .absent = saves_input(3),
                                 .rule = {.generate = rule},
                                 .saves = kSaved,
                                 .flops = flops,
                                 .vjp = vjp,
                                 .kernels = {kernel},
                                 .samples = [] { return samples({}); }};
constinit const Op kAttentionBackward = {.name = "scaled_dot_product_attention_backward",
                                         .attrs = kAttrs,
                                         .infer = backward_infer,
                                         .absent = 0xffffffff,
                                         .rule = {.generate = backward_rule},
                                         .saves = kSavesAllInputs,
                                         .flops = backward_flops,
                                         .vjp = backward_vjp,
                                         .kernels = {backward_kernel},
                                         .samples = [] { return backward_samples({}); }};
constinit const Op kDropout = {.name = "scaled_dot_product_attention_dropout",
                               .attrs = kDropoutAttrs,
                               .infer = infer,
                               .absent = saves_input(3),
                               .rule = {.generate = rule},
                               .saves = kSaved,
                               .random = true,
                               .flops = flops,
                               .vjp = vjp,
                               .kernels = {kernel},
                               .samples = [] { return samples(Attrs().add(0.3)); }};
constinit const Op kDropoutBackward = {
    .name = "scaled_dot_product_attention_dropout_backward",
    .attrs = kDropoutAttrs,
    .infer = backward_infer,
    .absent = 0xffffffff,
    .rule = {.generate = backward_rule},
    .saves = kSavesAllInputs,
    .random = true,
    .flops = backward_flops,
    .vjp = backward_vjp,
    .kernels = {backward_kernel},
    .samples = [] { return backward_samples(Attrs().add(0.3)); }};

void vjp(VjpCall& call) {
  const Tensor q = call.input(0), k = call.input(1), v = call.input(2), mask = call.input(3);
  const Tensor out = call.output(0), low = call.output(1);
  Tensor to[4];
  const size_t count = mask.defined() && mask.is_floating_point() ? 4 : 3;
  call_op(call.attrs().size() > 2 ? kDropoutBackward : kAttentionBackward,
          {&call.grad(0), &call.grad(1), &q, &k, &v, &mask, &out, &low}, call.attrs(),
          std::span(to, count));
  for (size_t i = 0; i < count; ++i) call.set(i, to[i]);
}

// The kernels' draws as a tensor of 0 and 1 / (1 - p).
void factors_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }
void factors_kernel(Stream&, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const RngState at = random_state(attrs, 3);
  const double keep = 1 - attrs.number(2);
  with_floating(in[0].dtype(), [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < out[0].numel(); ++i) {
      const uint64_t counter = at.position + static_cast<uint64_t>(i);
      const auto block =
          philox_block({static_cast<uint32_t>(at.seed), static_cast<uint32_t>(at.seed >> 32)},
                       {static_cast<uint32_t>(counter), static_cast<uint32_t>(counter >> 32),
                        static_cast<uint32_t>(at.stream), static_cast<uint32_t>(at.stream >> 32)});
      const bool kept = static_cast<double>(block[0] >> 8) * 0x1p-24 < keep;
      out[0].data_ptr<T>()[i] = static_cast<T>(kept ? 1 / keep : 0.0);
    }
  });
}
constinit const Op kFactors = {.name = "attention_dropout_factors",
                               .attrs = kDropoutAttrs,
                               .infer = factors_infer,
                               .rule = {.factors = "...->..."},
                               .random = true,
                               .kernels = {factors_kernel}};
Tensor dropout_factors(const Tensor& scores, const Attrs& attrs) {
  return call_op(kFactors, {&scores}, attrs);
}

Tensor with_leading(const Tensor& x, const Shape& batch) {
  if (leading(x.sizes()) == batch) return x;
  Shape sizes = batch;
  sizes.push_back(x.size(-2));
  sizes.push_back(x.size(-1));
  return expand(x, sizes);
}

}  // namespace

Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                    const std::optional<Tensor>& attn_mask, double dropout_p,
                                    bool is_causal, std::optional<double> scale) {
  const char* op = "scaled_dot_product_attention";
  OA_REQUIRE(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2, op,
             ": expected operands of at least two dimensions, was ", query.sizes(), ", ",
             key.sizes(), " and ", value.sizes());
  OA_REQUIRE(dropout_p >= 0 && dropout_p <= 1, op, ": dropout_p must be between 0 and 1, was ",
             dropout_p);
  Tensor mask = attn_mask.value_or(Tensor());
  OA_REQUIRE(!mask.defined() || !is_causal, op, ": give a mask or is_causal, not both");
  while (mask.defined() && mask.dim() < 2) mask = unsqueeze(mask, 0);
  Shape batch = broadcast_sizes(op, leading(query.sizes()), leading(key.sizes()));
  batch = broadcast_sizes(op, batch, leading(value.sizes()));
  const Tensor q = with_leading(query, batch), k = with_leading(key, batch),
               v = with_leading(value, batch);
  Attrs attrs;
  attrs.add(scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))))).add(is_causal);
  if (dropout_p > 0) {
    attrs.add(dropout_p);
    add_random_state(attrs, std::nullopt, batch.numel() * query.size(-2) * key.size(-2));
  }
  Tensor out[2];
  call_op(dropout_p > 0 ? kDropout : kAttention, {&q, &k, &v, &mask}, attrs, out);
  return out[0];
}

OA_OP(attention, &kAttention, &kAttentionBackward, &kDropout, &kDropoutBackward)

}  // namespace oneagent
