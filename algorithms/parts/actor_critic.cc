#include "algorithms/parts/actor_critic.h"

#include "core/ops/ops.h"

namespace oneagent {

ActorCritic::ActorCritic(const PolicySpec& spec, const ActorCriticOptions& options,
                         Generator& generator)
    : dtype(options.dtype == "float64" ? DType::kFloat64 : DType::kFloat32),
      shared_(options.shared || options.core != "none") {
  const NetworkOptions network{
      options.hidden,
      options.activation,
      {options.channels, options.kernels, options.strides, options.image, options.residual},
      {options.entities, options.entity_slots, options.attention_layers, options.attention_heads,
       options.attention_size}};
  OA_REQUIRE(options.entities.empty() || options.entity_slots || !options.normalize_observation,
             "[algorithm] normalize_observation: would move the zeros that mark absent entities; "
             "set it to false, or entity_slots to true");
  normalizer = register_module(
      "normalizer",
      std::make_shared<Normalizer>(spec.observation_shape, options.normalize_observation));
  policy_encoder = register_module(
      "policy_encoder", std::make_shared<Encoder>(spec.observation_shape, network, generator));
  if (!shared_)
    value_encoder = register_module(
        "value_encoder", std::make_shared<Encoder>(spec.observation_shape, network, generator));
  int64_t width = policy_encoder->features();
  if (options.core != "none") {
    core = register_module(
        "core", std::make_shared<RecurrentCore>(
                    options.core == "lstm" ? RecurrentCore::Kind::kLstm : RecurrentCore::Kind::kGru,
                    width, options.core_size, generator));
    width = options.core_size;
  }
  policy_head =
      register_module("policy_head", make_head(width, spec.action.count, 0.01, generator));
  value_head = register_module("value_head", make_head(width, 1, 1.0, generator));
  if (dtype != DType::kFloat32) {
    for (const auto& child : children())
      if (child != std::static_pointer_cast<nn::Module>(normalizer)) child->to(dtype);
  }
  if (!spec.action.discrete())
    log_std = register_parameter("log_std",
                                 full({spec.action.count}, options.log_std).to(dtype).detach());
}

}  // namespace oneagent
