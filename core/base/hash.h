// SHA-256 (OpenSSL) for artefacts and configurations, as 64 hexadecimal digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace oneagent {

std::string sha256(std::span<const uint8_t> bytes);
std::string sha256(std::string_view text);

}  // namespace oneagent
