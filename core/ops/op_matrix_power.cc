#include <limits>

#include "core/ops/binary.h"
#include "core/ops/copy.h"
#include "core/ops/matmul.h"
#include "core/ops/matrix_power.h"
#include "core/ops/op_matrix.h"
#include "core/ops/solve.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

Tensor positive_power(const Tensor& x, int64_t n) {
  Tensor square = x, product;
  while (true) {
    if (n % 2 == 1) product = product.defined() ? matmul(product, square) : square;
    n /= 2;
    if (n == 0) return product;
    square = matmul(square, square);
  }
}

// Matrix i is [sizes[i], sizes[i + 1]]; first[i][j] is the last matrix of the left factor of the
// cheapest product i..j (T. H. Cormen et al., Introduction to Algorithms, 15.2).
class ChainOrder {
 public:
  explicit ChainOrder(const std::vector<int64_t>& sizes)
      : count_(sizes.size() - 1), cost_(count_ * count_), split_(count_ * count_) {
    for (size_t length = 2; length <= count_; ++length)
      for (size_t i = 0; i + length <= count_; ++i) {
        const size_t j = i + length - 1;
        cost_[at(i, j)] = std::numeric_limits<double>::infinity();
        for (size_t k = i; k < j; ++k) {
          const double cost = cost_[at(i, k)] + cost_[at(k + 1, j)] +
                              static_cast<double>(sizes[i]) * static_cast<double>(sizes[k + 1]) *
                                  static_cast<double>(sizes[j + 1]);
          if (cost >= cost_[at(i, j)]) continue;
          cost_[at(i, j)] = cost;
          split_[at(i, j)] = k;
        }
      }
  }
  Tensor product(const std::vector<Tensor>& matrices, size_t i, size_t j) const {
    if (i == j) return matrices[i];
    const size_t k = split_[at(i, j)];
    return mm(product(matrices, i, k), product(matrices, k + 1, j));
  }

 private:
  size_t at(size_t i, size_t j) const { return i * count_ + j; }
  size_t count_;
  std::vector<double> cost_;
  std::vector<size_t> split_;
};

}  // namespace

Tensor linalg_matrix_power(const Tensor& self, int64_t n) {
  OA_REQUIRE(self.dim() >= 2 && self.size(-1) == self.size(-2),
             "linalg.matrix_power: A must be batches of square matrices, was shape ", self.sizes());
  if (n == 0) {
    const Tensor one = to(matrix::identity(self.size(-1), self.size(-1), kFloat32), self.dtype());
    return clone(expand(one, self.sizes()));
  }
  if (n < 0) return positive_power(linalg_inv(self), -n);
  return n == 1 ? clone(self) : positive_power(self, n);
}
Tensor matrix_power(const Tensor& self, int64_t n) { return linalg_matrix_power(self, n); }

Tensor linalg_multi_dot(const std::vector<Tensor>& tensors) {
  const size_t count = tensors.size();
  OA_REQUIRE(count >= 2, "multi_dot: expected at least 2 tensors, was ", count);
  std::vector<Tensor> matrices = tensors;
  const bool first_vector = tensors.front().dim() == 1, last_vector = tensors.back().dim() == 1;
  if (first_vector) matrices.front() = unsqueeze(matrices.front(), 0);
  if (last_vector) matrices.back() = unsqueeze(matrices.back(), 1);
  std::vector<int64_t> sizes;
  for (size_t i = 0; i < count; ++i) {
    OA_REQUIRE(matrices[i].dim() == 2, "multi_dot: tensor ", i,
               " must be a matrix (the first and the last may be vectors), was shape ",
               tensors[i].sizes());
    OA_REQUIRE(i == 0 || matrices[i].size(0) == matrices[i - 1].size(1), "multi_dot: tensors ",
               i - 1, " and ", i, " with shapes ", tensors[i - 1].sizes(), " and ",
               tensors[i].sizes(), " cannot be multiplied");
    sizes.push_back(matrices[i].size(0));
  }
  sizes.push_back(matrices.back().size(1));
  Tensor out = ChainOrder(sizes).product(matrices, 0, count - 1);
  if (last_vector) out = squeeze(out, 1);
  return first_vector ? squeeze(out, 0) : out;
}
Tensor chain_matmul(const std::vector<Tensor>& matrices) {
  OA_REQUIRE(!matrices.empty(), "chain_matmul: expected one or more matrices");
  for (const Tensor& matrix : matrices)
    OA_REQUIRE(matrix.dim() == 2, "chain_matmul: expected matrices, was shape ", matrix.sizes());
  return matrices.size() == 1 ? matrices[0] : linalg_multi_dot(matrices);
}

Tensor kron(const Tensor& self, const Tensor& other) {
  const auto rank = static_cast<size_t>(std::max(self.dim(), other.dim()));
  Shape left, right, sizes;
  for (size_t i = 0; i < rank; ++i) {
    const auto size_of_dim = [&](const Tensor& x) {
      const size_t missing = rank - x.sizes().size();
      return i < missing ? 1 : x.sizes()[i - missing];
    };
    const int64_t a = size_of_dim(self), b = size_of_dim(other);
    left.push_back(a);
    left.push_back(1);
    right.push_back(1);
    right.push_back(b);
    sizes.push_back(a * b);
  }
  return reshape(mul(reshape(self, left), reshape(other, right)), sizes);
}

}  // namespace oneagent
