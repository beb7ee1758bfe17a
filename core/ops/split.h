// Cuts a tensor into views along one dimension.
#pragma once

#include <vector>

#include "core/ops/api.h"

namespace oneagent {

// Parts of `split_size`, the last one may be smaller; or of the sizes in the list.
std::vector<Tensor> split(const Tensor& self, int64_t split_size, int64_t dim = 0);
std::vector<Tensor> split(const Tensor& self, IntArrayRef split_size, int64_t dim = 0);
std::vector<Tensor> split_with_sizes(const Tensor& self, IntArrayRef split_sizes, int64_t dim = 0);
// At most `chunks` parts of equal size but for the last.
std::vector<Tensor> chunk(const Tensor& self, int64_t chunks, int64_t dim = 0);
// The parts do not have the dimension.
std::vector<Tensor> unbind(const Tensor& self, int64_t dim = 0);

// numpy's array_split: exactly `sections` parts whose sizes differ by at most 1, or cuts before
// each of `indices` with Python's clamping.
std::vector<Tensor> tensor_split(const Tensor& self, int64_t sections, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor& self, IntArrayRef indices, int64_t dim = 0);
std::vector<Tensor> tensor_split(const Tensor& self, const Tensor& tensor_indices_or_sections,
                                 int64_t dim = 0);
// Along dimension 1 (0 of vectors), 0, 2; sections must divide the size.
std::vector<Tensor> hsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> hsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> vsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> vsplit(const Tensor& self, IntArrayRef indices);
std::vector<Tensor> dsplit(const Tensor& self, int64_t sections);
std::vector<Tensor> dsplit(const Tensor& self, IntArrayRef indices);

std::vector<Tensor> unsafe_split(const Tensor& self, int64_t split_size, int64_t dim = 0);
std::vector<Tensor> unsafe_split_with_sizes(const Tensor& self, IntArrayRef split_sizes,
                                            int64_t dim = 0);
std::vector<Tensor> unsafe_chunk(const Tensor& self, int64_t chunks, int64_t dim = 0);

}  // namespace oneagent
