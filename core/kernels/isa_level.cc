#include <cstdlib>
#include <string_view>

#include "core/base/check.h"
#include "core/kernels/cpu/isa.h"

namespace oneagent::cpu {

int detect_isa_level() {
  const bool has_v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  OA_REQUIRE(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"),
             "kernels: this processor has no AVX2 and FMA (x86-64-v3)");
  const char* wanted = std::getenv("OA_CPU_ISA");
  if (wanted == nullptr) return has_v4 ? 4 : 3;
  const std::string_view name = wanted;
  OA_REQUIRE(name == "v3" || name == "v4", "OA_CPU_ISA: expected v3 or v4, was ", name);
  OA_REQUIRE(name == "v3" || has_v4, "OA_CPU_ISA: this processor has no AVX-512 (x86-64-v4)");
  return name == "v3" ? 3 : 4;
}

}  // namespace oneagent::cpu
