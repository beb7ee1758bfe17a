#include "core/strand/strand.h"

#include "core/base/log.h"

namespace oneagent {

Strand::Strand(WaitBoard& board, std::string name, size_t capacity)
    : mailbox_(board, std::move(name), capacity), thread_([this] { run(); }) {}

Strand::~Strand() {
  mailbox_.close();
  if (!thread_.joinable()) return;
  thread_.join();
  if (failure_) log_error("strand ", name(), ": ended by an error that its owner did not ask for");
}

Status Strand::post(Work work, Deadline deadline, std::string_view waiter) {
  return mailbox_.push(std::move(work), deadline, waiter);
}

Status Strand::try_post(Work work) { return mailbox_.try_push(std::move(work)); }

void Strand::stop() {
  mailbox_.close();
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

std::exception_ptr Strand::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

// The catch only carries the exception to the owner's thread.
void Strand::run() {
  set_log_name(name());
  try {
    for (Result<Work> work = mailbox_.pop(); work.ok(); work = mailbox_.pop()) (*work)();
  } catch (...) {
    std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
  }
  mailbox_.close();
}

}  // namespace oneagent
