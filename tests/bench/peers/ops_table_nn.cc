// Activations, normalizations and losses.
#include "tests/bench/peers/ops_table.h"

namespace ops_table {

void activations() {
  const int64_t n = pick(64, 1 << 20);
  const Tensor x = torch::randn({n});
  const Tensor m = torch::randn({pick(16, 512), pick(32, 1024)});
  const Tensor slope = torch::rand({pick(32, 1024)});
#define OA_ACT(op, ...) OA_BOTH(#op, OA_LEAVES(x), torch::op(x __VA_OPT__(, ) __VA_ARGS__))
  OA_ACT(relu);
  OA_ACT(relu6);
  OA_ACT(leaky_relu, 0.01);
  OA_ACT(elu);
  OA_ACT(selu);
  OA_ACT(celu);
  OA_ACT(gelu);
  OA_BOTH("gelu tanh", OA_LEAVES(x), torch::gelu(x, "tanh"));
  OA_ACT(silu);
  OA_ACT(mish);
  OA_ACT(softplus);
  OA_ACT(softshrink);
  OA_ACT(hardshrink);
  OA_ACT(hardtanh);
  OA_ACT(hardswish);
  OA_ACT(hardsigmoid);
  OA_ACT(log_sigmoid);
  OA_ACT(threshold, 0.1, 0.2);
  OA_ACT(rrelu);
  OA_BOTH("glu", OA_LEAVES(m), torch::glu(m, 1));
  OA_BOTH("glu first", OA_LEAVES(m), torch::glu(m, 0));
  OA_BOTH("prelu", OA_LEAVES(m, slope), torch::prelu(m, slope));
  const Tensor wide = torch::randn({pick(2, 32), pick(128, 32000)});
  const Tensor narrow = torch::randn({pick(32, 1 << 16), 8});
  const Tensor planes = torch::randn({pick(2, 16), pick(5, 21), pick(4, 64), pick(4, 64)});
  OA_BOTH("softmax", OA_LEAVES(m), torch::softmax(m, 1));
  OA_BOTH("softmax long rows", OA_LEAVES(wide), torch::softmax(wide, 1));
  OA_BOTH("softmax short rows", OA_LEAVES(narrow), torch::softmax(narrow, 1));
  OA_BOTH("softmax first", OA_LEAVES(m), torch::softmax(m, 0));
  OA_BOTH("softmax channels", OA_LEAVES(planes), torch::softmax(planes, 1));
  OA_BOTH("log_softmax", OA_LEAVES(m), torch::log_softmax(m, 1));
  OA_BOTH("log_softmax long rows", OA_LEAVES(wide), torch::log_softmax(wide, 1));
  OA_BOTH("log_softmax short rows", OA_LEAVES(narrow), torch::log_softmax(narrow, 1));
  OA_BOTH("log_softmax first", OA_LEAVES(m), torch::log_softmax(m, 0));
  OA_BOTH("log_softmax channels", OA_LEAVES(planes), torch::log_softmax(planes, 1));
  OA_FORWARD("softmax f64", torch::softmax(m.to(torch::kFloat64), 1));
}

void norms() {
  const int64_t channels = pick(4, 64);
  const Tensor x = torch::randn({pick(2, 16), channels, pick(4, 32), pick(4, 32)});
  const Tensor m = torch::randn({pick(16, 1024), pick(16, 512)});
  const Tensor w = torch::rand({channels});
  const Tensor b = torch::rand({channels});
  const Tensor mean = torch::zeros({channels});
  const Tensor var = torch::ones({channels});
  const Tensor wm = torch::rand({m.size(1)});
  const Tensor bm = torch::rand({m.size(1)});
  const Tensor mean_m = torch::zeros({m.size(1)});
  const Tensor var_m = torch::ones({m.size(1)});
  OA_BOTH("batch_norm 2-d train", OA_LEAVES(x, w, b),
          torch::batch_norm(x, w, b, mean, var, true, 0.1, 1e-5, false));
  OA_BOTH("batch_norm 2-d eval", OA_LEAVES(x, w, b),
          torch::batch_norm(x, w, b, mean, var, false, 0.1, 1e-5, false));
  OA_BOTH("batch_norm 1-d train", OA_LEAVES(m, wm, bm),
          torch::batch_norm(m, wm, bm, mean_m, var_m, true, 0.1, 1e-5, false));
  OA_BOTH("batch_norm 1-d eval", OA_LEAVES(m, wm, bm),
          torch::batch_norm(m, wm, bm, mean_m, var_m, false, 0.1, 1e-5, false));
  OA_BOTH("layer_norm", OA_LEAVES(m, wm, bm), torch::layer_norm(m, {m.size(1)}, wm, bm));
  OA_BOTH("layer_norm plain", OA_LEAVES(m), torch::layer_norm(m, {m.size(1)}));
  OA_BOTH("group_norm", OA_LEAVES(x, w, b), torch::group_norm(x, 4, w, b));
  OA_BOTH("instance_norm", OA_LEAVES(x, w, b),
          torch::instance_norm(x, w, b, {}, {}, true, 0.1, 1e-5, false));
}

void losses() {
  const int64_t n = pick(64, 1 << 20);
  const Tensor x = torch::randn({n});
  const Tensor y = torch::randn({n});
  const Tensor p = number_in(0.01, 0.99, {n});
  const Tensor sign = torch::randn({n}).sign();
  OA_BOTH("mse_loss", OA_LEAVES(x), torch::mse_loss(x, y));
  OA_BOTH("mse_loss none", OA_LEAVES(x), torch::mse_loss(x, y, 0));
  OA_BOTH("l1_loss", OA_LEAVES(x), torch::l1_loss(x, y));
  OA_BOTH("smooth_l1_loss", OA_LEAVES(x), torch::smooth_l1_loss(x, y));
  OA_BOTH("huber_loss", OA_LEAVES(x), torch::huber_loss(x, y));
  OA_BOTH("binary_cross_entropy", OA_LEAVES(p), torch::binary_cross_entropy(p, p.detach()));
  OA_BOTH("binary_cross_entropy_with_logits", OA_LEAVES(x),
          torch::binary_cross_entropy_with_logits(x, p));
  OA_BOTH("kl_div", OA_LEAVES(x), torch::kl_div(x, p));
  OA_BOTH("poisson_nll_loss", OA_LEAVES(x), torch::poisson_nll_loss(x, p, true, false, 1e-8, 1));
  OA_BOTH("soft_margin_loss", OA_LEAVES(x), torch::soft_margin_loss(x, sign));
  OA_BOTH("hinge_embedding_loss", OA_LEAVES(x), torch::hinge_embedding_loss(x, sign));
  OA_BOTH("margin_ranking_loss", OA_LEAVES(x, y), torch::margin_ranking_loss(x, y, sign));
  const Tensor m = torch::randn({pick(16, 512), pick(8, 1000)});
  const Tensor wide = torch::randn({pick(2, 32), pick(128, 32000)});
  const Tensor classes = whole(0, m.size(1), {m.size(0)});
  const Tensor tokens = whole(0, wide.size(1), {wide.size(0)});
  const Tensor soft = torch::softmax(torch::randn({m.size(0), m.size(1)}), 1);
  const Tensor planes = torch::randn({pick(2, 16), pick(5, 21), pick(4, 64), pick(4, 64)});
  const Tensor pixels = whole(0, planes.size(1), {planes.size(0), planes.size(2), planes.size(3)});
  OA_BOTH("cross_entropy_loss", OA_LEAVES(m), torch::cross_entropy_loss(m, classes));
  OA_BOTH("cross_entropy_loss long rows", OA_LEAVES(wide), torch::cross_entropy_loss(wide, tokens));
  OA_BOTH("cross_entropy_loss soft", OA_LEAVES(m), torch::cross_entropy_loss(m, soft));
  OA_BOTH("cross_entropy_loss pixels", OA_LEAVES(planes),
          torch::cross_entropy_loss(planes, pixels));
  OA_BOTH("nll_loss", OA_LEAVES(m), torch::nll_loss(m, classes));
  OA_BOTH("nll_loss2d", OA_LEAVES(planes), torch::nll_loss2d(planes, pixels));
  OA_BOTH("multi_margin_loss", OA_LEAVES(m), torch::multi_margin_loss(m, classes));
  const Tensor labels = whole(-1, m.size(1), {m.size(0), m.size(1)});
  OA_BOTH("multilabel_margin_loss", OA_LEAVES(m), torch::multilabel_margin_loss(m, labels));
  const Tensor other = torch::randn({m.size(0), m.size(1)});
  const Tensor third = torch::randn({m.size(0), m.size(1)});
  const Tensor row_sign = torch::randn({m.size(0)}).sign();
  OA_BOTH("cosine_embedding_loss", OA_LEAVES(m, other),
          torch::cosine_embedding_loss(m, other, row_sign));
  OA_BOTH("triplet_margin_loss", OA_LEAVES(m, other, third),
          torch::triplet_margin_loss(m, other, third));
  const Tensor log_p = torch::log_softmax(torch::randn({pick(8, 100), pick(2, 16), 64}), 2);
  const Tensor words = whole(1, 64, {pick(2, 16), pick(3, 20)});
  const std::vector<int64_t> times(pick(2, 16), pick(8, 100));
  const std::vector<int64_t> lengths(pick(2, 16), pick(3, 20));
  OA_BOTH("ctc_loss", OA_LEAVES(log_p),
          torch::ctc_loss(log_p, words, at::IntArrayRef(times), at::IntArrayRef(lengths)));
}

}  // namespace ops_table
