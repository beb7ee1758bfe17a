#include <gtest/gtest.h>

#include "core/backends/backend.h"

namespace oneagent {
namespace {

TEST(Devices, ACudaDeviceRunsTheCodeOfThisBuild) {
  BackendTable table;
  register_all(table);
  int found = 0;
  for (const DeviceInfo& device : table.devices()) {
    if (device.kind != "cuda") continue;
    ++found;
    EXPECT_GE(device.units, 1);
    EXPECT_GT(device.memory, int64_t{1} << 30);
  }
  EXPECT_GE(found, 1) << "no CUDA device runs this build; see nvidia-smi for the driver";
}

}  // namespace
}  // namespace oneagent
