// Losses. `reduction` is Reduction::None (a loss per element or row), Mean or Sum. Weights, where
// there are any, are differentiable like the rest.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

namespace Reduction {  // NOLINT: libtorch's at::Reduction
enum Reduction { None, Mean, Sum, END };
}

// Of each pair of elements, which are broadcast and promoted.
Tensor mse_loss(const Tensor& input, const Tensor& target, int64_t reduction = Reduction::Mean);
Tensor l1_loss(const Tensor& input, const Tensor& target, int64_t reduction = Reduction::Mean);
Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                      int64_t reduction = Reduction::Mean, double beta = 1.0);
Tensor huber_loss(const Tensor& input, const Tensor& target, int64_t reduction = Reduction::Mean,
                  double delta = 1.0);
Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                            const std::optional<Tensor>& weight = {},
                            int64_t reduction = Reduction::Mean);  // of probabilities
Tensor binary_cross_entropy_with_logits(const Tensor& input, const Tensor& target,
                                        const std::optional<Tensor>& weight = {},
                                        const std::optional<Tensor>& pos_weight = {},
                                        int64_t reduction = Reduction::Mean);
Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                        int64_t reduction = Reduction::Mean);
Tensor kl_div(const Tensor& input, const Tensor& target, int64_t reduction = Reduction::Mean,
              bool log_target = false);  // input holds logarithms
Tensor poisson_nll_loss(const Tensor& input, const Tensor& target, bool log_input, bool full,
                        double eps, int64_t reduction);
Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target, const Tensor& var,
                         bool full = false, double eps = 1e-6, int64_t reduction = Reduction::Mean);
Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target, double margin = 1.0,
                            int64_t reduction = Reduction::Mean);
Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                           double margin = 0.0, int64_t reduction = Reduction::Mean);

// Their gradients with respect to input.
Tensor mse_loss_backward(const Tensor& grad_output, const Tensor& input, const Tensor& target,
                         int64_t reduction);
Tensor smooth_l1_loss_backward(const Tensor& grad_output, const Tensor& input, const Tensor& target,
                               int64_t reduction, double beta);
Tensor huber_loss_backward(const Tensor& grad_output, const Tensor& input, const Tensor& target,
                           int64_t reduction, double delta);
Tensor soft_margin_loss_backward(const Tensor& grad_output, const Tensor& input,
                                 const Tensor& target, int64_t reduction);
Tensor binary_cross_entropy_backward(const Tensor& grad_output, const Tensor& input,
                                     const Tensor& target, const std::optional<Tensor>& weight = {},
                                     int64_t reduction = Reduction::Mean);

// Of classes: input [c], [n, c] or [n, c, ...] holds logarithms of probabilities (nll) or logits
// (cross entropy), target int64 [], [n] or [n, ...]; a target of ignore_index counts nothing. Mean
// divides by the weights of the targets. Cross entropy also takes probabilities of input's shape.
Tensor nll_loss(const Tensor& input, const Tensor& target, const std::optional<Tensor>& weight = {},
                int64_t reduction = Reduction::Mean, int64_t ignore_index = -100);
Tensor nll_loss2d(const Tensor& input, const Tensor& target,
                  const std::optional<Tensor>& weight = {}, int64_t reduction = Reduction::Mean,
                  int64_t ignore_index = -100);
Tensor nll_loss_nd(const Tensor& input, const Tensor& target,
                   const std::optional<Tensor>& weight = {}, int64_t reduction = Reduction::Mean,
                   int64_t ignore_index = -100);
std::tuple<Tensor, Tensor> nll_loss2d_forward(const Tensor& self, const Tensor& target,
                                              const std::optional<Tensor>& weight,
                                              int64_t reduction, int64_t ignore_index);
// The loss, and which classes are targets (0 or 1, in the shape of `target`).
std::tuple<Tensor, Tensor> multilabel_margin_loss_forward(const Tensor& self, const Tensor& target,
                                                          int64_t reduction);
std::tuple<Tensor, Tensor> nll_loss_forward(const Tensor& input, const Tensor& target,
                                            const std::optional<Tensor>& weight, int64_t reduction,
                                            int64_t ignore_index);  // and the total weight
Tensor nll_loss_backward(const Tensor& grad_output, const Tensor& input, const Tensor& target,
                         const std::optional<Tensor>& weight, int64_t reduction,
                         int64_t ignore_index, const Tensor& total_weight);
Tensor cross_entropy_loss(const Tensor& input, const Tensor& target,
                          const std::optional<Tensor>& weight = {},
                          int64_t reduction = Reduction::Mean, int64_t ignore_index = -100,
                          double label_smoothing = 0.0);
Tensor cross_entropy(const Tensor& input, const Tensor& target,
                     int64_t reduction = Reduction::Mean);

// input [c] or [n, c]; target int64 [] or [n], one class, or [c] or [n, c], classes up to a -1.
Tensor multi_margin_loss(const Tensor& input, const Tensor& target, Scalar p = 1, Scalar margin = 1,
                         const std::optional<Tensor>& weight = {},
                         int64_t reduction = Reduction::Mean);
Tensor multilabel_margin_loss(const Tensor& input, const Tensor& target,
                              int64_t reduction = Reduction::Mean);
Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                   const std::optional<Tensor>& weight = {},
                                   int64_t reduction = Reduction::Mean);

// Of vectors.
Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2, const Tensor& target,
                             double margin = 0.0, int64_t reduction = Reduction::Mean);
Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive, const Tensor& negative,
                           double margin = 1.0, double p = 2, double eps = 1e-06, bool swap = false,
                           int64_t reduction = Reduction::Mean);

}  // namespace oneagent
