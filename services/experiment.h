// One experiment file, read into the option structs of every part: [run] [env] [algorithm] [actor]
// [replay] [learner] [evaluator] [gateway] [store] [stop]. The same file serves an embedded and a
// distributed run; only addresses differ.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/base/config.h"
#include "core/service/service.h"
#include "envs/env_batch.h"
#include "services/gateway/gateway_options.h"
#include "services/learner/learner_options.h"
#include "services/replay/replay_options.h"

namespace oneagent {

struct RunOptions {
  std::string name;
  std::string folder = "runs";
  int64_t seed = 1;
  std::string mode = "sync";
  static void options(OptionList<RunOptions>& list) {
    list.add(
        "name", &RunOptions::name,
        "name of the run and of its folder; empty: the experiment file's name, then -2, -3 ...");
    list.add("folder", &RunOptions::folder, "where run folders are made");
    list.add("seed", &RunOptions::seed, "of every random stream of the run").at_least(0);
    list.add("mode", &RunOptions::mode,
             "sync: actors act with the newest weights and wait for them; overlap: they may be one "
             "update behind; async: they never wait")
        .one_of({"sync", "overlap", "async"});
  }
};

struct EnvOptions {
  std::string name = "cartpole";
  int count = 8;
  static void options(OptionList<EnvOptions>& list) {
    list.add("name", &EnvOptions::name, "environment; `oneagent list envs` names them");
    list.add("count", &EnvOptions::count, "environments in each actor").between(1, 65536);
  }
};

struct AlgorithmOptions {
  std::string name = "ppo";
  static void options(OptionList<AlgorithmOptions>& list) {
    list.add("name", &AlgorithmOptions::name, "algorithm; `oneagent list algorithms` names them");
  }
};

struct ActorOptions {
  int count = 1;
  int threads = 1;
  int index = -1;
  static void options(OptionList<ActorOptions>& list) {
    list.add("count", &ActorOptions::count, "actors of the run").between(1, 1024);
    list.add("threads", &ActorOptions::threads, "threads that step the environments of an actor")
        .between(1, 256);
    list.add("index", &ActorOptions::index, "of this actor, 0 .. count-1; -1: the first free one")
        .between(-1, 1023);
  }
};

struct LearnerOptions {
  std::string address = "tcp://127.0.0.1:5560";
  std::string bind;
  double checkpoint_seconds = 30;
  int checkpoint_updates = 0;
  int keep_checkpoints = 2;
  double sample_timeout_s = 5;
  bool graph = true;
  static void options(OptionList<LearnerOptions>& list) {
    list.add("address", &LearnerOptions::address, "where actors and evaluators find the weights");
    list.add("bind", &LearnerOptions::bind, "address that the learner listens on; empty: the same");
    list.add("checkpoint_seconds", &LearnerOptions::checkpoint_seconds,
             "time between checkpoints; 0 = only at the end")
        .at_least(0);
    list.add("checkpoint_updates", &LearnerOptions::checkpoint_updates,
             "iterations between checkpoints; 0 = by time")
        .at_least(0);
    list.add("keep_checkpoints", &LearnerOptions::keep_checkpoints,
             "complete checkpoints that are kept")
        .between(1, 1000);
    list.add("sample_timeout_s", &LearnerOptions::sample_timeout_s,
             "a wait for data longer than this is logged")
        .between(0.1, 3600);
    list.add("graph", &LearnerOptions::graph,
             "phases with a gradient are recorded and run as plans; false: op by op, with equal "
             "results");
  }
};

struct EvaluatorOptions {
  int episodes = 20;
  int lanes = 20;
  int every = 0;
  double every_s = 0;
  bool greedy = true;
  std::vector<std::string> baselines = {};
  int recordings = 4;
  static void options(OptionList<EvaluatorOptions>& list) {
    list.add("episodes", &EvaluatorOptions::episodes,
             "fixed-seed episodes of an evaluation; 0: all official ones of the environment")
        .between(0, 1'000'000);
    list.add("lanes", &EvaluatorOptions::lanes, "of them played side by side").between(1, 65536);
    list.add("every", &EvaluatorOptions::every,
             "weights versions between evaluations; 0 = as often as it can")
        .at_least(0);
    list.add("every_s", &EvaluatorOptions::every_s, "seconds between evaluations").at_least(0);
    list.add("greedy", &EvaluatorOptions::greedy,
             "the most probable action instead of a sampled one");
    list.add("baselines", &EvaluatorOptions::baselines,
             "scripted policies judged beside the policy");
    list.add("recordings", &EvaluatorOptions::recordings, "episodes recorded of an evaluation")
        .between(0, 1000);
  }
};

struct StoreOptionsSection {
  std::string address;
  static void options(OptionList<StoreOptionsSection>& list) {
    list.add("address", &StoreOptionsSection::address,
             "redis://host:port/db or sqlite:PATH; empty: SQLite in the run folder");
  }
};

struct StopOptions {
  int64_t steps = 0;
  double minutes = 0;
  double eval_return = 0;
  static void options(OptionList<StopOptions>& list) {
    list.add("steps", &StopOptions::steps, "environment steps; 0 = without").at_least(0);
    list.add("minutes", &StopOptions::minutes, "wall time; 0 = without").at_least(0);
    list.add("eval_return", &StopOptions::eval_return,
             "the first evaluation at this mean return ends the run; 0 = without");
  }
};

// Everything of one experiment. Value type; shared by all services of a process.
struct Experiment {
  RunOptions run;
  EnvOptions env;
  AlgorithmOptions algorithm;
  ActorOptions actor;
  ReplayOptions replay;
  LearnerOptions learner;
  MeshOptions learner_mesh;
  EvaluatorOptions evaluator;
  GatewayOptions gateway;
  StoreOptionsSection store;
  StopOptions stop;
  Json env_options;        // the environment's own keys, for training
  Json eval_env_options;   // the same with what [evaluator.env] changes
  Json algorithm_options;  // the algorithm's own keys
  Json resolved;           // every section, defaults included
  std::string hash;  // of what decides the result: run.seed and mode, env, algorithm, actor.count
  RunPlace place;    // run name, folder and store address

  int64_t lag() const { return run.mode == "sync" ? 0 : run.mode == "overlap" ? 1 : 1'000'000'000; }
};

// The tables of a process: what this build knows.
struct Registry {
  EnvTable envs;
  AlgorithmTable algorithms;
  Registry();
};

// Reads and checks everything; unknown keys, environments and algorithms are errors that name the
// nearest valid one. Without [run] name the run is called like the file; with `fresh` a number is
// added when that folder exists.
Experiment read_experiment(Config config, const Registry& registry, bool fresh = false);

// Written by the learner when the run has reached its end, as opposed to a stop that is resumed.
fs::path finished_file(const Experiment& experiment);

// What networks are built for, from the environment's spec.
PolicySpec policy_spec(const EnvSpec& spec, int actors = 1);
std::unique_ptr<Algorithm> make_algorithm(const Experiment& experiment, const Registry& registry);

}  // namespace oneagent
