// Which of the two builds of the CPU kernels runs: v3 (AVX2 + FMA) or v4 (AVX-512). The processor
// decides once; OA_CPU_ISA=v3 in the environment forces the older one. A kernel header declares its
// function with OA_CPU_KERNEL, which also defines the choosing wrapper. Kernel sources may include
// only this folder's headers and intrinsics, and keep everything in the OA_ISA namespace: an inline
// function shared with other code could be linked in its AVX-512 form and fail on older processors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/base/dtype.h"

namespace oneagent::cpu {

int detect_isa_level();  // 3 or 4

inline std::atomic<int> isa_level{0};

inline int level() {
  int now = isa_level.load(std::memory_order_relaxed);
  if (now == 0) [[unlikely]]
    isa_level.store(now = detect_isa_level(), std::memory_order_relaxed);
  return now;
}

}  // namespace oneagent::cpu

#define OA_CPU_KERNEL(result, name, parameters, arguments) \
  namespace v3 {                                           \
  result name parameters;                                  \
  }                                                        \
  namespace v4 {                                           \
  result name parameters;                                  \
  }                                                        \
  inline result name parameters { return level() == 4 ? v4::name arguments : v3::name arguments; }
