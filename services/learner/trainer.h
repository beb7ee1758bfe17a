// Learn over tensors: samples from a source, runs phases as graphs or eagerly, owns the optimizers,
// stops at the first non-finite number. No sockets.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "algorithms/algorithm.h"
#include "core/base/file.h"
#include "core/data/batch.h"
#include "core/data/weights.h"
#include "core/optim/optimizer.h"
#include "services/learner/phase_graph.h"
#include "services/learner/rank_link.h"

namespace oneagent {

// The ranks of which a trainer is one (services/learner/rank_team.h).
struct TrainerMesh {
  PhaseMesh mesh;
  RankLink* link = nullptr;  // null: alone
  // Publishes the shards of this rank, which is not the first; null: weights are published whole.
  std::function<void(const ring::Weights&)> publish = {};
  std::vector<std::string> addresses = {};  // where each rank publishes; "": it does not
};

// What is wrong with the numbers or with what the experiment asks for: doing it again would not
// help. Every rank of a team has it.
class TrainingFault final : public Error {
 public:
  using Error::Error;
};

class Trainer final : public Learn {
 public:
  using Source = std::function<Result<ring::SampleBatch>()>;
  using Priorities = std::function<void(const Sample&, const std::vector<double>&)>;

  // Borrows the algorithm. A fault's batch is saved below `fault_folder`.
  Trainer(Algorithm& algorithm, uint64_t seed, Source source, Priorities priorities,
          fs::path fault_folder, bool graphs = true);

  Result<Sample> sample() override;
  PhaseOut run(const Phase& phase, const TensorMap& batch) override;
  StepResult step(const std::string& group, const StepSettings& settings) override;
  void sync_target(nn::Module& source, nn::Module& target, double tau) override;
  void set_priorities(const Sample& sample, const std::vector<double>& priorities) override;
  bool stop() const override { return stop_; }
  double progress() const override { return progress_; }
  Generator& generator() override { return generator_; }

  void set_progress(double progress) { progress_ = progress; }
  void set_stop() { stop_ = true; }  // any thread
  int64_t sampled_steps() const {
    return sampled_steps_;
  }                                                     // environment steps in all samples so far
  std::vector<std::string> graph_phases() const;        // that run as plans so far
  std::string explain(const std::string& phase) const;  // of one of these: its plan and sharding

  // Model, private modules and optimizers as arrays; counters and streams as JSON. load() refuses
  // other names, shapes and dtypes with the reason.
  // Of a mesh these are whole tensors, as on one device, so that they may be loaded by any other.
  ring::ArraySet save_tensors();
  ring::ArraySet model_state();  // the model's part of it
  // Fills in what the first rank publishes as this version: its own shards, with the addresses of
  // the other ranks, which are told to publish theirs; the whole model where nothing is split, or
  // where they cannot.
  void add_weights(ring::Weights& weights);
  Json save_host() const;
  void load(const ring::ArraySet& tensors, const Json& host);

  // ---- ranks: every call above is told to the others by the first one, which do the same
  void set_mesh(TrainerMesh mesh) { mesh_ = std::move(mesh); }
  void share_state();  // the first rank's parameters and buffers, before any is placed
  void obey(const RankLink::Command& command);

 private:
  struct Group {
    OptimizerGroup spec;
    std::unique_ptr<optim::Optimizer> optimizer;
  };
  Group& group(const std::string& name);
  void tell(Json head, const TensorMap& tensors = {});
  void share_buffers();
  std::vector<nn::Module*> modules();  // the model, then the private ones
  Phase phase(const std::string& name);
  PhaseOut run_with_gradient(const Phase& phase, const TensorMap& batch);
  PhaseOut run_graph(PhaseGraph& graph, const std::string& group, const TensorMap& batch);
  // Saves the batch and throws TrainingFault naming what is not finite and where the batch lies.
  [[noreturn]] void fail(const std::string& what, const TensorMap& batch) const;

  Algorithm& algorithm_;
  TrainerMesh mesh_;
  Generator generator_;
  Source source_;
  Priorities priorities_;
  fs::path fault_folder_;
  const bool graphs_;
  std::map<std::string, Group> groups_;
  std::map<std::string, PhaseGraph> phase_graphs_;
  std::set<std::string> eager_phases_;  // that cannot be graphs
  TensorMap last_batch_;                // of the last phase with a gradient, for the fault file
  double progress_ = 0;
  std::atomic<bool> stop_{false};
  int64_t sampled_steps_ = 0;
};

}  // namespace oneagent
