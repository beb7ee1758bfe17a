// A bounded first-in first-out queue between threads. Full, empty and closed are return values; a
// wait in push() is on the wait board. Closing lets readers take what is inside, then pop() says
// closed; push() says closed at once.
#pragma once

#include <deque>
#include <mutex>
#include <string>
#include <utility>

#include "core/base/check.h"
#include "core/base/result.h"
#include "core/strand/condition.h"
#include "core/strand/wait_board.h"

namespace oneagent {

// Status codes: DeadlineExceeded (full or empty until the deadline), ResourceExhausted (full,
// without waiting), Unavailable (closed).
Status mailbox_full(const std::string& name, size_t capacity, bool waited);
Status mailbox_empty(const std::string& name);
Status mailbox_closed(const std::string& name);

template <class T>
class Mailbox {
 public:
  // `name` says who empties it ("learner/prefetch") and is the holder in waits. The board must
  // outlive the mailbox.
  Mailbox(WaitBoard& board, std::string name, size_t capacity)
      : board_(board), name_(std::move(name)), capacity_(capacity) {
    OA_REQUIRE(capacity > 0, "mailbox ", name_, ": needs room for at least one item, was 0");
  }

  // Blocks while full. `value` is moved from only on success. `waiter` is the row's first name on
  // the board.
  Status push(T&& value, Deadline deadline, std::string_view waiter) {
    std::unique_lock lock(mutex_);
    if (!closed_ && items_.size() >= capacity_) {
      WaitScope wait(board_, waiter, name_, "its mailbox is full");
      if (!not_full_.wait_until(lock, deadline,
                                [&] { return closed_ || items_.size() < capacity_; })) {
        wait.expired();
        return mailbox_full(name_, capacity_, true);
      }
    }
    return put(std::move(value));
  }

  Status try_push(T&& value) {
    std::unique_lock lock(mutex_);
    if (!closed_ && items_.size() >= capacity_) return mailbox_full(name_, capacity_, false);
    return put(std::move(value));
  }

  // Blocks while empty and open. A reader that has a reason to be waited for opens a WaitScope of
  // its own.
  Result<T> pop(Deadline deadline) {
    std::unique_lock lock(mutex_);
    if (!not_empty_.wait_until(lock, deadline, [&] { return closed_ || !items_.empty(); }))
      return mailbox_empty(name_);
    return take();
  }

  // Blocks without deadline: only for the thread whose one work is this mailbox, which close()
  // ends.
  Result<T> pop() {
    std::unique_lock lock(mutex_);
    while (!closed_ && items_.empty()) not_empty_.wait(lock);
    return take();
  }

  void close() {
    {
      std::lock_guard lock(mutex_);
      closed_ = true;
    }
    not_full_.notify_all();
    not_empty_.notify_all();
  }

  size_t size() const {
    std::lock_guard lock(mutex_);
    return items_.size();
  }
  bool closed() const {
    std::lock_guard lock(mutex_);
    return closed_;
  }
  const std::string& name() const { return name_; }
  size_t capacity() const { return capacity_; }

 private:
  Status put(T&& value) {
    if (closed_) return mailbox_closed(name_);
    items_.push_back(std::move(value));
    not_empty_.notify_one();
    return ok();
  }
  Result<T> take() {
    if (items_.empty()) return mailbox_closed(name_);
    Result<T> value(std::move(items_.front()));
    items_.pop_front();
    not_full_.notify_one();
    return value;
  }

  WaitBoard& board_;
  const std::string name_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  Condition not_full_, not_empty_;
  std::deque<T> items_;
  bool closed_ = false;
};

}  // namespace oneagent
