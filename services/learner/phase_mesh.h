// The ranks that phases are shared out over, and how.
#pragma once

#include <string>

#include "algorithms/algorithm.h"
#include "core/tensor/sharding.h"

namespace oneagent {

struct PhaseMesh {
  Mesh mesh;              // "data" and "tensor": all ranks, or those of one stage of a pipeline
  int pipeline = 1;       // ranks along the pipeline
  int micro_batches = 1;  // that a batch is to pass the pipeline in, at most
  std::string schedule = "1f1b";
  int stages_per_rank = 1;
  int ranks() const { return pipeline * static_cast<int>(mesh.ranks()); }
};

// Part k of so many equal ones; the batch itself where there is one.
TensorMap part_of_batch(const Phase& phase, const TensorMap& batch, int k, int parts);

int64_t longest_input(const TensorMap& batch);  // along the first dimension

// Equal parts in which this batch passes the pipeline: the most that micro_batches, the rows and
// the schedule allow, each with a row for every data rank. 1: without a pipeline, and of phases of
// whole batches. 0: the schedule cannot be had with the batch's rows.
int micro_batches_of(const PhaseMesh& mesh, const Phase& phase, const TensorMap& batch);

}  // namespace oneagent
