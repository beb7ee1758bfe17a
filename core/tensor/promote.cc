#include "core/tensor/promote.h"

namespace oneagent {
namespace {

int category_of(DType dtype) {
  if (is_complex(dtype)) return 3;
  return dtype == DType::kBool ? 0 : is_floating(dtype) ? 2 : 1;
}

DType promote_complex(DType a, DType b) {
  for (const DType wide : {DType::kComplex128, DType::kFloat64})
    if (a == wide || b == wide) return DType::kComplex128;
  return DType::kComplex64;
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (is_complex(a) || is_complex(b)) return promote_complex(a, b);
  if (category_of(a) != category_of(b)) return category_of(a) > category_of(b) ? a : b;
  if (is_floating(a)) {
    if (a == DType::kFloat64 || b == DType::kFloat64) return DType::kFloat64;
    return DType::kFloat32;  // float16 with bfloat16, too
  }
  for (const DType wide : {DType::kInt64, DType::kInt32, DType::kInt16})
    if (a == wide || b == wide) return wide;
  return DType::kInt16;  // uint8 with int8
}

bool can_store(DType from, DType to) { return category_of(from) <= category_of(to); }

void ResultType::add_tensor(DType dtype, bool has_dimensions) {
  (has_dimensions ? dimensioned_ : zero_dimensioned_).add(dtype);
}

void ResultType::add_number(DType kind) { numbers_.add(kind); }

DType ResultType::result(DType default_float) const {
  Group total = dimensioned_;
  const auto raise = [&](const Group& group, DType dtype) {
    if (!group.used) return;
    if (!total.used)
      total.add(dtype);
    else if (is_complex(dtype) && is_floating(total.dtype))
      total.dtype = complex_type_of(total.dtype);  // its width stays
    else if (category_of(dtype) > category_of(total.dtype))
      total.dtype = promote_types(total.dtype, dtype);
  };
  raise(zero_dimensioned_, zero_dimensioned_.dtype);
  const DType number = numbers_.dtype;
  raise(numbers_, is_floating(number)  ? default_float
                  : is_complex(number) ? complex_type_of(default_float)
                                       : number);
  return total.dtype;
}

}  // namespace oneagent
