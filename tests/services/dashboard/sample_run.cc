#include "tests/services/dashboard/sample_run.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/rng.h"
#include "core/base/text.h"
#include "tests/services/dashboard/sample_recording.h"

namespace oneagent {
namespace {

constexpr int kLearnerRows = 10;  // for each evaluation
constexpr int64_t kEvaluationMs = 8000;

double wobble(Rng& rng, double size) { return size * (2 * rng.uniform() - 1); }

void add(const fs::path& run, const std::string& service, const Json& row) {
  std::ofstream(run / "metrics" / (service + ".jsonl"), std::ios::app) << row.dump() << '\n';
}

Json score(const SampleRun& run, double spl, Rng& rng) {
  const bool grid = run.env == "grid_path";
  const double value = grid ? 20 * spl - 8 : 500 * spl;
  const double half = grid ? 0.8 : 25;
  Json row = {{"eval_return", value},
              {"ci_low", value - half},
              {"ci_high", value + half},
              {"iqm", value},
              {"episodes", 200}};
  Json returns = Json::array();
  for (int i = 0; i < 20; ++i) returns.push_back(value + wobble(rng, 3 * half));
  row["returns"] = returns;
  if (grid) {
    row["spl"] = spl;
    row["success"] = std::min(1.0, spl + 0.04);
    row["cost"] = 48.0 / std::max(0.3, spl);
  }
  return row;
}

void add_evaluation(const fs::path& folder, const SampleRun& run, int k, int64_t time_ms,
                    Rng& rng) {
  const double spl = std::clamp(sample_spl(run, k) + wobble(rng, 0.015), 0.0, 1.0);
  for (int part = 0; part < kLearnerRows; ++part) {
    const int64_t step = sample_step(k - 1) + (part + 1) * 1000;
    const int64_t time = time_ms - kEvaluationMs + (part + 1) * kEvaluationMs / kLearnerRows;
    const double rate = 9000 + wobble(rng, 900);
    const double done = static_cast<double>(k) + part * 0.1;
    add(folder, "learner",
        {{"t", time},
         {"step", step},
         {"version", 10 * k + part},
         {"updates", 40 * k},
         {"steps_per_s", rate},
         {"loss",
          {{"policy", -0.02 + wobble(rng, 0.01)},
           {"value", 4 / (1 + 0.2 * done) + wobble(rng, 0.1)},
           {"entropy", 1.9 - 0.03 * done}}}});
    for (int actor = 0; actor < 2; ++actor)
      add(folder, str("actor-", actor),
          {{"t", time},
           {"step", step / 2},
           {"version", 10 * k + part - actor},
           {"lag", actor},
           {"steps_per_s", rate / 2},
           {"episode_return",
            (run.env == "grid_path" ? 20 * spl - 9 : 470 * spl) + wobble(rng, 1.5)}});
  }
  Json row = score(run, spl, rng);
  row["t"] = time_ms;
  row["version"] = 10 * k;
  row["step"] = sample_step(k);
  if (run.env == "grid_path") {
    row["baselines"]["greedy"] = {
        {"eval_return", 6.1}, {"spl", 0.83}, {"success", 0.92}, {"episodes", 200}};
    row["baselines"]["window_planner"] = {
        {"eval_return", 7.9}, {"spl", 0.88}, {"success", 0.97}, {"episodes", 200}};
  }
  add(folder, "evaluator", row);
}

}  // namespace

double sample_spl(const SampleRun& run, int evaluation) {
  return run.best * (1 - std::exp(-evaluation / 8.0));
}

void append_sample_rows(const fs::path& runs_folder, const SampleRun& run, int evaluation) {
  Rng rng(static_cast<uint64_t>(run.seed * 7919 + evaluation));
  add_evaluation(runs_folder / run.name, run, evaluation, wall_ms(), rng);
}

void write_sample_run(const fs::path& runs_folder, const SampleRun& run) {
  const fs::path folder = runs_folder / run.name;
  for (const char* part : {"metrics", "recordings"}) fs::create_directories(folder / part);
  Json config = {{"run", {{"name", run.name}, {"seed", run.seed}}},
                 {"env", {{"name", run.env}}},
                 {"algorithm", {{"name", "ppo"}}}};
  if (run.env == "grid_path") config["env"]["map"] = "tests/data/movingai/random-64-64-20.map";
  write_atomic(folder / "resolved.json", Json({{"config", config},
                                               {"hash", sha256(config.dump())},
                                               {"code_version", "sample"},
                                               {"schema_version", 1}})
                                             .dump());
  Rng rng(static_cast<uint64_t>(run.seed));
  const int64_t start = wall_ms() - run.evaluations * kEvaluationMs;
  for (int k = 1; k <= run.evaluations; ++k)
    add_evaluation(folder, run, k, start + k * kEvaluationMs, rng);
  if (run.recordings) write_sample_recordings(folder / "recordings", run.evaluations);
}

}  // namespace oneagent
