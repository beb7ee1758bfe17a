#include "core/tensor/device.h"

#include <charconv>

#include "core/base/check.h"

namespace oneagent {

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  if (lower_case) return type == DeviceType::kCPU ? "cpu" : "cuda";
  return type == DeviceType::kCPU ? "CPU" : "CUDA";
}

std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

Device::Device(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  OA_REQUIRE(kind == "cpu" || kind == "cuda", "device: expected cpu, cuda or cuda:<index>, was \"",
             text, '"');
  device_type = kind == "cpu" ? DeviceType::kCPU : DeviceType::kCUDA;
  if (colon == std::string::npos) return;
  int index = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, index);
  const bool padded = text.size() > colon + 2 && text[colon + 1] == '0';
  OA_REQUIRE(error == std::errc() && rest == end && index >= 0 && index < 127 && !padded,
             "device: the index behind the colon must be a small number, was \"", text, '"');
  index_value = static_cast<int8_t>(index);
}

std::string Device::str() const {
  std::string text = DeviceTypeName(device_type, true);
  if (has_index()) text += ':' + std::to_string(int{index_value});
  return text;
}

}  // namespace oneagent
