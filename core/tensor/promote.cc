#include "core/tensor/promote.h"

namespace oneagent {
namespace {

int category_of(DType dtype) { return dtype == DType::kBool ? 0 : is_floating(dtype) ? 2 : 1; }

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (category_of(a) != category_of(b)) return category_of(a) > category_of(b) ? a : b;
  if (is_floating(a)) return DType::kFloat64;
  if (a == DType::kInt64 || b == DType::kInt64) return DType::kInt64;
  return DType::kInt32;  // int32 with uint8
}

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
    else if (category_of(dtype) > category_of(total.dtype))
      total.dtype = promote_types(total.dtype, dtype);
  };
  raise(zero_dimensioned_, zero_dimensioned_.dtype);
  raise(numbers_, is_floating(numbers_.dtype) ? default_float : numbers_.dtype);
  return total.dtype;
}

}  // namespace oneagent
