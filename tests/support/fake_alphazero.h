// Search with a network in the shape of AlphaZero (Silver et al. 2018), small: decisions come from
// a tree search at the actor, the learner fits the visit counts and the game's outcome. It exists
// to drive the algorithm interface from a third side.
#pragma once

#include <cmath>
#include <memory>

#include "algorithms/algorithm.h"
#include "algorithms/parts/network.h"
#include "core/distributions/categorical.h"
#include "core/graph/context.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"

namespace oneagent {

class FakeAlphaZero final : public Algorithm {
 public:
  FakeAlphaZero(const PolicySpec& spec, uint64_t seed) : generator_(seed), net_(spec, generator_) {}

  Needs needs() const override {
    Needs needs;
    needs.table = {"positions", "uniform", "fifo", 2000, 0, ring::LimiterSpec::minimum(64)};
    needs.item = {ItemShape::Kind::kTransition, 1, 1};
    needs.items_per_sample = 64;
    needs.on_policy = false;
    return needs;
  }
  nn::Module& model() override { return net_; }
  ActOut act(const ActIn& in, ActMode mode, Generator& generator) override {
    const auto policy =
        distributions::Categorical::of_logits(net_.policy(in.observation), in.action_mask);
    ActOut out;
    out.action =
        (mode == ActMode::kGreedy ? policy.mode() : policy.sample({}, generator)).to(DType::kInt32);
    return out;
  }
  std::unique_ptr<Search> make_search(uint64_t) override { return std::make_unique<Tree>(net_); }
  std::vector<OptimizerGroup> optimizer_groups() override { return {{"net", net_.parameters()}}; }
  std::vector<Phase> phases() override {
    return {{"fit",
             [this](const TensorMap& batch) {
               const Tensor observation = batch.at("observation").select(0, 0);
               const Tensor log_policy = log_softmax(net_.policy(observation), -1);
               PhaseOut out;
               out.loss = mean(square(net_.value(observation) - batch.at("reward").select(0, 0))) -
                          mean(sum(batch.at("extra.visits").select(0, 0) * log_policy, {-1}));
               return out;
             },
             "net"}};
  }
  Result<std::map<std::string, double>> learn(Learn& learn) override {
    Result<Learn::Sample> sample = learn.sample();
    if (!sample.ok()) return sample.status();
    const PhaseOut out = learn.run(phases()[0], sample->batch);
    learn.step("net", {3e-3, 1});
    return std::map<std::string, double>{{"loss", out.loss.item<double>()}};
  }

 private:
  struct Net final : nn::Module {
    Net(const PolicySpec& spec, Generator& generator) {
      encoder = register_module(
          "encoder", std::make_shared<Encoder>(spec.observation_shape, NetworkOptions{{32}, "relu"},
                                               generator));
      policy_head =
          register_module("policy_head", make_head(32, spec.action.count, 0.1, generator));
      value_head = register_module("value_head", make_head(32, 1, 0.1, generator));
    }
    Tensor policy(const Tensor& x) const { return policy_head->forward(encoder->forward(x)); }
    Tensor value(const Tensor& x) const {
      return tanh(value_head->forward(encoder->forward(x)).squeeze(-1));
    }
    std::shared_ptr<Encoder> encoder;
    nn::Linear policy_head = nullptr, value_head = nullptr;
  };

  // PUCT (Silver et al. 2018, supplement): 48 visits, leaves judged by the network.
  class Tree final : public Search {
   public:
    explicit Tree(const Net& net) : net_(net) {}
    Decision decide(const GameState& position, Rng& rng) override {
      Node root;
      for (int i = 0; i < 48; ++i) visit(root, *position.clone());
      Tensor visits = zeros({3});
      for (const Edge& edge : root.edges)
        visits.data_ptr<float>()[edge.action] = static_cast<float>(edge.visits) / 47.0F;
      Decision decision;
      int best = -1;
      for (const Edge& edge : root.edges) {
        const int score = edge.visits * 16 + static_cast<int>(rng.below(16));
        if (score > best) best = score, decision.action = edge.action;
      }
      decision.extras["visits"] = visits;
      return decision;
    }

   private:
    struct Node;
    struct Edge {
      int action;
      double prior, value_sum = 0;
      int visits = 0;
      std::unique_ptr<Node> child;
    };
    struct Node {
      std::vector<Edge> edges;
      int visits = 0;
    };

    // The value of the position for the player to move.
    double visit(Node& node, GameState& state) {
      if (state.terminal()) return -1;  // the other player has just won
      if (node.edges.empty()) return expand(node, state);
      Edge* best = nullptr;
      double best_score = -1e9;
      for (Edge& edge : node.edges) {
        const double q = edge.visits > 0 ? edge.value_sum / edge.visits : 0;
        const double score =
            q + 1.5 * edge.prior * std::sqrt(1.0 + node.visits) / (1 + edge.visits);
        if (score > best_score) best_score = score, best = &edge;
      }
      if (best->child == nullptr) best->child = std::make_unique<Node>();
      state.apply(best->action);
      const double value = -visit(*best->child, state);
      ++best->visits;
      ++node.visits;
      best->value_sum += value;
      return value;
    }

    double expand(Node& node, const GameState& state) {
      const NoGradGuard no_grad;
      std::vector<int32_t> legal;
      state.legal_actions(legal);
      Tensor observation = zeros({1, net_.encoder->inputs()});
      state.observe(state.current_player(), observation.values<float>());
      const Tensor prior = softmax(net_.policy(observation), -1);
      for (const int32_t action : legal)
        node.edges.push_back({action, prior.data_ptr<float>()[action], 0, 0, nullptr});
      return net_.value(observation).item<double>();
    }

    const Net& net_;
  };

  Generator generator_;
  Net net_;
};

}  // namespace oneagent
