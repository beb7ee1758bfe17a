#include "core/kernels/lu.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

constexpr int kSolvedInverse = 256;  // larger matrices are inverted by getri

template <class T>
void exchange_rows(T* x, int64_t columns, const int32_t* pivots, int64_t count, bool backwards) {
  for (int64_t step = 0; step < count; ++step) {
    const int64_t i = backwards ? count - 1 - step : step;
    if (const int64_t other = pivots[i] - 1; other != i)
      std::swap_ranges(x + i * columns, x + (i + 1) * columns, x + other * columns);
  }
}
template <class T>
void exchange_columns(T* x, int64_t rows, int64_t columns, const int32_t* pivots, int64_t count,
                      bool backwards) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t step = 0; step < count; ++step) {
      const int64_t i = backwards ? count - 1 - step : step;
      std::swap(x[r * columns + i], x[r * columns + pivots[i] - 1]);
    }
}

template <class T>
void solve_in_place(T* x, int rows, int columns, const T* lu, int leading, const int32_t* pivots,
                    const LuSystem& system) {
  const auto trsm = [&](bool upper) {
    lapack::trsm(system.left, upper, system.transposed, !upper, rows, columns, lu, leading, x,
                 columns);
  };
  const int n = system.left ? rows : columns;
  // A X = B and X A^T = B begin with the exchanges, the other two end with them in reverse order.
  const bool first = system.left != system.transposed;
  const auto exchange = [&] {
    if (system.left)
      exchange_rows(x, columns, pivots, n, !first);
    else
      exchange_columns(x, rows, columns, pivots, n, !first);
  };
  if (first) exchange();
  trsm(!first);
  trsm(first);
  if (!first) exchange();
}

void require_pivots(const int32_t* pivots, int64_t count, int64_t n) {
  for (int64_t i = 0; i < count; ++i)
    OA_REQUIRE(pivots[i] >= 1 && pivots[i] <= n,
               "linalg.lu_solve: pivots must lie between 1 and LU.size(-2) = ", n, ", was ",
               pivots[i]);
}

// The inverse of columns [n, n] in place. By the triangular systems with a unit matrix while they
// fit the caches: more operations than getri, but faster ones.
template <class T>
void invert_factored(int n, T* columns, const int32_t* pivots, T* work, int work_size) {
  if (n > kSolvedInverse) {
    lapack::getri(n, columns, n, pivots, work, work_size);
    return;
  }
  std::fill_n(work, int64_t{n} * n, T(0));
  for (int64_t i = 0; i < n; ++i) work[i * n + i] = T(1);
  lapack::getrs(n, n, columns, n, pivots, work, n);
  std::copy_n(work, int64_t{n} * n, columns);
}

}  // namespace

void lu_factor(Stream& stream, const Tensor& lu, const Tensor& pivots, const Tensor& info,
               const Tensor& a) {
  lapack::one_thread();
  with_floating(lu.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(lu);
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const int k = std::min(m, n);
    int32_t *order = pivots.data_ptr<int32_t>(), *failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), cube(k), [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(int64_t{m} * n);
      for (int64_t i = begin; i < end; ++i) {
        failed[i] = 0;
        if (k == 0) continue;
        from.load_columns(i, columns.data());
        failed[i] = lapack::getrf(m, n, columns.data(), m, order + i * k);
        to.store_columns(i, columns.data(), m);
      }
    });
  });
}

void lu_solve(Stream& stream, const Tensor& out, const Tensor& lu, const Tensor& pivots,
              const Tensor& b, const LuSystem& system) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> right(b), to(out), factors(lu, batch_sizes(out));
    const Matrices<int32_t> order = vectors<int32_t>(pivots, batch_sizes(out));
    const auto rows = static_cast<int>(to.rows()), columns = static_cast<int>(to.columns());
    if (rows == 0 || columns == 0) return;
    const auto n = static_cast<int>(factors.rows());
    const double work = 2.0 * n * rows * columns;
    for_matrices(stream, to.count(), work, [&](int64_t begin, int64_t end) {
      const Scratch<T> copy(int64_t{n} * n);
      std::vector<int32_t> exchanges(static_cast<size_t>(n));
      const T *source = nullptr, *matrix = nullptr;
      for (int64_t i = begin; i < end; ++i) {
        T* x = to.at(i);
        right.load_rows(i, x);
        if (factors.at(i) != source) {
          source = factors.at(i);
          matrix = factors.with_rows(i, copy.data());
        }
        order.load_rows(i, exchanges.data());
        require_pivots(exchanges.data(), n, n);
        solve_in_place(x, rows, columns, matrix, factors.leading(), exchanges.data(), system);
      }
    });
  });
}

void invert(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(out);
    const auto n = static_cast<int>(from.rows());
    int32_t* failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), 2 * cube(n), [&](int64_t begin, int64_t end) {
      const int64_t size = int64_t{n} * n;
      const int work_size = std::max(64, n <= kSolvedInverse ? n : 0) * n;
      const Scratch<T> columns(size), work(work_size);
      const Scratch<int32_t> pivots(n);
      for (int64_t i = begin; i < end; ++i) {
        failed[i] = 0;
        if (n == 0) continue;
        from.load_columns(i, columns.data());
        failed[i] = lapack::getrf(n, n, columns.data(), n, pivots.data());
        if (failed[i] == 0)
          invert_factored(n, columns.data(), pivots.data(), work.data(), work_size);
        to.store_columns(i, columns.data(), n);
      }
    });
  });
}

void pivots_to_permutation(const Tensor& out, const Tensor& pivots, bool inverse) {
  const int64_t rows = out.sizes().back(), k = pivots.sizes().back();
  Shape batch = out.sizes();
  batch.erase(batch.size() - 1);
  const Matrices<int32_t> order = vectors<int32_t>(pivots, batch);
  std::vector<int32_t> exchanges(static_cast<size_t>(k));
  std::vector<int64_t> places(static_cast<size_t>(rows));
  for (int64_t b = 0; b < order.count(); ++b) {
    int64_t* to = out.data_ptr<int64_t>() + b * rows;
    order.load_rows(b, exchanges.data());
    require_pivots(exchanges.data(), k, rows);
    for (int64_t i = 0; i < rows; ++i) places[static_cast<size_t>(i)] = i;
    exchange_rows(places.data(), 1, exchanges.data(), k, false);
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t place = places[static_cast<size_t>(i)];
      to[inverse ? place : i] = inverse ? i : place;
    }
  }
}

void lu_unpack(Stream& stream, const Tensor& p, const Tensor& l, const Tensor& u, const Tensor& lu,
               const Tensor& pivots) {
  with_floating(lu.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(lu);
    const int64_t m = from.rows(), n = from.columns(), k = std::min(m, n);
    const int64_t row = from.row_stride(), column = from.column_stride();
    if (p.defined()) {
      Shape sizes = batch_sizes(lu);
      sizes.push_back(m);
      const Tensor order = empty_on(stream, sizes, DType::kInt64);
      pivots_to_permutation(order, pivots, false);
      T* to = p.data_ptr<T>();
      std::fill_n(to, static_cast<size_t>(p.numel()), T(0));
      for (int64_t i = 0; i < order.numel(); ++i)
        to[(i / m * m + order.data_ptr<int64_t>()[i]) * m + i % m] = T(1);
    }
    if (!l.defined()) return;
    for (int64_t i = 0; i < from.count(); ++i) {
      const T* a = from.at(i);
      T *lower = l.data_ptr<T>() + i * m * k, *upper = u.data_ptr<T>() + i * k * n;
      for (int64_t r = 0; r < m; ++r)
        for (int64_t c = 0; c < k; ++c)
          lower[r * k + c] = c < r ? a[r * row + c * column] : r == c ? T(1) : T(0);
      for (int64_t r = 0; r < k; ++r)
        for (int64_t c = 0; c < n; ++c) upper[r * n + c] = c < r ? T(0) : a[r * row + c * column];
    }
  });
}

namespace {

bool is_odd(const int32_t* pivots, int64_t n) {
  bool odd = false;
  for (int64_t i = 0; i < n; ++i) odd ^= pivots[i] != i + 1;
  return odd;
}

}  // namespace

void lu_determinant(const Tensor& determinant, const Tensor& lu, const Tensor& pivots) {
  with_floating(lu.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> factors(lu);
    const int64_t n = factors.rows();
    for (int64_t i = 0; i < factors.count(); ++i) {
      const T* a = factors.at(i);
      T product = is_odd(pivots.data_ptr<int32_t>() + i * n, n) ? T(-1) : T(1);
      for (int64_t d = 0; d < n; ++d) product *= a[d * (n + 1)];
      determinant.data_ptr<T>()[i] = product;
    }
  });
}

void lu_log_determinant(const Tensor& sign, const Tensor& logarithm, const Tensor& lu,
                        const Tensor& pivots) {
  with_floating(lu.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> factors(lu);
    const int64_t n = factors.rows();
    for (int64_t i = 0; i < factors.count(); ++i) {
      const T* a = factors.at(i);
      T signs = is_odd(pivots.data_ptr<int32_t>() + i * n, n) ? T(-1) : T(1), sum = T(0);
      for (int64_t d = 0; d < n; ++d) {
        const T element = a[d * (n + 1)];
        signs *= element > T(0) ? T(1) : element < T(0) ? T(-1) : element;
        sum += std::log(std::abs(element));
      }
      sign.data_ptr<T>()[i] = signs;
      logarithm.data_ptr<T>()[i] = sum;
    }
  });
}

}  // namespace oneagent
