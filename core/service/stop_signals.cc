#include "core/service/stop_signals.h"

#include <unistd.h>

#include <atomic>

namespace oneagent {
namespace {

// A signal handler has no other way to its process than a global.
std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);

void note(int signal) {
  int expected = 0;
  if (!first_signal.compare_exchange_strong(expected, signal) && signal == SIGINT) ::_exit(130);
}

void install(int signal, void (*handler)(int), struct sigaction* former) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, former);
}

}  // namespace

StopSignals::StopSignals() {
  first_signal = 0;
  install(SIGTERM, note, &former_term_);
  install(SIGINT, note, &former_int_);
  install(SIGHUP, note, &former_hangup_);
  if (former_hangup_.sa_handler == SIG_IGN)  // nohup
    ::sigaction(SIGHUP, &former_hangup_, nullptr);
  install(SIGPIPE, SIG_IGN, &former_pipe_);
}

StopSignals::~StopSignals() {
  ::sigaction(SIGTERM, &former_term_, nullptr);
  ::sigaction(SIGINT, &former_int_, nullptr);
  ::sigaction(SIGHUP, &former_hangup_, nullptr);
  ::sigaction(SIGPIPE, &former_pipe_, nullptr);
}

bool StopSignals::asked() const { return first_signal != 0; }

const char* StopSignals::name() const {
  switch (first_signal.load()) {
    case SIGTERM:
      return "SIGTERM";
    case SIGINT:
      return "SIGINT";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "";
  }
}

}  // namespace oneagent
