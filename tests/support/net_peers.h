// For tests of the wire: addresses on every transport, a loop on its own thread, a child process to
// kill.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "core/net/address.h"
#include "core/net/poller.h"
#include "core/net/socket.h"
#include "tests/support/temporary_folder.h"

namespace oneagent::net {

// Addresses to bind; the folder holds ipc sockets.
inline Address test_address(const std::string& transport, const TemporaryFolder& folder,
                            const std::string& name = "s") {
  if (transport == "tcp") return parse_address("tcp://127.0.0.1:0");
  if (transport == "ipc") return parse_address("ipc://" + (folder.path() / name).string());
  return parse_address("inproc://" + name);
}

// A tcp address that nobody listens on at the moment.
inline Address free_tcp_address() {
  Context context;
  Socket socket(context, Socket::Kind::kRouter);
  return socket.bind(parse_address("tcp://127.0.0.1:0"));
}

// Runs pollables on a thread until destroyed.
class LoopThread {
 public:
  explicit LoopThread(std::vector<Pollable*> pollables)
      : thread_([this, pollables] { run(pollables); }) {}
  ~LoopThread() { stop(); }
  void stop() {
    stopping_ = true;
    waker_.wake();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run(const std::vector<Pollable*>& pollables) {
    Poller poller;
    for (Pollable* pollable : pollables) poller.add(*pollable);
    poller.add(waker_);
    while (!stopping_) poller.run_once(Deadline::after_ms(1000));
  }

  std::atomic<bool> stopping_{false};
  Waker waker_;
  std::thread thread_;
};

// A process that runs `body` until it is killed.
class ChildProcess {
 public:
  explicit ChildProcess(const std::function<void()>& body) : pid_(::fork()) {
    if (pid_ != 0) return;
    body();
    ::_exit(0);
  }
  ~ChildProcess() { kill(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

// True once `condition` holds; false after `timeout_ms`.
inline bool eventually(const std::function<bool()>& condition, int64_t timeout_ms = 10000) {
  const Deadline deadline = Deadline::after_ms(timeout_ms);
  while (!condition()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace oneagent::net
