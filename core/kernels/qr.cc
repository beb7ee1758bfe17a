#include "core/kernels/qr.h"

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

constexpr int kBlock = 64;  // columns of LAPACK's blocks: the workspace is this much a column

}  // namespace

void householder_factor(Stream& stream, const Tensor& reflectors, const Tensor& tau,
                        const Tensor& a) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(reflectors);
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const int k = std::min(m, n);
    if (k == 0) return;
    for_matrices(stream, from.count(), 2.0 * m * n * k, [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(int64_t{m} * n), work(int64_t{kBlock} * n);
      for (int64_t i = begin; i < end; ++i) {
        from.load_columns(i, columns.data());
        lapack::geqrf(m, n, columns.data(), m, tau.data_ptr<T>() + i * k, work.data(), kBlock * n);
        to.store_columns(i, columns.data(), m);
      }
    });
  });
}

void householder_product(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& tau) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(out), scales = vectors<T>(tau, batch_sizes(a));
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const auto k = static_cast<int>(scales.columns());
    if (m == 0 || n == 0) return;
    for_matrices(stream, from.count(), 2.0 * m * n * (k + 1), [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(int64_t{m} * n), work(int64_t{kBlock} * n), scale(k);
      for (int64_t i = begin; i < end; ++i) {
        from.load_columns(i, columns.data());
        scales.load_rows(i, scale.data());
        lapack::orgqr(m, n, k, columns.data(), m, scale.data(), work.data(), kBlock * n);
        to.store_columns(i, columns.data(), m);
      }
    });
  });
}

void householder_multiply(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& tau,
                          const Tensor& c, bool left, bool transposed) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), factor(c), to(out), scales = vectors<T>(tau, batch_sizes(a));
    const auto rows = static_cast<int>(from.rows()), k = static_cast<int>(scales.columns());
    const auto m = static_cast<int>(factor.rows()), n = static_cast<int>(factor.columns());
    if (m == 0 || n == 0) return;
    const int work_size = kBlock * (left ? n : m) + 65 * kBlock;
    for_matrices(stream, from.count(), 2.0 * m * n * (k + 1), [&](int64_t begin, int64_t end) {
      const Scratch<T> reflectors(from.rows() * from.columns()), columns(int64_t{m} * n),
          work(work_size), scale(k);
      for (int64_t i = begin; i < end; ++i) {
        from.load_columns(i, reflectors.data());
        factor.load_columns(i, columns.data());
        scales.load_rows(i, scale.data());
        lapack::ormqr(left ? 'L' : 'R', transposed ? 'T' : 'N', m, n, k, reflectors.data(), rows,
                      scale.data(), columns.data(), m, work.data(), work_size);
        to.store_columns(i, columns.data(), m);
      }
    });
  });
}

void qr_factor(Stream& stream, const Tensor& q, const Tensor& r, const Tensor& a) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a);
    const auto m = static_cast<int>(from.rows()), n = static_cast<int>(from.columns());
    const int k = std::min(m, n);
    const auto height = static_cast<int>(r.size(-2));
    const int width = q.defined() ? height : 0;
    const int most = std::max(n, width);
    for_matrices(stream, from.count(), 4.0 * m * most * (k + 1), [&](int64_t begin, int64_t end) {
      const Scratch<T> columns(int64_t{m} * most), tau(k), work(int64_t{kBlock} * most);
      for (int64_t i = begin; i < end; ++i) {
        if (k > 0) {
          from.load_columns(i, columns.data());
          lapack::geqrf(m, n, columns.data(), m, tau.data(), work.data(), kBlock * most);
        }
        T* upper = r.data_ptr<T>() + i * height * n;
        for (int64_t row = 0; row < height; ++row)
          for (int64_t column = 0; column < n; ++column)
            upper[row * n + column] = column < row ? T(0) : columns[column * m + row];
        if (m == 0 || width == 0) continue;
        lapack::orgqr(m, width, k, columns.data(), m, tau.data(), work.data(), kBlock * most);
        Matrices<T>(q).store_columns(i, columns.data(), m);
      }
    });
  });
}

}  // namespace oneagent
