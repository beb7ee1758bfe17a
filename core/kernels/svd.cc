#include "core/kernels/svd.h"

#include <cmath>

#include "core/kernels/gemm.h"
#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

// One decomposition after another, with one workspace.
template <class T>
class SvdSolver {
 public:
  SvdSolver(char job, int m, int n)
      : job_(job), m_(m), n_(n), work_size_(query()), work_(work_size_), integers_(8 * k()) {}

  int k() const { return std::min(m_, n_); }
  int vh_rows() const { return job_ == 'A' ? n_ : k(); }
  // `a` is destroyed; u has m rows, vh has vh_rows().
  int run(T* a, T* s, T* u, T* vh) {
    return lapack::gesdd(job_, m_, n_, a, std::max(m_, 1), s, u, std::max(m_, 1), vh,
                         std::max(vh_rows(), 1), work_.data(), work_size_, integers_.data());
  }

 private:
  int query() const {
    T size = 0, none = 0;
    int integer = 0;
    lapack::gesdd(job_, m_, n_, &none, std::max(m_, 1), &none, &none, std::max(m_, 1), &none,
                  std::max(vh_rows(), 1), &size, -1, &integer);
    return std::max(static_cast<int>(std::nextafter(size, 2 * size + 1)) + 1, 1);
  }

  char job_;
  int m_, n_, work_size_;
  Scratch<T> work_;
  Scratch<int> integers_;
};

template <class T>
class EigenSolver {
 public:
  EigenSolver(bool vectors, bool upper, int n)
      : job_(vectors ? 'V' : 'N'),
        triangle_(upper ? 'U' : 'L'),
        n_(n),
        sizes_(query()),
        work_(sizes_.work),
        integers_(sizes_.integers) {}

  // `a` receives the vectors as columns.
  int run(T* a, T* values) {
    return lapack::syevd(job_, triangle_, n_, a, std::max(n_, 1), values, work_.data(), sizes_.work,
                         integers_.data(), sizes_.integers);
  }

 private:
  struct Sizes {
    int work, integers;
  };
  Sizes query() const {
    T size = 0, none = 0;
    int integers = 0;
    lapack::syevd(job_, triangle_, n_, &none, std::max(n_, 1), &none, &size, -1, &integers, -1);
    return {static_cast<int>(std::nextafter(size, 2 * size + 1)) + 1, std::max(integers, 1)};
  }

  char job_, triangle_;
  int n_;
  Sizes sizes_;
  Scratch<T> work_;
  Scratch<int> integers_;
};

template <class T>
void set_identity(T* a, int64_t n) {
  std::fill_n(a, static_cast<size_t>(n * n), T(0));
  for (int64_t i = 0; i < n; ++i) a[i * (n + 1)] = T(1);
}

}  // namespace

void singular_values(Stream& stream, const Tensor& u, const Tensor& s, const Tensor& vh,
                     const Tensor& info, const Tensor& a) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a);
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const int64_t k = std::min(m, n), wide = u.defined() ? u.size(-1) : 0;
    const int64_t high = u.defined() ? vh.size(-2) : 0;
    const char job = !u.defined() ? 'N' : wide == k && high == k ? 'S' : 'A';
    int32_t* failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), 10.0 * m * n * k, [&](int64_t begin, int64_t end) {
      SvdSolver<T> solver(job, m, n);
      const Scratch<T> matrix(int64_t{m} * n), left(m * wide), right(high * n);
      for (int64_t i = begin; i < end; ++i) {
        failed[i] = 0;
        if (k == 0) {  // the square factors of nothing
          if (wide > 0) set_identity(u.data_ptr<T>() + i * m * wide, wide);
          if (high > 0) set_identity(vh.data_ptr<T>() + i * high * n, high);
          continue;
        }
        from.load_columns(i, matrix.data());
        failed[i] = solver.run(matrix.data(), s.data_ptr<T>() + i * k, left.data(), right.data());
        if (job == 'N') continue;
        Matrices<T>(u).store_columns(i, left.data(), m);
        Matrices<T>(vh).store_columns(i, right.data(), high);
      }
    });
  });
}

void symmetric_eigenvalues(Stream& stream, const Tensor& values, const Tensor& vectors,
                           const Tensor& info, const Tensor& a, bool upper) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a);
    const auto n = static_cast<int>(from.rows());
    int32_t* failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), 9 * cube(n), [&](int64_t begin, int64_t end) {
      EigenSolver<T> solver(vectors.defined(), upper, n);
      const Scratch<T> matrix(int64_t{n} * n);
      for (int64_t i = begin; i < end; ++i) {
        failed[i] = 0;
        if (n == 0) continue;
        from.load_columns(i, matrix.data());
        failed[i] = solver.run(matrix.data(), values.data_ptr<T>() + i * n);
        if (vectors.defined()) Matrices<T>(vectors).store_columns(i, matrix.data(), n);
      }
    });
  });
}

namespace {

// out [n, m] = V diag(1 / s) U^T over the columns whose value is large enough. Row j of `vt` and
// column j of `u` belong to s[j].
template <class T>
void invert_values(Stream& stream, T* out, const T* u, const T* s, T* vt, int64_t vt_row,
                   int64_t vt_column, int64_t m, int64_t n, int64_t k, double atol, double rtol) {
  T largest = T(0);
  for (int64_t j = 0; j < k; ++j) largest = std::max(largest, std::abs(s[j]));
  const T limit = static_cast<T>(std::max(atol, rtol * static_cast<double>(largest)));
  for (int64_t j = 0; j < k; ++j) {
    const T factor = std::abs(s[j]) > limit ? T(1) / s[j] : T(0);
    for (int64_t c = 0; c < n; ++c) vt[j * vt_row + c * vt_column] *= factor;
  }
  cpu::GemmArgs args;
  args.m = n;
  args.n = m;
  args.k = k;
  args.a = vt;
  args.a_row = vt_column;
  args.a_col = vt_row;
  args.b = u;
  args.b_row = m;
  args.b_col = 1;
  args.c = out;
  args.c_row = m;
  run_gemm(stream, dtype_of<T>, args);
}

}  // namespace

void pseudo_inverse(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a,
                    const Tensor& atol, const Tensor& rtol, bool symmetric) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(out);
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const int k = std::min(m, n);
    if (k == 0) return;
    const auto tolerance = [&](const Tensor& x, int64_t i) {
      if (!x.defined()) return 0.0;
      TensorMeta meta = x.impl().meta;
      meta.sizes.push_back(1);
      meta.sizes.push_back(1);
      meta.strides.push_back(0);
      meta.strides.push_back(0);
      return static_cast<double>(*Matrices<T>(alias_of(x, meta), batch_sizes(a)).at(i));
    };
    for_matrices(stream, from.count(), 20.0 * m * n * k, [&](int64_t begin, int64_t end) {
      Stream serial(stream.device());
      const Scratch<T> matrix(int64_t{m} * n), u(int64_t{m} * k), vh(int64_t{k} * n), s(k);
      for (int64_t i = begin; i < end; ++i) {
        from.load_columns(i, matrix.data());
        int32_t& failed = info.data_ptr<int32_t>()[i];
        const double absolute = tolerance(atol, i), relative = tolerance(rtol, i);
        if (symmetric) {
          failed = EigenSolver<T>(true, false, n).run(matrix.data(), s.data());
          std::copy_n(matrix.data(), m * n, u.data());
          invert_values(serial, to.at(i), u.data(), s.data(), matrix.data(), int64_t{n}, int64_t{1},
                        m, n, k, absolute, relative);
        } else {
          failed = SvdSolver<T>('S', m, n).run(matrix.data(), s.data(), u.data(), vh.data());
          invert_values(serial, to.at(i), u.data(), s.data(), vh.data(), int64_t{1}, int64_t{k}, m,
                        n, k, absolute, relative);
        }
      }
    });
  });
}

}  // namespace oneagent
