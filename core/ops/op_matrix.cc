#include "core/ops/op_matrix.h"

#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"
#include "core/ops/where.h"
#include "core/tensor/global_parts.h"

namespace oneagent::matrix {
namespace {

// True where column - row <= diagonal (or >=).
Tensor triangle(const Tensor& x, int64_t diagonal, bool lower) {
  const int64_t rows = x.size(-2), columns = x.size(-1);
  const Tensor mask = empty({rows, columns}, DType::kBool);
  bool* to = mask.data_ptr<bool>();
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      to[r * columns + c] = lower ? c - r <= diagonal : c - r >= diagonal;
  return mask;
}

std::string reason(std::string_view api, int32_t info) {
  const auto has = [&](std::string_view word) { return api.find(word) != std::string_view::npos; };
  if (info < 0) return str("argument ", -info, " has an illegal value");
  if (has("svd"))
    return str(
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        "many repeated singular values (error code: ",
        info, ").");
  if (has("inv"))
    return str("The diagonal element ", info,
               " is zero, the inversion could not be completed because the input matrix is "
               "singular.");
  if (has("solve")) return "The solver failed because the input matrix is singular.";
  if (has("cholesky"))
    return str(
        "The factorization could not be completed because the input is not positive-definite (the "
        "leading minor of order ",
        info, " is not positive-definite).");
  if (has("eig"))
    return str(
        "The algorithm failed to converge because the input matrix is ill-conditioned or has too "
        "many repeated eigenvalues (error code: ",
        info, ").");
  if (has("lstsq"))
    return str(
        "The least squares solution could not be computed because the input matrix does not have "
        "full rank (error code: ",
        info, ").");
  return str("U[", info, ",", info,
             "] is zero and using it on lu_solve would result in a division by zero. If you still "
             "want to perform the factorization, consider calling linalg.lu(A, pivot) or "
             "linalg.lu_factor_ex(A, pivot)");
}

}  // namespace

Shape batch_sizes(const Shape& sizes) { return Shape(std::span(sizes.data(), sizes.size() - 2)); }

Shape with_matrix(const Shape& batch, int64_t rows, int64_t columns) {
  Shape out = batch;
  out.push_back(rows);
  out.push_back(columns);
  return out;
}

void require_matrix(const char* op, const TensorMeta& a) {
  if (!is_complex(a.dtype)) require_floating(op, a);
  OA_REQUIRE(a.sizes.size() >= 2, op, ": expected at least 2 dimensions, was shape ", a.sizes);
}

void require_square(const char* op, const TensorMeta& a) {
  require_matrix(op, a);
  const size_t rank = a.sizes.size();
  OA_REQUIRE(a.sizes[rank - 1] == a.sizes[rank - 2], op,
             ": A must be batches of square matrices, but they are ", a.sizes[rank - 2], " by ",
             a.sizes[rank - 1], " matrices");
}

void check_info(const char* api, const Tensor& given) {
  const Tensor info = whole_values(given);
  const int32_t* codes = info.data_ptr<int32_t>();
  for (int64_t i = 0; i < info.numel(); ++i) {
    if (codes[i] == 0) continue;
    const std::string batch = info.dim() == 0 ? "" : str(": (Batch element ", i, ")");
    throw LinAlgError(str(api, batch, ": ", reason(api, codes[i])));
  }
}

Tensor transposed(const Tensor& x) { return transpose(x, -2, -1); }
Tensor lower(const Tensor& x, int64_t diagonal) {
  return where(triangle(x, diagonal, true), x, 0.0);
}
Tensor upper(const Tensor& x, int64_t diagonal) {
  return where(triangle(x, diagonal, false), x, 0.0);
}
Tensor identity(int64_t rows, int64_t columns, DType dtype) {
  const Tensor out = zeros({rows, columns}, dtype);
  with_floating(dtype, [&]<class T>(Type<T>) {
    for (int64_t i = 0; i < std::min(rows, columns); ++i) out.data_ptr<T>()[i * (columns + 1)] = 1;
  });
  return out;
}
Tensor on_diagonal(int64_t n) { return to(identity(n, n, kFloat32), DType::kBool); }
Tensor diagonal(const Tensor& x) { return sum(where(on_diagonal(x.size(-1)), x, 0.0), Shape{-1}); }
Tensor with_diagonal(const Tensor& values) {
  return where(on_diagonal(values.size(-1)), unsqueeze(values, -1), 0.0);
}

std::pair<Tensor, Tensor> broadcast_batches(const char* op, const Tensor& a, const Tensor& b) {
  const Shape batch = broadcast_sizes(op, batch_sizes(a.sizes()), batch_sizes(b.sizes()));
  return {expand(a, with_matrix(batch, a.size(-2), a.size(-1))),
          expand(b, with_matrix(batch, b.size(-2), b.size(-1)))};
}

}  // namespace oneagent::matrix
