// Convolutions with few filters or channels in a group, such as depthwise ones, plane by plane:
// lanes of registers lie along rows of the image instead of filters.
#pragma once

#include "core/kernels/conv.h"

namespace oneagent {

inline constexpr int64_t kFewPlanes = 4;  // half the lanes of the smaller registers

inline bool few_filters(const ConvShape& s) { return s.filters / s.groups <= kFewPlanes; }
inline bool few_channels(const ConvShape& s) { return s.channels / s.groups <= kFewPlanes; }

// bias may be null
template <class T>
void conv_by_planes(Stream& stream, const ConvShape& s, T* out, const T* x, const T* weight,
                    const T* bias);
template <class T>
void conv_backward_input_by_planes(Stream& stream, const ConvShape& s, T* dx, const T* dy,
                                   const T* weight, const T* bias);
template <class T>
void conv_backward_weight_by_planes(Stream& stream, const ConvShape& s, T* dw, const T* dy,
                                    const T* x);

}  // namespace oneagent
