// libtorch's macros: checks with a message, and dispatch over dtypes where `scalar_t` names the C++
// type inside the function that is passed.
#pragma once

#include <iostream>

#include "core/tensor/tensor.h"

#define TORCH_CHECK(condition, ...)                                              \
  do {                                                                           \
    if (!(condition))                                                            \
      ::oneagent::throw_error(::oneagent::detail_check(                          \
          "Expected " #condition " to be true, but got false.", ##__VA_ARGS__)); \
  } while (false)
#define TORCH_CHECK_INDEX(condition, ...)                                         \
  do {                                                                            \
    if (!(condition)) throw ::oneagent::IndexError(::oneagent::str(__VA_ARGS__)); \
  } while (false)
#define TORCH_CHECK_VALUE(condition, ...)                                         \
  do {                                                                            \
    if (!(condition)) throw ::oneagent::ValueError(::oneagent::str(__VA_ARGS__)); \
  } while (false)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define AT_ERROR(...) ::oneagent::throw_error(::oneagent::str(__VA_ARGS__))
#define TORCH_WARN(...) (std::cerr << ::oneagent::str("Warning: ", ##__VA_ARGS__) << '\n')
#define TORCH_WARN_ONCE(...)                                  \
  do {                                                        \
    static const bool said = (TORCH_WARN(__VA_ARGS__), true); \
    (void)said;                                               \
  } while (false)

#define AT_PRIVATE_CASE(dtype_name, T, ...) \
  case ::oneagent::DType::dtype_name: {     \
    using scalar_t [[maybe_unused]] = T;    \
    return __VA_ARGS__();                   \
  }
#define AT_PRIVATE_SWITCH(type, name, cases)                                         \
  [&] {                                                                              \
    const ::oneagent::DType dispatched = (type);                                     \
    switch (dispatched) {                                                            \
      cases default : ::oneagent::throw_error(::oneagent::str(                       \
                          '"', name, "\" not implemented for '", dispatched, '\'')); \
    }                                                                                \
  }()
#define AT_PRIVATE_FLOATING(...)             \
  AT_PRIVATE_CASE(Float, float, __VA_ARGS__) \
  AT_PRIVATE_CASE(Double, double, __VA_ARGS__)
#define AT_PRIVATE_INTEGRAL(...)               \
  AT_PRIVATE_CASE(Byte, uint8_t, __VA_ARGS__)  \
  AT_PRIVATE_CASE(Char, int8_t, __VA_ARGS__)   \
  AT_PRIVATE_CASE(Short, int16_t, __VA_ARGS__) \
  AT_PRIVATE_CASE(Int, int32_t, __VA_ARGS__)   \
  AT_PRIVATE_CASE(Long, int64_t, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) \
  AT_PRIVATE_SWITCH(type, name, AT_PRIVATE_FLOATING(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  AT_PRIVATE_SWITCH(type, name,                              \
                    AT_PRIVATE_FLOATING(__VA_ARGS__)         \
                        AT_PRIVATE_CASE(Half, ::oneagent::Half, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) \
  AT_PRIVATE_SWITCH(type, name, AT_PRIVATE_INTEGRAL(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) \
  AT_PRIVATE_SWITCH(type, name, AT_PRIVATE_FLOATING(__VA_ARGS__) AT_PRIVATE_INTEGRAL(__VA_ARGS__))

namespace oneagent {

inline std::string detail_check(const char* otherwise) { return otherwise; }
template <class... Parts>
std::string detail_check(const char*, const Parts&... parts) {
  return str(parts...);
}

}  // namespace oneagent
