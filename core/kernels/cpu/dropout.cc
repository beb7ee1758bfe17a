#include "core/kernels/cpu/dropout.h"

#include "core/kernels/cpu/philox_lanes.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void drop(const DropoutArgs& args) {
  const uint32_t limit = keep_limit(args.keep);
  const T scale = static_cast<T>(args.scale);
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  uint32_t bits[kPhiloxLanes];
  for (int64_t at = 0; at < args.n; at += kPhiloxLanes) {
    philox_lanes(args.seed, args.stream, args.counter + static_cast<uint64_t>(at), bits);
    const int64_t left = args.n - at;
    const int count = left < kPhiloxLanes ? static_cast<int>(left) : kPhiloxLanes;
    if (in != nullptr && out != nullptr) {
#pragma GCC ivdep
      for (int i = 0; i < count; ++i)
        out[at + i] = (bits[i] >> 8) < limit ? in[at + i] * scale : T(0);
    } else if (out != nullptr) {
#pragma GCC ivdep
      for (int i = 0; i < count; ++i) out[at + i] = (bits[i] >> 8) < limit ? scale : T(0);
    }
    if (args.mask != nullptr) {
#pragma GCC ivdep
      for (int i = 0; i < count; ++i) args.mask[at + i] = (bits[i] >> 8) < limit;
    }
  }
}

template <class T>
void scale_masked(const MaskedScaleArgs& args) {
  const T* in = static_cast<const T*>(args.in);
  T* out = static_cast<T*>(args.out);
  const T scale = static_cast<T>(args.scale);
  const auto* mask = reinterpret_cast<const uint8_t*>(args.mask);
#pragma GCC ivdep
  for (int64_t i = 0; i < args.n; ++i) out[i] = mask[i] != 0 ? in[i] * scale : T(0);
}

}  // namespace

void dropout(DType dtype, const DropoutArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { drop<T>(args); });
}
void masked_scale(DType dtype, const MaskedScaleArgs& args) {
  with_floating(dtype, [&]<class T>(Type<T>) { scale_masked<T>(args); });
}

}  // namespace oneagent::cpu::OA_ISA
