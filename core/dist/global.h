// Global tensors: one logical tensor on many ranks. Code written for one device runs on them as it
// is: sizes are logical, every op runs on each rank's part, and where operands lie otherwise than
// the op needs them, data is moved in between (core/dist/global_recorder.h). All functions are
// called by all ranks of the world, in the same order; a World has to be alive in the thread.
//
//   const Mesh mesh({2}, {"data"});
//   Tensor w = distribute(weight, mesh, {broadcast()}).requires_grad_();
//   Tensor x = to_global(my_rows, mesh, {split(0)});
//   mse_loss(x.matmul(w), y).backward();        // w.grad() is reduced over "data"
//
// A tensor that is not global counts as one of which every rank has the same copy.
#pragma once

#include "core/dist/world.h"
#include "core/tensor/global_parts.h"

namespace oneagent::distributed {

constexpr Placement split(int64_t axis) { return Placement::split(axis); }
constexpr Placement broadcast() { return Placement::broadcast(); }
constexpr Placement partial(Reduce reduce = Reduce::kSum) { return Placement::partial(reduce); }

// The logical tensor of which this rank holds `local`. Sizes along split dimensions are added up
// over the ranks. Differentiable. Error: parts that are not those of an even split (longer ones
// first), or another dtype or rank elsewhere.
Tensor to_global(const Tensor& local, const Mesh& mesh, const Sharding& sharding);
// The logical tensor of which every rank has a whole copy; keeps this rank's part. Differentiable.
Tensor distribute(const Tensor& whole, const Mesh& mesh, const Sharding& sharding);
// The same tensor in another sharding. Differentiable; the gradient goes back to the old one.
Tensor reshard(const Tensor& x, const Sharding& sharding);
// This rank's part, and the whole tensor on every rank. Differentiable.
Tensor to_local(const Tensor& x);
Tensor to_whole(const Tensor& x);

const Sharding& sharding_of(const Tensor& x);  // Error: not global
const Mesh& mesh_of(const Tensor& x);

// Turns a leaf, as a parameter of a module, into a global tensor; handles to it stay valid.
void place(const Tensor& leaf, const Mesh& mesh, const Sharding& sharding);

}  // namespace oneagent::distributed
