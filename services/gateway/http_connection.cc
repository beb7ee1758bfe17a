#include "services/gateway/http_connection.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace oneagent {
namespace {

void read_address(const sockaddr_storage& address, std::string& ip, int& port) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
    inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
    port = ntohs(v4.sin_port);
  } else if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    port = ntohs(v6.sin6_port);
  }
  ip = text;
}

}  // namespace

HttpConnection::HttpConnection(int socket, int stop_descriptor)
    : socket_(socket),
      stop_descriptor_(stop_descriptor),
      request_deadline_(Deadline::after_ms(kRequestTimeoutMs)) {}

bool HttpConnection::wait_for(short events, int64_t timeout_ms) const {
  pollfd waits[2] = {{socket_, events, 0}, {stop_descriptor_, POLLIN, 0}};
  int ready = 0;
  do {
    ready = ::poll(waits, 2, static_cast<int>(timeout_ms));
  } while (ready < 0 && errno == EINTR);
  return ready > 0 && waits[1].revents == 0 && (waits[0].revents & events) != 0;
}

bool HttpConnection::is_readable() const {
  return at_ < buffer_.size() || wait_for(POLLIN, request_deadline_.left_ms());
}

bool HttpConnection::is_writable() const {
  // A tab that was closed shows as a readable end of stream: nothing else may follow a request
  // here.
  char byte = 0;
  const ssize_t peeked = ::recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return peeked != 0 && wait_for(POLLOUT, kWriteTimeoutMs);
}

ssize_t HttpConnection::read(char* into, size_t size) {
  if (at_ == buffer_.size()) {
    if (!wait_for(POLLIN, request_deadline_.left_ms())) return -1;
    buffer_.resize(16384);
    const ssize_t got = ::recv(socket_, buffer_.data(), buffer_.size(), 0);
    buffer_.resize(got > 0 ? static_cast<size_t>(got) : 0);
    at_ = 0;
    if (got <= 0) return got;
  }
  const size_t count = std::min(size, buffer_.size() - at_);
  std::memcpy(into, buffer_.data() + at_, count);
  at_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t HttpConnection::write(const char* bytes, size_t size) {
  const Deadline deadline = Deadline::after_ms(kWriteTimeoutMs);
  size_t sent = 0;
  while (sent < size) {
    if (!wait_for(POLLOUT, deadline.left_ms())) return -1;
    const ssize_t count = ::send(socket_, bytes + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno != EAGAIN && errno != EINTR) return -1;
    if (count > 0) sent += static_cast<size_t>(count);
  }
  return static_cast<ssize_t>(size);
}

void HttpConnection::get_remote_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getpeername(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
    read_address(address, ip, port);
}

void HttpConnection::get_local_ip_and_port(std::string& ip, int& port) const {
  sockaddr_storage address{};
  socklen_t length = sizeof address;
  if (::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length) == 0)
    read_address(address, ip, port);
}

}  // namespace oneagent
