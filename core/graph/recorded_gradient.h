// What backward() does to tensors outside while a graph is recorded.
#pragma once

#include "core/tensor/tensor_impl.h"

namespace oneagent {

// backward() is about to give `leaf` a gradient without memory: when the Capture of this thread is
// over, the leaf has again the gradient that it has now, also one that the graph does not know.
void note_recorded_gradient(TensorImpl& leaf);  // core/graph/capture.cc

}  // namespace oneagent
