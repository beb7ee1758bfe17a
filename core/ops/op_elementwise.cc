#include "core/ops/op_elementwise.h"

#include "core/graph/context.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/number.h"
#include "core/ops/op_record.h"
#include "core/ops/op_wrapped.h"
#include "core/tensor/promote.h"

namespace oneagent {
namespace {

DType raised(Elementwise::Kind kind, DType dtype) {
  return kind == Elementwise::kFloating && !has_gradient(dtype) ? get_default_dtype_value() : dtype;
}

Tensor converted(const Tensor& x, DType dtype) {
  return x.scalar_type() == dtype ? x : to(x, dtype);
}

bool storable(DType from, DType into) {
  if (is_complex(from) || is_complex(into)) return is_complex(into);
  if (is_floating(from)) return is_floating(into);
  return into != DType::kBool || from == DType::kBool;
}

}  // namespace

DType Elementwise::type_of(Kind kind, const Tensor& a, const Tensor& b) {
  return raised(kind, result_type(a, b));
}
DType Elementwise::type_of(Kind kind, const Tensor& a, Scalar b) {
  return raised(kind, result_type(a, b));
}
DType Elementwise::type_of(Kind kind, const Tensor& a, const Tensor& b, const Tensor& c) {
  ResultType type;
  for (const Tensor* x : {&a, &b, &c}) type.add_tensor(x->scalar_type(), x->dim() > 0);
  return raised(kind, type.result(get_default_dtype_value()));
}

void Elementwise::require_storable(const char* name, DType result, const Tensor& self) {
  OA_REQUIRE(storable(result, self.scalar_type()), name, "_: a result of type ", name_of(result),
             " cannot be stored in ", name_of(self.scalar_type()));
}

const Tensor& Elementwise::store(const char* name, const Tensor& self, const Tensor& result) {
  require_storable(name, result.scalar_type(), self);
  OA_REQUIRE(result.sizes() == self.sizes(), name, "_: the result of shape ", result.sizes(),
             " does not fit in place into ", self.sizes());
  copy_(self, result);
  return self;
}

Tensor Elementwise::call(const Op& op, Kind kind, const Tensor& x, const Attrs& attrs) {
  const DType dtype = raised(kind, x.scalar_type());
  if (x.scalar_type() == dtype) return call_op(op, {&x}, attrs);
  const Tensor wide = to(x, dtype);
  return call_op(op, {&wide}, attrs);
}

const Tensor& Elementwise::call_(const Op& op, Kind kind, const Tensor& self, const Attrs& attrs) {
  require_storable(op.name, raised(kind, self.scalar_type()), self);
  return call_in_place(op, {&self}, attrs);
}

Tensor Elementwise::call(const Op& op, Kind kind, const Tensor& a, const Tensor& b,
                         const Attrs& attrs) {
  if (a.scalar_type() == b.scalar_type() && (kind == kAny || a.is_floating_point()))
    return call_op(op, {&a, &b}, attrs);
  const DType dtype = type_of(kind, a, b);
  const Tensor left = converted(a, dtype), right = converted(b, dtype);
  return call_op(op, {&left, &right}, attrs);
}

Tensor Elementwise::call(const Op& op, Kind kind, const Tensor& a, Scalar b, const Attrs& attrs) {
  const DType dtype = type_of(kind, a, b);
  const Tensor left = converted(a, dtype), right = wrapped_scalar(b, dtype);
  return call_op(op, {&left, &right}, attrs);
}

Tensor Elementwise::call(const Op& op, Kind kind, Scalar a, const Tensor& b, const Attrs& attrs) {
  const DType dtype = type_of(kind, b, a);
  const Tensor left = wrapped_scalar(a, dtype), right = converted(b, dtype);
  return call_op(op, {&left, &right}, attrs);
}

const Tensor& Elementwise::call_(const Op& op, Kind kind, const Tensor& self, const Tensor& other,
                                 const Attrs& attrs) {
  const DType dtype = type_of(kind, self, other);
  if (dtype == self.scalar_type()) {
    const Tensor right = converted(other, dtype);
    return call_in_place(op, {&self, &right}, attrs);
  }
  require_storable(op.name, dtype, self);
  return store(op.name, self, call(op, kind, self, other, attrs));
}

const Tensor& Elementwise::call_(const Op& op, Kind kind, const Tensor& self, Scalar other,
                                 const Attrs& attrs) {
  const DType dtype = type_of(kind, self, other);
  require_storable(op.name, dtype, self);
  if (dtype != self.scalar_type()) return store(op.name, self, call(op, kind, self, other, attrs));
  const Tensor right = wrapped_scalar(other, dtype);
  return call_in_place(op, {&self, &right}, attrs);
}

Tensor Elementwise::call(const Op& op, Kind kind, const Tensor& a, const Tensor& b, const Tensor& c,
                         const Attrs& attrs) {
  const DType dtype = type_of(kind, a, b, c);
  const Tensor x = converted(a, dtype), y = converted(b, dtype), z = converted(c, dtype);
  return call_op(op, {&x, &y, &z}, attrs);
}

const Tensor& Elementwise::call_(const Op& op, Kind kind, const Tensor& self, const Tensor& b,
                                 const Tensor& c, const Attrs& attrs) {
  const DType dtype = type_of(kind, self, b, c);
  require_storable(op.name, dtype, self);
  if (dtype != self.scalar_type()) return store(op.name, self, call(op, kind, self, b, c, attrs));
  const Tensor y = converted(b, dtype), z = converted(c, dtype);
  return call_in_place(op, {&self, &y, &z}, attrs);
}

// A function of the gradient only where a second gradient may be asked for.
Tensor ElementwiseRecord::zero_of(const Tensor& gradient) {
  if (context().grad_mode || gradient.is_sparse()) return mul(gradient, 0.0);
  return zeros(gradient.sizes(), gradient.dtype());
}

}  // namespace oneagent
