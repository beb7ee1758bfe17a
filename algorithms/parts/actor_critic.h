// The policy and value networks of an actor-critic algorithm, with the options that shape them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/parts/network.h"
#include "algorithms/parts/normalizer.h"
#include "core/base/options.h"
#include "core/nn/nn.h"

namespace oneagent {

// An algorithm's options derive from it, and its options() ends with actor_critic_options(list).
struct ActorCriticOptions {
  bool normalize_observation = false;
  std::vector<int> channels = {};
  std::vector<int> kernels = {};
  std::vector<int> strides = {};
  bool residual = false;
  std::vector<int> image = {};
  std::vector<int> entities = {};
  bool entity_slots = false;
  int attention_layers = 2;
  int attention_heads = 4;
  int attention_size = 64;
  std::vector<int> hidden = {64, 64};
  std::string activation = "tanh";
  bool shared = false;
  std::string core = "none";
  int core_size = 64;
  double log_std = 0.0;
  std::string dtype = "float32";
};

template <class T>
void actor_critic_options(OptionList<T>& list) {
  list.template add<bool>("normalize_observation", &ActorCriticOptions::normalize_observation,
                          "by running statistics that are part of the policy");
  list.template add<std::vector<int>>(
      "channels", &ActorCriticOptions::channels,
      "filters of each convolution layer over the observation's image, before hidden; empty "
      "= no convolution");
  list.template add<std::vector<int>>(
      "kernels", &ActorCriticOptions::kernels,
      "side of the kernel of each convolution layer, without padding; empty = 3 each");
  list.template add<std::vector<int>>("strides", &ActorCriticOptions::strides,
                                      "of each convolution layer; empty = 1 each");
  list.template add<bool>(
      "residual", &ActorCriticOptions::residual,
      "each of channels is a section of IMPALA's residual network, as in [16, 32, 32], "
      "instead of a convolution");
  list.template add<std::vector<int>>(
      "image", &ActorCriticOptions::image,
      "[planes, height, width] that a flat observation starts with, what follows joins "
      "before hidden (window and visits of grid_path with radius 5: [2, 11, 11]); empty = "
      "the observation is an image");
  list.template add<std::vector<int>>(
      "entities", &ActorCriticOptions::entities,
      "[count, values of each] that a flat observation starts with, for a transformer over "
      "them before hidden, where their mean is joined by what follows; empty = no "
      "transformer");
  list.template add<bool>(
      "entity_slots", &ActorCriticOptions::entity_slots,
      "a learned vector for each entity's place, where places have a meaning; otherwise "
      "entities of zeros are absent");
  list.template add<int>("attention_layers", &ActorCriticOptions::attention_layers,
                         "blocks of the transformer")
      .at_least(1);
  list.template add<int>("attention_heads", &ActorCriticOptions::attention_heads, "of each block")
      .at_least(1);
  list.template add<int>("attention_size", &ActorCriticOptions::attention_size,
                         "width of an entity in the transformer, a multiple of attention_heads")
      .at_least(1);
  list.template add<std::vector<int>>("hidden", &ActorCriticOptions::hidden,
                                      "widths of the layers");
  list.template add<std::string>("activation", &ActorCriticOptions::activation,
                                 "of convolution and hidden layers")
      .one_of({"tanh", "relu"});
  list.template add<bool>("shared", &ActorCriticOptions::shared,
                          "policy and value share their encoder");
  list.template add<std::string>("core", &ActorCriticOptions::core,
                                 "recurrent core after the encoder")
      .one_of({"none", "gru", "lstm"});
  list.template add<int>("core_size", &ActorCriticOptions::core_size, "width of the core")
      .at_least(1);
  list.template add<double>("log_std", &ActorCriticOptions::log_std,
                            "start of the log deviation of continuous actions");
  list.template add<std::string>(
          "dtype", &ActorCriticOptions::dtype,
          "of networks, losses and optimizer; observations and what is recorded stay float32")
      .one_of({"float32", "float64"});
}

// Policy and value networks, with the observation normaliser that is part of them.
class ActorCritic final : public nn::Module {
 public:
  ActorCritic(const PolicySpec& spec, const ActorCriticOptions& options, Generator& generator);

  // Normalised observations as the networks take them.
  Tensor input(const Tensor& observation) const { return normalizer->apply(observation).to(dtype); }

  struct Heads {
    Tensor policy;  // [rows, count]: logits, or means
    Tensor value;   // [rows]
  };
  // Inputs are normalised rows; feed-forward policies only.
  Heads forward(const Tensor& input) const {
    const Tensor features = policy_encoder->forward(input);
    return heads(features, shared_ ? features : value_encoder->forward(input));
  }
  Heads heads(const Tensor& policy_features, const Tensor& value_features) const {
    return {policy_head->forward(policy_features), value_head->forward(value_features).squeeze(-1)};
  }
  Tensor value(const Tensor& input) const {
    return value_head->forward((shared_ ? policy_encoder : value_encoder)->forward(input))
        .squeeze(-1);
  }

  const DType dtype;
  std::shared_ptr<Normalizer> normalizer;
  std::shared_ptr<Encoder> policy_encoder, value_encoder;
  std::shared_ptr<RecurrentCore> core;
  nn::Linear policy_head = nullptr, value_head = nullptr;
  Tensor log_std;

 private:
  bool shared_;
};

}  // namespace oneagent
