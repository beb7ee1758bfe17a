#include "core/backends/backend.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace oneagent {
namespace {

TEST(Backends, TheCpuIsThereWithItsMemoryAndProcessors) {
  BackendTable table;
  register_all(table);
  const std::vector<DeviceInfo> devices = table.devices();
  ASSERT_FALSE(devices.empty());
  const DeviceInfo& cpu = devices.front();
  EXPECT_EQ(cpu.kind, "cpu");
  EXPECT_EQ(cpu.index, 0);
  EXPECT_TRUE(cpu.compute == "x86-64-v3" || cpu.compute == "x86-64-v4") << cpu.compute;
  EXPECT_GE(cpu.units, 1);
  EXPECT_LE(cpu.units, ::sysconf(_SC_NPROCESSORS_CONF));
  EXPECT_GT(cpu.memory, int64_t{1} << 30);
  EXPECT_FALSE(cpu.name.empty());
}

// Without a device or a driver a CUDA build must start all the same, and show none.
TEST(Backends, EveryDeviceIsOfABackendOfThisBuild) {
  BackendTable table;
  register_all(table);
  for (const DeviceInfo& device : table.devices()) {
    bool known = false;
    for (const Backend& backend : table.entries()) known |= backend.kind == device.kind;
    EXPECT_TRUE(known) << device.kind;
  }
}

}  // namespace
}  // namespace oneagent
