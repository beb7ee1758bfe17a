// Recurrent layers, attention and random draws.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {

void sequences() {
  const int64_t steps = pick(4, 32);
  const int64_t n = pick(2, 32);
  const int64_t width = pick(8, 128);
  const Tensor x = torch::randn({steps, n, width});
  const Tensor h = torch::zeros({1, n, width});
  const Tensor row = torch::randn({n, width});
  const auto weights = [&](int64_t gates) {
    return std::vector<Tensor>{
        torch::randn({gates * width, width}) * 0.1, torch::randn({gates * width, width}) * 0.1,
        torch::randn({gates * width}) * 0.1, torch::randn({gates * width}) * 0.1};
  };
  const std::vector<Tensor> p4 = weights(4);
  const std::vector<Tensor> p3 = weights(3);
  const std::vector<Tensor> p1 = weights(1);
  OA_BOTH("lstm", p4, std::get<0>(torch::lstm(x, {h, h}, p4, true, 1, 0.0, false, false, false)));
  OA_BOTH("gru", p3, std::get<0>(torch::gru(x, h, p3, true, 1, 0.0, false, false, false)));
  OA_BOTH("rnn_tanh", p1,
          std::get<0>(torch::rnn_tanh(x, h, p1, true, 1, 0.0, false, false, false)));
  OA_BOTH("rnn_relu", p1,
          std::get<0>(torch::rnn_relu(x, h, p1, true, 1, 0.0, false, false, false)));
  OA_BOTH("lstm_cell", p4,
          std::get<0>(torch::lstm_cell(row, {row, row}, p4[0], p4[1], p4[2], p4[3])));
  OA_BOTH("gru_cell", p3, torch::gru_cell(row, row, p3[0], p3[1], p3[2], p3[3]));
  OA_BOTH("rnn_tanh_cell", p1, torch::rnn_tanh_cell(row, row, p1[0], p1[1], p1[2], p1[3]));
  const std::vector<int64_t> heads = {pick(1, 4), pick(2, 8), pick(8, 128), pick(8, 64)};
  const Tensor q = torch::randn(heads);
  const Tensor k = torch::randn(heads);
  const Tensor v = torch::randn(heads);
  const auto attend = [&](bool causal) {
#ifdef ONEAGENT
    return torch::scaled_dot_product_attention(q, k, v, {}, 0.0, causal);
#else
    return std::get<0>(torch::_scaled_dot_product_attention(q, k, v, {}, 0.0, false, causal));
#endif
  };
  OA_BOTH("scaled_dot_product_attention", OA_LEAVES(q, k, v), attend(false));
  OA_BOTH("scaled_dot_product_attention causal", OA_LEAVES(q, k, v), attend(true));
}

void randomness() {
  const int64_t n = pick(64, 1 << 20);
  Tensor x = torch::randn({n});
  Tensor i = torch::zeros({n}, torch::kInt64);
  const Tensor p = number_in(0.1, 0.9, {n});
  const Tensor many = number_in(0.5, 3, {pick(64, 1 << 16)});
  OA_FORWARD("rand", torch::rand({n}));
  OA_FORWARD("randn", torch::randn({n}));
  OA_FORWARD("rand f64", torch::rand({n}, torch::kFloat64));
  OA_FORWARD("randn f64", torch::randn({n}, torch::kFloat64));
  OA_FORWARD("randint", torch::randint(10, {n}));
  OA_FORWARD("randint int64", torch::randint(10, {n}, torch::kInt64));
  OA_FORWARD("randperm", torch::randperm(n));
  OA_FORWARD("rand_like", torch::rand_like(x));
  OA_FORWARD("uniform_", x.uniform_(-1, 1));
  OA_FORWARD("normal_", x.normal_(0, 2));
  OA_FORWARD("random_", i.random_(0, 100));
  OA_FORWARD("bernoulli_", x.bernoulli_(0.3));
  OA_FORWARD("exponential_", x.exponential_(1));
  OA_FORWARD("cauchy_", x.cauchy_(0, 1));
  OA_FORWARD("geometric_", x.geometric_(0.3));
  OA_FORWARD("log_normal_", x.log_normal_(0, 1));
  OA_FORWARD("bernoulli", torch::bernoulli(p));
  OA_FORWARD("normal tensors", at::normal(p, p));
  OA_FORWARD("poisson", torch::poisson(many));
  OA_FORWARD("binomial", torch::binomial(many.ceil() * 4, number_in(0.1, 0.9, {many.numel()})));
  OA_FORWARD("_standard_gamma", torch::_standard_gamma(many));
  OA_FORWARD("_sample_dirichlet", torch::_sample_dirichlet(many.view({-1, 8})));
  const Tensor weights = torch::rand({pick(8, 256), pick(8, 1000)});
  OA_FORWARD("multinomial one", torch::multinomial(weights, 1));
  OA_FORWARD("multinomial replaced", torch::multinomial(weights, 8, true));
  OA_FORWARD("multinomial", torch::multinomial(weights, 4));
  OA_BOTH("dropout", OA_LEAVES(p), torch::dropout(p, 0.5, true));
  OA_BOTH("native_dropout", OA_LEAVES(p), std::get<0>(torch::native_dropout(p, 0.5, true)));
  OA_BOTH("alpha_dropout", OA_LEAVES(p), torch::alpha_dropout(p, 0.5, true));
  OA_BOTH("feature_dropout", OA_LEAVES(p), torch::feature_dropout(p.view({2, 4, -1}), 0.5, true));
}

}  // namespace ops_table
