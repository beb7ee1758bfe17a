// Changing how a tensor is sharded: the least-cost path over sharding states, one mesh dimension a
// step.
#pragma once

#include <vector>

#include "core/dist/cost.h"
#include "core/tensor/tensor.h"

namespace oneagent::distributed {

struct ReshardStep {
  size_t dim = 0;  // of the mesh
  Placement from, to;
  friend bool operator==(const ReshardStep&, const ReshardStep&) = default;
};

// The steps that take the least time for a tensor of `sizes`; {} when nothing is to be done. A step
// along a mesh dimension leaves alone what later dimensions split of the same axis, so these are
// joined before and split again after it.
std::vector<ReshardStep> reshard_path(const Shape& sizes, size_t element_size, const Mesh& mesh,
                                      const Sharding& from, const Sharding& to,
                                      const CostModel& cost);
double path_seconds(const Shape& sizes, size_t element_size, const Mesh& mesh, const Sharding& from,
                    const Sharding& to, const CostModel& cost);
// Bytes that leave one rank on the way.
double path_bytes(const Shape& sizes, size_t element_size, const Mesh& mesh, const Sharding& from,
                  const std::vector<ReshardStep>& path);

// Runs the path on this rank's part of a tensor of `sizes`; every rank of the mesh calls it.
Tensor reshard_local(const Tensor& local, const Shape& sizes, const Mesh& mesh,
                     const Sharding& from, const Sharding& to);

}  // namespace oneagent::distributed
