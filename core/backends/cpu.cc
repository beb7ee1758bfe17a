#include <sched.h>
#include <unistd.h>

#include <fstream>

#include "core/backends/backend.h"
#include "core/base/text.h"
#include "core/kernels/cpu/isa.h"

namespace oneagent {
namespace {

std::string model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return std::string(trim(line.substr(line.find(':') + 1)));
  return "processor";
}

std::vector<DeviceInfo> cpu_devices() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int64_t units =
      ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  const int64_t memory = int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return {{"cpu", 0, model_name(), str("x86-64-v", cpu::level()), units, memory}};
}

}  // namespace

OA_BACKEND(cpu, "", cpu_devices)

}  // namespace oneagent
