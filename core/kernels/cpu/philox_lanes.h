// The first numbers of consecutive Philox 4x32-10 blocks (core/base/rng.h), several at a time.
#pragma once

#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kPhiloxLanes = 64;

inline void philox_lanes(uint64_t seed, uint64_t stream, uint64_t counter, uint32_t* out) {
  uint32_t a[kPhiloxLanes], b[kPhiloxLanes], c[kPhiloxLanes], d[kPhiloxLanes];
  for (int i = 0; i < kPhiloxLanes; ++i) {
    const uint64_t at = counter + static_cast<uint64_t>(i);
    a[i] = static_cast<uint32_t>(at);
    b[i] = static_cast<uint32_t>(at >> 32);
    c[i] = static_cast<uint32_t>(stream);
    d[i] = static_cast<uint32_t>(stream >> 32);
  }
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < kPhiloxLanes; ++i) {
      const uint64_t p = uint64_t{0xD2511F53} * a[i], q = uint64_t{0xCD9E8D57} * c[i];
      a[i] = static_cast<uint32_t>(q >> 32) ^ b[i] ^ key0;
      b[i] = static_cast<uint32_t>(q);
      c[i] = static_cast<uint32_t>(p >> 32) ^ d[i] ^ key1;
      d[i] = static_cast<uint32_t>(p);
    }
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  for (int i = 0; i < kPhiloxLanes; ++i) out[i] = a[i];
}

// Numbers below this are kept: the 24 upper bits decide, as they do for uniform floats.
inline uint32_t keep_limit(double keep) {
  const double limit = __builtin_ceil(keep * 16777216.0);
  return limit <= 0 ? 0u : limit >= 16777216.0 ? 16777216u : static_cast<uint32_t>(limit);
}

}  // namespace
}  // namespace oneagent::cpu::OA_ISA
