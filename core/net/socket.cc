#include "core/net/socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <zmq.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

constexpr int64_t kBindPatienceMs =
    500;  // ZeroMQ closes a listening socket some time after zmq_close

// ZeroMQ hands messages between threads over queues that ThreadSanitizer cannot see into; this pair
// of atomic operations says the same in its terms.
std::atomic<uint64_t> handover{0};
void hand_over() { handover.fetch_add(1, std::memory_order_release); }
void take_over() { handover.load(std::memory_order_acquire); }

void set(void* socket, int option, int value) {
  OA_CHECK(zmq_setsockopt(socket, option, &value, sizeof value) == 0, "zmq_setsockopt ", option,
           ": ", zmq_strerror(zmq_errno()));
}

void set_text(void* socket, int option, const std::string& value) {
  OA_CHECK(zmq_setsockopt(socket, option, value.c_str(), value.size()) == 0, "zmq_setsockopt ",
           option, ": ", zmq_strerror(zmq_errno()));
}

void set_common(void* socket, const ContextOptions& options) {
  set(socket, ZMQ_LINGER, options.linger_ms);
  set(socket, ZMQ_SNDHWM, 2000);  // above every credit window, so that ZeroMQ itself never stops
                                  // reading, which would look like a dead peer
  set(socket, ZMQ_RCVHWM, 2000);
  set(socket, ZMQ_RECONNECT_IVL, 100);
  set(socket, ZMQ_HANDSHAKE_IVL, 5000);
  set(socket, ZMQ_CONNECT_TIMEOUT, 2000);
  set(socket, ZMQ_HEARTBEAT_IVL, 1000);
  set(socket, ZMQ_HEARTBEAT_TIMEOUT, 3000);
  set(socket, ZMQ_TCP_KEEPALIVE, 1);
  const auto most = static_cast<int64_t>(options.limits.max_message_bytes);
  OA_CHECK(zmq_setsockopt(socket, ZMQ_MAXMSGSIZE, &most, sizeof most) == 0,
           "zmq_setsockopt maxmsgsize: ", zmq_strerror(zmq_errno()));
}

void secure_server(void* socket, const Security& security) {
  if (!security.enabled()) return;
  set(socket, ZMQ_CURVE_SERVER, 1);
  set_text(socket, ZMQ_CURVE_SECRETKEY, security.secret_key);
}

void secure_client(void* socket, const Security& security) {
  if (!security.enabled()) return;
  const Security own = make_security();
  set_text(socket, ZMQ_CURVE_SERVERKEY, security.public_key);
  set_text(socket, ZMQ_CURVE_PUBLICKEY, own.public_key);
  set_text(socket, ZMQ_CURVE_SECRETKEY, own.secret_key);
}

// ZeroMQ replaces a socket file even when a process still listens on it, so that is looked for
// first.
bool someone_listens(const std::string& path) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  path.copy(name.sun_path, sizeof name.sun_path - 1);
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0) return false;
  const int result = ::connect(probe, reinterpret_cast<const sockaddr*>(&name), sizeof name);
  const bool listens = result == 0 || errno == EAGAIN;
  ::close(probe);
  return listens;
}

std::string bind_fault(const Address& address, int error) {
  if (error == EADDRINUSE)
    return address.transport == Transport::kTcp ? "the port is in use" : "the name is in use";
  if (error == EADDRNOTAVAIL || error == ENODEV) return "this machine has no such address";
  if (error == ENOENT) return "the folder does not exist";
  if (error == EACCES) return "permission denied";
  return zmq_strerror(error);
}

// The IPv4 number of a name, "" without one. ZeroMQ binds only interfaces and numbers, but a
// service in compose knows itself by name, and an experiment file should need one address for those
// who bind and those who connect.
std::string look_up(const std::string& host) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return "";
  char text[INET_ADDRSTRLEN] = "";
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr, text,
              sizeof text);
  ::freeaddrinfo(found);
  return text;
}

// 0, or the error.
int try_bind(void* socket, const Address& address) {
  if (address.transport == Transport::kIpc && someone_listens(address.host)) return EADDRINUSE;
  const bool any_port = address.transport == Transport::kTcp && address.port == 0;
  const std::string text = any_port ? str("tcp://", address.host, ":*") : address.text();
  const int error = zmq_bind(socket, text.c_str()) == 0 ? 0 : zmq_errno();
  if (error != ENODEV || address.transport != Transport::kTcp) return error;
  const std::string number = look_up(address.host);
  return number.empty() || number == address.host
             ? error
             : try_bind(socket, {Transport::kTcp, number, address.port});
}

Address bound_address(void* socket, const Address& asked) {
  if (asked.transport != Transport::kTcp || asked.port != 0) return asked;
  char text[256];
  size_t size = sizeof text;
  OA_CHECK(zmq_getsockopt(socket, ZMQ_LAST_ENDPOINT, text, &size) == 0,
           "zmq last endpoint: ", zmq_strerror(zmq_errno()));
  Address bound = asked;
  bound.port = parse_address(text).port;
  return bound;
}

bool would_block(int error) { return error == EAGAIN || error == EHOSTUNREACH; }

}  // namespace

Socket::Socket(Context& context, Kind kind)
    : context_(context),
      handle_(zmq_socket(context.handle(), kind == Kind::kRouter ? ZMQ_ROUTER : ZMQ_DEALER)) {
  OA_CHECK(handle_ != nullptr, "zmq_socket: ", zmq_strerror(zmq_errno()));
  set_common(handle_, context.options());
  if (kind == Kind::kRouter) set(handle_, ZMQ_ROUTER_MANDATORY, 1);
  if (kind == Kind::kDealer) set(handle_, ZMQ_IMMEDIATE, 1);
}

Socket::~Socket() { zmq_close(handle_); }

Address Socket::bind(const Address& address) {
  secure_server(handle_, context_.options().security);
  const Deadline deadline = Deadline::after_ms(kBindPatienceMs);
  int error = try_bind(handle_, address);
  while (error == EADDRINUSE && !deadline.expired()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    error = try_bind(handle_, address);
  }
  OA_REQUIRE(error == 0, "cannot bind ", address.text(), ": ", bind_fault(address, error));
  return bound_address(handle_, address);
}

void Socket::connect(const Address& address) {
  secure_client(handle_, context_.options().security);
  OA_REQUIRE(address.transport != Transport::kTcp || (address.port != 0 && address.host != "*"),
             "cannot connect to ", address.text(), ": needs a host and a port");
  OA_REQUIRE(zmq_connect(handle_, address.text().c_str()) == 0, "cannot connect to ",
             address.text(), ": ", zmq_strerror(zmq_errno()));
}

// Copies go out, so that the caller's frames stay whole for resending.
bool Socket::try_send(const Frames& frames) {
  hand_over();
  bool sent = true;
  for (size_t i = 0; i < frames.size(); ++i) {
    Frame part = frames[i];
    const int flags = ZMQ_DONTWAIT | (i + 1 < frames.size() ? ZMQ_SNDMORE : 0);
    int result;
    do result = zmq_msg_send(part.handle(), handle_, flags);
    while (result < 0 && zmq_errno() == EINTR);
    if (result >= 0) continue;
    OA_CHECK(would_block(zmq_errno()), "zmq_msg_send: ", zmq_strerror(zmq_errno()));
    if (i == 0) return false;
    sent = false;  // the connection broke between two parts: ZeroMQ wants to be handed, and drops,
                   // the other parts too
  }
  return sent;
}

bool Socket::try_send_to(const Frame& peer, const Frames& frames) {
  Frame routing = peer;
  int result;
  do result = zmq_msg_send(routing.handle(), handle_, ZMQ_DONTWAIT | ZMQ_SNDMORE);
  while (result < 0 && zmq_errno() == EINTR);
  if (result >= 0) return try_send(frames);
  OA_CHECK(would_block(zmq_errno()), "zmq_msg_send: ", zmq_strerror(zmq_errno()));
  return false;
}

bool Socket::receive_part(Frame& part, bool& more) {
  int result;
  do result = zmq_msg_recv(part.handle(), handle_, ZMQ_DONTWAIT);
  while (result < 0 && zmq_errno() == EINTR);
  if (result < 0) {
    OA_CHECK(zmq_errno() == EAGAIN, "zmq_msg_recv: ", zmq_strerror(zmq_errno()));
    return false;
  }
  more = zmq_msg_more(part.handle()) != 0;
  return true;
}

// Frames beyond max_frames + 1 are dropped as they come: enough for the codec to see that there
// were too many.
bool Socket::try_receive(Frames& frames, size_t max_frames) {
  frames.clear();
  bool more = true;
  while (more) {
    Frame part;
    if (!receive_part(part, more)) return false;
    if (frames.size() <= max_frames) frames.push_back(std::move(part));
  }
  take_over();
  return true;
}

bool Socket::try_receive_from(Frame& peer, Frames& frames, size_t max_frames) {
  bool more = false;
  if (!receive_part(peer, more)) return false;
  frames.clear();
  return !more || try_receive(frames, max_frames);
}

bool Socket::wait(Deadline deadline, bool want_send) {
  zmq_pollitem_t item{handle_, 0, static_cast<short>(ZMQ_POLLIN | (want_send ? ZMQ_POLLOUT : 0)),
                      0};
  while (true) {
    const int ready = zmq_poll(&item, 1, static_cast<long>(deadline.left_ms()));
    if (ready > 0) return true;
    OA_CHECK(ready == 0 || zmq_errno() == EINTR, "zmq_poll: ", zmq_strerror(zmq_errno()));
    if (deadline.expired()) return false;
  }
}

}  // namespace oneagent::net
