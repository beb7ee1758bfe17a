#include "core/kernels/matrix_exp.h"

#include <cmath>

#include "core/kernels/gemm.h"
#include "core/kernels/lapack.h"
#include "core/kernels/matrices.h"

namespace oneagent {
namespace {

struct Degree {
  int degree;
  double limit;  // of the largest row sum
};
constexpr Degree kDoubleDegrees[] = {{3, 1.495585217958292e-2},
                                     {5, 2.539398330063230e-1},
                                     {7, 9.504178996162932e-1},
                                     {9, 2.097847961257068},
                                     {13, 5.371920351148152}};
constexpr Degree kFloatDegrees[] = {
    {3, 4.258730016922831e-1}, {5, 1.880152677804762}, {7, 3.925724783138660}};

// The coefficients of the numerator: b[j] = (2 d - j)! d! / ((2 d)! (d - j)! j!).
void coefficients(int degree, double* b) {
  b[0] = 1;
  for (int j = 0; j < degree; ++j) b[j + 1] = b[j] * (degree - j) / ((2.0 * degree - j) * (j + 1));
}

// The exponential of one matrix. Rows and columns may be exchanged throughout.
template <class T>
class Exponential {
 public:
  Exponential(Stream& stream, int64_t n)
      : stream_(stream), n_(n), size_(n * n), buffers_(size_ * 6), pivots_(n) {}

  void run(const T* a, T* out) {
    const double norm = norm_of(a);
    const std::span<const Degree> degrees = sizeof(T) == 8 ? std::span<const Degree>(kDoubleDegrees)
                                                           : std::span<const Degree>(kFloatDegrees);
    int degree = degrees.back().degree, squarings = 0;
    for (size_t i = degrees.size(); i-- > 0;)
      if (norm <= degrees[i].limit) degree = degrees[i].degree;
    if (norm > degrees.back().limit)
      squarings = static_cast<int>(std::ceil(std::log2(norm / degrees.back().limit)));
    if (!std::isfinite(norm)) {
      std::fill_n(out, static_cast<size_t>(size_), std::numeric_limits<T>::quiet_NaN());
      return;
    }
    T* scaled = buffer(0);
    const T factor = static_cast<T>(std::ldexp(1.0, -squarings));
    for (int64_t i = 0; i < size_; ++i) scaled[i] = a[i] * factor;
    approximate(scaled, degree, out);
    for (int i = 0; i < squarings; ++i) {
      std::copy_n(out, static_cast<size_t>(size_), scaled);
      multiply(scaled, scaled, out);
    }
  }

 private:
  T* buffer(int i) const { return buffers_.data() + i * size_; }

  double norm_of(const T* a) const {
    double largest = 0;
    for (int64_t r = 0; r < n_; ++r) {
      double sum = 0;
      for (int64_t c = 0; c < n_; ++c) sum += std::abs(static_cast<double>(a[r * n_ + c]));
      if (sum > largest || std::isnan(sum)) largest = sum;
    }
    return largest;
  }

  void multiply(const T* a, const T* b, T* out) {
    cpu::GemmArgs args;
    args.m = args.n = args.k = n_;
    args.a = a;
    args.b = b;
    args.c = out;
    args.a_row = args.b_row = args.c_row = n_;
    args.a_col = args.b_col = 1;
    run_gemm(stream_, dtype_of<T>, args);
  }

  // out = sum of factors[i] powers[i] + constant I
  void combine(std::span<const double> factors, const T* const* powers, double constant, T* out) {
    for (size_t j = 0; j < factors.size(); ++j) {
      const T factor = static_cast<T>(factors[j]);
      const T* power = powers[j];
      if (j == 0)
        for (int64_t i = 0; i < size_; ++i) out[i] = factor * power[i];
      else
        for (int64_t i = 0; i < size_; ++i) out[i] += factor * power[i];
    }
    for (int64_t i = 0; i < n_; ++i) out[i * (n_ + 1)] += static_cast<T>(constant);
  }

  // r(A) = (V - U)^-1 (V + U) with the odd part U and the even part V of the numerator.
  void approximate(const T* a, int degree, T* out) {
    double b[14];
    coefficients(degree, b);
    const T* powers[4] = {buffer(1), buffer(2), buffer(3), buffer(4)};  // A^2, A^4, A^6, A^8
    const int count = degree == 13 ? 3 : degree / 2;
    multiply(a, a, buffer(1));
    for (int i = 1; i < count; ++i) multiply(buffer(i), buffer(1), buffer(i + 1));
    T *odd = out, *even = buffer(5);
    if (degree == 13) {  // the highest powers as a multiple of A^6
      const double high_odd[] = {b[9], b[11], b[13]}, low_odd[] = {b[3], b[5], b[7]};
      const double high_even[] = {b[8], b[10], b[12]}, low_even[] = {b[2], b[4], b[6]};
      T *high = buffer(4), *low = even;
      combine(high_odd, powers, 0, high);
      multiply(buffer(3), high, odd);
      combine(low_odd, powers, b[1], low);
      for (int64_t i = 0; i < size_; ++i) high[i] = odd[i] + low[i];
      multiply(a, high, odd);
      combine(high_even, powers, 0, high);
      multiply(buffer(3), high, even);
      combine(low_even, powers, b[0], high);
      for (int64_t i = 0; i < size_; ++i) even[i] += high[i];
    } else {
      double odd_factors[4], even_factors[4];
      for (int i = 0; i < count; ++i) {
        odd_factors[i] = b[2 * i + 3];
        even_factors[i] = b[2 * i + 2];
      }
      const auto used = static_cast<size_t>(count);
      combine({odd_factors, used}, powers, b[1], even);
      multiply(a, even, odd);
      combine({even_factors, used}, powers, b[0], even);
    }
    T* denominator = buffer(1);
    for (int64_t i = 0; i < size_; ++i) {
      const T u = odd[i], v = even[i];
      denominator[i] = v - u;
      out[i] = v + u;
    }
    const int n = static_cast<int>(n_);
    lapack::getrf(n, n, denominator, n, pivots_.data());
    lapack::getrs(n, n, denominator, n, pivots_.data(), out, n);
  }

  Stream& stream_;
  int64_t n_, size_;
  Scratch<T> buffers_;
  Scratch<int> pivots_;
};

}  // namespace

void matrix_exponential(Stream& stream, const Tensor& out, const Tensor& a) {
  lapack::one_thread();
  with_floating(out.dtype(), [&]<class T>(Type<T>) {
    const Matrices<T> from(a), to(out);
    const int64_t n = from.rows();
    if (n == 0) return;
    const auto run = [&](Stream& inner, int64_t begin, int64_t end) {
      Exponential<T> exponential(inner, n);
      const Scratch<T> matrix(n * n);
      for (int64_t i = begin; i < end; ++i) {
        from.load_rows(i, matrix.data());
        exponential.run(matrix.data(), to.at(i));
      }
    };
    if (from.count() == 1) return run(stream, 0, 1);
    for_matrices(stream, from.count(), 20 * cube(n), [&](int64_t begin, int64_t end) {
      Stream serial(stream.device());
      run(serial, begin, end);
    });
  });
}

}  // namespace oneagent
