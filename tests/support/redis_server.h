// A private redis-server for a test: free port, own folder, appendonly with appendfsync always.
// Killed with the object.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/store/store.h"
#include "tests/support/free_port.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {

class RedisServer {
 public:
  explicit RedisServer(std::string appendonly = "yes")
      : appendonly_(std::move(appendonly)), port_(free_port()) {
    start();
  }
  ~RedisServer() { kill(SIGKILL); }

  // Each database (0 .. 99) is a store of its own.
  std::string address(int database = 0) const {
    return "redis://127.0.0.1:" + std::to_string(port_) + "/" + std::to_string(database);
  }
  int port() const { return port_; }
  int pid() const { return pid_; }

  // Returns when it answers; throws with the package's name when there is no redis-server.
  void start() {
    pid_ = ::fork();
    if (pid_ == 0) {
      const std::string port = std::to_string(port_), folder = folder_.path().string();
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, 1);
      ::execlp("redis-server", "redis-server", "--port", port.c_str(), "--bind", "127.0.0.1",
               "--dir", folder.c_str(), "--save", "", "--databases", "100", "--appendonly",
               appendonly_.c_str(), "--appendfsync", "always", static_cast<char*>(nullptr));
      ::_exit(127);
    }
    for (int attempt = 0; attempt < 500; ++attempt) {
      int status = 0;
      if (::waitpid(pid_, &status, WNOHANG) == pid_) {
        pid_ = 0;
        throw std::runtime_error(
            WIFEXITED(status) && WEXITSTATUS(status) == 127
                ? "redis-server was not found: install the package redis-server"
                : "redis-server ended at start");
      }
      if (open_store(address(), {.timeout_ms = 200}).value()->ping().ok()) return;
      ::usleep(10'000);
    }
    throw std::runtime_error("redis-server did not answer within 5 s");
  }
  void kill(int signal) {
    if (pid_ <= 0) return;
    ::kill(pid_, signal);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  void stop() { ::kill(pid_, SIGSTOP); }  // alive, but answers nothing
  void go_on() { ::kill(pid_, SIGCONT); }

 private:
  std::string appendonly_;
  TemporaryFolder folder_;
  int port_;
  int pid_ = 0;
};

}  // namespace oneagent
