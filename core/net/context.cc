#include "core/net/context.h"

#include <malloc.h>
#include <zmq.h>

#include <cerrno>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

// Messages come and go by the ten thousand a second. glibc would give their memory back to the
// kernel each time and fault it in again, which costs a message of 28 kB a sixth of its time.
void keep_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
}

}  // namespace

Context::Context(ContextOptions options) : options_(std::move(options)), handle_(zmq_ctx_new()) {
  OA_CHECK(handle_ != nullptr, "zmq_ctx_new: ", zmq_strerror(zmq_errno()));
  keep_freed_memory();
  zmq_ctx_set(handle_, ZMQ_IO_THREADS, options_.io_threads);
  zmq_ctx_set(handle_, ZMQ_MAX_SOCKETS, 4096);
}

Context::~Context() {
  while (zmq_ctx_term(handle_) != 0 && zmq_errno() == EINTR) {
  }
}

}  // namespace oneagent::net
