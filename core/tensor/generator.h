// Random numbers for tensors: a Philox stream whose position is a counter. A draw of n numbers
// reserves n counter blocks, and element i of the draw uses block offset + i, so that any split
// over threads or ranks gives the same numbers. A Generator is a handle: copies share the state.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "core/base/rng.h"
#include "core/tensor/device.h"

namespace oneagent {

class Tensor;

class Generator {
 public:
  explicit Generator(uint64_t seed = 0, uint64_t stream = 0)
      : Generator(RngState{seed, stream, 0}) {}
  explicit Generator(const RngState& state)
      : state_(std::make_shared<State>(state.seed, state.stream, state.position)) {}

  bool defined() const { return true; }
  uint64_t seed() const { return state_->seed; }
  RngState state() const { return {state_->seed, state_->stream, state_->position}; }
  void set_state(const RngState& state) {
    state_->seed = state.seed;
    state_->stream = state.stream;
    state_->position = state.position;
  }
  void manual_seed(uint64_t seed) { set_state({seed, state_->stream, 0}); }
  Generator clone() const { return Generator(state()); }
  // The state as bytes, for a set_state() later (core/ops/op_tensor.cc).
  Tensor get_state() const;
  void set_state(const Tensor& state);
  Device device() const { return {}; }

  // First counter block of `count` fresh ones. Several threads may draw from one generator; which
  // of them gets which numbers is then up to their timing.
  uint64_t reserve(uint64_t count) {
    return state_->position.fetch_add(count, std::memory_order_relaxed);
  }

  // libtorch's names
  void set_current_seed(uint64_t seed) { manual_seed(seed); }
  uint64_t current_seed() const { return seed(); }
  std::mutex& mutex() const { return state_->mutex; }
  friend bool operator==(const Generator& a, const Generator& b) { return a.state_ == b.state_; }
  friend bool operator!=(const Generator& a, const Generator& b) { return !(a == b); }

 private:
  struct State {
    State(uint64_t seed_value, uint64_t stream_value, uint64_t position_value)
        : seed(seed_value), stream(stream_value), position(position_value) {}
    uint64_t seed, stream;
    std::atomic<uint64_t> position;
    std::mutex mutex;
  };
  std::shared_ptr<State> state_;
};

}  // namespace oneagent
