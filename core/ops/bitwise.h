// Bitwise functions of integers; and, or, xor and not also of bool. A shift that is negative or as
// wide as the type leaves 0, or the sign where it goes to the right.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

Tensor bitwise_not(const Tensor& self);
const Tensor& bitwise_not_(const Tensor& self);

Tensor bitwise_and(const Tensor& self, const Tensor& other);
Tensor bitwise_and(const Tensor& self, Scalar other);
Tensor bitwise_and(Scalar number, const Tensor& other);
const Tensor& bitwise_and_(const Tensor& self, const Tensor& other);
const Tensor& bitwise_and_(const Tensor& self, Scalar other);

Tensor bitwise_or(const Tensor& self, const Tensor& other);
Tensor bitwise_or(const Tensor& self, Scalar other);
Tensor bitwise_or(Scalar number, const Tensor& other);
const Tensor& bitwise_or_(const Tensor& self, const Tensor& other);
const Tensor& bitwise_or_(const Tensor& self, Scalar other);

Tensor bitwise_xor(const Tensor& self, const Tensor& other);
Tensor bitwise_xor(const Tensor& self, Scalar other);
Tensor bitwise_xor(Scalar number, const Tensor& other);
const Tensor& bitwise_xor_(const Tensor& self, const Tensor& other);
const Tensor& bitwise_xor_(const Tensor& self, Scalar other);

Tensor bitwise_left_shift(const Tensor& self, const Tensor& other);
Tensor bitwise_left_shift(const Tensor& self, Scalar other);
Tensor bitwise_left_shift(Scalar number, const Tensor& other);
const Tensor& bitwise_left_shift_(const Tensor& self, const Tensor& other);
const Tensor& bitwise_left_shift_(const Tensor& self, Scalar other);

Tensor bitwise_right_shift(const Tensor& self, const Tensor& other);
Tensor bitwise_right_shift(const Tensor& self, Scalar other);
Tensor bitwise_right_shift(Scalar number, const Tensor& other);
const Tensor& bitwise_right_shift_(const Tensor& self, const Tensor& other);
const Tensor& bitwise_right_shift_(const Tensor& self, Scalar other);

// The operators & | ^ << >>: as above, but shifts of floating tensors multiply by powers of two.
Tensor __and__(const Tensor& self, const Tensor& other);
Tensor __and__(const Tensor& self, Scalar other);
Tensor __or__(const Tensor& self, const Tensor& other);
Tensor __or__(const Tensor& self, Scalar other);
Tensor __xor__(const Tensor& self, const Tensor& other);
Tensor __xor__(const Tensor& self, Scalar other);
Tensor __lshift__(const Tensor& self, const Tensor& other);
Tensor __lshift__(const Tensor& self, Scalar other);
Tensor __rshift__(const Tensor& self, const Tensor& other);
Tensor __rshift__(const Tensor& self, Scalar other);
const Tensor& __iand__(const Tensor& self, const Tensor& other);
const Tensor& __iand__(const Tensor& self, Scalar other);
const Tensor& __ior__(const Tensor& self, const Tensor& other);
const Tensor& __ior__(const Tensor& self, Scalar other);
const Tensor& __ixor__(const Tensor& self, const Tensor& other);
const Tensor& __ixor__(const Tensor& self, Scalar other);
const Tensor& __ilshift__(const Tensor& self, const Tensor& other);
const Tensor& __ilshift__(const Tensor& self, Scalar other);
const Tensor& __irshift__(const Tensor& self, const Tensor& other);
const Tensor& __irshift__(const Tensor& self, Scalar other);

}  // namespace oneagent
