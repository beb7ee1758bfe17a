// Where a socket binds or connects: tcp://host:port, ipc://path or inproc://name. Value type.
#pragma once

#include <string>
#include <string_view>

namespace oneagent::net {

enum class Transport { kTcp, kIpc, kInproc };

struct Address {
  Transport transport = Transport::kInproc;
  std::string host;  // tcp: name (to bind: one of this machine), IPv4, [IPv6], or * (every
                     // interface, to bind); ipc: path; inproc: name
  int port = 0;      // tcp; 0 lets the system choose when binding

  std::string text() const;  // "tcp://replay:5001"
  friend bool operator==(const Address&, const Address&) = default;
};

// Throws Error that names the text and what is wrong with it: unknown transport, missing or bad
// port, an ipc path longer than the system's limit of 107 bytes.
Address parse_address(std::string_view text);

}  // namespace oneagent::net
