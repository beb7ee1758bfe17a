// Process-wide questions of libtorch programs: threads, devices, versions, generators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/context.h"
#include "core/tensor/tensor.h"

#define TORCH_VERSION_MAJOR 1
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 1
#define TORCH_VERSION "1.13.1"

namespace oneagent {

inline constexpr const char* kTorchVersion = TORCH_VERSION;  // whose interface this is

inline int get_num_interop_threads() { return 1; }
inline void set_num_interop_threads(int) {}
inline void init_num_threads() {}
inline bool in_parallel_region() { return false; }
std::string get_parallel_info();
bool hasCUDA();
inline bool hasMKL() { return false; }
inline bool hasMKLDNN() { return false; }
inline bool hasLAPACK() { return true; }
inline bool hasMPS() { return false; }
uint64_t seed();  // a fresh seed for the default generator, which is returned

// f(begin, end) over parts of [begin, end), in fixed chunks of `grain`.
template <class F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, const F& f) {
  context().stream.parallel_for(end - begin, std::max<int64_t>(grain, 1),
                                [&](int64_t from, int64_t to) { f(begin + from, begin + to); });
}

// Settings of other back ends, accepted and without effect.
class GlobalContext {
 public:
  void setDeterministicCuDNN(bool) {}
  void setBenchmarkCuDNN(bool) {}
  void setUserEnabledCuDNN(bool) {}
  void setUserEnabledMkldnn(bool) {}
  void setAllowTF32CuBLAS(bool) {}
  void setAllowTF32CuDNN(bool) {}
  void setDeterministicAlgorithms(bool, bool = false) {}
  bool deterministicAlgorithms() const { return true; }  // always, on the CPU
  bool hasCUDA() const { return oneagent::hasCUDA(); }
  Generator& defaultGenerator(Device) { return default_generator(); }
};
GlobalContext& globalContext();

// torch::make_generator<at::CPUGeneratorImpl>(seed)
struct CPUGeneratorImpl {};
template <class Kind>
Generator make_generator(uint64_t seed = 67280421310721) {
  static_assert(std::is_same_v<Kind, CPUGeneratorImpl>, "generators are of the CPU");
  return Generator(seed);
}

namespace detail {
inline Generator createCPUGenerator(uint64_t seed = 67280421310721) { return Generator(seed); }
inline Generator& getDefaultCPUGenerator() { return default_generator(); }
}  // namespace detail

namespace cuda {

size_t device_count();
inline bool is_available() { return device_count() > 0; }
inline bool cudnn_is_available() { return false; }
void manual_seed(uint64_t seed);
void manual_seed_all(uint64_t seed);
void synchronize(int64_t device_index = -1);

}  // namespace cuda

}  // namespace oneagent
