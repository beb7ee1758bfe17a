#include "core/comm/reduction.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/base/check.h"

namespace oneagent::comm {
namespace {

constexpr size_t kBlock = 512;  // elements; their sums stay in the nearest cache

// What elements of T are added in: halves in float32, integers without sign, as overflow wraps.
template <class T>
struct Sum {
  using type = std::make_unsigned_t<T>;
};
template <>
struct Sum<float> {
  using type = float;
};
template <>
struct Sum<double> {
  using type = double;
};
template <>
struct Sum<Half> {
  using type = float;
};
template <>
struct Sum<BFloat16> {
  using type = float;
};
template <class T>
struct Ordered {
  using type = T;
};
template <>
struct Ordered<Half> {
  using type = float;
};
template <>
struct Ordered<BFloat16> {
  using type = float;
};

template <class T, class A, class Add>
void run(void* out, std::span<const void* const> parts, size_t count, Add add) {
  A sums[kBlock];
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t n = std::min(kBlock, count - begin);
    const T* first = static_cast<const T*>(parts[0]) + begin;
    for (size_t i = 0; i < n; ++i) sums[i] = static_cast<A>(first[i]);
    for (const void* part : parts.subspan(1)) {
      const T* next = static_cast<const T*>(part) + begin;
      for (size_t i = 0; i < n; ++i) sums[i] = add(sums[i], static_cast<A>(next[i]));
    }
    T* to = static_cast<T*>(out) + begin;
    for (size_t i = 0; i < n; ++i) to[i] = static_cast<T>(sums[i]);
  }
}

template <class T>
void run_as(void* out, std::span<const void* const> parts, size_t count, Reduce reduce) {
  using A = typename Sum<T>::type;
  using O = typename Ordered<T>::type;
  if (reduce == Reduce::kSum) {
    run<T, A>(out, parts, count, [](A a, A b) { return static_cast<A>(a + b); });
  } else if (reduce == Reduce::kMax) {  // b != b: a NaN wins
    run<T, O>(out, parts, count, [](O a, O b) { return a < b || b != b ? b : a; });
  } else {
    run<T, O>(out, parts, count, [](O a, O b) { return b < a || b != b ? b : a; });
  }
}

}  // namespace

std::string_view name_of(Reduce reduce) {
  return reduce == Reduce::kSum ? "sum" : reduce == Reduce::kMax ? "max" : "min";
}

void require_reducible(DType dtype, Reduce reduce) {
  OA_REQUIRE(!is_complex(dtype) || reduce == Reduce::kSum,
             "complex numbers have no order: ", name_of(reduce), " of ", name_of(dtype),
             " does not exist; sum does");
}

void reduce_in_order(void* out, std::span<const void* const> parts, size_t count, DType dtype,
                     Reduce reduce) {
  require_reducible(dtype, reduce);
  if (parts.size() == 1) {
    if (out != parts[0] && count > 0) std::memcpy(out, parts[0], count * size_of(dtype));
    return;
  }
  if (dtype == DType::kBool) {  // bytes of 0 and 1: "or" is their maximum
    return run_as<uint8_t>(out, parts, count, reduce == Reduce::kSum ? Reduce::kMax : reduce);
  }
  if (is_complex(dtype)) {  // the parts add on their own
    dtype = real_type_of(dtype);
    count *= 2;
  }
  with_any(dtype, [&]<class T>(Type<T>) {
    if constexpr (!std::is_same_v<T, bool>) run_as<T>(out, parts, count, reduce);
  });
}

}  // namespace oneagent::comm
