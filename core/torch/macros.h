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

// A switch over the cases that follow; `scalar_t` is the C++ type inside each of them.
#define AT_DISPATCH_SWITCH(type, name, ...)                              \
  [&] {                                                                  \
    const ::oneagent::DType dispatched = ::oneagent::detail_dtype(type); \
    switch (dispatched) {                                                \
      __VA_ARGS__                                                        \
      default:                                                           \
        ::oneagent::throw_error(::oneagent::str('"', name,               \
                                                "\" not"                 \
                                                " implemented for '",    \
                                                dispatched, '\''));      \
    }                                                                    \
  }()
#define AT_DISPATCH_CASE(dtype, ...)                                     \
  case dtype: {                                                          \
    using scalar_t [[maybe_unused]] = ::oneagent::detail_type_of<dtype>; \
    return __VA_ARGS__();                                                \
  }
#define AT_PRIVATE_INDEX_CASE(dtype, ...)                               \
  case dtype: {                                                         \
    using index_t [[maybe_unused]] = ::oneagent::detail_type_of<dtype>; \
    return __VA_ARGS__();                                               \
  }

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)               \
  AT_DISPATCH_CASE(::oneagent::DType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)        \
  AT_DISPATCH_CASE(::oneagent::DType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)             \
  AT_DISPATCH_CASE(::oneagent::DType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::oneagent::DType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(a, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)      \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(a, b, ...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)          \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                      \
  AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(a, ...) \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__)      \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND(a, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)      \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(a, b, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)          \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                 \
  AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(a, b, c, ...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)             \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                    \
  AT_DISPATCH_CASE(b, __VA_ARGS__)                    \
  AT_DISPATCH_CASE(c, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(type, name, ...)                                \
  AT_DISPATCH_SWITCH(type, name,                                                \
                     AT_PRIVATE_INDEX_CASE(::oneagent::DType::Int, __VA_ARGS__) \
                         AT_PRIVATE_INDEX_CASE(::oneagent::DType::Long, __VA_ARGS__))

namespace oneagent {

template <DType dtype>
struct TypeOfDType;
#define OA_TYPE_OF(T)               \
  template <>                       \
  struct TypeOfDType<dtype_of<T>> { \
    using type = T;                 \
  };
OA_TYPE_OF(float)
OA_TYPE_OF(double)
OA_TYPE_OF(int64_t)
OA_TYPE_OF(int32_t)
OA_TYPE_OF(int16_t)
OA_TYPE_OF(int8_t)
OA_TYPE_OF(uint8_t)
OA_TYPE_OF(bool)
OA_TYPE_OF(Half)
OA_TYPE_OF(BFloat16)
#undef OA_TYPE_OF
template <DType dtype>
using detail_type_of = typename TypeOfDType<dtype>::type;
inline DType detail_dtype(DType dtype) { return dtype; }

inline std::string detail_check(const char* otherwise) { return otherwise; }
template <class... Parts>
std::string detail_check(const char*, const Parts&... parts) {
  return str(parts...);
}

}  // namespace oneagent
