// The first numbers of consecutive Philox 4x32-10 blocks (core/base/rng.h), several at a time.
#pragma once

#include <immintrin.h>

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kPhiloxLanes = 64;

// Numbers of 32 bits in 64-bit lanes, as the multiplication takes them; upper halves are left over.
using Wide = __m256i;
inline Wide wide_of(uint64_t x) { return _mm256_set1_epi64x(static_cast<long long>(x)); }
inline Wide wide_at(uint64_t x) {
  return _mm256_add_epi64(wide_of(x), _mm256_set_epi64x(3, 2, 1, 0));
}
inline Wide product(Wide a, Wide b) { return _mm256_mul_epu32(a, b); }
inline Wide upper(Wide a) { return _mm256_srli_epi64(a, 32); }
inline Wide either(Wide a, Wide b, Wide c) { return _mm256_xor_si256(_mm256_xor_si256(a, b), c); }
inline void narrow(uint32_t* to, Wide a) {
  const __m256i order = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to),
                   _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(a, order)));
}

// Those numbers of the blocks counter, counter + 1, ... whose bits `Wanted` has; of `count` blocks
// and up to seven more.
template <int Wanted>
inline void philox_words(uint64_t seed, uint64_t stream, uint64_t counter,
                         uint32_t (*words)[kPhiloxLanes], int count = kPhiloxLanes) {
  constexpr int kWidth = sizeof(Wide) / 8, kChains = 2;
  const Wide first = wide_of(0xD2511F53), second = wide_of(0xCD9E8D57);
  for (int at = 0; at < count; at += kChains * kWidth) {
    Wide a[kChains], b[kChains], c[kChains], d[kChains];
#pragma GCC unroll 2
    for (int i = 0; i < kChains; ++i) {
      a[i] = wide_at(counter + static_cast<uint64_t>(at + i * kWidth));
      b[i] = upper(a[i]);
      c[i] = wide_of(stream);
      d[i] = wide_of(stream >> 32);
    }
    uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const Wide k0 = wide_of(key0), k1 = wide_of(key1);
#pragma GCC unroll 2
      for (int i = 0; i < kChains; ++i) {
        const Wide p = product(a[i], first), q = product(c[i], second);
        a[i] = either(upper(q), b[i], k0);
        c[i] = either(upper(p), d[i], k1);
        b[i] = q;
        d[i] = p;
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
#pragma GCC unroll 2
    for (int i = 0; i < kChains; ++i) {
      if constexpr ((Wanted & 1) != 0) narrow(words[0] + at + i * kWidth, a[i]);
      if constexpr ((Wanted & 2) != 0) narrow(words[1] + at + i * kWidth, b[i]);
      if constexpr ((Wanted & 4) != 0) narrow(words[2] + at + i * kWidth, c[i]);
      if constexpr ((Wanted & 8) != 0) narrow(words[3] + at + i * kWidth, d[i]);
    }
  }
}

// Their first numbers.
inline void philox_lanes(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t* out) {
  uint32_t words[4][kPhiloxLanes];
  philox_words<1>(seed, stream, counter, words);
  for (int i = 0; i < kPhiloxLanes; ++i) out[i] = words[0][i];
}

// Numbers below this are kept: the 24 upper bits decide, as they do for uniform floats.
inline uint32_t keep_limit(double keep) {
  const double limit = __builtin_ceil(keep * 16777216.0);
  return limit <= 0 ? 0u : limit >= 16777216.0 ? 16777216u : static_cast<uint32_t>(limit);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
