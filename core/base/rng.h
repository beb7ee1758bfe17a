// Counter-based random numbers: Philox 4x32-10 (Salmon et al., SC 2011, "Parallel random numbers:
// as easy as 1, 2, 3"). A stream is (seed, stream id); its position is a counter, so it can be
// saved, restored and split exactly.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace oneagent {

// One Philox 4x32-10 block: 128 random bits for (key, counter). Pure function.
std::array<uint32_t, 4> philox_block(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter);

// Order-dependent 64-bit mix (splitmix64 finaliser). seed_of({run, service, worker, env, episode}).
uint64_t mix64(uint64_t x);
uint64_t seed_of(std::initializer_list<uint64_t> parts);
uint64_t hash_text(std::string_view text);  // FNV-1a, then mixed; stable across builds

struct RngState {
  uint64_t seed = 0;
  uint64_t stream = 0;
  uint64_t position = 0;  // count of 32-bit numbers drawn
};

// A random stream. Not thread safe; one per owner. Same state, same numbers, on every machine.
class Rng {
 public:
  explicit Rng(uint64_t seed = 0, uint64_t stream = 0);
  explicit Rng(const RngState& state);

  uint32_t next_u32() {
    if (used_ == 4) refill();
    return block_[used_++];
  }
  uint64_t next_u64() {
    const uint64_t low = next_u32();
    return low | (static_cast<uint64_t>(next_u32()) << 32);
  }
  float uniform() { return static_cast<float>(next_u32() >> 8) * 0x1p-24f; }           // [0, 1)
  double uniform_double() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) {
    return low + (high - low) * uniform_double();
  }                            // [low, high)
  uint32_t below(uint32_t n);  // uniform in 0..n-1, unbiased (Lemire 2019); n > 0
  double normal();             // mean 0, deviation 1 (Box-Muller, one draw per call)

  RngState state() const;

 private:
  void refill();

  std::array<uint32_t, 2> key_;
  uint64_t stream_;
  uint64_t blocks_ = 0;  // blocks made so far
  std::array<uint32_t, 4> block_{};
  uint32_t used_ = 4;
};

}  // namespace oneagent
