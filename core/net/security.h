// CURVE (Bernstein; ZeroMQ RFC 26): encryption, and only who knows the run's key file can connect.
// One key file per run, kept secret: servers use both keys; clients need the public key, without
// which the handshake fails, and make a pair of their own.
#pragma once

#include <string>

#include "core/base/file.h"

namespace oneagent::net {

struct Security {
  std::string public_key;  // 40 characters of Z85; both empty: plain sockets
  std::string secret_key;
  bool enabled() const { return !public_key.empty(); }
};

Security make_security();  // a fresh pair
void write_security(const Security&,
                    const fs::path& path);     // two lines, readable by the owner only
Security read_security(const fs::path& path);  // Error names the file and the reason

}  // namespace oneagent::net
