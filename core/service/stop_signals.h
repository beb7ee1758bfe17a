// SIGTERM, SIGINT and SIGHUP (a closed terminal) as a question to be polled. While an object lives,
// the first signal is noted and a second SIGINT ends the process at once (exit 130); SIGPIPE is
// ignored. At most one object at a time.
#pragma once

#include <signal.h>

namespace oneagent {

class StopSignals final {
 public:
  StopSignals();
  ~StopSignals();  // the former handlers return
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool asked() const;
  const char* name() const;  // "SIGTERM", "SIGINT", "SIGHUP" or ""

 private:
  struct sigaction former_term_, former_int_, former_hangup_, former_pipe_;
};

}  // namespace oneagent
