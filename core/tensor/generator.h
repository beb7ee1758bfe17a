// Random numbers for tensors: a Philox stream whose position is a counter. A draw of n numbers
// reserves n counter blocks, and element i of the draw uses block offset + i, so that any split
// over threads or ranks gives the same numbers.
#pragma once

#include <cstdint>

#include "core/base/rng.h"

namespace oneagent {

class Generator {
 public:
  explicit Generator(uint64_t seed = 0, uint64_t stream = 0) : state_{seed, stream, 0} {}
  explicit Generator(const RngState& state) : state_(state) {}

  uint64_t seed() const { return state_.seed; }
  RngState state() const { return state_; }
  void set_state(const RngState& state) { state_ = state; }
  void manual_seed(uint64_t seed) { state_ = {seed, state_.stream, 0}; }

  // First counter block of `count` fresh ones.
  uint64_t reserve(uint64_t count) {
    const uint64_t first = state_.position;
    state_.position += count;
    return first;
  }

 private:
  RngState state_;
};

}  // namespace oneagent
