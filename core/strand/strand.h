// A strand: one thread and one mailbox; messages run one at a time, in order. What a strand owns
// needs no lock. A message that throws ends the strand: the mailbox closes, and stop() or failure()
// hand the exception to the owner.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <thread>

#include "core/strand/mailbox.h"

namespace oneagent {

class Strand {
 public:
  using Work = std::function<void()>;

  Strand(WaitBoard& board, std::string name, size_t capacity = 64);
  ~Strand();  // closes the mailbox, lets what is inside run, joins; a failure that nobody asked for
              // is logged
  Strand(const Strand&) = delete;
  Strand& operator=(const Strand&) = delete;

  // Any thread. Blocks while the mailbox is full, at most until the deadline.
  Status post(Work work, Deadline deadline, std::string_view waiter);
  Status try_post(Work work);
  // Closes the mailbox, waits for the work inside, joins. Throws what a message threw.
  void stop();
  // What ended the strand early, or null.
  std::exception_ptr failure() const;
  const std::string& name() const { return mailbox_.name(); }

 private:
  void run();

  Mailbox<Work> mailbox_;
  mutable std::mutex mutex_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace oneagent
