// The iterator of a DataLoader: reads a batch when it is first looked at, not before. Copies share
// their place.
#pragma once

#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/check.h"

namespace oneagent::data {
namespace detail {

template <class Batch>
struct ValidIterator;
template <class Batch>
struct SentinelIterator;

template <class Batch>
struct BatchCursor {
  virtual ~BatchCursor() = default;
  virtual void next() = 0;
  virtual Batch& get() = 0;
  virtual bool operator==(const BatchCursor& other) const = 0;
  virtual bool operator==(const ValidIterator<Batch>& other) const = 0;
  virtual bool operator==(const SentinelIterator<Batch>& other) const = 0;
};

// Equal to itself, and to the end once the producer has no more.
template <class Batch>
struct ValidIterator : public BatchCursor<Batch> {
  using BatchProducer = std::function<std::optional<Batch>()>;

  explicit ValidIterator(BatchProducer next_batch) : next_batch_(std::move(next_batch)) {}
  void next() override {
    begin();
    OA_REQUIRE(batch_.has_value(), "Attempted to increment iterator past the end");
    batch_ = next_batch_();
  }
  Batch& get() override {
    begin();
    OA_REQUIRE(batch_.has_value(), "Attempted to dereference iterator that was past the end");
    return *batch_;
  }
  bool operator==(const BatchCursor<Batch>& other) const override { return other == *this; }
  bool operator==(const ValidIterator& other) const override { return &other == this; }
  bool operator==(const SentinelIterator<Batch>&) const override {
    begin();
    return !batch_;
  }

 private:
  void begin() const {
    if (begun_) return;
    batch_ = next_batch_();
    begun_ = true;
  }

  BatchProducer next_batch_;
  mutable std::optional<Batch> batch_;
  mutable bool begun_ = false;
};

template <class Batch>
struct SentinelIterator : public BatchCursor<Batch> {
  void next() override {
    throw_error("Incrementing the DataLoader's past-the-end iterator is not allowed");
  }
  Batch& get() override {
    throw_error("Dereferencing the DataLoader's past-the-end iterator is not allowed");
  }
  bool operator==(const BatchCursor<Batch>& other) const override { return other == *this; }
  bool operator==(const ValidIterator<Batch>& other) const override { return other == *this; }
  bool operator==(const SentinelIterator&) const override { return true; }
};

}  // namespace detail

template <class Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;

  explicit Iterator(std::unique_ptr<detail::BatchCursor<Batch>> impl) : impl_(std::move(impl)) {}
  Iterator& operator++() {
    impl_->next();
    return *this;
  }
  Batch& operator*() { return impl_->get(); }
  Batch* operator->() { return &impl_->get(); }
  friend bool operator==(const Iterator& a, const Iterator& b) { return *a.impl_ == *b.impl_; }
  friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

 private:
  std::shared_ptr<detail::BatchCursor<Batch>> impl_;
};

}  // namespace oneagent::data
