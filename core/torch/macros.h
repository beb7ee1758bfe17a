// libtorch's macros: checks with a message, and dispatch over dtypes where `scalar_t` names the C++
// type inside the function that is passed.
#pragma once

#include "core/base/warning.h"
#include "core/tensor/tensor.h"

#define TORCH_CHECK_WITH(Kind, condition, ...)                                   \
  do {                                                                           \
    if (!(condition))                                                            \
      throw ::oneagent::Kind(::oneagent::detail_check(                           \
          "Expected " #condition " to be true, but got false.", ##__VA_ARGS__)); \
  } while (false)
#define TORCH_CHECK_WITH_MSG(Kind, condition, type, ...) \
  TORCH_CHECK_WITH(Kind, condition, ##__VA_ARGS__)
#define TORCH_CHECK(condition, ...) TORCH_CHECK_WITH(Error, condition, ##__VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK_WITH(IndexError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK_WITH(ValueError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK_WITH(TypeError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_LINALG(condition, ...) TORCH_CHECK_WITH(LinAlgError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  TORCH_CHECK_WITH(NotImplementedError, condition, ##__VA_ARGS__)
#define TORCH_CHECK_IF_NOT_ON_CUDA(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define TORCH_CHECK_ARG(condition, position, ...) \
  TORCH_CHECK(condition, "invalid argument ", position, ": ", __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...)                                                \
  do {                                                                                       \
    if (!(condition))                                                                        \
      ::oneagent::throw_error(::oneagent::str(#condition " INTERNAL ASSERT FAILED at \"",    \
                                              __FILE__, "\":", __LINE__, ". ",               \
                                              ::oneagent::detail_check("", ##__VA_ARGS__))); \
  } while (false)
#ifdef NDEBUG
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) \
  while (false) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#else
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#endif
#define AT_ASSERT(...) TORCH_INTERNAL_ASSERT(__VA_ARGS__)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, ##__VA_ARGS__)
#define AT_ERROR(...) ::oneagent::throw_error(::oneagent::str(__VA_ARGS__))
#define C10_THROW_ERROR(Kind, message) \
  throw ::oneagent::Kind({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, message)
#define TORCH_WARN(...)                                                            \
  ::oneagent::Warning::warn({__func__, __FILE__, static_cast<uint32_t>(__LINE__)}, \
                            ::oneagent::str(__VA_ARGS__), false)
#define TORCH_WARN_ONCE(...)                                                     \
  do {                                                                           \
    static bool said = false;                                                    \
    if (!said || ::oneagent::Warning::get_warnAlways()) TORCH_WARN(__VA_ARGS__); \
    said = true;                                                                 \
  } while (false)

#define C10_LIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 1))
#define C10_UNLIKELY(expression) (__builtin_expect(static_cast<bool>(expression), 0))
#define C10_UNUSED __attribute__((__unused__))
#define C10_USED __attribute__((__used__))
#define C10_NODISCARD [[nodiscard]]
#define C10_NOINLINE __attribute__((noinline))
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_FALLTHROUGH [[fallthrough]]
#define C10_RESTRICT __restrict
#define C10_HOST_DEVICE
#define C10_HOST
#define C10_DEVICE
#define C10_EXPORT __attribute__((__visibility__("default")))
#define C10_IMPORT C10_EXPORT
#define C10_HIDDEN __attribute__((__visibility__("hidden")))
#define C10_API C10_IMPORT
#define TORCH_API C10_IMPORT
#define C10_STRINGIZE_IMPL(x) #x
#define C10_STRINGIZE(x) C10_STRINGIZE_IMPL(x)
#define C10_CONCATENATE_IMPL(a, b) a##b
#define C10_CONCATENATE(a, b) C10_CONCATENATE_IMPL(a, b)
#define C10_ANONYMOUS_VARIABLE(text) C10_CONCATENATE(text, __COUNTER__)
#define C10_DISABLE_COPY_AND_ASSIGN(Class) \
  Class(const Class&) = delete;            \
  Class& operator=(const Class&) = delete

// _(C++ type, name) for each type.
#define AT_FORALL_INT_TYPES(_) \
  _(uint8_t, Byte)             \
  _(int8_t, Char)              \
  _(int16_t, Short)            \
  _(int, Int)                  \
  _(int64_t, Long)
#define AT_FORALL_SCALAR_TYPES(_) \
  AT_FORALL_INT_TYPES(_)          \
  _(float, Float)                 \
  _(double, Double)
#define AT_FORALL_COMPLEX_TYPES(_)            \
  _(::oneagent::Complex<float>, ComplexFloat) \
  _(::oneagent::Complex<double>, ComplexDouble)
#define OA_FORALL_ONE(_, Name) \
  _(::oneagent::impl::ScalarTypeToCPPTypeT<::oneagent::DType::Name>, Name)
#define AT_FORALL_SCALAR_TYPES_AND(A, _) AT_FORALL_SCALAR_TYPES(_) OA_FORALL_ONE(_, A)
#define AT_FORALL_SCALAR_TYPES_AND2(A, B, _) AT_FORALL_SCALAR_TYPES_AND(A, _) OA_FORALL_ONE(_, B)
#define AT_FORALL_SCALAR_TYPES_AND3(A, B, C, _) \
  AT_FORALL_SCALAR_TYPES_AND2(A, B, _) OA_FORALL_ONE(_, C)
#define AT_FORALL_SCALAR_TYPES_WITH_COMPLEX(_) AT_FORALL_SCALAR_TYPES(_) AT_FORALL_COMPLEX_TYPES(_)

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
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)             \
  AT_DISPATCH_CASE(::oneagent::DType::Byte, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Char, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Int, __VA_ARGS__)  \
  AT_DISPATCH_CASE(::oneagent::DType::Long, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)                      \
  AT_DISPATCH_CASE(::oneagent::DType::ComplexFloat, __VA_ARGS__) \
  AT_DISPATCH_CASE(::oneagent::DType::ComplexDouble, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)        \
  AT_DISPATCH_CASE(::oneagent::DType::Half, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)           \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) \
  AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)           \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
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
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND(a, ...) \
  AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)      \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND1(a, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)       \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)          \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                                  \
  AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, ...) \
  AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__)             \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                                     \
  AT_DISPATCH_CASE(b, __VA_ARGS__)                                     \
  AT_DISPATCH_CASE(c, __VA_ARGS__)
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
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(a, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)      \
  AT_DISPATCH_CASE(a, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(a, b, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)          \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                             \
  AT_DISPATCH_CASE(b, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)             \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                                \
  AT_DISPATCH_CASE(b, __VA_ARGS__)                                \
  AT_DISPATCH_CASE(c, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, ...) \
  AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__)                \
  AT_DISPATCH_CASE(a, __VA_ARGS__)                                   \
  AT_DISPATCH_CASE(b, __VA_ARGS__)                                   \
  AT_DISPATCH_CASE(c, __VA_ARGS__)                                   \
  AT_DISPATCH_CASE(d, __VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND_HALF(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_COMPLEX_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND1(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND1(a, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name,                                           \
                     AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name,                                              \
                     AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(a, b, c, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(a, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(a, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(a, b, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(a, b, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(a, b, c, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, type, name, ...) \
  AT_DISPATCH_SWITCH(type, name,                                            \
                     AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(a, b, c, d, __VA_ARGS__))
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
OA_TYPE_OF(Complex<float>)
OA_TYPE_OF(Complex<double>)
#undef OA_TYPE_OF
template <DType dtype>
using detail_type_of = typename TypeOfDType<dtype>::type;
inline DType detail_dtype(DType dtype) { return dtype; }
namespace impl {
template <DType dtype>
using ScalarTypeToCPPTypeT = typename TypeOfDType<dtype>::type;
template <DType dtype>
struct ScalarTypeToCPPType : TypeOfDType<dtype> {
  static typename TypeOfDType<dtype>::type t;
};
}  // namespace impl

inline std::string detail_check(const char* otherwise) { return otherwise; }
template <class... Parts>
std::string detail_check(const char*, const Parts&... parts) {
  return str(parts...);
}

}  // namespace oneagent
