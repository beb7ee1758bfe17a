#include <cuda_runtime_api.h>

#include "core/backends/backend.h"

namespace oneagent {
namespace {

std::string toolkit() {
  return "CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
         std::to_string(CUDART_VERSION % 1000 / 10);
}

// A device counts when it runs code of this build, which a driver that is too old, or a processor
// that the build has no code for, refuses.
__global__ void probe(int* value) { *value += 41; }

bool runs_code(int index) {
  int* value = nullptr;
  int seen = 1;
  const bool ok = cudaSetDevice(index) == cudaSuccess &&
                  cudaMalloc(&value, sizeof seen) == cudaSuccess &&
                  cudaMemcpy(value, &seen, sizeof seen, cudaMemcpyHostToDevice) == cudaSuccess;
  if (ok) probe<<<1, 1>>>(value);
  const bool copied = ok && cudaGetLastError() == cudaSuccess &&
                      cudaMemcpy(&seen, value, sizeof seen, cudaMemcpyDeviceToHost) == cudaSuccess;
  cudaFree(value);
  return copied && seen == 42;
}

std::vector<DeviceInfo> cuda_devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) return {};  // no driver or no device
  std::vector<DeviceInfo> devices;
  for (int index = 0; index < count; ++index) {
    cudaDeviceProp properties{};
    if (cudaGetDeviceProperties(&properties, index) != cudaSuccess || !runs_code(index)) continue;
    devices.push_back({"cuda", index, properties.name,
                       std::to_string(properties.major) + "." + std::to_string(properties.minor),
                       properties.multiProcessorCount,
                       static_cast<int64_t>(properties.totalGlobalMem)});
  }
  return devices;
}

}  // namespace

OA_BACKEND(cuda, toolkit(), cuda_devices)

}  // namespace oneagent
