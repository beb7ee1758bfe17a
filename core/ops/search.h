// Places of values in sorted sequences, and membership.
#pragma once

#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

// For each element of self the first place in the innermost dimension of sorted_sequence whose
// element is not smaller (right, or side "right": is larger); NaN goes to the end. sorted_sequence
// is 1-d or has self's leading sizes. `sorter` gives the order where the sequence is not sorted.
Tensor searchsorted(const Tensor& sorted_sequence, const Tensor& self, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = std::nullopt,
                    const std::optional<Tensor>& sorter = {});
Tensor searchsorted(const Tensor& sorted_sequence, Scalar self, bool out_int32 = false,
                    bool right = false, std::optional<std::string_view> side = std::nullopt,
                    const std::optional<Tensor>& sorter = {});
// The same with 1-d boundaries.
Tensor bucketize(const Tensor& self, const Tensor& boundaries, bool out_int32 = false,
                 bool right = false);
Tensor bucketize(Scalar self, const Tensor& boundaries, bool out_int32 = false, bool right = false);

// bool: is each element among test_elements (or not, inverted)?
Tensor isin(const Tensor& elements, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);
Tensor isin(const Tensor& elements, Scalar test_element, bool assume_unique = false,
            bool invert = false);
Tensor isin(Scalar element, const Tensor& test_elements, bool assume_unique = false,
            bool invert = false);

}  // namespace oneagent
