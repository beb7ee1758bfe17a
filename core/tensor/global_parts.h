// A global tensor is one logical tensor that lies on the ranks of a mesh. Its sizes are the logical
// ones, its own memory is empty; each rank holds the local part. core/dist makes and computes with
// them.
#pragma once

#include <memory>

#include "core/tensor/sharding.h"
#include "core/tensor/tensor.h"

namespace oneagent {

struct GlobalParts final : RefCounted {
  GlobalParts(std::shared_ptr<const Mesh> mesh_value, const Sharding& sharding_value,
              Tensor local_value)
      : mesh(std::move(mesh_value)), sharding(sharding_value), local(std::move(local_value)) {}
  std::shared_ptr<const Mesh> mesh;
  Sharding sharding;
  Tensor local;
  bool moved_view = false;  // a view whose base lies otherwise, so that it is a copy of it
  // Of a leaf whose optimizer steps this rank's part alone (core/dist/zero.h): that part, a global
  // tensor over the same memory; else undefined.
  Tensor stepped;
};

inline bool is_global(const Tensor& x) { return x.defined() && x.impl().parts; }
inline const GlobalParts& global_parts(const Tensor& x) {
  return static_cast<const GlobalParts&>(*x.impl().parts);
}
// This rank's part of a global tensor; any other tensor itself.
inline const Tensor& local_part(const Tensor& x) {
  return is_global(x) ? global_parts(x).local : x;
}

// A global tensor of the sizes, mesh and sharding of `like` with another local part.
inline Tensor global_like(const Tensor& like, const Tensor& local) {
  const GlobalParts& parts = global_parts(like);
  TensorMeta meta = like.impl().meta;
  meta.strides = contiguous_strides(meta.sizes);
  meta.offset = 0;
  const size_t bytes = static_cast<size_t>(meta.sizes.numel()) * size_of(meta.dtype);
  auto impl = make_ref<TensorImpl>(std::move(meta), make_ref<Storage>(Storage::Symbolic{}, bytes));
  impl->parts = Ref<RefCounted>(make_ref<GlobalParts>(parts.mesh, parts.sharding, local).get());
  return Tensor(std::move(impl));
}

// The parameter as its optimizer sees it.
inline const Tensor& stepped_part(const Tensor& leaf) {
  return is_global(leaf) && global_parts(leaf).stepped.defined() ? global_parts(leaf).stepped
                                                                 : leaf;
}

// What the layers below core/dist ask of it.
struct GlobalHooks {
  Scalar (*item)(const Tensor& x) = nullptr;
  Tensor (*whole)(const Tensor& x) = nullptr;  // on every rank, without a graph
  // x placed as `like` is: on its mesh, or whole where it is no global tensor.
  Tensor (*placed_like)(const Tensor& x, const TensorImpl& like) = nullptr;
  // Adds up what the ranks computed from their parts of x.
  void (*add_over_parts)(const Tensor& x, double* values, size_t count) = nullptr;
};
void set_global_hooks(const GlobalHooks& hooks);
const GlobalHooks& global_hooks();  // Error: no World was ever made

// For code that reads values: of a global tensor the whole one, any other tensor itself.
Tensor whole_values(const Tensor& x);

}  // namespace oneagent
