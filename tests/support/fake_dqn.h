// A value method in the shape of DQN (Mnih et al. 2015), small: uniform replay of transitions, a
// target network, epsilon-greedy acting, priorities reported back. It exists to drive the algorithm
// interface from another side than PPO does.
#pragma once

#include "algorithms/algorithm.h"
#include "algorithms/parts/network.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"

namespace oneagent {

class FakeDqn final : public Algorithm {
 public:
  FakeDqn(const PolicySpec& spec, uint64_t seed)
      : generator_(seed), online_(spec, generator_), target_(spec, generator_) {}

  Needs needs() const override {
    Needs needs;
    needs.table = {"transitions", "uniform", "fifo", 20000, 0, ring::LimiterSpec::minimum(200)};
    needs.item = {ItemShape::Kind::kTransition, 1, 1};
    needs.chunk_steps = 4;
    needs.items_per_sample = 64;
    needs.on_policy = false;
    return needs;
  }
  nn::Module& model() override { return online_; }
  ActOut act(const ActIn& in, ActMode mode, Generator& generator) override {
    ActOut out;
    const Tensor greedy = online_.forward(in.observation).argmax(1);
    const Tensor random =
        floor(rand({greedy.size(0)}, generator) * static_cast<double>(online_.choices))
            .to(DType::kInt64);
    const Tensor explore =
        rand({greedy.size(0)}, generator) < (mode == ActMode::kGreedy ? 0.0 : epsilon);
    out.action = where(explore, random, greedy).to(DType::kInt32);
    return out;
  }
  std::vector<OptimizerGroup> optimizer_groups() override { return {{"q", online_.parameters()}}; }
  std::vector<Phase> phases() override {
    return {
        {"td",
         [this](const TensorMap& batch) {
           const Tensor action = batch.at("action").select(0, 0).to(DType::kInt64).unsqueeze(1);
           const Tensor q =
               online_.forward(batch.at("observation").select(0, 0)).gather(1, action).squeeze(1);
           Tensor target;
           {
             const NoGradGuard no_grad;
             const Tensor next = std::get<0>(target_.forward(batch.at("last_observation")).max(1));
             const Tensor alive =
                 batch.at("terminated").select(0, 0).logical_not().to(DType::kFloat32);
             target = batch.at("reward").select(0, 0) + next * alive * 0.99;
           }
           PhaseOut out;
           out.loss = mean(square(q - target));
           out.outputs["error"] = abs(q - target).detach();
           return out;
         },
         "q"}};
  }
  std::vector<std::pair<std::string, nn::Module*>> private_modules() override {
    return {{"target", &target_}};
  }
  Json save_state() const override { return {{"updates", updates_}}; }
  void load_state(const Json& state) override { updates_ = state.at("updates").get<int64_t>(); }

  Result<std::map<std::string, double>> learn(Learn& learn) override {
    double loss = 0;
    for (int i = 0; i < 4; ++i) {
      Result<Learn::Sample> sample = learn.sample();
      if (!sample.ok()) return sample.status();
      if (updates_ % 50 == 0) learn.sync_target(online_, target_, 1.0);
      const PhaseOut out = learn.run(phases()[0], sample->batch);
      learn.step("q", {1e-3, 10});
      const Tensor errors = out.outputs.at("error").contiguous();
      learn.set_priorities(*sample, {errors.values<float>().begin(), errors.values<float>().end()});
      loss = out.loss.item<double>();
      ++updates_;
    }
    return std::map<std::string, double>{{"td_loss", loss}};
  }

  double epsilon = 0.1;

 private:
  struct Net final : nn::Module {
    Net(const PolicySpec& spec, Generator& generator) : choices(spec.action.count) {
      encoder = register_module(
          "encoder", std::make_shared<Encoder>(spec.observation_shape,
                                               NetworkOptions{{64, 64}, "relu"}, generator));
      head = register_module("head", make_head(64, choices, 0.1, generator));
    }
    Tensor forward(const Tensor& x) const { return head->forward(encoder->forward(x)); }
    int64_t choices;
    std::shared_ptr<Encoder> encoder;
    nn::Linear head = nullptr;
  };

  Generator generator_;
  Net online_, target_;
  int64_t updates_ = 0;
};

}  // namespace oneagent
