#include "core/net/security.h"

#include <fcntl.h>
#include <unistd.h>
#include <zmq.h>

#include <cerrno>
#include <cstring>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

constexpr size_t kKeyLength = 40;  // Z85 of 32 bytes

std::string key_of(const fs::path& path, const std::string& line, const std::string& word) {
  OA_REQUIRE(line.starts_with(word + " "), "key file ", path.string(), ": expected a line \"", word,
             " <key>\"");
  const std::string key(trim(line.substr(word.size())));
  uint8_t raw[32];
  OA_REQUIRE(key.size() == kKeyLength && zmq_z85_decode(raw, key.c_str()) != nullptr, "key file ",
             path.string(), ": the ", word, " key is not a CURVE key (40 characters of Z85)");
  return key;
}

}  // namespace

Security make_security() {
  OA_REQUIRE(zmq_has("curve") == 1, "security: this build of ZeroMQ has no CURVE");
  char public_key[kKeyLength + 1], secret_key[kKeyLength + 1];
  OA_CHECK(zmq_curve_keypair(public_key, secret_key) == 0,
           "zmq_curve_keypair: ", zmq_strerror(zmq_errno()));
  return {public_key, secret_key};
}

void write_security(const Security& security, const fs::path& path) {
  const std::string text =
      "public " + security.public_key + "\nsecret " + security.secret_key + "\n";
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  OA_REQUIRE(file >= 0, "key file ", path.string(), ": cannot create it: ", std::strerror(errno));
  const ssize_t written = ::write(file, text.data(), text.size());
  const int error = errno;
  ::close(file);
  OA_REQUIRE(written == static_cast<ssize_t>(text.size()), "key file ", path.string(),
             ": cannot write it: ", std::strerror(error));
}

Security read_security(const fs::path& path) {
  const std::vector<std::string> lines = split(read_text(path), '\n');
  OA_REQUIRE(lines.size() >= 2, "key file ", path.string(),
             ": expected two lines, \"public <key>\" and \"secret <key>\"");
  return {key_of(path, lines[0], "public"), key_of(path, lines[1], "secret")};
}

}  // namespace oneagent::net
