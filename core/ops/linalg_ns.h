// namespace linalg of libtorch 1.13 (torch/linalg.h): each function is the linalg_ function of the
// same name, documented beside that one.
#pragma once

#include <vector>

#include "core/ops/cholesky.h"
#include "core/ops/det.h"
#include "core/ops/eig.h"
#include "core/ops/eigh.h"
#include "core/ops/ldl.h"
#include "core/ops/lstsq.h"
#include "core/ops/lu.h"
#include "core/ops/matrix_exp.h"
#include "core/ops/matrix_norm.h"
#include "core/ops/matrix_power.h"
#include "core/ops/norm.h"
#include "core/ops/pinv.h"
#include "core/ops/qr.h"
#include "core/ops/result.h"
#include "core/ops/solve.h"
#include "core/ops/svd.h"
#include "core/ops/tensorsolve.h"
#include "core/ops/triangular.h"

namespace oneagent::linalg {

inline Tensor cholesky(const Tensor& self) { return oneagent::linalg_cholesky(self); }
inline Tensor& cholesky_out(Tensor& result, const Tensor& self) {
  return write_out(result, oneagent::linalg_cholesky(self));
}
inline Tensor det(const Tensor& self) { return oneagent::linalg_det(self); }
inline Tensor linalg_det(const Tensor& self) { return oneagent::linalg_det(self); }
inline std::tuple<Tensor, Tensor> slogdet(const Tensor& input) {
  return oneagent::linalg_slogdet(input);
}
inline std::tuple<Tensor&, Tensor&> slogdet_out(Tensor& sign, Tensor& logabsdet,
                                                const Tensor& input) {
  const auto results = oneagent::linalg_slogdet(input);
  write_out(sign, std::get<0>(results));
  write_out(logabsdet, std::get<1>(results));
  return {sign, logabsdet};
}
inline std::tuple<Tensor, Tensor> eig(const Tensor& self) { return oneagent::linalg_eig(self); }
inline std::tuple<Tensor&, Tensor&> eig_out(Tensor& eigvals, Tensor& eigvecs, const Tensor& self) {
  const auto results = oneagent::linalg_eig(self);
  write_out(eigvals, std::get<0>(results));
  write_out(eigvecs, std::get<1>(results));
  return {eigvals, eigvecs};
}
inline Tensor eigvals(const Tensor& self) { return oneagent::linalg_eigvals(self); }
inline Tensor& eigvals_out(Tensor& result, const Tensor& self) {
  return write_out(result, oneagent::linalg_eigvals(self));
}
inline std::tuple<Tensor, Tensor> eigh(const Tensor& self, std::string_view uplo = "L") {
  return oneagent::linalg_eigh(self, uplo);
}
inline std::tuple<Tensor&, Tensor&> eigh_out(Tensor& eigvals, Tensor& eigvecs, const Tensor& self,
                                             std::string_view uplo = "L") {
  const auto results = oneagent::linalg_eigh(self, uplo);
  write_out(eigvals, std::get<0>(results));
  write_out(eigvecs, std::get<1>(results));
  return {eigvals, eigvecs};
}
inline Tensor eigvalsh(const Tensor& self, std::string_view uplo = "L") {
  return oneagent::linalg_eigvalsh(self, uplo);
}
inline Tensor& eigvalsh_out(Tensor& result, const Tensor& self, std::string_view uplo = "L") {
  return write_out(result, oneagent::linalg_eigvalsh(self, uplo));
}
inline Tensor householder_product(const Tensor& input, const Tensor& tau) {
  return oneagent::linalg_householder_product(input, tau);
}
inline Tensor& householder_product_out(Tensor& result, const Tensor& input, const Tensor& tau) {
  return write_out(result, oneagent::linalg_householder_product(input, tau));
}
inline std::tuple<Tensor, Tensor> lu_factor(const Tensor& self, bool pivot = true) {
  return oneagent::linalg_lu_factor(self, pivot);
}
inline std::tuple<Tensor&, Tensor&> lu_factor_out(Tensor& LU, Tensor& pivots, const Tensor& self,
                                                  bool pivot = true) {
  const auto results = oneagent::linalg_lu_factor(self, pivot);
  write_out(LU, std::get<0>(results));
  write_out(pivots, std::get<1>(results));
  return {LU, pivots};
}
inline std::tuple<Tensor, Tensor, Tensor> lu(const Tensor& self, bool pivot = true) {
  return oneagent::linalg_lu(self, pivot);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> lu_out(Tensor& P, Tensor& L, Tensor& U,
                                                    const Tensor& self, bool pivot = true) {
  const auto results = oneagent::linalg_lu(self, pivot);
  write_out(P, std::get<0>(results));
  write_out(L, std::get<1>(results));
  write_out(U, std::get<2>(results));
  return {P, L, U};
}
inline std::tuple<Tensor, Tensor, Tensor, Tensor> lstsq(
    const Tensor& self, const Tensor& b, std::optional<double> cond = std::nullopt,
    std::optional<std::string_view> driver = std::nullopt) {
  return oneagent::linalg_lstsq(self, b, cond, driver);
}
inline Tensor matrix_exp(const Tensor& self) { return oneagent::linalg_matrix_exp(self); }
inline Tensor norm(const Tensor& self, const std::optional<Scalar>& ord = std::nullopt,
                   OptionalShape dim = std::nullopt, bool keepdim = false,
                   std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& norm_out(Tensor& result, const Tensor& self,
                        const std::optional<Scalar>& ord = std::nullopt,
                        OptionalShape dim = std::nullopt, bool keepdim = false,
                        std::optional<DType> dtype = std::nullopt) {
  return write_out(result, oneagent::linalg_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor norm(const Tensor& self, std::string_view ord, OptionalShape dim = std::nullopt,
                   bool keepdim = false, std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& norm_out(Tensor& result, const Tensor& self, std::string_view ord,
                        OptionalShape dim = std::nullopt, bool keepdim = false,
                        std::optional<DType> dtype = std::nullopt) {
  return write_out(result, oneagent::linalg_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor linalg_norm(const Tensor& self, const std::optional<Scalar>& ord = std::nullopt,
                          OptionalShape dim = std::nullopt, bool keepdim = false,
                          std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& linalg_norm_out(Tensor& result, const Tensor& self,
                               const std::optional<Scalar>& ord = std::nullopt,
                               OptionalShape dim = std::nullopt, bool keepdim = false,
                               std::optional<DType> dtype = std::nullopt) {
  return write_out(result, oneagent::linalg_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor linalg_norm(const Tensor& self, std::string_view ord,
                          OptionalShape dim = std::nullopt, bool keepdim = false,
                          std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& linalg_norm_out(Tensor& result, const Tensor& self, std::string_view ord,
                               OptionalShape dim = std::nullopt, bool keepdim = false,
                               std::optional<DType> dtype = std::nullopt) {
  return write_out(result, oneagent::linalg_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor vector_norm(const Tensor& self, Scalar ord = 2, OptionalShape dim = std::nullopt,
                          bool keepdim = false, std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_vector_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& vector_norm_out(Tensor& result, const Tensor& self, Scalar ord = 2,
                               OptionalShape dim = std::nullopt, bool keepdim = false,
                               std::optional<DType> dtype = std::nullopt) {
  return write_out(result, oneagent::linalg_vector_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor matrix_norm(const Tensor& self, Scalar ord, const Shape& dim = {-2, -1},
                          bool keepdim = false, std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_matrix_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor matrix_norm(const Tensor& self, std::string_view ord = "fro",
                          const Shape& dim = {-2, -1}, bool keepdim = false,
                          std::optional<DType> dtype = std::nullopt) {
  return oneagent::linalg_matrix_norm(self, ord, dim, keepdim, dtype);
}
inline Tensor& matrix_norm_out(const Tensor& self, Scalar ord, const Shape& dim, bool keepdim,
                               std::optional<DType> dtype, Tensor& result) {
  return write_out(result, oneagent::linalg_matrix_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor& matrix_norm_out(const Tensor& self, std::string_view ord, const Shape& dim,
                               bool keepdim, std::optional<DType> dtype, Tensor& result) {
  return write_out(result, oneagent::linalg_matrix_norm(self, ord, dim, keepdim, dtype));
}
inline Tensor matrix_power(const Tensor& self, int64_t n) {
  return oneagent::linalg_matrix_power(self, n);
}
inline Tensor& matrix_power_out(const Tensor& self, int64_t n, Tensor& result) {
  return write_out(result, oneagent::linalg_matrix_power(self, n));
}
inline Tensor matrix_rank(const Tensor& input, double tol, bool hermitian = false) {
  return oneagent::linalg_matrix_rank(input, tol, hermitian);
}
inline Tensor& matrix_rank_out(Tensor& result, const Tensor& input, double tol,
                               bool hermitian = false) {
  return write_out(result, oneagent::linalg_matrix_rank(input, tol, hermitian));
}
inline Tensor matrix_rank(const Tensor& input, const Tensor& tol, bool hermitian = false) {
  return oneagent::linalg_matrix_rank(input, tol, hermitian);
}
inline Tensor& matrix_rank_out(Tensor& result, const Tensor& input, const Tensor& tol,
                               bool hermitian = false) {
  return write_out(result, oneagent::linalg_matrix_rank(input, tol, hermitian));
}
inline Tensor matrix_rank(const Tensor& input, std::optional<double> atol,
                          std::optional<double> rtol, bool hermitian = false) {
  return oneagent::linalg_matrix_rank(input, atol, rtol, hermitian);
}
inline Tensor& matrix_rank_out(Tensor& result, const Tensor& input, std::optional<double> atol,
                               std::optional<double> rtol, bool hermitian = false) {
  return write_out(result, oneagent::linalg_matrix_rank(input, atol, rtol, hermitian));
}
inline Tensor matrix_rank(const Tensor& input, const std::optional<Tensor>& atol = {},
                          const std::optional<Tensor>& rtol = {}, bool hermitian = false) {
  return oneagent::linalg_matrix_rank(input, atol, rtol, hermitian);
}
inline Tensor& matrix_rank_out(Tensor& result, const Tensor& input,
                               const std::optional<Tensor>& atol = {},
                               const std::optional<Tensor>& rtol = {}, bool hermitian = false) {
  return write_out(result, oneagent::linalg_matrix_rank(input, atol, rtol, hermitian));
}
inline Tensor multi_dot(const std::vector<Tensor>& tensors) {
  return oneagent::linalg_multi_dot(tensors);
}
inline Tensor& multi_dot_out(const std::vector<Tensor>& tensors, Tensor& result) {
  return write_out(result, oneagent::linalg_multi_dot(tensors));
}
inline Tensor pinv(const Tensor& input, double rcond = 1e-15, bool hermitian = false) {
  return oneagent::linalg_pinv(input, rcond, hermitian);
}
inline Tensor& pinv_out(Tensor& result, const Tensor& input, double rcond = 1e-15,
                        bool hermitian = false) {
  return write_out(result, oneagent::linalg_pinv(input, rcond, hermitian));
}
inline std::tuple<Tensor, Tensor> qr(const Tensor& input, std::string_view mode = "reduced") {
  return oneagent::linalg_qr(input, mode);
}
inline std::tuple<Tensor&, Tensor&> qr_out(Tensor& Q, Tensor& R, const Tensor& input,
                                           std::string_view mode = "reduced") {
  const auto results = oneagent::linalg_qr(input, mode);
  write_out(Q, std::get<0>(results));
  write_out(R, std::get<1>(results));
  return {Q, R};
}
inline std::tuple<Tensor, Tensor, Tensor> ldl_factor_ex(const Tensor& input, bool hermitian = false,
                                                        bool check_errors = false) {
  return oneagent::linalg_ldl_factor_ex(input, hermitian, check_errors);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> ldl_factor_ex_out(Tensor& LD, Tensor& pivots,
                                                               Tensor& info, const Tensor& input,
                                                               bool hermitian = false,
                                                               bool check_errors = false) {
  const auto results = oneagent::linalg_ldl_factor_ex(input, hermitian, check_errors);
  write_out(LD, std::get<0>(results));
  write_out(pivots, std::get<1>(results));
  write_out(info, std::get<2>(results));
  return {LD, pivots, info};
}
inline Tensor ldl_solve(const Tensor& LD, const Tensor& pivots, const Tensor& B,
                        bool hermitian = false) {
  return oneagent::linalg_ldl_solve(LD, pivots, B, hermitian);
}
inline Tensor& ldl_solve_out(Tensor& result, const Tensor& LD, const Tensor& pivots,
                             const Tensor& B, bool hermitian = false) {
  return write_out(result, oneagent::linalg_ldl_solve(LD, pivots, B, hermitian));
}
inline std::tuple<Tensor, Tensor> solve_ex(const Tensor& input, const Tensor& other,
                                           bool left = true, bool check_errors = false) {
  return oneagent::linalg_solve_ex(input, other, left, check_errors);
}
inline std::tuple<Tensor&, Tensor&> solve_ex_out(Tensor& result, Tensor& info, const Tensor& input,
                                                 const Tensor& other, bool left = true,
                                                 bool check_errors = false) {
  const auto results = oneagent::linalg_solve_ex(input, other, left, check_errors);
  write_out(result, std::get<0>(results));
  write_out(info, std::get<1>(results));
  return {result, info};
}
inline Tensor solve(const Tensor& input, const Tensor& other, bool left = true) {
  return oneagent::linalg_solve(input, other, left);
}
inline Tensor& solve_out(Tensor& result, const Tensor& input, const Tensor& other,
                         bool left = true) {
  return write_out(result, oneagent::linalg_solve(input, other, left));
}
inline Tensor solve_triangular(const Tensor& input, const Tensor& other, bool upper,
                               bool left = true, bool unitriangular = false) {
  return oneagent::linalg_solve_triangular(input, other, upper, left, unitriangular);
}
inline Tensor& solve_triangular_out(Tensor& result, const Tensor& input, const Tensor& other,
                                    bool upper, bool left = true, bool unitriangular = false) {
  return write_out(result,
                   oneagent::linalg_solve_triangular(input, other, upper, left, unitriangular));
}
inline std::tuple<Tensor, Tensor, Tensor> svd(
    const Tensor& input, bool full_matrices = true,
    std::optional<std::string_view> driver = std::nullopt) {
  return oneagent::linalg_svd(input, full_matrices, driver);
}
inline std::tuple<Tensor&, Tensor&, Tensor&> svd_out(
    Tensor& U, Tensor& S, Tensor& Vh, const Tensor& input, bool full_matrices = true,
    std::optional<std::string_view> driver = std::nullopt) {
  const auto results = oneagent::linalg_svd(input, full_matrices, driver);
  write_out(U, std::get<0>(results));
  write_out(S, std::get<1>(results));
  write_out(Vh, std::get<2>(results));
  return {U, S, Vh};
}
inline Tensor svdvals(const Tensor& input, std::optional<std::string_view> driver = std::nullopt) {
  return oneagent::linalg_svdvals(input, driver);
}
inline Tensor& svdvals_out(Tensor& result, const Tensor& input,
                           std::optional<std::string_view> driver = std::nullopt) {
  return write_out(result, oneagent::linalg_svdvals(input, driver));
}
inline Tensor tensorinv(const Tensor& self, int64_t ind = 2) {
  return oneagent::linalg_tensorinv(self, ind);
}
inline Tensor& tensorinv_out(Tensor& result, const Tensor& self, int64_t ind = 2) {
  return write_out(result, oneagent::linalg_tensorinv(self, ind));
}
inline Tensor tensorsolve(const Tensor& input, const Tensor& other,
                          OptionalShape dims = std::nullopt) {
  return oneagent::linalg_tensorsolve(input, other, dims);
}
inline Tensor& tensorsolve_out(Tensor& result, const Tensor& input, const Tensor& other,
                               OptionalShape dims = std::nullopt) {
  return write_out(result, oneagent::linalg_tensorsolve(input, other, dims));
}
inline Tensor inv(const Tensor& input) { return oneagent::linalg_inv(input); }
inline Tensor& inv_out(Tensor& result, const Tensor& input) {
  return write_out(result, oneagent::linalg_inv(input));
}

}  // namespace oneagent::linalg
