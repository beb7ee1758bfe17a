// A queue between threads: push() never waits, pop() waits until there is something.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <queue>
#include <utility>

#include "core/base/check.h"

namespace oneagent::data::detail {

template <class T>
class Queue {
 public:
  void push(T value) {
    {
      const std::lock_guard lock(mutex_);
      queue_.push(std::move(value));
    }
    filled_.notify_one();
  }

  // Error: nothing came within the timeout (none: waits for ever).
  T pop(std::optional<std::chrono::milliseconds> timeout = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto ready = [this] { return !queue_.empty(); };
    if (timeout)
      OA_REQUIRE(filled_.wait_for(lock, *timeout, ready),
                 "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                 timeout->count(), " ms)");
    else
      filled_.wait(lock, ready);
    T value = std::move(queue_.front());
    queue_.pop();
    return value;
  }

  // Drops what waits; how many that were.
  size_t clear() {
    const std::lock_guard lock(mutex_);
    const size_t count = queue_.size();
    queue_ = {};
    return count;
  }

 private:
  std::queue<T> queue_;
  std::mutex mutex_;
  std::condition_variable filled_;
};

}  // namespace oneagent::data::detail
