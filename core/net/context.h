// The process's ZeroMQ context: one I/O thread, shared by all sockets of the process, so that an
// embedded run can use inproc:// addresses. It also has malloc keep up to 64 MB of freed memory.
// Create it first, destroy it last: its destructor waits until every socket is closed and what is
// queued is sent (at most the linger time).
#pragma once

#include "core/net/limits.h"
#include "core/net/security.h"

namespace oneagent::net {

struct ContextOptions {
  int io_threads = 1;
  int linger_ms = 1000;  // how long a closed socket may take to hand over what was sent
  Limits limits;
  Security security;
};

// Thread safe after construction.
class Context {
 public:
  explicit Context(ContextOptions options = {});
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  void* handle() const { return handle_; }
  const ContextOptions& options() const { return options_; }

 private:
  ContextOptions options_;
  void* handle_;
};

}  // namespace oneagent::net
