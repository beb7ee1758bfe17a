// Every signature that is generated from a record's rule: shard, run on every rank, join, compare
// with one call.
#include "core/dist/signature.h"

#include <gtest/gtest.h>

#include <set>

#include "core/ops/op.h"
#include "core/ops/ops.h"
#include "tests/support/op_samples.h"

namespace oneagent {

namespace distributed {
namespace {

std::vector<const TensorMeta*> metas_of(const std::vector<Tensor>& tensors) {
  std::vector<const TensorMeta*> out;
  for (const Tensor& tensor : tensors)
    out.push_back(tensor.defined() ? &tensor.impl().meta : nullptr);
  return out;
}

std::vector<Tensor> run(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs,
                        size_t results) {
  std::vector<const Tensor*> operands;
  for (const Tensor& tensor : inputs) operands.push_back(&tensor);
  std::vector<Tensor> out(results);
  call_op(op, Inputs(operands.data(), operands.size()), attrs, out);
  return out;
}

size_t result_count(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  Inferred out;
  const auto metas = metas_of(inputs);
  op.infer(Metas(metas.data(), metas.size()), attrs, out);
  return out.size();
}

// What `rank` of `ranks` holds of `x`.
Tensor shard(const Tensor& x, const Placement& placement, int64_t ranks, int64_t rank) {
  if (!x.defined() || placement.is_broadcast()) return x;
  if (placement.is_split()) {
    const AxisRange part = part_of(x.size(placement.axis), ranks, rank);
    return x.narrow(placement.axis, part.begin, part.length).contiguous();
  }
  if (x.dtype() == kBool) return rank > 0 ? zeros_like(x) : x;
  if (!x.is_floating_point()) {
    const Tensor part = div(x, ranks + 1, "floor");
    return rank > 0 ? part : x - part * (ranks - 1);
  }
  const Tensor part = x * 0.25 - 0.125;
  return rank > 0 ? part : x - part * (ranks - 1);
}

Tensor join(const std::vector<Tensor>& parts, const Placement& placement) {
  if (placement.is_split()) return cat(parts, placement.axis);
  Tensor all = parts[0];
  for (size_t r = 1; r < parts.size(); ++r) {
    if (placement.is_broadcast()) {
      EXPECT_TRUE(allclose(parts[r].to(kFloat64), all.to(kFloat64), 0, 0, true));
      continue;
    }
    if (placement.reduce == Reduce::kSum) all = all + parts[r];
    if (placement.reduce == Reduce::kMax) all = maximum(all, parts[r]);
    if (placement.reduce == Reduce::kMin) all = minimum(all, parts[r]);
  }
  return all;
}

class Signatures : public ::testing::TestWithParam<const Op*> {};

TEST_P(Signatures, ShardRunJoinIsRun) {
  const Op& op = *GetParam();
  const NoGradGuard guard;
  const Samples samples = op.samples();
  for (size_t s = 0; s < samples.size(); ++s) {
    const auto inputs = testing::make_inputs(op, s);
    const Attrs& attrs = samples[s].attrs;
    const auto expected = run(op, inputs, attrs, result_count(op, inputs, attrs));
    const auto in = metas_of(inputs), out = metas_of(expected);
    for (const int64_t ranks : {2, 3}) {
      for (const Signature& signature : signatures(op, attrs, Metas(in.data(), in.size()),
                                                   Metas(out.data(), out.size()), ranks)) {
        SCOPED_TRACE(str(op.name, " sample ", s, ", ", ranks, " ranks: ", to_text(signature)));
        std::vector<std::vector<Tensor>> results(expected.size());
        try {
          for (int64_t rank = 0; rank < ranks; ++rank) {
            std::vector<Tensor> local;
            for (size_t i = 0; i < inputs.size(); ++i)
              local.push_back(shard(inputs[i], signature.in[i], ranks, rank));
            Shape sizes = expected.empty() ? Shape() : expected[0].sizes();
            if (!signature.out.empty() && signature.out[0].is_split()) {
              int64_t& size = sizes[static_cast<size_t>(signature.out[0].axis)];
              size = part_of(size, ranks, rank).length;
            }
            LocalRows rows;
            if (!inputs.empty() && inputs[0].defined() && inputs[0].dim() > 0)
              rows.input = signature.in[0].is_split(0) ? part_of(inputs[0].size(0), ranks, rank)
                                                       : AxisRange{0, inputs[0].size(0)};
            if (!sizes.empty())
              rows.result = signature.out[0].is_split(0) ? part_of(expected[0].size(0), ranks, rank)
                                                         : AxisRange{0, expected[0].size(0)};
            for (size_t d = 0; op.random && d < sizes.size(); ++d)
              rows.ranges.push_back(signature.out[0].is_split(static_cast<int64_t>(d))
                                        ? part_of(expected[0].size(d), ranks, rank)
                                        : AxisRange{0, expected[0].size(d)});
            const auto parts = run(op, local,
                                   local_attrs(op, attrs, Metas(in.data(), in.size()),
                                               Metas(out.data(), out.size()), sizes, rows),
                                   expected.size());
            for (size_t r = 0; r < parts.size(); ++r) results[r].push_back(parts[r]);
          }
          for (size_t r = 0; r < expected.size(); ++r) {
            const Tensor joined = join(results[r], signature.out[r]);
            ASSERT_EQ(joined.sizes(), expected[r].sizes()) << "result " << r;
            if (expected[r].dtype() == kBool) {  // a sum of bools is "or"
              ASSERT_TRUE(equal(joined.to(kBool), expected[r])) << "result " << r;
              continue;
            }
            ASSERT_TRUE(allclose(joined.to(kFloat64), expected[r].to(kFloat64), 1e-9, 1e-9, true))
                << "result " << r << "\n"
                << joined << "\nis to be\n"
                << expected[r];
          }
        } catch (const std::exception& error) {
          FAIL() << error.what();
        }
      }
    }
  }
}

// An op that can only be run whole gathers its operands on every rank; these are known to.
TEST(SignatureTable, NoOtherOpHasToRunWhole) {
  const std::set<std::string> known = {"arange",
                                       "embedding_bag",
                                       "embedding_renorm",
                                       "fill_diagonal",
                                       "gru_layer",
                                       "gru_layer_backward",
                                       "index_fill",
                                       "index_fill_tensor",
                                       "index_reduce",
                                       "lstm_layer",
                                       "lstm_layer_backward",
                                       "median",
                                       "nanmedian",
                                       "nonzero",
                                       "pdist",
                                       "repeat_interleave",
                                       "rnn_layer",
                                       "rnn_layer_backward",
                                       "run_numbers",
                                       "run_starts",
                                       "scatter_reduce",
                                       "scatter_value",
                                       "sort_rows",
                                       "tril_indices",
                                       "triu_indices"};
  const NoGradGuard guard;
  std::set<std::string> whole;
  for (const Op* op : testing::op_table().ops()) {
    if (op->random) continue;
    const Samples samples = op->samples();
    size_t most = 0;
    for (size_t s = 0; s < samples.size(); ++s) {
      const auto inputs = testing::make_inputs(*op, s);
      const Attrs& attrs = samples[s].attrs;
      const auto in = metas_of(inputs);
      Inferred inferred;
      op->infer(Metas(in.data(), in.size()), attrs, inferred);
      std::vector<const TensorMeta*> out;
      for (size_t r = 0; r < inferred.size(); ++r) out.push_back(&inferred[r]);
      most = std::max(most, signatures(*op, attrs, Metas(in.data(), in.size()),
                                       Metas(out.data(), out.size()), 2)
                                .size());
    }
    if (most == 1) whole.insert(op->name);
  }
  EXPECT_EQ(whole, known);
}

INSTANTIATE_TEST_SUITE_P(EveryOp, Signatures, ::testing::ValuesIn([] {
                           std::vector<const Op*> ops;
                           for (const Op* op : testing::op_table().ops()) ops.push_back(op);
                           return ops;
                         }()),
                         [](const auto& op) { return std::string(op.param->name); });

}  // namespace
}  // namespace distributed
}  // namespace oneagent
