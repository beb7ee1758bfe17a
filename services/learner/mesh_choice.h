// [learner.parallel] with `ranks` alone, or parallel = "auto": how many of the ranks share out the
// rows of a batch (data), how many the parameters (tensor), and into how many stages the layers are
// cut (pipeline), with micro-batches and schedule. Every split of the ranks is judged by the
// planner's time for the phases as they really run: seconds of a call from what one rank here needs
// for a batch or micro-batch, those of moving data from alpha and beta as measured between so many
// ranks here.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/dist/cost.h"
#include "services/learner/learner_options.h"
#include "services/learner/phase_mesh.h"

namespace oneagent {

// Runs learn() and notes which phases with a gradient it runs, on what and how often.
class PhaseWatch final : public Learn {
 public:
  struct Use {
    Phase phase;
    TensorMap batch;  // of the first run
    int runs = 0;
    double seconds = 0;  // of the fastest run
  };
  explicit PhaseWatch(Learn& learn) : learn_(learn) {}
  const std::vector<Use>& uses() const { return uses_; }

  Result<Sample> sample() override { return learn_.sample(); }
  PhaseOut run(const Phase& phase, const TensorMap& batch) override;
  StepResult step(const std::string& group, const StepSettings& settings) override {
    return learn_.step(group, settings);
  }
  void sync_target(nn::Module& source, nn::Module& target, double tau) override {
    learn_.sync_target(source, target, tau);
  }
  void set_priorities(const Sample& sample, const std::vector<double>& priorities) override {
    learn_.set_priorities(sample, priorities);
  }
  bool stop() const override { return learn_.stop(); }
  double progress() const override { return learn_.progress(); }
  Generator& generator() override { return learn_.generator(); }

 private:
  Learn& learn_;
  std::vector<Use> uses_;
};

struct MeshChoice {
  struct Candidate {
    int data = 1, tensor = 1;
    int pipeline = 1, micro_batches = 1, stages_per_rank = 1;
    std::string schedule = "1f1b";
    double seconds = 0;  // of one iteration of learn(), on one rank
    distributed::CostModel cost;
    distributed::CostModel::Link pipeline_link;  // between neighbouring stages
    int ranks() const { return data * tensor * pipeline; }
    PhaseMesh mesh() const;
  };
  // The chosen one first, then by time; of each data x tensor x pipeline the best schedule.
  std::vector<Candidate> candidates;
  std::string text;  // one line: "4 ranks: data=4 tensor=1 ..."
};

// Alpha and beta between the ranks of a group of this size, while all `ranks` talk in such groups,
// as in a step. Services are measured as processes of this machine.
distributed::CostModel::Link measured_link(const std::string& kind, int ranks, int group);

// Given instead of measured: every link, and what a rank computes.
struct MeshRates {
  distributed::CostModel::Link link;
  double flops_per_second = 1e10, bytes_per_second = 1e10;
};

// Judges every split of mesh.ranks that mesh leaves open, and with or_fewer of a half, a quarter
// ... and one of them; `uses` are of `algorithm`, whose gradients may change. `cores`: of the
// machine the ranks run on. Where two are within a tenth of each other, fewer ranks, then no
// pipeline, then more data ranks are preferred.
MeshChoice choose_mesh(const MeshOptions& mesh, Algorithm& algorithm,
                       const std::vector<PhaseWatch::Use>& uses, int cores,
                       const MeshRates* rates = nullptr);

}  // namespace oneagent
