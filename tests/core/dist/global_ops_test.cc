// Every op on global operands, in several shardings: values and gradients are those of one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/comm/thread_communicator.h"
#include "core/dist/global.h"
#include "core/graph/autograd.h"
#include "core/ops/op.h"
#include "core/ops/ops.h"
#include "tests/support/op_samples.h"

namespace oneagent {

namespace distributed {
namespace {

struct Outcome {
  std::vector<Tensor> results, gradients;
};

// Results and the gradients of a weighted sum of them; whole tensors.
Outcome outcome_of(const Op& op, std::vector<Tensor> inputs, const Attrs& attrs, size_t results) {
  std::vector<Tensor> leaves;
  for (Tensor& input : inputs)
    if (input.defined() && input.is_floating_point()) leaves.push_back(input.requires_grad_());
  std::vector<const Tensor*> operands;
  for (const Tensor& input : inputs) operands.push_back(&input);
  std::vector<Tensor> out(results);
  call_op(op, Inputs(operands.data(), operands.size()), attrs, out);
  const auto whole = [](const Tensor& x) { return is_global(x) ? to_whole(x) : x; };
  Outcome outcome;
  Tensor total;
  for (const Tensor& result : out) {
    outcome.results.push_back(whole(result.detach()));
    if (!result.is_floating_point() || !result.requires_grad()) continue;
    const Tensor weights = cos(arange(result.numel()).to(kFloat64)).view(result.sizes());
    const Tensor part = sum(mul(result, weights.to(result.scalar_type())));
    total = total.defined() ? total + part : part;
  }
  if (op.vjp == nullptr || !total.defined() || leaves.empty()) return outcome;
  for (const Tensor& gradient : autograd::grad({total}, leaves, {}, false, false, true))
    outcome.gradients.push_back(gradient.defined() ? whole(gradient) : Tensor());
  return outcome;
}

size_t result_count(const Op& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  std::vector<const TensorMeta*> metas;
  for (const Tensor& input : inputs)
    metas.push_back(input.defined() ? &input.impl().meta : nullptr);
  Inferred out;
  op.infer(Metas(metas.data(), metas.size()), attrs, out);
  return out.size();
}

enum class Pattern { kFirst, kLast, kMixed, kPartial };

Placement placement_of(const Tensor& x, Pattern pattern, size_t operand) {
  if (pattern == Pattern::kPartial && x.is_floating_point() && operand == 0) return partial();
  if (x.dim() == 0 || pattern == Pattern::kPartial) return broadcast();
  if (pattern == Pattern::kFirst) return split(0);
  if (pattern == Pattern::kLast) return split(x.dim() - 1);
  return operand % 2 == 0 ? split(0) : broadcast();
}

void expect_same(const Tensor& actual, const Tensor& expected, const std::string& where) {
  ASSERT_EQ(actual.defined(), expected.defined()) << where;
  if (!actual.defined()) return;
  ASSERT_EQ(actual.sizes(), expected.sizes()) << where;
  ASSERT_EQ(actual.scalar_type(), expected.scalar_type()) << where;
  ASSERT_TRUE(allclose(actual.to(kFloat64), expected.to(kFloat64), 1e-8, 1e-9, true))
      << where << "\n"
      << actual << "\nis to be\n"
      << expected;
}

class GlobalOps : public ::testing::TestWithParam<const Op*> {};

// Their gradients, or those of these, read values on the way: of packed lengths, or of places.
bool reads_values(const Op& op) {
  static const std::set<std::string_view> names = {
      "embedding_bag_backward", "gru_layer_backward", "lstm_layer_backward",
      "rnn_layer_backward",     "masked_scatter",     "multilabel_margin_loss_backward"};
  return names.contains(op.name);
}

class ReadingOps : public ::testing::TestWithParam<const Op*> {};

TEST_P(ReadingOps, SayThatTheyNeedTheWholeTensor) {
  const Op& op = *GetParam();
  std::string message;
  for (size_t s = 0; s < op.samples().size(); ++s) {
    const Attrs attrs = op.samples()[s].attrs;
    try {
      comm::run_ranks(2, [&](comm::Communicator& all) {
        World world(all);
        std::vector<Tensor> inputs = testing::make_inputs(op, s);
        const size_t results = result_count(op, inputs, attrs);
        for (Tensor& input : inputs)
          if (input.defined()) input = distribute(input, Mesh({2}), {broadcast()});
        outcome_of(op, inputs, attrs, results);
      });
    } catch (const Error& error) {
      message = error.what();
    }
  }
  EXPECT_THAT(message, ::testing::HasSubstr("use to_whole(x) or to_local(x)"));
}

TEST_P(GlobalOps, AreThoseOfOneDevice) {
  const Op& op = *GetParam();
  const Samples samples = op.samples();
  const Mesh mesh({2});
  for (size_t s = 0; s < samples.size(); ++s) {
    const Attrs& attrs = samples[s].attrs;
    const auto make = [&] { return testing::make_inputs(op, s); };
    const size_t results = result_count(op, make(), attrs);
    const Outcome expected = outcome_of(op, make(), attrs, results);
    comm::run_ranks(2, [&](comm::Communicator& all) {
      World world(all);
      for (const Pattern pattern :
           {Pattern::kFirst, Pattern::kLast, Pattern::kMixed, Pattern::kPartial}) {
        std::vector<Tensor> inputs = make();
        std::string where = str(op.name, " sample ", s, ":");
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (!inputs[i].defined()) continue;
          const Placement placement = placement_of(inputs[i], pattern, i);
          where += str(" ", placement);
          inputs[i] = distribute(inputs[i], mesh, {placement});
        }
        const Outcome outcome = outcome_of(op, inputs, attrs, results);
        ASSERT_EQ(outcome.gradients.size(), expected.gradients.size()) << where;
        for (size_t r = 0; r < results; ++r)
          expect_same(outcome.results[r], expected.results[r], str(where, ", result ", r));
        for (size_t g = 0; g < expected.gradients.size(); ++g)
          expect_same(outcome.gradients[g], expected.gradients[g], str(where, ", gradient ", g));
      }
    });
  }
}

std::vector<const Op*> ops_with_operands(bool reading) {
  std::vector<const Op*> ops;
  for (const Op* op : testing::op_table().ops())
    if (!op->random && !op->samples()[0].inputs.empty() && reads_values(*op) == reading)
      ops.push_back(op);
  return ops;
}
const auto name_of_op = [](const auto& info) { return std::string(info.param->name); };
INSTANTIATE_TEST_SUITE_P(EveryOp, GlobalOps, ::testing::ValuesIn(ops_with_operands(false)),
                         name_of_op);
INSTANTIATE_TEST_SUITE_P(Reading, ReadingOps, ::testing::ValuesIn(ops_with_operands(true)),
                         name_of_op);

}  // namespace
}  // namespace distributed
}  // namespace oneagent
