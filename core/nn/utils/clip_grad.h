// Gradient clipping.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn::utils {

// Scales all gradients by max_norm / (norm + 1e-6) when their joint norm is above max_norm; returns
// the norm before. Parameters without gradients are left out. In the function of an nn::Graph the
// same is recorded, with the same bits (orders 1, 2 and infinity; others to rounding); on a mesh
// the parts of the norm are added in one collective. The norm then has no value yet, and what is
// returned is NaN: get_total_norm() gives it as a tensor. Errors: error_if_nonfinite while
// recording; gradients of micro-batches, which are not added up yet: clip_grad_norm_ then belongs
// between the graph's call and step().
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
// The two halves of clip_grad_norm_, as in PyTorch 2.6: the joint norm of gradients as a tensor
// [] of float64, and scaling the gradients of parameters by what such a norm says.
Tensor get_total_norm(const std::vector<Tensor>& gradients, double norm_type = 2.0);
void clip_grads_with_norm_(const std::vector<Tensor>& parameters, double max_norm,
                           const Tensor& total_norm);
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value);
void clip_grad_value_(const Tensor& parameter, double clip_value);

double grad_norm(const std::vector<Tensor>& parameters);  // the joint Euclidean norm

// As clip_grad_norm_, but a max_norm of 0 only measures, and a norm that is not finite leaves the
// gradients as they are: what a trainer needs.
double limit_grad_norm_(const std::vector<Tensor>& parameters, double max_norm);

}  // namespace oneagent::nn::utils
