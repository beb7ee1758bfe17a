#include "core/ops/bitwise.h"

#include "core/kernels/cpu/bits.h"
#include "core/ops/binary.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/op_wrapped.h"

namespace oneagent {
namespace {

using Record = ElementwiseRecord;
using cpu::Bits;
constexpr auto kAny = Elementwise::kAny;

Samples logic_samples() {
  return {{{ints({3, 4}, -99, 99), ints({3, 4}, -99, 99)}},
          {{ints({5}, 0, 99, DType::kInt32), ints({}, 0, 99, DType::kInt32)}},
          {{ints({2, 3}, 0, 99, DType::kUInt8), ints({3}, 0, 99, DType::kUInt8)}},
          {{mask({6}), mask({6})}}};
}
Samples shift_samples() {
  return {{{ints({3, 4}, -99, 99), ints({3, 4}, 0, 9)}},
          {{ints({5}, 0, 99, DType::kInt32), ints({}, 0, 9, DType::kInt32)}}};
}

constinit const Op kNot = Record::unary<cpu::Bits1::kNot>("bitwise_not", nullptr, 0, [] {
  return Samples{{{ints({3, 4}, -99, 99)}}, {{mask({5})}}, {{ints({}, 0, 99, DType::kUInt8)}}};
});
constinit const Op kAnd = Record::binary<Bits::kAnd>("bitwise_and", nullptr, 0, logic_samples);
constinit const Op kOr = Record::binary<Bits::kOr>("bitwise_or", nullptr, 0, logic_samples);
constinit const Op kXor = Record::binary<Bits::kXor>("bitwise_xor", nullptr, 0, logic_samples);
constinit const Op kLeft =
    Record::binary<Bits::kLeft>("bitwise_left_shift", nullptr, 0, shift_samples);
constinit const Op kRight =
    Record::binary<Bits::kRight>("bitwise_right_shift", nullptr, 0, shift_samples);

// Floating tensors shift by powers of two.
Tensor shifted(const Op& op, const Tensor& self, const Tensor& other, double base) {
  if (!is_floating(Elementwise::type_of(kAny, self, other)))
    return Elementwise::call(op, kAny, self, other);
  return mul(self, pow(base, other));
}

}  // namespace

Tensor bitwise_not(const Tensor& self) { return call_op(kNot, {&self}); }
const Tensor& bitwise_not_(const Tensor& self) { return call_in_place(kNot, {&self}); }

Tensor bitwise_and(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kAnd, kAny, self, other);
}
Tensor bitwise_and(const Tensor& self, Scalar other) {
  return Elementwise::call(kAnd, kAny, self, other);
}
Tensor bitwise_and(Scalar number, const Tensor& other) {
  return Elementwise::call(kAnd, kAny, number, other);
}
const Tensor& bitwise_and_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kAnd, kAny, self, other);
}
const Tensor& bitwise_and_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kAnd, kAny, self, other);
}

Tensor bitwise_or(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kOr, kAny, self, other);
}
Tensor bitwise_or(const Tensor& self, Scalar other) {
  return Elementwise::call(kOr, kAny, self, other);
}
Tensor bitwise_or(Scalar number, const Tensor& other) {
  return Elementwise::call(kOr, kAny, number, other);
}
const Tensor& bitwise_or_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kOr, kAny, self, other);
}
const Tensor& bitwise_or_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kOr, kAny, self, other);
}

Tensor bitwise_xor(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kXor, kAny, self, other);
}
Tensor bitwise_xor(const Tensor& self, Scalar other) {
  return Elementwise::call(kXor, kAny, self, other);
}
Tensor bitwise_xor(Scalar number, const Tensor& other) {
  return Elementwise::call(kXor, kAny, number, other);
}
const Tensor& bitwise_xor_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kXor, kAny, self, other);
}
const Tensor& bitwise_xor_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kXor, kAny, self, other);
}

Tensor bitwise_left_shift(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kLeft, kAny, self, other);
}
Tensor bitwise_left_shift(const Tensor& self, Scalar other) {
  return Elementwise::call(kLeft, kAny, self, other);
}
Tensor bitwise_left_shift(Scalar number, const Tensor& other) {
  return Elementwise::call(kLeft, kAny, number, other);
}
const Tensor& bitwise_left_shift_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kLeft, kAny, self, other);
}
const Tensor& bitwise_left_shift_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kLeft, kAny, self, other);
}

Tensor bitwise_right_shift(const Tensor& self, const Tensor& other) {
  return Elementwise::call(kRight, kAny, self, other);
}
Tensor bitwise_right_shift(const Tensor& self, Scalar other) {
  return Elementwise::call(kRight, kAny, self, other);
}
Tensor bitwise_right_shift(Scalar number, const Tensor& other) {
  return Elementwise::call(kRight, kAny, number, other);
}
const Tensor& bitwise_right_shift_(const Tensor& self, const Tensor& other) {
  return Elementwise::call_(kRight, kAny, self, other);
}
const Tensor& bitwise_right_shift_(const Tensor& self, Scalar other) {
  return Elementwise::call_(kRight, kAny, self, other);
}

Tensor __and__(const Tensor& self, const Tensor& other) { return bitwise_and(self, other); }
const Tensor& __iand__(const Tensor& self, const Tensor& other) {
  return bitwise_and_(self, other);
}
Tensor __and__(const Tensor& self, Scalar other) { return bitwise_and(self, other); }
const Tensor& __iand__(const Tensor& self, Scalar other) { return bitwise_and_(self, other); }
Tensor __or__(const Tensor& self, const Tensor& other) { return bitwise_or(self, other); }
const Tensor& __ior__(const Tensor& self, const Tensor& other) { return bitwise_or_(self, other); }
Tensor __or__(const Tensor& self, Scalar other) { return bitwise_or(self, other); }
const Tensor& __ior__(const Tensor& self, Scalar other) { return bitwise_or_(self, other); }
Tensor __xor__(const Tensor& self, const Tensor& other) { return bitwise_xor(self, other); }
const Tensor& __ixor__(const Tensor& self, const Tensor& other) {
  return bitwise_xor_(self, other);
}
Tensor __xor__(const Tensor& self, Scalar other) { return bitwise_xor(self, other); }
const Tensor& __ixor__(const Tensor& self, Scalar other) { return bitwise_xor_(self, other); }
Tensor __lshift__(const Tensor& self, const Tensor& other) {
  return shifted(kLeft, self, other, 2.0);
}
Tensor __lshift__(const Tensor& self, Scalar other) {
  return __lshift__(self, wrapped_scalar(other, Elementwise::type_of(kAny, self, other)));
}
const Tensor& __ilshift__(const Tensor& self, const Tensor& other) {
  return Elementwise::store("__ilshift__", self, __lshift__(self, other));
}
const Tensor& __ilshift__(const Tensor& self, Scalar other) {
  return Elementwise::store("__ilshift__", self, __lshift__(self, other));
}
Tensor __rshift__(const Tensor& self, const Tensor& other) {
  return shifted(kRight, self, other, 0.5);
}
Tensor __rshift__(const Tensor& self, Scalar other) {
  return __rshift__(self, wrapped_scalar(other, Elementwise::type_of(kAny, self, other)));
}
const Tensor& __irshift__(const Tensor& self, const Tensor& other) {
  return Elementwise::store("__irshift__", self, __rshift__(self, other));
}
const Tensor& __irshift__(const Tensor& self, Scalar other) {
  return Elementwise::store("__irshift__", self, __rshift__(self, other));
}

OA_OP(bitwise, &kNot, &kAnd, &kOr, &kXor, &kLeft, &kRight)

}  // namespace oneagent
