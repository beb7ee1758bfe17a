#include "core/comm/own_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/base/text.h"

namespace oneagent::comm {

std::string own_address_problem(const std::string& host) {
  if (host.empty()) return "it is empty";
  addrinfo hints{}, *found = nullptr;
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return str("the name is not known: ",
               error == EAI_SYSTEM ? std::strerror(errno) : ::gai_strerror(error));
  std::string problem = "it has no address";
  for (const addrinfo* at = found; at != nullptr && !problem.empty(); at = at->ai_next) {
    const int socket = ::socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool bound = socket >= 0 && ::bind(socket, at->ai_addr, at->ai_addrlen) == 0;
    problem = bound ? "" : str("it is no address of this machine: ", std::strerror(errno));
    if (socket >= 0) ::close(socket);
  }
  ::freeaddrinfo(found);
  return problem;
}

}  // namespace oneagent::comm
