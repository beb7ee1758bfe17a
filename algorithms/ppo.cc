// Proximal policy optimisation (Schulman et al. 2017, arXiv 1707.06347) with the details that
// decide whether it works (Huang et al. 2022, "The 37 implementation details of PPO"): see the
// options.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/algorithm.h"
#include "algorithms/parts/actor_critic.h"
#include "algorithms/parts/rollout_gae.h"
#include "algorithms/parts/schedule.h"
#include "core/distributions/categorical.h"
#include "core/distributions/independent.h"
#include "core/distributions/normal.h"
#include "core/graph/context.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

struct PpoOptions : ActorCriticOptions {
  double lr = 3e-4;
  std::string lr_schedule = "constant";
  double gamma = 0.99;
  double lambda = 0.95;
  double clip = 0.2;
  std::string clip_schedule = "constant";
  double value_clip = 0;
  double value_coef = 0.5;
  double entropy_coef = 0.0;
  std::string entropy_schedule = "constant";
  int steps = 128;
  int chunks = 0;
  int epochs = 4;
  int minibatch = 256;
  double max_grad_norm = 0.5;
  double target_kl = 0;
  bool normalize_advantage = true;
  double adam_epsilon = 1e-5;

  static void options(OptionList<PpoOptions>& list) {
    list.add("lr", &PpoOptions::lr, "learning rate of Adam").between(0, 1);
    list.add("lr_schedule", &PpoOptions::lr_schedule, "linear: falls to 0 over the run")
        .one_of({"constant", "linear"});
    list.add("gamma", &PpoOptions::gamma, "discount of a step").between(0, 1);
    list.add("lambda", &PpoOptions::lambda, "decay of the advantage estimate (GAE, eq. 16)")
        .between(0, 1);
    list.add("clip", &PpoOptions::clip, "range of the probability ratio (eq. 7)").between(0, 10);
    list.add("clip_schedule", &PpoOptions::clip_schedule, "linear: falls to 0 over the run")
        .one_of({"constant", "linear"});
    list.add("value_clip", &PpoOptions::value_clip,
             "range within which the value may move from the old one; 0 = without")
        .at_least(0);
    list.add("value_coef", &PpoOptions::value_coef, "weight of the value loss").at_least(0);
    list.add("entropy_coef", &PpoOptions::entropy_coef, "weight of the entropy bonus").at_least(0);
    list.add("entropy_schedule", &PpoOptions::entropy_schedule, "linear: falls to 0 over the run")
        .one_of({"constant", "linear"});
    list.add("steps", &PpoOptions::steps, "steps of each environment in a chunk").at_least(1);
    list.add("chunks", &PpoOptions::chunks, "chunks in an update; 0 = one of each actor")
        .at_least(0);
    list.add("epochs", &PpoOptions::epochs, "passes over a rollout").at_least(1);
    list.add("minibatch", &PpoOptions::minibatch,
             "rows of a gradient step; a recurrent policy takes minibatch / steps whole lanes")
        .at_least(1);
    list.add("max_grad_norm", &PpoOptions::max_grad_norm,
             "norm to which gradients are clipped; 0 = without")
        .at_least(0);
    list.add("target_kl", &PpoOptions::target_kl,
             "the update stops when the divergence exceeds 1.5 times this; 0 = without")
        .at_least(0);
    list.add("normalize_advantage", &PpoOptions::normalize_advantage,
             "mean 0, deviation 1 in each minibatch");
    list.add("adam_epsilon", &PpoOptions::adam_epsilon, "denominator constant of Adam").at_least(0);
    actor_critic_options(list);
  }
};

struct Judged {
  Tensor log_prob, entropy;  // [rows]
};

class Ppo final : public Algorithm {
 public:
  Ppo(const PolicySpec& spec, const PpoOptions& options, uint64_t seed)
      : spec_(spec), options_(options), generator_(seed), model_(spec, options, generator_) {}

  Needs needs() const override {
    Needs needs;
    const int chunks = options_.chunks > 0 ? options_.chunks : spec_.actors;
    needs.table = {"rollout", "fifo", "fifo", 2 * chunks, 1, ring::LimiterSpec::queue(2 * chunks)};
    needs.item = {ItemShape::Kind::kRollout, options_.steps, options_.steps};
    needs.chunk_steps = options_.steps;
    needs.items_per_sample = chunks;
    return needs;
  }

  nn::Module& model() override { return model_; }

  TensorMap initial_state(int64_t lanes) const override {
    if (!recurrent()) return {};
    return {{"core", zeros({lanes, model_.core->state_size()})}};
  }

  ActOut act(const ActIn& in, ActMode mode, Generator& generator) override {
    const Tensor input = model_.input(in.observation);
    ActOut out;
    ActorCritic::Heads heads;
    if (recurrent()) {
      const Tensor state = model_.core->step(model_.policy_encoder->forward(input), in.first,
                                             in.state.at("core").to(model_.dtype));
      const Tensor output = model_.core->output(state);
      heads = model_.heads(output, output);
      out.state["core"] = state.to(DType::kFloat32);
    } else {
      heads = model_.forward(input);
    }
    if (spec_.action.discrete()) {
      const auto distribution = distributions::Categorical::of_logits(heads.policy, in.action_mask);
      out.action =
          mode == ActMode::kGreedy ? distribution.mode() : distribution.sample({}, generator);
      out.extras["log_prob"] = distribution.log_prob(out.action);
      out.action = out.action.to(DType::kInt32);
    } else {
      const distributions::Independent distribution = normal(heads.policy);
      out.action = mode == ActMode::kGreedy ? heads.policy : distribution.sample({}, generator);
      out.extras["log_prob"] = distribution.log_prob(out.action);
      out.action = out.action.to(DType::kFloat32);
    }
    out.extras["value"] = heads.value;
    for (auto& [name, extra] : out.extras) extra = extra.to(DType::kFloat32);
    return out;
  }

  std::vector<OptimizerGroup> optimizer_groups() override {
    return {{"policy", model_.parameters(), "adam", options_.adam_epsilon}};
  }

  std::vector<Phase> phases() override {
    return {{"prepare", [this](const TensorMap& batch) { return prepare(batch); }, ""},
            {"update", [this](const TensorMap& batch) { return update(batch); }, "policy",
             [this](const TensorMap& batch) { return batch.at("input").size(recurrent() ? 1 : 0); },
             [this](const TensorMap& batch, int64_t begin, int64_t length) {
               return part(batch, begin, length);
             }}};
  }

  Result<std::map<std::string, double>> learn(Learn& learn) override;

 private:
  bool recurrent() const { return model_.core != nullptr; }
  // Over continuous actions.
  distributions::Independent normal(const Tensor& means) const {
    return {distributions::Normal(means, exp(model_.log_std)), 1};
  }

  // Everything that is computed once per rollout with the weights that acted: normalised inputs and
  // the values needed at edges.
  PhaseOut prepare(const TensorMap& batch) const;
  // The clipped objective on a minibatch, a mean over its rows.
  PhaseOut update(const TensorMap& batch) const;
  // Some rows of a minibatch; of a recurrent policy some lanes with all of their steps.
  TensorMap part(const TensorMap& minibatch, int64_t begin, int64_t length) const;
  ActorCritic::Heads replay(const TensorMap& batch) const;
  Judged judge(const Tensor& policy, const TensorMap& batch) const;

  TensorMap make_rows(const Learn::Sample& sample, const TensorMap& prepared);
  std::vector<Tensor> minibatches(const TensorMap& rows, Generator& generator) const;
  TensorMap minibatch(const TensorMap& rows, const Tensor& index) const;

  PolicySpec spec_;
  PpoOptions options_;
  Generator generator_;
  ActorCritic model_;
};

PhaseOut Ppo::prepare(const TensorMap& batch) const {
  const Tensor& observation = batch.at("observation");  // [T, B, ...]
  PhaseOut out;
  const Tensor flat = observation.flatten(0, 1);
  out.outputs["input"] = model_.input(flat);
  const Tensor last = model_.input(batch.at("last_observation"));
  const bool has_final = batch.contains("final_observation");
  const Tensor final_input = has_final ? model_.input(batch.at("final_observation")) : Tensor();
  if (!recurrent()) {
    out.outputs["last_value"] = model_.value(last);
    if (has_final) out.outputs["final_value"] = model_.value(final_input);
    return out;
  }
  // The core's state after each step is what the next observation, final ones included, is judged
  // with.
  const int64_t steps = observation.size(0), lanes = observation.size(1);
  const Tensor features =
      model_.policy_encoder->forward(out.outputs["input"]).view({steps, lanes, -1});
  const Tensor states =
      model_.core->sequence(features, batch.at("first"), batch.at("state.core").to(model_.dtype));
  const auto value_after = [&](const Tensor& input, const Tensor& state) {
    const Tensor none = zeros({input.size(0)}, DType::kBool);
    return model_.value_head
        ->forward(model_.core->output(
            model_.core->step(model_.policy_encoder->forward(input), none, state)))
        .squeeze(-1);
  };
  // Where the last step ended an episode the carried state is stale, but its value is not read
  // there either.
  out.outputs["last_value"] = value_after(last, states.select(0, steps - 1));
  if (has_final)
    out.outputs["final_value"] = value_after(
        final_input, states.flatten(0, 1).index_select(0, batch.at("final_row").to(DType::kInt64)));
  return out;
}

ActorCritic::Heads Ppo::replay(const TensorMap& batch) const {
  const Tensor& input = batch.at("input");
  if (!recurrent()) return model_.forward(input);
  const int64_t steps = input.size(0), lanes = input.size(1);
  const Tensor features =
      model_.policy_encoder->forward(input.flatten(0, 1)).view({steps, lanes, -1});
  const Tensor states =
      model_.core->sequence(features, batch.at("first"), batch.at("state.core")).flatten(0, 1);
  const Tensor output = model_.core->output(states);
  return model_.heads(output, output);
}

Judged Ppo::judge(const Tensor& policy, const TensorMap& batch) const {
  const Tensor& action = batch.at("action");
  if (spec_.action.discrete()) {
    const auto mask = batch.find("action_mask");
    const auto distribution = distributions::Categorical::of_logits(
        policy, mask == batch.end() ? Tensor() : mask->second);
    return {distribution.log_prob(action.to(DType::kInt64)), distribution.entropy()};
  }
  const distributions::Independent distribution = normal(policy);
  return {distribution.log_prob(action), distribution.entropy()};
}

PhaseOut Ppo::update(const TensorMap& batch) const {
  const ActorCritic::Heads heads = replay(batch);
  const Judged judged = judge(heads.policy, batch);
  const Tensor& advantage = batch.at("advantage");
  const Tensor& clip = batch.at("clip");
  const Tensor log_ratio = judged.log_prob - batch.at("log_prob");
  const Tensor ratio = exp(log_ratio);
  const Tensor clipped = minimum(maximum(ratio, 1.0 - clip), 1.0 + clip);
  const Tensor policy_loss = -mean(minimum(advantage * ratio, advantage * clipped));  // eq. 7

  const Tensor& returns = batch.at("returns");
  Tensor value_error = square(heads.value - returns);
  if (options_.value_clip > 0) {
    const Tensor& old_value = batch.at("value");
    const Tensor near =
        old_value + clamp(heads.value - old_value, -options_.value_clip, options_.value_clip);
    value_error = maximum(value_error, square(near - returns));
  }
  const Tensor value_loss = mean(value_error);
  const Tensor entropy = mean(judged.entropy);

  PhaseOut out;
  out.loss = policy_loss + value_loss * options_.value_coef - entropy * batch.at("entropy_coef");
  const NoGradGuard no_grad;
  out.outputs["policy_loss"] = policy_loss.detach();
  out.outputs["value_loss"] = value_loss.detach();
  out.outputs["entropy"] = entropy.detach();
  out.outputs["kl"] =
      mean(ratio.detach() - 1.0 - log_ratio.detach());  // Schulman's low-variance estimate,
                                                        // "Approximating KL divergence" (2020)
  out.outputs["clip_fraction"] = mean((abs(ratio.detach() - 1.0) > clip).to(model_.dtype));
  return out;
}

TensorMap Ppo::part(const TensorMap& minibatch, int64_t begin, int64_t length) const {
  const NoGradGuard no_grad;
  const Tensor& input = minibatch.at("input");
  TensorMap out;
  for (const auto& [name, values] : minibatch) {
    if (values.dim() == 0) {
      out[name] = values;
    } else if (!recurrent() || name == "state.core") {
      out[name] = values.narrow(0, begin, length);
    } else if (name == "input" || name == "first") {
      out[name] = values.narrow(1, begin, length).contiguous();
    } else {  // [T * B, ...]
      out[name] = unflatten(values, 0, {input.size(0), input.size(1)})
                      .narrow(1, begin, length)
                      .flatten(0, 1);
    }
  }
  return out;
}

// Rows for minibatches: [T * B, ...] for a feed-forward policy, [T, B, ...] for a recurrent one.
TensorMap Ppo::make_rows(const Learn::Sample& sample, const TensorMap& prepared) {
  const TensorMap& batch = sample.batch;
  const Tensor& reward = batch.at("reward");
  const int64_t steps = reward.size(0), lanes = reward.size(1), rows = steps * lanes;
  const auto [advantage, returns] =
      rollout_gae(batch, prepared, {options_.gamma, options_.lambda}, model_.dtype);
  const Shape layout = recurrent() ? Shape{steps, lanes} : Shape{rows};
  // The first `leading` dimensions, [T, B] or [T * B], become the layout.
  const auto shaped = [&](const Tensor& t, int64_t leading) {
    Shape shape = layout;
    for (int64_t i = leading; i < t.dim(); ++i) shape.push_back(t.size(i));
    return t.view(shape);
  };
  TensorMap out;
  out["input"] = shaped(prepared.at("input"), 1);
  out["action"] = shaped(batch.at("action"), 2);
  for (const char* name : {"log_prob", "value"})
    out[name] = shaped(batch.at(name), 2).to(model_.dtype);
  if (batch.contains("action_mask")) out["action_mask"] = shaped(batch.at("action_mask"), 2);
  if (recurrent()) {
    out["first"] = batch.at("first");
    out["state.core"] = batch.at("state.core").to(model_.dtype);
  }
  out["advantage"] = advantage.view(layout);
  out["returns"] = returns.view(layout);
  return out;
}

// One shuffled epoch as row (or lane) indices; an undefined index means all rows in order.
std::vector<Tensor> Ppo::minibatches(const TensorMap& rows, Generator& generator) const {
  const Tensor& advantage = rows.at("advantage");
  const int64_t count = recurrent() ? advantage.size(1) : advantage.size(0);
  const int64_t size = std::min<int64_t>(
      count, recurrent() ? std::max<int64_t>(1, options_.minibatch / advantage.size(0))
                         : options_.minibatch);
  if (size == count) return {Tensor()};
  const Tensor order = randperm(count, generator);
  std::vector<Tensor> out;
  for (int64_t begin = 0; begin < count; begin += size)
    out.push_back(order.narrow(0, begin, std::min(size, count - begin)));
  return out;
}

TensorMap Ppo::minibatch(const TensorMap& rows, const Tensor& index) const {
  TensorMap out;
  for (const auto& [name, values] : rows) {
    const int64_t axis = recurrent() && name != "state.core" ? 1 : 0;
    Tensor chosen = index.defined() ? values.index_select(axis, index) : values;
    // The loss sees rows; only what the core replays over time keeps its [T, B] layout.
    const bool sequence = name == "input" || name == "first" || name == "state.core";
    out[name] = recurrent() && !sequence ? chosen.flatten(0, 1) : chosen;
  }
  if (options_.normalize_advantage) out["advantage"] = normalized_advantage(out.at("advantage"));
  return out;
}

Result<std::map<std::string, double>> Ppo::learn(Learn& learn) {
  Result<Learn::Sample> sample = learn.sample();
  if (!sample.ok()) return sample.status();
  const std::vector<Phase> all = phases();
  const Phase& prepare_phase = all[0];
  const Phase& update_phase = all[1];
  const TensorMap prepared = learn.run(prepare_phase, sample->batch).outputs;
  const TensorMap rows = make_rows(*sample, prepared);
  model_.normalizer->update(sample->batch.at("observation"));

  const double progress = learn.progress();
  const double lr = scheduled(options_.lr, options_.lr_schedule, progress);
  const Tensor clip =
      full({}, scheduled(options_.clip, options_.clip_schedule, progress)).to(model_.dtype);
  const Tensor entropy_coef =
      full({}, scheduled(options_.entropy_coef, options_.entropy_schedule, progress))
          .to(model_.dtype);
  std::map<std::string, double> sums;
  int updates = 0, epochs = 0;
  bool stopped = false;
  TensorMap batch;
  for (int epoch = 0; epoch < options_.epochs && !stopped; ++epoch) {
    ++epochs;
    for (const Tensor& index : minibatches(rows, learn.generator())) {
      if (index.defined() || batch.empty()) batch = minibatch(rows, index);
      batch["clip"] = clip;
      batch["entropy_coef"] = entropy_coef;
      const PhaseOut out = learn.run(update_phase, batch);
      if (options_.target_kl > 0 &&
          out.outputs.at("kl").item<double>() > 1.5 * options_.target_kl) {
        stopped = true;
        break;
      }
      sums["grad_norm"] += learn.step("policy", {lr, options_.max_grad_norm}).grad_norm;
      for (const auto& [name, value] : out.outputs) sums[name] += value.item<double>();
      ++updates;
    }
  }
  std::map<std::string, double> metrics;
  for (const auto& [name, sum] : sums) metrics[name] = sum / std::max(1, updates);
  metrics["updates"] = updates;
  metrics["epochs"] = epochs;
  metrics["lr"] = lr;
  // Explained variance of the old values: 1 - Var(returns - value) / Var(returns).
  const Tensor error = rows.at("returns") - rows.at("value");
  const auto spread = [](const Tensor& t) { return mean(square(t - mean(t))).item<double>(); };
  const double total = spread(rows.at("returns"));
  metrics["explained_variance"] = total > 0 ? 1.0 - spread(error) / total : 0.0;
  return metrics;
}

}  // namespace

OA_ALGORITHM(ppo, Ppo, PpoOptions,
             "proximal policy optimisation: on-policy, discrete and continuous actions, masks, "
             "optional convolution, transformer over entities and recurrent core")

}  // namespace oneagent
