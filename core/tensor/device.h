// Where a tensor's memory lives and its kernels run.
#pragma once

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>

namespace oneagent {

// The first two can have kernels; the others are names of devices that there never are.
enum class DeviceType : uint8_t {
  kCPU,
  kCUDA,
  MKLDNN,
  OPENGL,
  OPENCL,
  IDEEP,
  HIP,
  FPGA,
  ORT,
  XLA,
  Vulkan,
  Metal,
  XPU,
  MPS,
  Meta,
  HPU,
  VE,
  Lazy,
  IPU,
  PrivateUse1,
  CPU = kCPU,
  CUDA = kCUDA
};
inline constexpr int kDeviceTypeCount = 2;
inline constexpr DeviceType kCPU = DeviceType::kCPU;
inline constexpr DeviceType kCUDA = DeviceType::kCUDA;
inline constexpr DeviceType kHIP = DeviceType::HIP;
inline constexpr DeviceType kXLA = DeviceType::XLA;
inline constexpr DeviceType kMPS = DeviceType::MPS;
inline constexpr DeviceType kMeta = DeviceType::Meta;
inline constexpr DeviceType kXPU = DeviceType::XPU;
inline constexpr DeviceType kVulkan = DeviceType::Vulkan;
using DeviceIndex = int8_t;

std::ostream& operator<<(std::ostream& out, DeviceType type);  // "cpu"
std::string DeviceTypeName(DeviceType type, bool lower_case = false);

struct Device {
  DeviceType device_type = DeviceType::kCPU;
  int8_t index_value = -1;  // -1: the current one

  Device() = default;
  Device(DeviceType type, int index = -1)  // NOLINT: implicit like libtorch's
      : device_type(type), index_value(static_cast<int8_t>(index)) {
    if (index != -1) check_index(index);
  }
  Device(const std::string& text);                         // NOLINT: "cpu", "cuda", "cuda:1"
  Device(const char* text) : Device(std::string(text)) {}  // NOLINT

  DeviceType type() const { return device_type; }
  int8_t index() const { return index_value; }
  bool has_index() const { return index_value >= 0; }
  void set_index(int8_t index) { index_value = index; }
  bool is_cpu() const { return device_type == DeviceType::kCPU; }
  bool is_cuda() const { return device_type == DeviceType::kCUDA; }
  bool is_meta() const { return device_type == DeviceType::Meta; }
  bool is_mps() const { return device_type == DeviceType::MPS; }
  std::string str() const;
  friend bool operator==(const Device& a, const Device& b) {
    return a.device_type == b.device_type && a.index_value == b.index_value;
  }
  friend bool operator!=(const Device& a, const Device& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Device& device) {
    return out << device.str();
  }

 private:
  void check_index(int index) const;  // Error: negative, or not 0 on the CPU
};

}  // namespace oneagent

template <>
struct std::hash<oneagent::DeviceType> {
  size_t operator()(oneagent::DeviceType type) const { return static_cast<size_t>(type); }
};
template <>
struct std::hash<oneagent::Device> {
  size_t operator()(const oneagent::Device& device) const {
    return static_cast<size_t>(device.type()) << 8 | static_cast<uint8_t>(device.index());
  }
};
