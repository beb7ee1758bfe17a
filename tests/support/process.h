// A child process of a test: its output goes to a file; it is killed when the test ends.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/base/clock.h"
#include "core/base/file.h"

namespace oneagent {

class Process {
 public:
  Process(std::vector<std::string> command, fs::path output) : output_(std::move(output)) {
    make_folder(output_.parent_path());
    pid_ = fork();
    if (pid_ == 0) {
      setpgid(0, 0);
      const int fd = open(output_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
      dup2(fd, 1);
      dup2(fd, 2);
      std::vector<char*> argv;
      for (std::string& word : command) argv.push_back(word.data());
      argv.push_back(nullptr);
      execvp(argv[0], argv.data());
      _exit(127);
    }
  }
  ~Process() {
    if (!code_) {
      ::kill(-pid_, SIGKILL);
      ::kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) { ::kill(pid_, number); }
  pid_t pid() const { return pid_; }

  // Exit code (128 + signal when killed), or nothing at the deadline.
  std::optional<int> wait(int64_t timeout_ms) {
    const Deadline until = Deadline::after_ms(timeout_ms);
    while (!code_) {
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_)
        code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      else if (until.expired())
        return std::nullopt;
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return code_;
  }
  bool running() { return !wait(0).has_value(); }
  std::string output() const { return fs::exists(output_) ? read_text(output_) : ""; }

 private:
  fs::path output_;
  pid_t pid_ = -1;
  std::optional<int> code_;
};

}  // namespace oneagent
