#include "core/kernels/triangular.h"

#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {

void triangular_solve(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
                      const TriangularSystem& system) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> right(b), triangular(a), to(out);
    const auto n = static_cast<int>(triangular.rows());
    const auto rows = static_cast<int>(to.rows()), columns = static_cast<int>(to.columns());
    if (rows == 0 || columns == 0) return;
    const double work = static_cast<double>(rows) * columns * n;
    for_matrices(stream, to.count(), work, [&](int64_t begin, int64_t end) {
      const Scratch<T> copy(int64_t{n} * n);
      const T *source = nullptr, *matrix = nullptr;
      for (int64_t i = begin; i < end; ++i) {
        T* x = to.at(i);
        right.load_rows(i, x);
        if (triangular.at(i) != source) {
          source = triangular.at(i);
          matrix = triangular.with_rows(i, copy.data());
        }
        lapack::trsm(system.left, system.upper, system.transposed, system.unit, rows, columns,
                     matrix, triangular.leading(), x, columns);
      }
    });
  });
}

}  // namespace oneagent
