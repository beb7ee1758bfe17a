#include "core/kernels/cholesky.h"

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

// A row-major matrix is its transpose in LAPACK's eyes: the triangles change places.
char triangle(bool upper) { return upper ? 'L' : 'U'; }

template <class T>
void clear_other(T* a, int64_t n, bool upper) {
  for (int64_t i = 0; i < n; ++i)
    if (upper)
      std::fill_n(a + i * n, static_cast<size_t>(i), T(0));
    else
      std::fill_n(a + i * n + i + 1, static_cast<size_t>(n - i - 1), T(0));
}

}  // namespace

void cholesky_factor(Stream& stream, const Tensor& out, const Tensor& info, const Tensor& a,
                     bool upper) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(out);
    const int64_t n = from.rows();
    int32_t* failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), cube(n) / 3, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* matrix = to.at(i);
        from.load_rows(i, matrix);
        const int size = static_cast<int>(n);
        failed[i] = n == 0 ? 0 : lapack::potrf(triangle(upper), size, matrix, size);
        clear_other(matrix, n, upper);
      }
    });
  });
}

void cholesky_solve(Stream& stream, const Tensor& out, const Tensor& b, const Tensor& factor,
                    bool upper) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> right(b), triangular(factor), to(out);
    const auto n = static_cast<int>(to.rows()), columns = static_cast<int>(to.columns());
    if (n == 0 || columns == 0) return;
    const double work = 2.0 * n * n * columns;
    for_matrices(stream, to.count(), work, [&](int64_t begin, int64_t end) {
      const Scratch<T> rows(int64_t{n} * n);
      for (int64_t i = begin; i < end; ++i) {
        T* x = to.at(i);
        right.load_rows(i, x);
        const T* matrix = triangular.with_rows(i, rows.data());
        const int leading = triangular.leading();
        lapack::trsm(true, upper, upper, false, n, columns, matrix, leading, x, columns);
        lapack::trsm(true, upper, !upper, false, n, columns, matrix, leading, x, columns);
      }
    });
  });
}

void cholesky_inverse(Stream& stream, const Tensor& out, const Tensor& factor, bool upper) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(factor), to(out);
    const auto n = static_cast<int>(to.rows());
    if (n == 0) return;
    for_matrices(stream, to.count(), cube(n), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        T* matrix = to.at(i);
        from.load_rows(i, matrix);
        const int info = lapack::potri(triangle(upper), n, matrix, n);
        OA_REQUIRE(info == 0, "cholesky_inverse: the diagonal element ", info,
                   " is zero, the inversion could not be completed because the input matrix is "
                   "singular");
        for (int64_t r = 0; r < n; ++r)
          for (int64_t c = 0; c < r; ++c) {
            if (upper)
              matrix[r * n + c] = matrix[c * n + r];
            else
              matrix[c * n + r] = matrix[r * n + c];
          }
      }
    });
  });
}

}  // namespace oneagent
