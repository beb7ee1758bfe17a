#include "algorithms/parts/rollout_gae.h"

#include <span>
#include <vector>

#include "algorithms/parts/gae.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

template <class T>
std::pair<Tensor, Tensor> estimate(const TensorMap& batch, const TensorMap& known, GaeDecay decay,
                                   DType dtype) {
  const Tensor& reward = batch.at("reward");
  const int64_t steps = reward.size(0), lanes = reward.size(1), rows = steps * lanes;
  std::vector<T> final_value(static_cast<size_t>(rows)), advantage(static_cast<size_t>(rows)),
      returns(static_cast<size_t>(rows));
  if (known.contains("final_value")) {
    const T* values = known.at("final_value").data_ptr<T>();
    const Tensor& index = batch.at("final_row");
    for (int64_t k = 0; k < index.numel(); ++k)
      final_value[static_cast<size_t>(index.data_ptr<int32_t>()[k])] = values[k];
  }
  const auto numbers = [](const Tensor& t) {
    return std::span<const T>(t.data_ptr<T>(), static_cast<size_t>(t.numel()));
  };
  const auto flags = [](const Tensor& t) {
    return std::span<const uint8_t>(reinterpret_cast<const uint8_t*>(t.data_ptr()),
                                    static_cast<size_t>(t.numel()));
  };
  const Tensor rewards = reward.to(dtype), values = batch.at("value").to(dtype);
  gae({steps, lanes, numbers(rewards), numbers(values), flags(batch.at("terminated")),
       flags(batch.at("truncated")), final_value, numbers(known.at("last_value")), decay.gamma,
       decay.lambda},
      advantage, returns);
  return {tensor(advantage, dtype), tensor(returns, dtype)};
}

}  // namespace

std::pair<Tensor, Tensor> rollout_gae(const TensorMap& batch, const TensorMap& values,
                                      GaeDecay decay, DType dtype) {
  return dtype == DType::kFloat64 ? estimate<double>(batch, values, decay, dtype)
                                  : estimate<float>(batch, values, decay, dtype);
}

Tensor normalized_advantage(const Tensor& advantage) {
  const NoGradGuard no_grad;
  if (advantage.numel() < 2) return advantage;
  const Tensor centred = advantage - mean(advantage);
  const Tensor deviation = sqrt(sum(square(centred)) / static_cast<double>(advantage.numel() - 1));
  return centred / (deviation + 1e-8);
}

}  // namespace oneagent
