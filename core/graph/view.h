// Views and in-place changes under autograd. A view made by an op knows its base. When a view is
// changed in place, its base's history becomes "base with the view's part replaced", and the view's
// own becomes "that part of the new base"; other views of the base learn it when they are next
// asked (the scheme of PyTorch's CopySlices).
#pragma once

#include "core/graph/tape.h"

namespace oneagent {

// The part of a contiguous [sizes] tensor at (part sizes, strides, offset), and the tensor with
// that part replaced. Both are differentiable in each other.
extern constinit const Op kPartOf;
extern constinit const Op kReplacePart;

// Brings a view's grad_fn up to date with the in-place changes of its base.
void refresh_view(TensorImpl& view);

// To be called after an in-place change of `self` was recorded as self.grad_fn.
void changed_in_place(const Tensor& self);

extern constinit const Op kCopyOf;  // a contiguous copy
// A contiguous copy without a graph; of a symbolic tensor, the recorded copy.
Tensor copy_of(const Tensor& x);

// "inference mode" or "no_grad mode": where the view was made.
inline const char* mode_name(const TensorImpl& view) {
  return view.made_in == TensorImpl::Mode::kInference ? "inference mode" : "no_grad mode";
}

}  // namespace oneagent
