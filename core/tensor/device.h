// Where a tensor's memory lives and its kernels run.
#pragma once

#include <cstdint>
#include <ostream>

namespace oneagent {

enum class DeviceType : uint8_t { kCPU, kCUDA };
inline constexpr int kDeviceTypeCount = 2;
inline constexpr DeviceType kCPU = DeviceType::kCPU;
inline constexpr DeviceType kCUDA = DeviceType::kCUDA;

struct Device {
  DeviceType type = DeviceType::kCPU;
  int8_t index = 0;

  Device() = default;
  Device(DeviceType device_type, int device_index = 0)  // NOLINT: implicit like libtorch's
      : type(device_type), index(static_cast<int8_t>(device_index)) {}

  bool is_cpu() const { return type == DeviceType::kCPU; }
  bool is_cuda() const { return type == DeviceType::kCUDA; }
  friend bool operator==(const Device&, const Device&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Device& device) {
    if (device.is_cpu()) return out << "cpu";
    return out << "cuda:" << int{device.index};
  }
};

}  // namespace oneagent
