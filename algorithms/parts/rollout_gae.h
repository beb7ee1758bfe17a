// Generalised advantage estimation over a rollout as the learner holds it: tensors by column.
#pragma once

#include <utility>

#include "algorithms/algorithm.h"

namespace oneagent {

struct GaeDecay {
  double gamma;
  double lambda;
};

// Advantages and returns, [T * N] of dtype (float32 or float64, which is also the arithmetic).
// batch: reward, value [T, N] and the flags terminated, truncated; final_row [K] int32, the row
// t * N + n of each final observation. values, of dtype: last_value [N], of the observations after
// the last step; final_value [K], if the batch has final observations. An Error names an array of
// another size.
std::pair<Tensor, Tensor> rollout_gae(const TensorMap& batch, const TensorMap& values,
                                      GaeDecay decay, DType dtype);

// Mean 0, deviation 1 over all elements; less than two stay as they are.
Tensor normalized_advantage(const Tensor& advantage);

}  // namespace oneagent
