// How op headers become the torch API. A script (core/ops/methods.py) reads the declarations in
// core/ops/*.h and writes the methods of Tensor, the in-place and the out= forms from them:
//
//   - a function whose first parameter is called `self` becomes a method of the same name;
//   - OA_IN_PLACE before such a declaration makes the form with a trailing underscore, too, by
//     computing and copying; where a header declares that form itself, that one is used;
//   - every function of one or more tensors that returns a Tensor gets `name_out(out, ...)`.
//
// Signatures are libtorch 1.13's, with Shape for IntArrayRef, std::optional for c10::optional and
// Scalar by value.
#pragma once

#include "core/tensor/tensor.h"

#define OA_IN_PLACE
