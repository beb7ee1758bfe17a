// The command line: `oneagent COMMAND`. One file per command; main.cc only calls run_cli().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "services/experiment.h"

namespace oneagent {

// Parses and runs; the exit code is 0, 1 (failure) or 2 (bad input). Never throws: errors go to
// stderr as one line.
OA_API int run_cli(int argc, const char* const* argv);

// What commands share.
struct ExperimentArguments {
  std::string file;                    // a path, or the name of a preset
  std::vector<std::string> overrides;  // --set section.key=value
};
// Finds the file (a path, or a preset by name) and reads it; unknown names are errors with the
// nearest preset.
Experiment load_experiment(const ExperimentArguments& arguments, const Registry& registry,
                           bool fresh);
std::vector<std::string> preset_names();

struct TrainArguments {
  ExperimentArguments experiment;
  bool json = false;
  bool dashboard = false;
  bool quiet = false;
  bool skip_final_eval = false;
};
int train_command(const TrainArguments& arguments);
int resume_command(const std::string& run_folder, TrainArguments arguments);

struct PlanArguments {
  ExperimentArguments experiment;
  int pipeline = 1;       // above 1: what a pipeline of so many ranks would be
  int micro_batches = 0;  // 0: twice as many
  std::string schedule = "1f1b";
  int stages_per_rank = 1;
};
// How the learner's phases run: calls, memory and, with [learner.parallel], what is split and why;
// or the stages, the schedule and the idle share of a pipeline.
int plan_command(const PlanArguments& arguments);

struct EvalArguments {
  std::string run_folder;
  std::vector<std::string> overrides;
  std::optional<int64_t> episodes;  // none: as the run says
  bool baselines = true;
  bool json = false;
};
int eval_command(const EvalArguments& arguments);

// One service in this process, over tcp or ipc: actor, replay, learner, evaluator, gateway.
int serve_command(const std::string& service, const ExperimentArguments& arguments);

struct RankArguments {
  ExperimentArguments experiment;  // the file may also be a run folder
  int index = -1;                  // of the rank; -1: as the experiment says
  int parent = 0;                  // the learner's process, when it started this one
};
// One rank of the learner in this process.
int rank_command(const RankArguments& arguments);

struct StatusArguments {
  std::string run;  // name or folder; empty: the newest below runs/
  std::string folder = "runs";
  std::string store;  // empty: SQLite in the run folder
  bool json = false;
  std::string health;  // exit 0 when this service is alive and not failed
};
int status_command(const StatusArguments& arguments);

// Whether every acknowledged chunk of a run that has stopped is in the replay's ledger; 1 when one
// is missing.
int audit_command(const std::string& run_folder, bool json);

int list_command(const std::string& what, bool json);
int describe_command(const std::string& kind, const std::string& name, bool json);
int version_command(bool json);

}  // namespace oneagent
