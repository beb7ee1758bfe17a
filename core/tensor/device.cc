#include "core/tensor/device.h"

#include <charconv>

#include "core/base/check.h"

namespace oneagent {

namespace {

constexpr const char* kNames[] = {"CPU",    "CUDA",  "MKLDNN", "OPENGL", "OPENCL",
                                  "IDEEP",  "HIP",   "FPGA",   "ORT",    "XLA",
                                  "VULKAN", "METAL", "XPU",    "MPS",    "META",
                                  "HPU",    "VE",    "LAZY",   "IPU",    "PRIVATEUSEONE"};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(c));
  return text;
}

}  // namespace

std::string DeviceTypeName(DeviceType type, bool lower_case) {
  const std::string name = kNames[static_cast<size_t>(type)];
  return lower_case ? lower(name) : name;
}

void Device::check_index(int index) const {
  OA_REQUIRE(index >= -1, "device: Device index must be -1 or non-negative, got ", index);
  OA_REQUIRE(!is_cpu() || index <= 0, "device: CPU device index must be -1 or zero, got ", index);
}

std::ostream& operator<<(std::ostream& out, DeviceType type) {
  return out << DeviceTypeName(type, true);
}

Device::Device(const std::string& text) {
  const size_t colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  size_t type = 0;
  while (type < std::size(kNames) && lower(kNames[type]) != kind) ++type;
  OA_REQUIRE(type < std::size(kNames), "Invalid device string: '", text,
             "'; expected cpu, cuda or cuda:<index>");
  device_type = static_cast<DeviceType>(type);
  if (colon == std::string::npos) return;
  int index = -1;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, index);
  const bool padded = text.size() > colon + 2 && text[colon + 1] == '0';
  OA_REQUIRE(error == std::errc() && rest == end && index >= 0 && index < 127 && !padded,
             "Invalid device string: '", text, "'; the index must be a small number");
  index_value = static_cast<int8_t>(index);
}

std::string Device::str() const {
  std::string text = DeviceTypeName(device_type, true);
  if (has_index()) text += ':' + std::to_string(int{index_value});
  return text;
}

}  // namespace oneagent
