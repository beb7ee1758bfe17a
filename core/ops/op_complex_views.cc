// Complex tensors and their parts as views of each other, and complex tensors made of parts.
#include "core/ops/op_complex.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

void as_real_infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(is_complex(in[0]->dtype), "view_as_real: is only supported for complex tensors, was ",
             name_of(in[0]->dtype));
  TensorMeta& meta = out.add();
  meta = *in[0];
  meta.dtype = real_type_of(meta.dtype);
  meta.offset *= 2;
  for (int64_t& stride : meta.strides) stride *= 2;
  meta.sizes.push_back(2);
  meta.strides.push_back(1);
}

void as_complex_infer(Metas in, const Attrs&, Inferred& out) {
  TensorMeta& meta = out.add();
  meta = *in[0];
  OA_REQUIRE(meta.dtype == DType::kFloat32 || meta.dtype == DType::kFloat64,
             "view_as_complex: is only supported for floating point tensors, was ",
             name_of(meta.dtype));
  OA_REQUIRE(!meta.sizes.empty() && meta.sizes.back() == 2,
             "view_as_complex: Tensor must have a last dimension of size 2, was ", meta.sizes);
  OA_REQUIRE(meta.strides.back() == 1,
             "view_as_complex: Tensor must have a last dimension with "
             "stride 1, was ",
             meta.strides);
  OA_REQUIRE(meta.offset % 2 == 0,
             "view_as_complex: Tensor must have a storage_offset divisible "
             "by 2, was ",
             meta.offset);
  meta.dtype = complex_type_of(meta.dtype);
  meta.offset /= 2;
  meta.sizes.erase(meta.sizes.size() - 1);
  meta.strides.erase(meta.strides.size() - 1);
  for (size_t i = 0; i < meta.strides.size(); ++i) {
    OA_REQUIRE(meta.strides[i] % 2 == 0 || meta.sizes[i] == 1,
               "view_as_complex: Tensor must have a stride divisible by 2 for all but last "
               "dimension, was ",
               in[0]->strides);
    meta.strides[i] /= 2;
  }
}

// The gradient may be spread or permuted; its parts must be neighbours.
Tensor complex_of(const Tensor& parts) {
  return view_as_complex(parts.stride(-1) == 1 && parts.storage_offset() % 2 == 0
                             ? parts.contiguous()
                             : clone(parts, MemoryFormat::Contiguous));
}

// Beside the table of ops: its rules and samples are about real tensors.
constinit const Op kAsReal = {
    .name = "view_as_real",
    .infer = as_real_infer,
    .rule = {.factors = "...->...y", .closed = "y", .linear = 1},
    .alias_of = 0,
    .vjp = [](VjpCall& call) { call.set(0, complex_of(call.grad())); },
};
constinit const Op kAsComplex = {
    .name = "view_as_complex",
    .infer = as_complex_infer,
    .rule = {.factors = "...y->...", .closed = "y", .linear = 1},
    .alias_of = 0,
    .vjp = [](VjpCall& call) { call.set(0, view_as_real(call.grad())); },
};

void require_parts(const char* op, const Tensor& a, const Tensor& b) {
  OA_REQUIRE((a.scalar_type() == kFloat32 || a.scalar_type() == kFloat64) &&
                 a.scalar_type() == b.scalar_type(),
             op, ": expected both inputs to be Float or both Double, was ", a.scalar_type(),
             " and ", b.scalar_type());
}

}  // namespace

ComplexParts parts_of(const Tensor& z) { return {real(z), imag(z)}; }
Tensor joined(const Tensor& real, const Tensor& imag) {
  return complex_result(stack({real, imag}, -1));
}
// Nobody else holds the parts, so changes in place need not reach them.
Tensor complex_result(const Tensor& parts) {
  Tensor z = view_as_complex(parts.stride(-1) == 1 ? parts : parts.contiguous());
  z.impl().view_base.reset();
  z.impl().is_view = false;
  return z;
}

Tensor view_as_real(const Tensor& self) { return call_op(kAsReal, {&self}); }
Tensor view_as_complex(const Tensor& self) { return call_op(kAsComplex, {&self}); }
Tensor real(const Tensor& self) {
  return self.is_complex() ? select(view_as_real(self), -1, 0) : self;
}
Tensor imag(const Tensor& self) {
  OA_REQUIRE(self.is_complex(), "imag is not implemented for tensors with non-complex dtypes, was ",
             self.scalar_type());
  return select(view_as_real(self), -1, 1);
}
Tensor complex(const Tensor& real, const Tensor& imag) {
  require_parts("complex", real, imag);
  const std::vector<Tensor> parts = broadcast_tensors({real, imag});
  return joined(parts[0], parts[1]);
}
Tensor polar(const Tensor& abs, const Tensor& angle) {
  require_parts("polar", abs, angle);
  return joined(mul(abs, cos(angle)), mul(abs, sin(angle)));
}

Tensor conj(const Tensor& self) { return self.is_complex() ? conj_physical(self) : self; }
Tensor conj_physical(const Tensor& self) {
  if (!self.is_complex()) return clone(self);
  const ComplexParts parts = parts_of(self);
  return joined(parts.real, neg(parts.imag));
}
Tensor resolve_conj(const Tensor& self) { return self; }
Tensor resolve_neg(const Tensor& self) { return self; }
bool is_complex(const Tensor& tensor) { return tensor.is_complex(); }
bool is_conj(const Tensor& tensor) { return tensor.is_conj(); }

}  // namespace oneagent
