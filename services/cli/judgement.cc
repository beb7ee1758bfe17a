#include "services/cli/judgement.h"

#include <cstdio>

#include "core/io/safetensors.h"
#include "core/nn/state.h"
#include "core/optim/state.h"
#include "services/evaluator/judge.h"

namespace oneagent {

Json judge_run(const Registry& registry, const Experiment& e, bool baselines) {
  const fs::path file = e.place.folder / "weights" / "final.safetensors";
  OA_REQUIRE(fs::exists(file), "eval: ", file.string(),
             " is missing: the run has not ended yet, or was killed; `oneagent resume ",
             e.place.folder.string(), "` goes on from its last checkpoint");
  const std::unique_ptr<Algorithm> algorithm = make_algorithm(e, registry);
  load_state(algorithm->model(), io::load_safetensors(file).arrays);
  Judge judge(registry, e);
  Json out = judge.policy(*algorithm).to_json();
  if (!baselines) return out;
  for (const std::string& name : e.evaluator.baselines)
    out["baselines"][name] = judge.baseline(name).to_json();
  return out;
}

std::string judgement_table(const Json& judgement) {
  std::string out = "                    return   95% interval        episodes";
  const bool path = judgement.contains("spl");
  out += path ? "   success    SPL\n" : "\n";
  const auto row = [&](const std::string& name, const Json& scores) {
    char buffer[256];
    std::snprintf(buffer, sizeof buffer, "%-16s %9.3f   %8.3f %8.3f   %8d", name.c_str(),
                  scores.value("eval_return", 0.0), scores.value("ci_low", 0.0),
                  scores.value("ci_high", 0.0), scores.value("episodes", 0));
    out += buffer;
    if (path) {
      std::snprintf(buffer, sizeof buffer, "   %6.1f%%  %.4f", 100 * scores.value("success", 0.0),
                    scores.value("spl", 0.0));
      out += buffer;
    }
    out += '\n';
  };
  row("policy", judgement);
  if (judgement.contains("baselines"))
    for (const auto& [name, scores] : judgement["baselines"].items()) row(name, scores);
  return out;
}

}  // namespace oneagent
