#include "core/net/context.h"

#include <zmq.h>

#include <cerrno>

#include "core/base/check.h"

namespace oneagent::net {

Context::Context(ContextOptions options) : options_(std::move(options)), handle_(zmq_ctx_new()) {
  OA_CHECK(handle_ != nullptr, "zmq_ctx_new: ", zmq_strerror(zmq_errno()));
  zmq_ctx_set(handle_, ZMQ_IO_THREADS, options_.io_threads);
  zmq_ctx_set(handle_, ZMQ_MAX_SOCKETS, 4096);
}

Context::~Context() {
  while (zmq_ctx_term(handle_) != 0 && zmq_errno() == EINTR) {
  }
}

}  // namespace oneagent::net
