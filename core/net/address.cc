#include "core/net/address.h"

#include <charconv>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

constexpr size_t kMaxIpcPath = 107;  // sizeof(sockaddr_un::sun_path) - 1

int parse_port(std::string_view text, std::string_view port) {
  int value = -1;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), value);
  OA_REQUIRE(
      error == std::errc() && end == port.data() + port.size() && value >= 0 && value <= 65535,
      "address ", text, ": expected a port from 0 to 65535, was \"", port, "\"");
  return value;
}

Address parse_tcp(std::string_view text, std::string_view rest) {
  const size_t colon = rest.rfind(':');
  OA_REQUIRE(colon != std::string_view::npos, "address ", text,
             ": expected tcp://host:port, has no port");
  OA_REQUIRE(colon > 0, "address ", text,
             ": expected tcp://host:port, has no host (* binds every interface)");
  return {Transport::kTcp, std::string(rest.substr(0, colon)),
          parse_port(text, rest.substr(colon + 1))};
}

Address parse_ipc(std::string_view text, std::string_view path) {
  OA_REQUIRE(!path.empty(), "address ", text, ": expected ipc://path, has no path");
  OA_REQUIRE(path.size() <= kMaxIpcPath, "address ", text, ": a socket path has at most ",
             kMaxIpcPath, " bytes, was ", path.size());
  return {Transport::kIpc, std::string(path), 0};
}

}  // namespace

std::string Address::text() const {
  switch (transport) {
    case Transport::kTcp:
      return str("tcp://", host, ":", port);
    case Transport::kIpc:
      return "ipc://" + host;
    case Transport::kInproc:
      return "inproc://" + host;
  }
  return "";
}

Address parse_address(std::string_view text) {
  const size_t mark = text.find("://");
  const std::string_view transport = mark == std::string_view::npos ? "" : text.substr(0, mark);
  const std::string_view rest = mark == std::string_view::npos ? "" : text.substr(mark + 3);
  if (transport == "tcp") return parse_tcp(text, rest);
  if (transport == "ipc") return parse_ipc(text, rest);
  OA_REQUIRE(transport == "inproc", "address \"", text,
             "\": expected tcp://host:port, ipc://path or inproc://name");
  OA_REQUIRE(!rest.empty(), "address ", text, ": expected inproc://name, has no name");
  return {Transport::kInproc, std::string(rest), 0};
}

}  // namespace oneagent::net
