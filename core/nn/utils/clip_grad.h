// Gradient clipping.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn::utils {

// Scales all gradients by max_norm / (norm + 1e-6) when their joint norm is above max_norm; returns
// the norm before. Parameters without gradients are left out.
double clip_grad_norm_(const std::vector<Tensor>& parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(std::initializer_list<Tensor> parameters, double max_norm,
                       double norm_type = 2.0, bool error_if_nonfinite = false);
double clip_grad_norm_(const Tensor& parameter, double max_norm, double norm_type = 2.0,
                       bool error_if_nonfinite = false);
void clip_grad_value_(const std::vector<Tensor>& parameters, double clip_value);
void clip_grad_value_(std::initializer_list<Tensor> parameters, double clip_value);
void clip_grad_value_(const Tensor& parameter, double clip_value);

double grad_norm(const std::vector<Tensor>& parameters);  // the joint Euclidean norm

// As clip_grad_norm_, but a max_norm of 0 only measures, and a norm that is not finite leaves the
// gradients as they are: what a trainer needs.
double limit_grad_norm_(const std::vector<Tensor>& parameters, double max_norm);

}  // namespace oneagent::nn::utils
