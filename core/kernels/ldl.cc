#include "core/kernels/ldl.h"

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {

void ldl_factor(Stream& stream, const Tensor& ld, const Tensor& pivots, const Tensor& info,
                const Tensor& a) {
  lapack::one_thread();
  with_floating(a.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(ld);
    const auto n = static_cast<int>(from.rows());
    int32_t *order = pivots.data_ptr<int32_t>(), *failed = info.data_ptr<int32_t>();
    for_matrices(stream, from.count(), cube(n) / 3, [&](int64_t begin, int64_t end) {
      const int work_size = 64 * n;
      const Scratch<T> columns(int64_t{n} * n), work(work_size);
      for (int64_t i = begin; i < end; ++i) {
        failed[i] = 0;
        if (n == 0) continue;
        from.load_columns(i, columns.data());
        failed[i] = lapack::sytrf('L', n, columns.data(), n, order + i * n, work.data(), work_size);
        for (int64_t c = 1; c < n; ++c)
          std::fill_n(columns.data() + c * n, static_cast<size_t>(c), T(0));
        to.store_columns(i, columns.data(), n);
      }
    });
  });
}

void ldl_solve(Stream& stream, const Tensor& out, const Tensor& ld, const Tensor& pivots,
               const Tensor& b) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Shape batch = batch_sizes(out);
    const Matrices<T> right(b), to(out), factors(ld, batch);
    const Matrices<int32_t> order = vectors<int32_t>(pivots, batch);
    const auto n = static_cast<int>(to.rows()), k = static_cast<int>(to.columns());
    if (n == 0 || k == 0) return;
    for_matrices(stream, to.count(), 2.0 * n * n * k, [&](int64_t begin, int64_t end) {
      const Scratch<T> matrix(int64_t{n} * n), x(int64_t{n} * k);
      const Scratch<int32_t> places(n);
      for (int64_t i = begin; i < end; ++i) {
        factors.load_columns(i, matrix.data());
        right.load_columns(i, x.data());
        order.load_rows(i, places.data());
        lapack::sytrs('L', n, k, matrix.data(), n, places.data(), x.data(), n);
        to.store_columns(i, x.data(), n);
      }
    });
  });
}

}  // namespace oneagent
