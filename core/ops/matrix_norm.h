// Norms and condition numbers of matrices. ord: "fro" (Frobenius), "nuc" (the sum of the singular
// values), 1 and -1 (the largest and smallest sum of magnitudes in a column), inf and -inf (in a
// row), 2 and -2 (the largest and smallest singular value).
#pragma once

#include "core/base/optional_shape.h"
#include "core/ops/api.h"

namespace oneagent {

// `dim` names the rows and the columns.
Tensor linalg_matrix_norm(const Tensor& self, Scalar ord, const Shape& dim = {-2, -1},
                          bool keepdim = false, std::optional<DType> dtype = std::nullopt);
Tensor linalg_matrix_norm(const Tensor& self, std::string_view ord = "fro",
                          const Shape& dim = {-2, -1}, bool keepdim = false,
                          std::optional<DType> dtype = std::nullopt);

// The matrix norm for two dimensions and an ord, else the vector norm (over everything without
// dim).
Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord = std::nullopt,
                   OptionalShape dim = std::nullopt, bool keepdim = false,
                   std::optional<DType> dtype = std::nullopt);
Tensor linalg_norm(const Tensor& self, std::string_view ord, OptionalShape dim = std::nullopt,
                   bool keepdim = false, std::optional<DType> dtype = std::nullopt);

Tensor nuclear_norm(const Tensor& self, bool keepdim = false);
Tensor nuclear_norm(const Tensor& self, const Shape& dim, bool keepdim = false);
Tensor frobenius_norm(const Tensor& self);
Tensor frobenius_norm(const Tensor& self, const Shape& dim, bool keepdim = false);

// The norm of A times that of its inverse; inf where A is singular. p = 2 when absent.
Tensor linalg_cond(const Tensor& self, const std::optional<Scalar>& p = std::nullopt);
Tensor linalg_cond(const Tensor& self, std::string_view p);

}  // namespace oneagent
