// PyTorch's type promotion for the dtypes served: category first (bool < integer < floating
// < complex), then
// width. A 0-d tensor or a Scalar only counts when its category is higher than that of the tensors
// with dimensions.
#pragma once

#include "core/base/dtype.h"

namespace oneagent {

DType promote_types(DType a, DType b);
inline DType promoteTypes(DType a, DType b) { return promote_types(a, b); }

// Whether results of one type may be written to a tensor of another: not from floating to integers,
// nor from numbers to bool.
bool can_store(DType from, DType to);

// Accumulates operands into the result type.
class ResultType {
 public:
  void add_tensor(DType dtype, bool has_dimensions);
  void add_number(DType kind);  // a Scalar's kind; a floating one stands for the default dtype
  DType result(DType default_float = DType::kFloat32) const;

 private:
  struct Group {
    bool used = false;
    DType dtype = DType::kBool;
    void add(DType next) {
      dtype = used ? promote_types(dtype, next) : next;
      used = true;
    }
  };
  Group dimensioned_, zero_dimensioned_, numbers_;
};

}  // namespace oneagent
