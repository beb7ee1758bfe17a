#include "core/tensor/sparse_parts.h"

namespace oneagent {

SparseParts& sparse_parts(const Tensor& x) {
  OA_REQUIRE(x.is_sparse(), "sparse: expected a sparse tensor, was one of layout ", x.layout());
  return static_cast<SparseParts&>(*x.impl().hooks);
}

Tensor make_sparse(const Tensor& indices, const Tensor& values, const Shape& sizes,
                   bool coalesced) {
  auto impl = make_ref<TensorImpl>(
      TensorMeta{sizes, contiguous_strides(sizes), 0, values.dtype(), values.device()},
      make_ref<Storage>(nullptr, 0, nullptr));
  auto parts = make_ref<SparseParts>();
  parts->indices = indices;
  parts->values = values;
  parts->coalesced = coalesced;
  impl->hooks = Ref<RefCounted>(parts.get());
  impl->sparse = true;
  impl->contiguous = false;
  return Tensor(std::move(impl));
}

}  // namespace oneagent
