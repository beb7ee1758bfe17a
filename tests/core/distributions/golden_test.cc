// Densities, entropies, moments, divergences and their gradients equal PyTorch's.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/distributions/kinds.h"

namespace oneagent {
namespace {

using distributions::kl_divergence;
using testing::golden_file;
using testing::golden_params;
using testing::golden_tensor;
using testing::make_kind;
using testing::Params;

void expect_array(const Tensor& actual, const Json& expected, const std::string& where) {
  const Tensor golden = golden_tensor(expected);
  ASSERT_EQ(actual.sizes(), golden.sizes()) << where;
  const auto a = to_vector<double>(actual), b = to_vector<double>(golden);
  for (size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(a[i], b[i], 1e-8 * (1 + std::abs(b[i]))) << where << ", element " << i;
}

// The value, and the gradients of sum(value * cos(0.7 i + 0.3)) by all inputs.
void expect_entry(const Tensor& actual, const Json& golden, const Params& inputs,
                  const std::string& where) {
  expect_array(actual, golden["value"], where);
  if (!golden.contains("grads")) return;
  Tensor weights = empty({actual.numel()}, kFloat64);
  for (int64_t i = 0; i < actual.numel(); ++i)
    weights.data_ptr<double>()[i] = std::cos(0.7 * static_cast<double>(i) + 0.3);
  for (const Tensor& input : inputs) input.set_grad({});
  sum(actual * weights.view(actual.sizes())).backward({}, true);
  for (size_t k = 0; k < golden["grads"].size(); ++k) {
    const Tensor grad = inputs.at(k).grad();
    expect_array(grad.defined() ? grad : zeros_like(inputs[k]), golden["grads"][k],
                 str(where, ", gradient ", k));
  }
}

class Golden : public ::testing::TestWithParam<std::string> {};

TEST_P(Golden, EqualsPyTorch) {
  const Json& golden = golden_file("distributions.json").at(GetParam());
  const Params params = golden_params(golden["params"]);
  const auto d = make_kind(golden["kind"], params);
  EXPECT_EQ(d->batch_shape().vec(), golden["batch_shape"].get<std::vector<int64_t>>());
  EXPECT_EQ(d->event_shape().vec(), golden["event_shape"].get<std::vector<int64_t>>());
  Params inputs = params;
  const Tensor value = golden_tensor(golden["value"]),
               probability = golden_tensor(golden["probability"]);
  const bool by_value = golden["log_prob"]["grads"].size() > params.size();
  if (by_value) inputs.push_back(value.requires_grad_());
  const auto check = [&](const char* name, const auto& compute, const Params& by) {
    if (golden.contains(name)) expect_entry(compute(), golden[name], by, GetParam() + " " + name);
  };
  check(
      "log_prob", [&] { return d->log_prob(value); }, inputs);
  check(
      "entropy", [&] { return d->entropy(); }, params);
  check(
      "mean", [&] { return d->mean(); }, params);
  check(
      "variance", [&] { return d->variance(); }, params);
  check(
      "mode", [&] { return d->mode().to(kFloat64); }, params);
  check(
      "cdf", [&] { return d->cdf(value); }, inputs);
  check(
      "icdf", [&] { return d->icdf(probability); }, params);
  if (golden.contains("support")) {
    expect_array(d->enumerate_support(), golden["support"], GetParam() + " support");
    EXPECT_EQ(d->enumerate_support(false).numel() * std::max<int64_t>(1, d->batch_shape().numel()),
              d->enumerate_support().numel());
  }
}

std::vector<std::string> names(bool divergences) {
  std::vector<std::string> out;
  for (const auto& [name, entry] : golden_file("distributions.json").items())
    if (entry.contains(divergences ? "kl" : "kind")) out.push_back(name);
  return out;
}
const auto name_of_case = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(Distributions, Golden, ::testing::ValuesIn(names(false)), name_of_case);

class Divergence : public ::testing::TestWithParam<std::string> {};

TEST_P(Divergence, EqualsPyTorch) {
  const Json& golden = golden_file("distributions.json").at(GetParam());
  const Params p = golden_params(golden["p_params"]), q = golden_params(golden["q_params"]);
  Params both = p;
  both.insert(both.end(), q.begin(), q.end());
  const auto first = make_kind(golden["p"], p), second = make_kind(golden["q"], q);
  expect_entry(kl_divergence(*first, *second), golden["kl"], both, GetParam());
}
INSTANTIATE_TEST_SUITE_P(Distributions, Divergence, ::testing::ValuesIn(names(true)), name_of_case);

TEST(MaskedCategorical, EqualsPyTorchWithInfiniteLogits) {
  const Json& golden = golden_file("distributions.json").at("masked");
  const Tensor logits = golden_tensor(golden["logits"]).requires_grad_();
  const Tensor mask = golden_tensor(golden["mask"]).to(kBool);
  const distributions::MaskedCategorical d(logits, mask);
  const Tensor action = tensor(std::vector<int64_t>{3, 1, 4, 4});
  const Tensor log_prob = d.log_prob(action), entropy = d.entropy();
  expect_array(log_prob, golden["log_prob"], "log_prob");
  expect_array(entropy, golden["entropy"], "entropy");
  expect_array(d.probs(), golden["probs"], "probs");
  const auto wave = [](double shift) {
    Tensor out = empty({4}, kFloat64);
    for (int i = 0; i < 4; ++i) out.data_ptr<double>()[i] = std::sin(1.3 * i + shift);
    return out;
  };
  (sum(log_prob * wave(0.4)) + sum(entropy * wave(0.5))).backward();
  expect_array(logits.grad(), golden["gradient"], "gradient");
}

}  // namespace
}  // namespace oneagent
