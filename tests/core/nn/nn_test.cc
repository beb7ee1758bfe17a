// Modules, initialisers, clipping, recurrent cells and losses; values from PyTorch.
#include "core/nn/nn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using testing::expect_values;
using testing::golden_nn;
using ::testing::HasSubstr;
using testing::wave;

struct NetImpl final : nn::Module {
  NetImpl() { register_buffer("seen", zeros({1})); }
  nn::Linear first = register_module("first", nn::Linear(3, 4));
  nn::Sequential rest = register_module(
      "rest", nn::Sequential(nn::Tanh(), nn::Linear(nn::LinearOptions(4, 2).bias(false))));
};
TORCH_MODULE(Net);

std::vector<std::string> names_of(const OrderedDict<std::string, Tensor>& named) {
  std::vector<std::string> out;
  for (const auto& entry : named) out.push_back(entry.key());
  return out;
}

TEST(Module, ListsParametersAndBuffersByDottedName) {
  const Net net;
  EXPECT_THAT(names_of(net->named_parameters()),
              ElementsAre("first.weight", "first.bias", "rest.1.weight"));
  EXPECT_THAT(names_of(net->named_buffers()), ElementsAre("seen"));
  EXPECT_EQ(net->named_state().back().name, "seen");
  EXPECT_EQ(net->parameter_count(), 12 + 4 + 8);
  EXPECT_THAT(
      str(net),
      ::testing::EndsWith(
          "NetImpl(\n  (first): torch::nn::Linear(in_features=3, out_features=4, bias=true)\n"
          "  (rest): torch::nn::Sequential(\n    (0): torch::nn::Tanh()\n"
          "    (1): torch::nn::Linear(in_features=4, out_features=2, bias=false)\n  )\n)"));
}

TEST(Module, RefusesANameTwiceOrWithADot) {
  Net net;
  EXPECT_THROW(net->register_buffer("seen", zeros({1})), Error);
  EXPECT_THROW(net->register_buffer("a.b", zeros({1})), Error);
  EXPECT_THROW(net->register_module("first", nn::Tanh()), Error);
}

TEST(Module, TrainAndEvalReachEveryChild) {
  Net net;
  net->eval();
  EXPECT_FALSE(net->rest->is_training());
  net->train();
  EXPECT_TRUE(net->first->is_training());
}

TEST(Module, CopyStateFromNamesTheFirstDifference) {
  Net a, b;
  a->copy_state_from(*b);
  EXPECT_TRUE(equal(a->first->weight, b->first->weight));
  nn::Linear other(3, 5);
  try {
    a->first->copy_state_from(*other);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("\"weight\" of shape [4, 3] stands against \"weight\" of shape [5, 3]"));
  }
}

TEST(Module, ToConvertsInPlace) {
  Net net;
  const Tensor weight = net->first->weight;
  net->to(kFloat64);
  EXPECT_EQ(weight.dtype(), kFloat64);
  EXPECT_TRUE(weight.requires_grad());
}

TEST(Sequential, FusesActivationsWithTheSameBits) {
  const nn::Linear linear(5, 7);
  nn::Sequential fused(linear, nn::ReLU());
  const Tensor x = randn({3, 5});
  EXPECT_TRUE(equal(fused->forward(x), relu(linear->forward(x))));
}

void expect_orthonormal(const Tensor& rows, double gain) {
  const Tensor product = matmul(rows, rows.t());
  EXPECT_TRUE(allclose(product, eye(rows.size(0), rows.dtype()) * (gain * gain), 1e-5, 1e-5))
      << product;
}

TEST(Init, OrthogonalIsOrthogonalBothWays) {
  Generator generator(3);
  const Tensor wide = zeros({4, 9}), tall = zeros({9, 4}), filter = zeros({6, 3, 2, 2});
  nn::init::orthogonal_(wide, 1.5, generator);
  nn::init::orthogonal_(tall, 1.0, generator);
  nn::init::orthogonal_(filter, 1.0, generator);
  expect_orthonormal(wide, 1.5);
  expect_orthonormal(tall.t(), 1.0);
  expect_orthonormal(filter.flatten(1), 1.0);
}

TEST(Init, TheSameSeedGivesTheSameNetwork) {
  const auto make = [] {
    Generator generator(9);
    const Tensor w = zeros({8, 8});
    nn::init::orthogonal_(w, 1.0, generator);
    return w;
  };
  EXPECT_TRUE(equal(make(), make()));
}

TEST(Init, UniformBoundsFollowTheFans) {
  Generator generator(4);
  const Tensor w = zeros({20, 30});
  nn::init::xavier_uniform_(w, 1.0, generator);
  const double xavier = std::sqrt(6.0 / 50);
  EXPECT_LE(max(abs(w)).item<double>(), xavier);
  EXPECT_GT(max(abs(w)).item<double>(), 0.95 * xavier);
  nn::init::kaiming_uniform_(w, std::sqrt(5.0), generator);
  EXPECT_LE(max(abs(w)).item<double>(), 1 / std::sqrt(30.0));
}

TEST(ClipGradNorm, EqualsPyTorch) {
  const Tensor p = zeros({3, 4}, kFloat64).requires_grad_(),
               q = zeros({5}, kFloat64).requires_grad_();
  p.set_grad(wave(0.1, {3, 4}));
  q.set_grad(wave(0.2, {5}));
  const Json golden = golden_nn("clip");
  EXPECT_NEAR(nn::utils::clip_grad_norm_({p, q}, 0.5), golden["norm"][0].get<double>(), 1e-12);
  expect_values(p.grad(), golden["p"], "p");
  expect_values(q.grad(), golden["q"], "q");
}

TEST(LimitGradNorm, LeavesSmallAndNonFiniteGradientsAlone) {
  const Tensor p = zeros({2}).requires_grad_();
  p.set_grad(tensor({0.3, 0.4}));
  EXPECT_NEAR(nn::utils::limit_grad_norm_({p}, 1.0), 0.5, 1e-6);
  EXPECT_NEAR(nn::utils::limit_grad_norm_({p}, 0), 0.5, 1e-6);
  EXPECT_THAT(to_vector<float>(p.grad()), ElementsAre(0.3F, 0.4F));
  p.set_grad(tensor({std::nan(""), 1.0}));
  EXPECT_TRUE(std::isnan(nn::utils::limit_grad_norm_({p}, 1.0)));
  EXPECT_EQ(p.grad()[1].item<float>(), 1.0F);
}

template <class Cell>
void set_waves(Cell& cell) {
  cell->to(kFloat64);
  const NoGradGuard guard;
  int i = 0;
  for (const Tensor& parameter : cell->parameters())
    parameter.copy_(wave(0.1 * i++, parameter.sizes()));
}

void expect_cell(const nn::Module& cell, const Tensor& h, const std::string& name) {
  const Json golden = golden_nn(name);
  expect_values(h, golden["h"], name);
  sum(h * wave(0.8, {2, 4})).backward();
  const auto parameters = cell.parameters();
  for (size_t i = 0; i < parameters.size(); ++i)
    expect_values(parameters[i].grad(), golden["gradients"][i], str(name, " parameter ", i));
}

TEST(RecurrentCells, EqualPyTorch) {
  nn::GRUCell gru(3, 4);
  set_waves(gru);
  Tensor h = wave(0.5, {2, 4});
  for (int t = 0; t < 3; ++t) h = gru->forward(wave(0.2 + t, {2, 3}), h);
  expect_cell(*gru, h, "gru");

  nn::LSTMCell lstm(3, 4);
  set_waves(lstm);
  std::tuple<Tensor, Tensor> state = {wave(0.5, {2, 4}), wave(0.6, {2, 4})};
  for (int t = 0; t < 3; ++t) state = lstm->forward(wave(0.2 + t, {2, 3}), state);
  expect_cell(*lstm, std::get<0>(state), "lstm");
}

TEST(Losses, EqualPyTorch) {
  const Tensor x = wave(0.1, {4, 3}) * 1.5, y = wave(0.9, {4, 3}),
               probability = (y > 0).to(kFloat64);
  const Tensor target = tensor(std::vector<int64_t>{2, 0, 1, 2});
  const Json golden = golden_nn("losses");
  const std::pair<const char*, int64_t> reductions[] = {
      {"mean", Reduction::Mean}, {"sum", Reduction::Sum}, {"none", Reduction::None}};
  for (const auto& [name, reduction] : reductions) {
    const std::string suffix = std::string("_") + name;
    expect_values(mse_loss(x, y, reduction), golden["mse" + suffix], "mse" + suffix);
    expect_values(l1_loss(x, y, reduction), golden["l1" + suffix], "l1" + suffix);
    expect_values(smooth_l1_loss(x, y, reduction, 0.5), golden["smooth_l1" + suffix],
                  "smooth_l1" + suffix);
    expect_values(huber_loss(x, y, reduction, 0.7), golden["huber" + suffix], "huber" + suffix);
    expect_values(cross_entropy(x, target, reduction), golden["cross_entropy" + suffix],
                  "cross_entropy" + suffix);
    expect_values(binary_cross_entropy_with_logits(x, probability, {}, {}, reduction),
                  golden["bce" + suffix], "bce" + suffix);
  }
}

}  // namespace
}  // namespace oneagent
