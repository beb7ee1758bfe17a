// What views hold, in memory of its own: name_copy(x, ...) is a contiguous copy of name(x, ...),
// and name_copy_out() writes it to tensors that the caller brings. Gradients flow as through the
// view; errors are those of the view.
#pragma once

#include <vector>

#include "core/ops/ops.h"

namespace oneagent {

inline Tensor copied_view(const Tensor& view) { return view.clone(MemoryFormat::Contiguous); }
inline std::vector<Tensor> copied_views(std::vector<Tensor> views) {
  for (Tensor& view : views) view = copied_view(view);
  return views;
}
inline void copy_views(const char* name, TensorList out, const std::vector<Tensor>& views) {
  OA_REQUIRE(out.size() == views.size(), name, ": expected ", views.size(), " out tensors, was ",
             out.size());
  for (size_t i = 0; i < views.size(); ++i) out[i].copy_(views[i]);
}

inline Tensor alias_copy(const Tensor& self) { return copied_view(self); }
inline Tensor detach_copy(const Tensor& self) { return copied_view(self.detach()); }
inline Tensor as_strided_copy(const Tensor& self, const Shape& size, const Shape& stride,
                              std::optional<int64_t> storage_offset = std::nullopt) {
  return copied_view(as_strided(self, size, stride, storage_offset));
}
inline Tensor diagonal_copy(const Tensor& self, int64_t offset = 0, int64_t dim1 = 0,
                            int64_t dim2 = 1) {
  return copied_view(diagonal(self, offset, dim1, dim2));
}
inline Tensor expand_copy(const Tensor& self, const Shape& size, bool implicit = false) {
  return copied_view(expand(self, size, implicit));
}
inline Tensor permute_copy(const Tensor& self, const Shape& dims) {
  return copied_view(permute(self, dims));
}
inline Tensor select_copy(const Tensor& self, int64_t dim, int64_t index) {
  return copied_view(select(self, dim, index));
}
inline Tensor slice_copy(const Tensor& self, int64_t dim = 0,
                         std::optional<int64_t> start = std::nullopt,
                         std::optional<int64_t> end = std::nullopt, int64_t step = 1) {
  return copied_view(slice(self, dim, start, end, step));
}
inline Tensor squeeze_copy(const Tensor& self) { return copied_view(squeeze(self)); }
inline Tensor squeeze_copy(const Tensor& self, int64_t dim) {
  return copied_view(squeeze(self, dim));
}
inline Tensor t_copy(const Tensor& self) { return copied_view(t(self)); }
inline Tensor transpose_copy(const Tensor& self, int64_t dim0, int64_t dim1) {
  return copied_view(transpose(self, dim0, dim1));
}
inline Tensor unfold_copy(const Tensor& self, int64_t dimension, int64_t size, int64_t step) {
  return copied_view(unfold(self, dimension, size, step));
}
inline Tensor unsqueeze_copy(const Tensor& self, int64_t dim) {
  return copied_view(unsqueeze(self, dim));
}
inline Tensor view_copy(const Tensor& self, const Shape& size) {
  return copied_view(view(self, size));
}
inline Tensor view_copy(const Tensor& self, DType dtype) { return copied_view(view(self, dtype)); }
inline Tensor view_as_real_copy(const Tensor& self) { return copied_view(view_as_real(self)); }
inline Tensor view_as_complex_copy(const Tensor& self) {
  return copied_view(view_as_complex(self));
}
inline std::vector<Tensor> split_copy(const Tensor& self, int64_t split_size, int64_t dim = 0) {
  return copied_views(split(self, split_size, dim));
}
inline std::vector<Tensor> split_with_sizes_copy(const Tensor& self, IntArrayRef split_sizes,
                                                 int64_t dim = 0) {
  return copied_views(split_with_sizes(self, split_sizes, dim));
}
inline std::vector<Tensor> unbind_copy(const Tensor& self, int64_t dim = 0) {
  return copied_views(unbind(self, dim));
}

inline void split_copy_out(TensorList out, const Tensor& self, int64_t split_size,
                           int64_t dim = 0) {
  copy_views("split_copy_out", out, split(self, split_size, dim));
}
inline void split_with_sizes_copy_out(TensorList out, const Tensor& self, IntArrayRef split_sizes,
                                      int64_t dim = 0) {
  copy_views("split_with_sizes_copy_out", out, split_with_sizes(self, split_sizes, dim));
}
inline void unbind_copy_out(TensorList out, const Tensor& self, int64_t dim = 0) {
  copy_views("unbind_copy_out", out, unbind(self, dim));
}

}  // namespace oneagent
