#include "core/kernels/lstsq.h"

#include <cmath>

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

template <class T>
class Solver {
 public:
  Solver(LeastSquares method, double rcond, int m, int n, int columns)
      : method_(method),
        rcond_(static_cast<T>(rcond)),
        m_(m),
        n_(n),
        columns_(columns),
        order_(std::max(n, 1)) {
    T size = 0;
    int integers = 1;
    solve(nullptr, nullptr, nullptr, &size, -1, &integers);
    work_size_ = static_cast<int>(std::nextafter(size, 2 * size + 1)) + 1;
    work_.emplace(work_size_);
    integers_.emplace(std::max(integers, 1));
  }

  // `a` is destroyed; b [max(m, n), columns] becomes the solution.
  int run(T* a, T* b, T* singular) {
    std::fill_n(order_.data(), std::max(n_, 1), 0);
    return solve(a, b, singular, work_->data(), work_size_, integers_->data());
  }
  int rank() const { return rank_; }

 private:
  int solve(T* a, T* b, T* singular, T* work, int size, int* integers) {
    const int lda = std::max(m_, 1), ldb = std::max(std::max(m_, n_), 1);
    switch (method_) {
      case LeastSquares::kQr:
        return lapack::gels(m_, n_, columns_, a, lda, b, ldb, work, size);
      case LeastSquares::kPivotedQr:
        return lapack::gelsy(m_, n_, columns_, a, lda, b, ldb, order_.data(), rcond_, &rank_, work,
                             size);
      case LeastSquares::kDividedSvd:
        return lapack::gelsd(m_, n_, columns_, a, lda, b, ldb, singular, rcond_, &rank_, work, size,
                             integers);
      case LeastSquares::kSvd:
        return lapack::gelss(m_, n_, columns_, a, lda, b, ldb, singular, rcond_, &rank_, work,
                             size);
    }
    return 0;
  }

  LeastSquares method_;
  T rcond_;
  int m_, n_, columns_, rank_ = 0, work_size_ = 0;
  Scratch<int> order_;
  std::optional<Scratch<T>> work_;
  std::optional<Scratch<int>> integers_;
};

}  // namespace

void least_squares(Stream& stream, LeastSquares method, double rcond, const Tensor& x,
                   const Tensor& rank, const Tensor& singular, const Tensor& a, const Tensor& b) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> matrix(a), right(b);
    const auto m = static_cast<int>(matrix.rows()), n = static_cast<int>(matrix.columns());
    const auto columns = static_cast<int>(right.columns());
    const int64_t k = std::min(m, n), high = std::max(m, n);
    if (k == 0) {
      std::fill_n(x.data_ptr<T>(), static_cast<size_t>(x.numel()), T(0));
      if (rank.defined())
        std::fill_n(rank.data_ptr<int64_t>(), static_cast<size_t>(rank.numel()), int64_t{0});
      return;
    }
    for_matrices(stream, matrix.count(), 4.0 * m * n * k, [&](int64_t begin, int64_t end) {
      Solver<T> solver(method, rcond, m, n, columns);
      const Scratch<T> factors(int64_t{m} * n), solution(high * columns), values(k);
      for (int64_t i = begin; i < end; ++i) {
        matrix.load_columns(i, factors.data());
        right.load_columns(i, solution.data(), high);
        const int info = solver.run(factors.data(), solution.data(), values.data());
        OA_REQUIRE(info == 0,
                   "linalg.lstsq: The least squares solution could not be computed because the "
                   "input matrix does not have full rank (error code: ",
                   info, ").");
        Matrices<T>(x).store_columns(i, solution.data(), high);
        if (rank.defined()) rank.data_ptr<int64_t>()[i] = solver.rank();
        if (singular.defined())
          std::copy_n(values.data(), static_cast<size_t>(k), singular.data_ptr<T>() + i * k);
      }
    });
  });
}

}  // namespace oneagent
