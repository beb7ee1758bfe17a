// beta self + alpha (product), with `self` broadcast to the product's shape; where beta is 0, self
// is not read. One kernel each: the product is added up where the scaled self lies, and a bias row
// [n] of addmm joins while the product is in registers. For integer types alpha and beta must be
// integers.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// mat1 [m, k], mat2 [k, n] -> [m, n]
Tensor addmm(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
             Scalar alpha = 1);
const Tensor& addmm_(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta = 1,
                     Scalar alpha = 1);

// mat [m, k], vec [k] -> [m]
Tensor addmv(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
             Scalar alpha = 1);
const Tensor& addmv_(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta = 1,
                     Scalar alpha = 1);

// vec1 [m], vec2 [n] -> [m, n]
Tensor addr(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta = 1,
            Scalar alpha = 1);
const Tensor& addr_(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta = 1,
                    Scalar alpha = 1);

// batch1 [b, m, k], batch2 [b, k, n] -> [m, n], summed over b
Tensor addbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
              Scalar alpha = 1);
const Tensor& addbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                      Scalar beta = 1, Scalar alpha = 1);

// batch1 [b, m, k], batch2 [b, k, n] -> [b, m, n]
Tensor baddbmm(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta = 1,
               Scalar alpha = 1);
const Tensor& baddbmm_(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                       Scalar beta = 1, Scalar alpha = 1);

}  // namespace oneagent
