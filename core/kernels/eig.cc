#include "core/kernels/eig.h"

#include <complex>
#include <vector>

#include "core/kernels/copy.h"
#include "core/kernels/lapack.h"

extern "C" {
void cgeev_(const char*, const char*, const int*, std::complex<float>*, const int*,
            std::complex<float>*, std::complex<float>*, const int*, std::complex<float>*,
            const int*, std::complex<float>*, const int*, float*, int*, size_t, size_t);
void zgeev_(const char*, const char*, const int*, std::complex<double>*, const int*,
            std::complex<double>*, std::complex<double>*, const int*, std::complex<double>*,
            const int*, std::complex<double>*, const int*, double*, int*, size_t, size_t);
void sgeev_(const char*, const char*, const int*, float*, const int*, float*, float*, float*,
            const int*, float*, const int*, float*, const int*, int*, size_t, size_t);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*,
            const int*, double*, const int*, double*, const int*, int*, size_t, size_t);
}

namespace oneagent {
namespace {

template <class T>
using Number = std::complex<T>;

template <class T>
void transpose(Number<T>* a, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) std::swap(a[i * n + j], a[j * n + i]);
}

template <class T>
int complex_eig(char vectors, int n, Number<T>* a, Number<T>* w, Number<T>* v) {
  std::vector<Number<T>> work(static_cast<size_t>(8 * n));
  std::vector<T> real_work(static_cast<size_t>(2 * n));
  const int size = 8 * n;
  int info = 0;
  if constexpr (sizeof(T) == 4)
    cgeev_("N", &vectors, &n, a, &n, w, nullptr, &n, v, &n, work.data(), &size, real_work.data(),
           &info, 1, 1);
  else
    zgeev_("N", &vectors, &n, a, &n, w, nullptr, &n, v, &n, work.data(), &size, real_work.data(),
           &info, 1, 1);
  return info;
}

// A pair of conjugate eigenvalues has two real columns: the parts of the first one's vector.
template <class T>
int real_eig(char vectors, int n, T* a, Number<T>* w, Number<T>* v) {
  const auto count = static_cast<size_t>(n);
  std::vector<T> re(count), im(count), columns(count * count), work(16 * count);
  const int size = 16 * n;
  int info = 0;
  if constexpr (sizeof(T) == 4)
    sgeev_("N", &vectors, &n, a, &n, re.data(), im.data(), nullptr, &n, columns.data(), &n,
           work.data(), &size, &info, 1, 1);
  else
    dgeev_("N", &vectors, &n, a, &n, re.data(), im.data(), nullptr, &n, columns.data(), &n,
           work.data(), &size, &info, 1, 1);
  for (size_t i = 0; i < count; ++i) w[i] = {re[i], im[i]};
  if (vectors == 'N') return info;
  for (size_t c = 0; c < count; ++c) {
    const bool pair = im[c] != T(0) && c + 1 < count;
    for (size_t r = 0; r < count; ++r) {
      const T x = columns[c * count + r], y = pair ? columns[(c + 1) * count + r] : T(0);
      v[c * count + r] = {x, y};
      if (pair) v[(c + 1) * count + r] = {x, -y};
    }
    if (pair) ++c;
  }
  return info;
}

}  // namespace

void run_eig(Stream& stream, const Tensor& values, const Tensor& vectors, const Tensor& a) {
  lapack::one_thread();
  const auto n = static_cast<int>(a.size(-1));
  if (a.numel() == 0) return;
  const int64_t area = int64_t{n} * n, count = a.numel() / area;
  const char wanted = vectors.defined() ? 'V' : 'N';
  const Tensor matrices = contiguous_copy(stream, a);
  with_complex(values.dtype(), [&]<class T>(Type<T>) {
    auto* w = static_cast<Number<T>*>(values.data_ptr());
    std::vector<Number<T>> unused(static_cast<size_t>(area));
    for (int64_t i = 0; i < count; ++i) {
      Number<T>* v = vectors.defined() ? static_cast<Number<T>*>(vectors.data_ptr()) + i * area
                                       : unused.data();
      int info = 0;
      if (is_complex(a.dtype())) {
        auto* matrix = static_cast<Number<T>*>(matrices.data_ptr()) + i * area;
        transpose(matrix, n);
        info = complex_eig(wanted, n, matrix, w + i * n, v);
      } else {
        T* matrix = matrices.data_ptr<T>() + i * area;
        for (int r = 0; r < n; ++r)
          for (int c = 0; c < r; ++c) std::swap(matrix[r * n + c], matrix[c * n + r]);
        info = real_eig(wanted, n, matrix, w + i * n, v);
      }
      OA_REQUIRE(info == 0, "linalg.eig: the algorithm failed to converge, LAPACK says ", info);
      if (vectors.defined()) transpose(v, n);
    }
  });
}

}  // namespace oneagent
