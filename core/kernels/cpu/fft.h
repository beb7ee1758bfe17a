// Discrete Fourier transforms of several lines side by side: sum over j of x[j] exp(-2 pi i j k /
// n) (inverse: with the other sign), not divided by anything.
//
// The lines lie in split buffers [n][lanes] of real and imaginary parts. A line goes through
// Stockham passes of radix 2, 3, 4, 5 and odd primes; every loop runs over a pass's stride times
// the lanes. Few long lines are first cut in two (n = first second), so that the loops stay long
// (D. H. Bailey, "FFTs in external or hierarchical memory", 1990). Lengths with large primes become
// convolutions (L. I. Bluestein, 1970). Real lines of even length are transformed as complex ones
// of half length.
#pragma once

#include "core/kernels/cpu/inner.h"

namespace oneagent::cpu {

struct FftPlan {  // of one length and type; built by core/kernels/fft.cc
  int64_t n = 0;
  int64_t size = 0;  // elements of a buffer for each lane
  int passes = 0;
  int radices[48] = {};
  // Pass after pass: for an odd prime above 5 its r roots; then (r - 1) numbers for each of the m
  // butterflies. All complex numbers are pairs.
  const void* twiddles = nullptr;
  const FftPlan* first = nullptr;  // n = first second, where that pays for few lanes
  const FftPlan* second = nullptr;
  const void* cross = nullptr;      // [first][second] factors between the two
  const FftPlan* padded = nullptr;  // of the convolution's length; then no passes
  const void* chirp = nullptr;      // [n]
  const void* spectrum = nullptr;   // [padded n], divided by its length
};

enum class FftKind : uint8_t { kComplex, kRealToComplex, kComplexToReal };

struct FftLines {
  FftKind kind = FftKind::kComplex;
  const FftPlan* plan = nullptr;  // of n, or of n / 2 for real lines of even length n
  int64_t n = 0;                  // of the signal
  const void* roots = nullptr;    // [n / 2 + 1] exp(-2 pi i k / n), for real lines of even length
  int64_t lanes = 0;
  const void* in = nullptr;  // strides count real numbers, two for a complex one
  void* out = nullptr;
  const int64_t* from = nullptr;  // where each lane begins
  const int64_t* to = nullptr;
  int64_t from_step = 0, to_step = 0;  // between the elements of a lane
  bool inverse = false;
  bool whole = false;  // of kRealToComplex: n results, not n / 2 + 1
  double scale = 1;
  void* workspace = nullptr;  // of fft_workspace() bytes
};

inline size_t fft_workspace(DType dtype, const FftPlan& plan, int64_t lanes) {
  return static_cast<size_t>(4 * (plan.size + 1) * lanes) * (dtype == DType::kFloat64 ? 8 : 4);
}

OA_CPU_KERNEL(void, fft_lines, (DType dtype, const FftLines& lines), (dtype, lines))

// Of one line in a plan's own layout, for making plans: re and im hold plan.size elements.
OA_CPU_KERNEL(void, fft_line, (DType dtype, const FftPlan& plan, void* workspace),
              (dtype, plan, workspace))

}  // namespace oneagent::cpu
