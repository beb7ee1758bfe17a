#include "core/base/rng.h"

#include <cmath>
#include <numbers>

namespace oneagent {

std::array<uint32_t, 4> philox_block(std::array<uint32_t, 2> key, std::array<uint32_t, 4> counter) {
  constexpr uint64_t kMul0 = 0xD2511F53, kMul1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = kMul0 * counter[0];
    const uint64_t p1 = kMul1 * counter[2];
    counter = {static_cast<uint32_t>(p1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(p1),
               static_cast<uint32_t>(p0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

uint64_t seed_of(std::initializer_list<uint64_t> parts) {
  uint64_t hash = 0x6F6E656167656E74;  // "oneagent"
  for (const uint64_t part : parts) hash = mix64(hash ^ mix64(part));
  return hash;
}

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xCBF29CE484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001B3;
  return mix64(hash);
}

Rng::Rng(uint64_t seed, uint64_t stream)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)}, stream_(stream) {}

Rng::Rng(const RngState& state) : Rng(state.seed, state.stream) {
  blocks_ = state.position / 4;
  if (state.position % 4 != 0) {
    refill();
    used_ = static_cast<uint32_t>(state.position % 4);
  }
}

void Rng::refill() {
  block_ =
      philox_block(key_, {static_cast<uint32_t>(blocks_), static_cast<uint32_t>(blocks_ >> 32),
                          static_cast<uint32_t>(stream_), static_cast<uint32_t>(stream_ >> 32)});
  ++blocks_;
  used_ = 0;
}

uint32_t Rng::below(uint32_t n) {
  uint64_t product = static_cast<uint64_t>(next_u32()) * n;
  if (static_cast<uint32_t>(product) < n) {
    const uint32_t threshold = (0u - n) % n;
    while (static_cast<uint32_t>(product) < threshold)
      product = static_cast<uint64_t>(next_u32()) * n;
  }
  return static_cast<uint32_t>(product >> 32);
}

double Rng::normal() {
  const double u = 1.0 - uniform_double();  // (0, 1]
  const double v = uniform_double();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

RngState Rng::state() const {
  return {static_cast<uint64_t>(key_[0]) | (static_cast<uint64_t>(key_[1]) << 32), stream_,
          blocks_ * 4 - 4 + used_};
}

}  // namespace oneagent
