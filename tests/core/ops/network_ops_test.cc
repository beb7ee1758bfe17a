// Activations, losses, attention and recurrent layers beyond what their records say.
#include <gtest/gtest.h>

#include <cmath>

#include "core/graph/autograd.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr float kInfinity = INFINITY;

void expect_close(const Tensor& a, const Tensor& b, double tolerance = 1e-9) {
  ASSERT_EQ(a.sizes(), b.sizes());
  EXPECT_TRUE(allclose(a.detach(), b.detach(), tolerance, tolerance))
      << max(abs(sub(a.detach(), b.detach()))).item<double>();
}

TEST(Activations, HandleTheEnds) {
  const Tensor x = tensor({-1000.0F, -kInfinity, 1000.0F, kInfinity, 0.0F});
  using List = std::vector<float>;
  EXPECT_EQ(to_vector<float>(softplus(x)), (List{0, 0, 1000, kInfinity, std::log(2.0F)}));
  EXPECT_EQ(to_vector<float>(elu(x)), (List{-1, -1, 1000, kInfinity, 0}));
  EXPECT_EQ(to_vector<float>(hardtanh(x)), (List{-1, -1, 1, 1, 0}));
  EXPECT_EQ(to_vector<float>(log_sigmoid(x)), (List{-1000, -kInfinity, 0, 0, -std::log(2.0F)}));
  EXPECT_EQ(gelu(x)[2].item<float>(), 1000.0F);
  EXPECT_EQ(mish(x)[2].item<float>(), 1000.0F);
  const Tensor nan = tensor({std::nan("")});
  for (const Tensor& y : {elu(nan), silu(nan), mish(nan), gelu(nan), gelu(nan, "tanh"),
                          softplus(nan), hardtanh(nan), hardswish(nan), leaky_relu(nan)})
    EXPECT_TRUE(std::isnan(y.item<float>()));
}

TEST(Activations, SingleFormsFollowDouble) {
  const Tensor x = arange(-12.0, 12.0, 0.0137, kFloat64), y = x.to(kFloat32);
  const std::function<Tensor(const Tensor&)> functions[] = {
      [](const Tensor& z) { return gelu(z); },
      [](const Tensor& z) { return gelu(z, "tanh"); },
      silu,
      mish,
      [](const Tensor& z) { return elu(z); },
      [](const Tensor& z) { return softplus(z); },
      log_sigmoid,
      selu};
  for (const auto& function : functions)
    EXPECT_LT(max(abs(sub(function(x), function(y).to(kFloat64)))).item<double>(), 3e-6);
}

TEST(Activations, InPlaceFormsChangeTheirOperand) {
  const Tensor x = tensor({-2.0, -0.5, 0.5, 3.0});
  const std::pair<Tensor, std::function<void(Tensor&)>> forms[] = {
      {celu(x, 0.7), [](Tensor& y) { celu_(y, 0.7); }},
      {selu(x), [](Tensor& y) { selu_(y); }},
      {relu6(x), [](Tensor& y) { relu6_(y); }},
      {threshold(x, 0.1, 9), [](Tensor& y) { threshold_(y, 0.1, 9); }},
      {gelu(x, "tanh"), [](Tensor& y) { gelu_(y, "tanh"); }}};
  for (const auto& [expected, change] : forms) {
    Tensor y = x.clone();
    change(y);
    EXPECT_TRUE(equal(y, expected));
  }
  EXPECT_EQ(to_vector<int64_t>(relu6(tensor({-3, 4, 9}, kInt64))), (std::vector<int64_t>{0, 4, 6}));
  EXPECT_THROW(gelu(x, "cubic"), Error);
  EXPECT_THROW(silu(tensor({1, 2}, kInt64)), Error);
  EXPECT_THROW(glu(x.view({1, 4}), 0), Error);
  EXPECT_THROW(celu(x, 0), Error);
}

TEST(Activations, RreluDrawsSlopesInItsRange) {
  const Tensor x = full({10000}, -1.0).requires_grad_();
  const Tensor y = rrelu(x, 0.2, 0.4, true);
  EXPECT_GE(min(y).item<float>(), -0.4F);
  EXPECT_LE(max(y).item<float>(), -0.2F);
  EXPECT_NEAR(mean(y).item<double>(), -0.3, 0.005);
  sum(y).backward();
  EXPECT_TRUE(equal(x.grad(), neg(y.detach())));
  EXPECT_NEAR(rrelu(tensor({-1.0}), 0.2, 0.4).item<double>(), -0.3, 1e-6);
}

TEST(Dropout, KeepsTheShareItSaysAndScales) {
  const Tensor x = ones({200, 500}).requires_grad_();
  const Tensor y = dropout(x, 0.3, true);
  const Tensor kept = gt(y.detach(), 0.0);
  EXPECT_NEAR(mean(kept.to(kFloat32)).item<double>(), 0.7, 0.005);
  EXPECT_NEAR(max(y).item<double>(), 1 / 0.7, 1e-6);
  sum(y).backward();
  EXPECT_TRUE(equal(x.grad(), y.detach()));
  EXPECT_TRUE(dropout(x, 0.3, false).is_same(x));
  EXPECT_EQ(max(abs(dropout(x, 1, true))).item<float>(), 0.0F);
  EXPECT_THROW(dropout(x, 1.5, true), Error);
}

TEST(Dropout, ChannelsGoTogetherAndAlphaKeepsTheMoments) {
  const Tensor y = feature_dropout(ones({30, 40, 5}), 0.5, true);
  EXPECT_TRUE(equal(amax(y, Shape{2}), amin(y, Shape{2})));
  const Tensor z = alpha_dropout(randn({400, 500}), 0.4, true);
  EXPECT_NEAR(mean(z).item<double>(), 0.0, 0.01);
  EXPECT_NEAR(std(z).item<double>(), 1.0, 0.01);
  EXPECT_THROW(feature_dropout(ones({3}), 0.5, true), Error);
}

TEST(Losses, AreThoseOfTheirDefinitions) {
  const Tensor x = tensor({0.5, -1.0, 2.0}, kFloat64), y = tensor({1.0, 0.0, 1.0}, kFloat64);
  EXPECT_NEAR(mse_loss(x, y).item<double>(), (0.25 + 1 + 1) / 3, 1e-12);
  EXPECT_NEAR(smooth_l1_loss(x, y, Reduction::Sum, 0).item<double>(), 2.5, 1e-12);
  EXPECT_NEAR(binary_cross_entropy(tensor({0.0, 1.0}), tensor({1.0, 0.0})).item<double>(), 100,
              1e-4);
  EXPECT_THROW(binary_cross_entropy(x, y), Error);
  EXPECT_TRUE(std::isnan(mse_loss(zeros({0}), zeros({0})).item<float>()));
  const Tensor weight = tensor({2.0, 3.0, 4.0}, kFloat64);
  expect_close(binary_cross_entropy_with_logits(x, y, weight, weight, Reduction::None),
               mul(weight, add(mul(sub(1.0, y), x),
                               mul(add(mul(sub(weight, 1.0), y), 1.0), softplus(neg(x))))));
  EXPECT_NEAR(poisson_nll_loss(x, y, true, false, 1e-8, Reduction::Sum).item<double>(),
              std::exp(0.5) - 0.5 + std::exp(-1.0) + std::exp(2.0) - 2, 1e-9);
  EXPECT_NEAR(
      hinge_embedding_loss(x, tensor({1, -1, -1}, kInt64), 1.0, Reduction::Sum).item<double>(),
      0.5 + 2, 1e-12);
  EXPECT_NEAR(
      margin_ranking_loss(x, y, tensor({1.0, 1.0, -1.0}), 0.5, Reduction::Sum).item<double>(),
      1 + 1.5 + 1.5, 1e-12);
}

TEST(Losses, OfClassesRefuseWhatIsNoClass) {
  const Tensor x = randn({3, 4});
  EXPECT_THROW(nll_loss(x, tensor({0, 4, 1}, kInt64)), Error);
  EXPECT_THROW(cross_entropy_loss(x, tensor({0, -1, 1}, kInt64)), Error);
  EXPECT_THROW(cross_entropy_loss(x, tensor({0, 1}, kInt64)), Error);
  const Tensor ignored = full({3}, -100, kInt64);
  EXPECT_TRUE(std::isnan(cross_entropy_loss(x, ignored).item<float>()));
  EXPECT_EQ(cross_entropy_loss(x, ignored, {}, Reduction::Sum).item<float>(), 0.0F);
}

TEST(Losses, CrossEntropyOfOneHotProbabilitiesIsThatOfTheirClasses) {
  const Tensor x = randn({4, 5, 3}, kFloat64), target = randint(5, {4, 3});
  const Tensor weight = rand({5}, kFloat64);
  const Tensor hot = transpose(one_hot(target, 5), 1, 2).to(kFloat64);
  for (const int64_t reduction : {Reduction::None, Reduction::Sum})
    expect_close(cross_entropy_loss(x, hot, weight, reduction, -100, 0.2),
                 cross_entropy_loss(x, target, weight, reduction, -100, 0.2));
}

TEST(Losses, CtcSumsOverPathsAndKnowsWhatIsTooLong) {
  // Two steps, target "1": paths 11, 01, 10 with probability 1/4 each.
  const Tensor x = full({2, 1, 2}, std::log(0.5), kFloat64);
  const std::vector<int64_t> two = {2}, one = {1}, three = {3};
  const auto loss = [&](const Tensor& target, const std::vector<int64_t>& length, bool zero) {
    return ctc_loss(x, target, two, length, 0, Reduction::Sum, zero).item<double>();
  };
  EXPECT_NEAR(loss(tensor({1}, kInt64), one, false), -std::log(0.75), 1e-12);
  const Tensor longer = tensor({1, 1, 1}, kInt64);
  EXPECT_EQ(loss(longer, three, false), INFINITY);
  EXPECT_EQ(loss(longer, three, true), 0.0);
  const Tensor leaf = x.clone().requires_grad_();
  ctc_loss(leaf, longer, two, three, 0, Reduction::Sum, true).backward();
  EXPECT_EQ(max(abs(leaf.grad())).item<double>(), 0.0);
  EXPECT_THROW(loss(tensor({2}, kInt64), one, false), Error);
}

TEST(Distances, OfManyRowsComeFromProducts) {
  const Tensor x = randn({40, 30}, kFloat64), y = randn({2, 50, 30}, kFloat64);
  expect_close(cdist(x, y), cdist(x, y, 2, 2), 1e-9);
  EXPECT_NEAR(cosine_similarity(tensor({3.0, 4.0}), tensor({4.0, 3.0}), 0).item<double>(), 0.96,
              1e-6);
  EXPECT_NEAR(pairwise_distance(tensor({3.0, 4.0}), zeros({2})).item<double>(), 5, 1e-5);
  EXPECT_THROW(cdist(x, randn({3, 4}, kFloat64)), Error);
}

TEST(Embeddings, ReadSkipAndRenormalize) {
  const Tensor weight = randn({6, 4}).requires_grad_(), index = tensor({1, 3, 3}, kInt64);
  sum(embedding(weight, index, 3)).backward();
  EXPECT_EQ(to_vector<float>(sum(weight.grad(), Shape{1})), (std::vector<float>{0, 4, 0, 0, 0, 0}));
  EXPECT_THROW(embedding(weight, tensor({6}, kInt64)), Error);
  EXPECT_TRUE(equal(embedding(weight, index.to(kInt32)), embedding(weight, index)));
  Tensor table = mul(ones({3, 4}), 2.0);
  embedding_renorm_(table, tensor({2}, kInt64), 1.0, 2.0);
  EXPECT_NEAR(norm(table[2]).item<double>(), 1.0, 1e-5);
  EXPECT_NEAR(norm(table[0]).item<double>(), 4.0, 1e-5);
  const Tensor offsets = tensor({0, 2, 2}, kInt64);
  const auto [out, bag, size, maxima] = embedding_bag(weight, index, offsets, false, 1);
  EXPECT_EQ(to_vector<int64_t>(size), (std::vector<int64_t>{2, 0, 1}));
  EXPECT_EQ(max(abs(out[1])).item<float>(), 0.0F);
}

// Blocks of queries and keys do not show.
TEST(Attention, IsSoftmaxTimesValuesAtAnyLength) {
  const auto check = [](int64_t l, int64_t s, const Tensor& mask, bool causal) {
    const Tensor q = randn({2, 2, l, 20}, kFloat64).requires_grad_(),
                 k = randn({2, 2, s, 20}, kFloat64).requires_grad_(),
                 v = randn({2, 2, s, 12}, kFloat64).requires_grad_();
    const Tensor g = randn({2, 2, l, 12}, kFloat64);
    Tensor scores = mul(matmul(q, transpose(k, -1, -2)), 1 / std::sqrt(20.0));
    if (mask.defined())
      scores = mask.dtype() == kBool ? where(mask, scores, -INFINITY) : add(scores, mask);
    if (causal) scores = where(le(arange(s), unsqueeze(arange(l), 1)), scores, -INFINITY);
    const Tensor expected = matmul(softmax(scores, -1), v);
    const Tensor actual = scaled_dot_product_attention(q, k, v, mask, 0.0, causal);
    expect_close(actual, expected, 1e-10);
    const auto a = autograd::grad({actual}, {q, k, v}, {g}),
               b = autograd::grad({expected}, {q, k, v}, {g});
    for (size_t i = 0; i < 3; ++i) expect_close(a[i], b[i], 1e-10);
  };
  check(300, 600, {}, false);
  check(300, 600, {}, true);
  check(600, 300, {}, true);
  check(130, 270, randn({130, 270}, kFloat64), false);
  check(130, 270, gt(rand({2, 1, 1, 270}), 0.3), false);
}

TEST(Attention, DropsProbabilitiesAndRefusesTwoMasks) {
  const Tensor q = zeros({1, 64, 8}), v = ones({1, 500, 8});
  const Tensor out = scaled_dot_product_attention(q, zeros({1, 500, 8}), v, {}, 0.4);
  EXPECT_NEAR(mean(out).item<double>(), 1.0, 0.02);
  EXPECT_GT(std(out).item<double>(), 0.01);
  EXPECT_THROW(scaled_dot_product_attention(q, v, v, ones({64, 500}), 0.0, true), Error);
  EXPECT_THROW(scaled_dot_product_attention(q, ones({1, 500, 7}), v), Error);
}

std::vector<Tensor> parameters(int64_t gates, int64_t in, int64_t h, int64_t layers,
                               int64_t directions) {
  std::vector<Tensor> out;
  for (int64_t l = 0; l < layers; ++l)
    for (int64_t d = 0; d < directions; ++d) {
      out.push_back(randn({gates * h, l == 0 ? in : h * directions}, kFloat64));
      out.push_back(randn({gates * h, h}, kFloat64));
      out.push_back(randn({gates * h}, kFloat64));
      out.push_back(randn({gates * h}, kFloat64));
    }
  return out;
}

TEST(Recurrent, LayersAreCellsOneAfterAnother) {
  const Tensor x = randn({5, 3, 4}, kFloat64), h0 = randn({1, 3, 6}, kFloat64),
               c0 = randn({1, 3, 6}, kFloat64);
  const auto p = parameters(4, 4, 6, 1, 1), q = parameters(3, 4, 6, 1, 1);
  const auto [y, hn, cn] = lstm(x, {h0, c0}, p, true, 1, 0.0, false, false, false);
  Tensor h = h0[0], c = c0[0], s = h0[0];
  for (int64_t t = 0; t < 5; ++t) {
    std::tie(h, c) = lstm_cell(x[t], {h, c}, p[0], p[1], p[2], p[3]);
    expect_close(y[t], h);
    s = gru_cell(x[t], s, q[0], q[1], q[2], q[3]);
  }
  expect_close(cn[0], c);
  expect_close(std::get<1>(gru(x, h0, q, true, 1, 0.0, false, false, false))[0], s);
}

// A packed batch gives each sequence what it gives alone, in both directions and several layers.
TEST(Recurrent, PackedSequencesAreSequencesAlone) {
  const int64_t lengths[] = {4, 2, 1};
  const Tensor sizes = tensor({3, 2, 1, 1}, kInt64), x = randn({4, 3, 2}, kFloat64);
  const Tensor data =
      cat({x[0], narrow(x[1], 0, 0, 2), narrow(x[2], 0, 0, 1), narrow(x[3], 0, 0, 1)});
  const Tensor h0 = randn({4, 3, 5}, kFloat64), c0 = randn({4, 3, 5}, kFloat64);
  const auto p = parameters(4, 2, 5, 2, 2);
  const auto [y, hn, cn] = lstm(data, sizes, {h0, c0}, p, true, 2, 0.0, false, true);
  for (int64_t i = 0; i < 3; ++i) {
    const auto one = [&](const Tensor& state) { return narrow(state, 1, i, 1); };
    const Tensor own = narrow(narrow(x, 1, i, 1), 0, 0, lengths[i]);
    const auto [ys, hs, cs] = lstm(own, {one(h0), one(c0)}, p, true, 2, 0.0, false, true, false);
    expect_close(one(hn), hs);
    expect_close(one(cn), cs);
    expect_close(y[i], ys[0][0]);
  }
}

TEST(Recurrent, BatchFirstProjectionsAndMissingBiases) {
  const Tensor x = randn({3, 5, 4}, kFloat64);
  const auto p = parameters(1, 4, 6, 1, 1);
  const Tensor h0 = randn({1, 3, 6}, kFloat64);
  const std::vector<Tensor> bare = {p[0], p[1]};
  const auto first = std::get<0>(rnn_tanh(x, h0, bare, false, 1, 0.0, false, false, true));
  const auto second =
      std::get<0>(rnn_tanh(transpose(x, 0, 1), h0, bare, false, 1, 0.0, false, false, false));
  expect_close(first, transpose(second, 0, 1));
  EXPECT_EQ(first.sizes(), (Shape{3, 5, 6}));
  const std::vector<Tensor> projected = {randn({24, 4}, kFloat64), randn({24, 2}, kFloat64),
                                         randn({2, 6}, kFloat64)};
  const auto [y, hn, cn] = lstm(x, {zeros({1, 5, 2}, kFloat64), zeros({1, 5, 6}, kFloat64)},
                                projected, false, 1, 0.0, false, false, false);
  EXPECT_EQ(y.sizes(), (Shape{3, 5, 2}));
  EXPECT_EQ(cn.sizes(), (Shape{1, 5, 6}));
  expect_close(y[2], hn[0]);
  EXPECT_THROW(rnn_relu(x, h0, p, false, 1, 0.0, false, false, true), Error);
  EXPECT_THROW(gru(x, randn({2, 3, 6}, kFloat64), parameters(3, 4, 6, 1, 1), true, 1, 0.0, false,
                   false, true),
               Error);
}

}  // namespace
}  // namespace oneagent
