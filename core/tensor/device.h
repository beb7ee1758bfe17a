// Where a tensor's memory lives and its kernels run.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>

namespace oneagent {

enum class DeviceType : uint8_t { kCPU, kCUDA, CPU = kCPU, CUDA = kCUDA };
inline constexpr int kDeviceTypeCount = 2;
inline constexpr DeviceType kCPU = DeviceType::kCPU;
inline constexpr DeviceType kCUDA = DeviceType::kCUDA;

std::ostream& operator<<(std::ostream& out, DeviceType type);  // "cpu"
std::string DeviceTypeName(DeviceType type, bool lower_case = false);

struct Device {
  DeviceType device_type = DeviceType::kCPU;
  int8_t index_value = -1;  // -1: the current one

  Device() = default;
  Device(DeviceType type, int index = -1)  // NOLINT: implicit like libtorch's
      : device_type(type), index_value(static_cast<int8_t>(index)) {}
  Device(const std::string& text);                         // NOLINT: "cpu", "cuda", "cuda:1"
  Device(const char* text) : Device(std::string(text)) {}  // NOLINT

  DeviceType type() const { return device_type; }
  int8_t index() const { return index_value; }
  bool has_index() const { return index_value >= 0; }
  void set_index(int8_t index) { index_value = index; }
  bool is_cpu() const { return device_type == DeviceType::kCPU; }
  bool is_cuda() const { return device_type == DeviceType::kCUDA; }
  std::string str() const;
  friend bool operator==(const Device& a, const Device& b) {
    return a.device_type == b.device_type && a.index_value == b.index_value;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Device& device) {
    return out << device.str();
  }
};

}  // namespace oneagent
