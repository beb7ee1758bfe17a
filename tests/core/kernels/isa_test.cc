// The two builds of the CPU kernels: the choice between them, and that no AVX-512 code can leak
// into the common program.
#include "core/kernels/cpu/isa.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/base/check.h"

namespace oneagent {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "popen failed";
  char buffer[4096];
  while (const size_t count = fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, count);
  pclose(pipe);
  return out;
}

// A weak symbol in both builds is linked once, perhaps in its AVX-512 form, and would then crash an
// older processor.
TEST(Isa, Avx512ObjectsDefineNoSharedSymbols) {
  const std::string objects =
      std::string(OA_BINARY) + "/CMakeFiles/oa_cpu_v4.dir/core/kernels/cpu/*.o";
  ASSERT_NE(output_of("ls " + objects), "");
  EXPECT_EQ(output_of("nm -C --defined-only " + objects +
                      " | grep -E ' [WVu] ' | grep -v -E 'asan|DW.ref|sanitizer' || true"),
            "");
}

TEST(Isa, TheEnvironmentForcesTheOlderBuild) {
  const char* before = std::getenv("OA_CPU_ISA");
  const std::string saved = before == nullptr ? "" : before;
  setenv("OA_CPU_ISA", "v3", 1);
  EXPECT_EQ(cpu::detect_isa_level(), 3);
  setenv("OA_CPU_ISA", "avx2", 1);
  EXPECT_THROW(cpu::detect_isa_level(), Error);
  if (before == nullptr)
    unsetenv("OA_CPU_ISA");
  else
    setenv("OA_CPU_ISA", saved.c_str(), 1);
}

}  // namespace
}  // namespace oneagent
