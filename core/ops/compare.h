// Comparisons, logic and tests; the result is bool and has no gradient. Operands are broadcast and
// promoted. In place the result is 0 or 1 in the tensor's own type.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor eq(const Tensor& self, const Tensor& other);
Tensor ne(const Tensor& self, const Tensor& other);
Tensor lt(const Tensor& self, const Tensor& other);
Tensor le(const Tensor& self, const Tensor& other);
Tensor gt(const Tensor& self, const Tensor& other);
Tensor ge(const Tensor& self, const Tensor& other);
Tensor not_equal(const Tensor& self, const Tensor& other);
Tensor less(const Tensor& self, const Tensor& other);
Tensor less_equal(const Tensor& self, const Tensor& other);
Tensor greater(const Tensor& self, const Tensor& other);
Tensor greater_equal(const Tensor& self, const Tensor& other);
Tensor eq(const Tensor& self, Scalar other);
Tensor ne(const Tensor& self, Scalar other);
Tensor lt(const Tensor& self, Scalar other);
Tensor le(const Tensor& self, Scalar other);
Tensor gt(const Tensor& self, Scalar other);
Tensor ge(const Tensor& self, Scalar other);
Tensor not_equal(const Tensor& self, Scalar other);
Tensor less(const Tensor& self, Scalar other);
Tensor less_equal(const Tensor& self, Scalar other);
Tensor greater(const Tensor& self, Scalar other);
Tensor greater_equal(const Tensor& self, Scalar other);

Tensor logical_and(const Tensor& self, const Tensor& other);
Tensor logical_or(const Tensor& self, const Tensor& other);
Tensor logical_xor(const Tensor& self, const Tensor& other);
Tensor logical_not(const Tensor& self);

Tensor isnan(const Tensor& self);
Tensor isfinite(const Tensor& self);
Tensor isinf(const Tensor& self);
Tensor isposinf(const Tensor& self);
Tensor isneginf(const Tensor& self);
Tensor isreal(const Tensor& self);  // the imaginary part is 0
Tensor signbit(const Tensor& self);
// |self - other| <= atol + rtol |other|; both of one type
Tensor isclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
               bool equal_nan = false);

bool equal(const Tensor& self, const Tensor& other);  // same shape and values
bool allclose(const Tensor& self, const Tensor& other, double rtol = 1e-5, double atol = 1e-8,
              bool equal_nan = false);
bool is_nonzero(const Tensor& self);  // of one element
bool is_same_size(const Tensor& self, const Tensor& other);

const Tensor& eq_(const Tensor& self, const Tensor& other);
const Tensor& ne_(const Tensor& self, const Tensor& other);
const Tensor& lt_(const Tensor& self, const Tensor& other);
const Tensor& le_(const Tensor& self, const Tensor& other);
const Tensor& gt_(const Tensor& self, const Tensor& other);
const Tensor& ge_(const Tensor& self, const Tensor& other);
const Tensor& not_equal_(const Tensor& self, const Tensor& other);
const Tensor& less_(const Tensor& self, const Tensor& other);
const Tensor& less_equal_(const Tensor& self, const Tensor& other);
const Tensor& greater_(const Tensor& self, const Tensor& other);
const Tensor& greater_equal_(const Tensor& self, const Tensor& other);
const Tensor& eq_(const Tensor& self, Scalar other);
const Tensor& ne_(const Tensor& self, Scalar other);
const Tensor& lt_(const Tensor& self, Scalar other);
const Tensor& le_(const Tensor& self, Scalar other);
const Tensor& gt_(const Tensor& self, Scalar other);
const Tensor& ge_(const Tensor& self, Scalar other);
const Tensor& not_equal_(const Tensor& self, Scalar other);
const Tensor& less_(const Tensor& self, Scalar other);
const Tensor& less_equal_(const Tensor& self, Scalar other);
const Tensor& greater_(const Tensor& self, Scalar other);
const Tensor& greater_equal_(const Tensor& self, Scalar other);
const Tensor& logical_and_(const Tensor& self, const Tensor& other);
const Tensor& logical_or_(const Tensor& self, const Tensor& other);
const Tensor& logical_xor_(const Tensor& self, const Tensor& other);
const Tensor& logical_not_(const Tensor& self);

}  // namespace oneagent
