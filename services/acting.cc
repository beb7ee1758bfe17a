#include "services/acting.h"

#include <algorithm>

namespace oneagent {

ActIn act_input(const EnvBatch& envs) {
  const int64_t lanes = envs.lanes();
  Shape shape{lanes};
  for (const int64_t size : envs.spec().observation_shape) shape.push_back(size);
  ActIn in;
  in.observation = from_blob(const_cast<float*>(envs.observation().data()), shape);
  if (envs.spec().has_action_mask)
    in.action_mask = from_blob(const_cast<uint8_t*>(envs.action_mask().data()),
                               {lanes, envs.spec().action.count}, DType::kBool);
  in.first = from_blob(const_cast<uint8_t*>(envs.first().data()), {lanes}, DType::kBool);
  return in;
}

void step_with(EnvBatch& envs, const Tensor& action, std::vector<float>& scratch) {
  const ring::ActionSpec& spec = envs.spec().action;
  const Tensor dense = action.contiguous();
  if (spec.discrete()) return envs.step(std::span<const int32_t>(dense.values<int32_t>()));
  const auto wanted = dense.values<float>();
  scratch.assign(wanted.begin(), wanted.end());
  const auto dimensions = static_cast<size_t>(spec.count);
  for (size_t i = 0; i < scratch.size(); ++i)
    scratch[i] = std::clamp(scratch[i], spec.low[i % dimensions], spec.high[i % dimensions]);
  envs.step(std::span<const float>(scratch));
}

}  // namespace oneagent
