// A network between two services that a test can cut: forwards the connections of a port to
// another, until cut() lets their bytes lie.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/free_port.h"

namespace oneagent {

class TcpRelay {
 public:
  explicit TcpRelay(int target) : port_(free_port()), target_(target) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    const sockaddr_in address = loopback(port_);
    if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(listener_, 16) != 0)
      throw std::runtime_error("the relay cannot listen on port " + std::to_string(port_));
    thread_ = std::thread([this] { run(); });
  }
  ~TcpRelay() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
    for (const auto& [a, b] : pairs_) {
      ::close(a);
      ::close(b);
    }
  }
  int port() const { return port_; }
  void cut() { cut_ = true; }
  void mend() { cut_ = false; }

 private:
  static sockaddr_in loopback(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    return address;
  }

  void run() {
    while (!stop_) {
      if (cut_) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        continue;
      }
      std::vector<pollfd> watched = {{listener_, POLLIN, 0}};
      for (const auto& [a, b] : pairs_) {
        watched.push_back({a, POLLIN, 0});
        watched.push_back({b, POLLIN, 0});
      }
      ::poll(watched.data(), watched.size(), 10);
      if (watched[0].revents != 0) accept_one();
      std::vector<std::pair<int, int>> open;
      for (size_t i = 0; 2 * i + 2 < watched.size(); ++i) {
        const auto [a, b] = pairs_[i];
        if ((watched[2 * i + 1].revents == 0 || forward(a, b)) &&
            (watched[2 * i + 2].revents == 0 || forward(b, a))) {
          open.push_back(pairs_[i]);
        } else {
          ::close(a);
          ::close(b);
        }
      }
      for (size_t i = (watched.size() - 1) / 2; i < pairs_.size(); ++i) open.push_back(pairs_[i]);
      pairs_ = std::move(open);
    }
  }
  void accept_one() {
    const int a = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    const int b = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(target_);
    if (a >= 0 && ::connect(b, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      pairs_.emplace_back(a, b);
      return;
    }
    ::close(b);
    if (a >= 0) ::close(a);
  }
  static bool forward(int from, int to) {
    char bytes[1 << 16];
    const ssize_t n = ::read(from, bytes, sizeof bytes);
    for (ssize_t sent = 0; sent < n;) {
      const ssize_t now = ::send(to, bytes + sent, static_cast<size_t>(n - sent), MSG_NOSIGNAL);
      if (now <= 0) return false;
      sent += now;
    }
    return n > 0;
  }

  const int port_, target_;
  int listener_ = -1;
  std::vector<std::pair<int, int>> pairs_;
  std::atomic<bool> cut_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace oneagent
