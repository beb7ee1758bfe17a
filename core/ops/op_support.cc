#include "core/ops/op_support.h"

#include "core/graph/other_kind.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/op_complex.h"
#include "core/ops/op_sparse.h"
#include "core/ops/reduce.h"
#include "core/ops/view.h"
#include "core/tensor/promote.h"

namespace oneagent {
namespace {

// Here, as no op goes without this file.
const bool kOtherKinds = [] {
  set_other_kind([](const Call& call) {
    for (size_t i = 0; i < call.in.size(); ++i)
      if (call.in.has(i) && call.in[i].is_sparse()) return run_sparse(call);
    run_complex(call);
  });
  return true;
}();

}  // namespace

Shape broadcast_sizes(const char* op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape out = longer;
  const size_t missing = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    int64_t& size = out[missing + i];
    if (size != shorter[i] && size != 1 && shorter[i] != 1) [[unlikely]]
      throw_error(str(op, ": The size of tensor a (", &longer == &a ? size : shorter[i],
                      ") must match the size of tensor b (", &longer == &a ? shorter[i] : size,
                      ") at non-singleton dimension ", missing + i, "; the shapes are ", a, " and ",
                      b));
    if (size == 1) size = shorter[i];
  }
  return out;
}

Tensor sum_to(const Tensor& gradient, const Shape& sizes) {
  if (gradient.sizes() == sizes) return gradient;
  const size_t extra = gradient.sizes().size() - sizes.size();
  Shape dims;
  for (size_t i = 0; i < gradient.sizes().size(); ++i)
    if (i < extra || (sizes[i - extra] == 1 && gradient.sizes()[i] != 1))
      dims.push_back(static_cast<int64_t>(i));
  const Tensor summed = dims.empty() ? gradient : sum(gradient, dims, true);
  return summed.sizes() == sizes ? summed : view(summed, sizes);
}

DType result_type(const Tensor& a, const Tensor& b) {
  if (a.dtype() == b.dtype()) return a.dtype();
  ResultType type;
  type.add_tensor(a.dtype(), a.dim() > 0);
  type.add_tensor(b.dtype(), b.dim() > 0);
  return type.result(get_default_dtype_value());
}

DType result_type(const Tensor& a, Scalar b) {
  if (a.is_floating_point() && !b.is_complex()) return a.dtype();
  ResultType type;
  type.add_tensor(a.dtype(), a.dim() > 0);
  type.add_number(b.kind());
  return type.result(get_default_dtype_value());
}
DType result_type(Scalar a, const Tensor& b) { return result_type(b, a); }
DType result_type(Scalar a, Scalar b) {
  ResultType type;
  type.add_number(a.kind());
  type.add_number(b.kind());
  return type.result(get_default_dtype_value());
}
bool can_cast(DType from, DType to) { return can_store(from, to); }

Tensor as_floating(const Tensor& x) {
  return has_gradient(x.dtype()) ? x : to(x, get_default_dtype_value());
}

Tensor& replace_values(const char* name, const Tensor& self,
                       const std::function<Tensor(const Tensor&)>& f) {
  const bool recorded = context().grad_mode && self.requires_grad();
  const Tensor result = f(recorded ? clone(self) : self);
  OA_REQUIRE(result.sizes() == self.sizes(), name, ": output with shape ", self.sizes(),
             " doesn't match the broadcast shape ", result.sizes());
  OA_REQUIRE(can_store(result.dtype(), self.dtype()), name, ": result type ", result.scalar_type(),
             " can't be cast to the desired output type ", self.scalar_type());
  copy_(self, result);
  return const_cast<Tensor&>(self);
}

Tensor& write_out(Tensor& out, const Tensor& result) {
  if (!out.defined()) return out = result;
  OA_REQUIRE(!(context().grad_mode && (out.requires_grad() || result.requires_grad())),
             "out=: functions with out=... arguments don't support automatic differentiation, but "
             "one of the arguments requires grad.");
  OA_REQUIRE(!out.is_inference() || context().inference_mode,
             "Inplace update to inference tensor outside InferenceMode is not allowed. Make a "
             "clone to get a normal tensor.");
  OA_REQUIRE(can_store(result.dtype(), out.dtype()), "out=: result type ", result.scalar_type(),
             " can't be cast to the desired output type ", out.scalar_type());
  if (result.is_same(out)) {  // already written (core/graph/out_scope.h)
    out.impl().bump_version();
    return out;
  }
  if (!(out.sizes() == result.sizes())) out.resize_(result.sizes());
  copy_(out, result);
  return out;
}

void require_same_dtype(const char* op, Metas in) {
  for (const TensorMeta* meta : in)
    OA_REQUIRE(meta == nullptr || meta->dtype == in[0]->dtype, op, ": expected scalar type ",
               toString(in[0]->dtype), " but found ", toString(meta->dtype));
}

void require_floating(const char* op, const TensorMeta& in) {
  OA_REQUIRE(is_floating(in.dtype), op, ": needs a floating operand, was ", name_of(in.dtype));
}

}  // namespace oneagent
