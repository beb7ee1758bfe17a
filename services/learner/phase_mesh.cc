#include "services/learner/phase_mesh.h"

#include <algorithm>

namespace oneagent {

int64_t longest_input(const TensorMap& batch) {
  int64_t rows = 0;
  for (const auto& [name, values] : batch)
    if (values.dim() > 0) rows = std::max(rows, values.size(0));
  return rows;
}

TensorMap part_of_batch(const Phase& phase, const TensorMap& batch, int k, int parts) {
  if (parts == 1) return batch;
  const int64_t rows = phase.rows(batch) / parts;
  return phase.part(batch, k * rows, rows);
}

int micro_batches_of(const PhaseMesh& mesh, const Phase& phase, const TensorMap& batch) {
  if (mesh.pipeline == 1) return 1;
  const int step = mesh.schedule == "interleaved" ? mesh.pipeline : 1;
  const int64_t rows = phase.rows ? phase.rows(batch) : 1;
  const int64_t most = std::min<int64_t>(mesh.micro_batches, rows);
  for (int64_t parts = most / step * step; parts > 1; parts -= step)
    if (rows % parts == 0 && longest_input(phase.part(batch, 0, rows / parts)) >= mesh.mesh.size(0))
      return static_cast<int>(parts);
  return step == 1 ? 1 : 0;
}

}  // namespace oneagent
