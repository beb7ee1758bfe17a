#include "core/kernels/cpu/compare_in_place.h"

#include "core/kernels/cpu/rows.h"

namespace oneagent::cpu::OA_ISA {
namespace {

#define OA_COMPARE(Name, expression)                                    \
  template <class T>                                                    \
  struct Name {                                                         \
    explicit Name(const Params&) {}                                     \
    T operator()(T a, T b) const { return (expression) ? T(1) : T(0); } \
  };

OA_COMPARE(Equal, a == b)
OA_COMPARE(NotEqual, a != b)
OA_COMPARE(Less, a < b)
OA_COMPARE(LessEqual, a <= b)
OA_COMPARE(Greater, a > b)
OA_COMPARE(GreaterEqual, a >= b)
OA_COMPARE(And, (a != T(0)) & (b != T(0)))
OA_COMPARE(Or, (a != T(0)) | (b != T(0)))
OA_COMPARE(Xor, (a != T(0)) ^ (b != T(0)))

template <template <class> class F>
Inner of_type(DType dtype) {
  Inner inner = nullptr;
  with_number_or_bool(dtype, [&]<class T>(Type<T>) { inner = binary_row<T, T, F<T>>; });
  return inner;
}

}  // namespace

Inner compare_in_place(CompareInPlace function, DType dtype) {
  switch (function) {
    case CompareInPlace::kEqual:
      return of_type<Equal>(dtype);
    case CompareInPlace::kNotEqual:
      return of_type<NotEqual>(dtype);
    case CompareInPlace::kLess:
      return of_type<Less>(dtype);
    case CompareInPlace::kLessEqual:
      return of_type<LessEqual>(dtype);
    case CompareInPlace::kGreater:
      return of_type<Greater>(dtype);
    case CompareInPlace::kGreaterEqual:
      return of_type<GreaterEqual>(dtype);
    case CompareInPlace::kAnd:
      return of_type<And>(dtype);
    case CompareInPlace::kOr:
      return of_type<Or>(dtype);
    case CompareInPlace::kXor:
      return of_type<Xor>(dtype);
  }
  return nullptr;
}

}  // namespace oneagent::cpu::OA_ISA
