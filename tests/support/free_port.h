// TCP ports of the loopback interface for one test process, apart from those that tests running
// beside it take and from those that the system gives to outgoing connections. Leaves no files.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace oneagent {

// The first of `count` ports in a row that nobody listens on. A socket with a name of its own, as
// Linux has them without a file, keeps each until this process ends.
inline int free_port(int count = 1) {
  static constexpr int kFirst = 12000, kLast = 30000;
  static int next = kFirst + static_cast<int>(::getpid()) * 16 % (kLast - kFirst);
  const auto lock_of = [](int port) {
    const std::string name = "oneagent-test-port-" + std::to_string(port);
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path + 1);  // behind a zero: no file
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (fd >= 0 && ::bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0) return fd;
    if (fd >= 0) ::close(fd);
    return -1;
  };
  const auto idle = [](int port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    const bool bound = ::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
    ::close(fd);
    return bound;
  };
  for (int attempt = 0; attempt < kLast - kFirst; ++attempt) {
    if (next + count > kLast) next = kFirst;
    const int first = next++;
    std::vector<int> locks;
    for (int port = first; port < first + count; ++port) {
      const int lock = lock_of(port);
      if (lock < 0) break;
      locks.push_back(lock);
      if (!idle(port)) break;
    }
    if (static_cast<int>(locks.size()) == count && idle(first + count - 1)) {
      next = first + count;
      return first;  // the locks stay with the process
    }
    for (const int lock : locks) ::close(lock);
  }
  throw std::runtime_error("no free port between 12000 and 30000");
}

}  // namespace oneagent
