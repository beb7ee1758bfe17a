// The interface between an algorithm and everything else. An algorithm sees tensors, never a
// service, an environment or a device:
//   act()     a traceable function: observations of many lanes -> actions. Runs at the actor and
//   the evaluator. phases()  named traceable functions: a batch of tensors -> a loss and outputs,
//   each with the optimizer group that its gradients feed. learn()   the host program: one
//   iteration written over Learn {sample, run, step, sync_target, set_priorities, stop}. needs()
//   which replay tables, which item shape, which capabilities.
// The learner supplies Learn and decides how phases run (eager here; a plan or a mesh later).
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/base/options.h"
#include "core/base/result.h"
#include "core/data/spec.h"
#include "core/data/table_spec.h"
#include "core/nn/module.h"
#include "core/tensor/tensor.h"
#include "envs/game.h"

namespace oneagent {

using TensorMap = std::map<std::string, Tensor>;

// What the networks are built for.
struct PolicySpec {
  Shape observation_shape;  // of one row: [features] or [channels, height, width]
  ring::ActionSpec action;
  bool has_action_mask = false;
  int actors = 1;  // that send experience
};

// ---- acting: one row per lane

enum class ActMode { kSample, kGreedy };

struct ActIn {
  Tensor observation;  // [N, ...] float32
  Tensor action_mask;  // [N, choices] bool, undefined when the environment has none
  Tensor first;        // [N] bool: the row starts an episode, so recurrent state is to be forgotten
  TensorMap state;     // recurrent state, [N, ...] each; empty for a feed-forward policy
  double exploration = 0;  // 0..1, meaning is the algorithm's (epsilon of DQN)
};

struct ActOut {
  Tensor action;     // [N] int32, or [N, dims] float32
  TensorMap extras;  // [N] or [N, ...]: recorded beside the action, such as log_prob and value
  TensorMap state;   // next recurrent state
};

// Search at the actor: how an algorithm decides a move when act() on a batch is not enough
// (AlphaZero). `evaluate` is the algorithm's own network over a batch of positions.
class Search {
 public:
  struct Decision {
    int action = 0;
    TensorMap extras;  // recorded beside the action, such as the visit distribution
  };
  virtual ~Search() = default;
  virtual Decision decide(const GameState& position, Rng& rng) = 0;
};

// ---- learning

// What one item of a table is made of.
struct ItemShape {
  enum class Kind {
    kRollout,     // all lanes of a chunk of `length` steps: on-policy
    kTransition,  // one lane, `length` steps (n-step) and the observation after them: value methods
    kSequence,    // one lane, `length` steps with the recurrent state at their start
  };
  Kind kind = Kind::kRollout;
  int64_t length = 1;
  int64_t period = 1;  // a new item every `period` steps
};

struct Needs {
  ring::TableSpec table;
  ItemShape item;
  int64_t chunk_steps = 1;  // T of the chunks that actors send
  int64_t items_per_sample =
      1;  // for rollouts: the learner asks for this many chunks, actors in order
  bool on_policy =
      true;  // in synchronous mode actors wait for the newest weights before each chunk
};

struct OptimizerGroup {
  std::string name;
  std::vector<Tensor> parameters;
  std::string kind = "adam";  // adam, sgd
  double epsilon = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
};

struct PhaseOut {
  Tensor loss;  // scalar; undefined for a phase without a group
  TensorMap outputs;
};

struct Phase {
  std::string name;
  std::function<PhaseOut(const TensorMap&)> function;
  std::string group;  // optimizer group that the loss feeds; "" = no gradient
  // Where loss and outputs are means over rows: how many rows a batch has, and `length` of them as
  // a batch of their own. A pipeline computes equal parts one after the other and takes the mean
  // of their losses and numbers; outputs with a dimension are rows, joined in order. Null: the
  // phase is of whole batches alone.
  std::function<int64_t(const TensorMap& batch)> rows = nullptr;
  std::function<TensorMap(const TensorMap& batch, int64_t begin, int64_t length)> part = nullptr;
};

// The services' side of learn(). Every call may raise the run's stop; sample() returns a status
// then.
class Learn {
 public:
  struct Sample {
    TensorMap batch;  // rollout: [T, B, ...] arrays of trajectory.h as tensors, lanes of all items
                      // side by side; transitions: [B, ...]
    std::vector<uint64_t> keys, generations;
    std::vector<double> probabilities;
    int64_t weights_version = 0;  // oldest version in the sample
  };
  struct StepSettings {
    double lr = 0;
    double max_grad_norm = 0;  // 0 = no clipping
  };
  struct StepResult {
    double grad_norm = 0;  // before clipping
  };

  virtual ~Learn() = default;
  virtual Result<Sample> sample() = 0;
  // Runs the phase on the batch; with a group, gradients are accumulated. A non-finite loss or
  // output stops the run, naming it.
  virtual PhaseOut run(const Phase& phase, const TensorMap& batch) = 0;
  virtual StepResult step(const std::string& group, const StepSettings& settings) = 0;
  // target <- (1 - tau) * target + tau * source, parameter by parameter.
  virtual void sync_target(nn::Module& source, nn::Module& target, double tau) = 0;
  virtual void set_priorities(const Sample& sample, const std::vector<double>& priorities) = 0;
  virtual bool stop() const = 0;
  virtual double progress() const = 0;  // 0..1 of the run's steps, for schedules
  virtual Generator& generator() = 0;   // the learner's random stream, checkpointed
};

class Algorithm {
 public:
  virtual ~Algorithm() = default;
  virtual Needs needs() const = 0;
  // Parameters and buffers that acting needs, observation normaliser included: what is published
  // and stored.
  virtual nn::Module& model() = 0;
  virtual TensorMap initial_state(int64_t lanes) const {
    (void)lanes;
    return {};
  }
  virtual ActOut act(const ActIn& in, ActMode mode, Generator& generator) = 0;
  virtual std::unique_ptr<Search> make_search(uint64_t seed) {
    (void)seed;
    return nullptr;
  }
  virtual std::vector<OptimizerGroup> optimizer_groups() = 0;
  virtual std::vector<Phase> phases() = 0;
  // One iteration: sample, update. Returns numbers for the learning curves ("policy_loss", "kl",
  // ...).
  virtual Result<std::map<std::string, double>> learn(Learn& learn) = 0;
  // Host state beyond model and optimizers (targets, counters of schedules), for exact resume.
  virtual Json save_state() const { return Json::object(); }
  virtual void load_state(const Json& state) { (void)state; }
  // Further modules that are checkpointed but not published (target networks).
  virtual std::vector<std::pair<std::string, nn::Module*>> private_modules() { return {}; }
};

// ---- registration

struct AlgorithmEntry {
  std::string name;
  std::string summary;
  std::vector<OptionInfo> options;
  // `options` holds the algorithm's own keys of the [algorithm] section.
  std::function<std::unique_ptr<Algorithm>(const PolicySpec&, const Json& options, uint64_t seed)>
      make;
};

class AlgorithmTable {
 public:
  void add(AlgorithmEntry entry);
  const AlgorithmEntry& at(const std::string& name) const;  // Error names the nearest algorithm
  const std::vector<AlgorithmEntry>& entries() const { return entries_; }

 private:
  std::vector<AlgorithmEntry> entries_;
};

void register_all(AlgorithmTable& table);  // generated from the files of algorithms/

// At the end of algorithms/<name>.cc. Class is constructible from (PolicySpec, Options, seed).
#define OA_ALGORITHM(name, Class, Options, summary_text)                          \
  void register_algorithm_##name(AlgorithmTable& table) {                         \
    table.add({#name, summary_text, describe_options<Options>(),                  \
               [](const PolicySpec& spec, const Json& options,                    \
                  uint64_t seed) -> std::unique_ptr<Algorithm> {                  \
                 return std::make_unique<Class>(                                  \
                     spec, parse_options<Options>(options, "[algorithm]"), seed); \
               }});                                                               \
  }

}  // namespace oneagent
