// What batch, group and layer normalisation share: gradients of their gradients, written for arrays
// seen so that statistics and weights broadcast.
#pragma once

#include "core/kernels/norm.h"
#include "core/ops/op.h"

namespace oneagent {

// The backward op of a normalisation: with n = (x - mean) rstd and h = g w it computes
//   dx = rstd (h - mean(h) - n mean(h n)), dw = sum(g n), db = sum(g),
// means over `statistics`, sums over `weights`; without own statistics dx = rstd h.
struct NormBackward {
  Tensor g, x, mean, rstd;  // mean and rstd broadcast to x
  Tensor weight;            // broadcasts to x, or undefined
  Shape statistics, weights;
  bool own_statistics = true;
};
// Gradients of its operands from those of its results (u of dx, p of dw, q of db, each may be
// undefined; p and q broadcast to x). mean and rstd are taken as operands of their own.
struct NormBackwardGradients {
  Tensor g, x, mean, rstd, weight;
};
NormBackwardGradients gradients_of(const NormBackward& op, const Tensor& u, const Tensor& p,
                                   const Tensor& q);

// What gradients of the statistics themselves add to that of x: mean's g1 and rstd's g2, each
// undefined or broadcasting to x.
Tensor statistics_gradient(const Tensor& x, const Tensor& mean, const Tensor& rstd,
                           const Tensor& g1, const Tensor& g2, double count);

// The results that a mask asks for (bit 0: x, 1: weight, 2: bias); others have no elements.
void infer_norm_gradients(const Shape& x, const Shape& weight, int64_t mask, DType dtype,
                          Inferred& out);
NormGradients wanted_gradients(std::span<Tensor> out, int64_t mask);
// A result's gradient if the mask asks for it, else undefined.
Tensor gradient_if(VjpCall& call, size_t result, int64_t mask);

inline int64_t mask_of(bool x, bool weight, bool bias) { return x + 2 * weight + 4 * bias; }

}  // namespace oneagent
