#include "core/torch/runtime.h"

#include <random>

namespace oneagent {

std::string get_parallel_info() {
  return str("OneAgent\n\tget_num_threads() : ", get_num_threads(),
             "\n\tresults do not depend on the number of threads\n");
}

bool hasCUDA() { return cuda::is_available(); }

uint64_t seed() {
  std::random_device source;
  const uint64_t fresh = (uint64_t{source()} << 32) | source();
  default_generator().manual_seed(fresh);
  return fresh;
}

GlobalContext& globalContext() {
  static GlobalContext instance;
  return instance;
}

namespace cuda {

// Tensors live on the CPU: the engine has no CUDA kernels for its ops.
size_t device_count() { return 0; }
void manual_seed(uint64_t) {}
void manual_seed_all(uint64_t) {}
void synchronize(int64_t) {
  OA_REQUIRE(is_available(), "torch.cuda: this build has no CUDA device");
}

}  // namespace cuda

}  // namespace oneagent
