// One evaluation of an experiment: its evaluation environments, fixed seeds, the policy or a
// scripted baseline.
#pragma once

#include <map>
#include <string>

#include "services/evaluator/evaluation.h"
#include "services/experiment.h"

namespace oneagent {

class Judge final {
 public:
  Judge(const Registry& registry, const Experiment& experiment);

  // The policy with the weights that `algorithm` holds now.
  Scores policy(Algorithm& algorithm, const std::function<bool()>& stop = {});
  // A scripted baseline of the environment by name; Error names the valid ones.
  Scores baseline(const std::string& name, const std::function<bool()>& stop = {});
  // Recorded episodes of the policy, ready for recordings/<name>.json; empty when the environment
  // draws nothing.
  std::vector<Json> record(Algorithm& algorithm, int episodes);

  int episodes() const { return episodes_; }

 private:
  std::unique_ptr<EnvBatch> make_envs(int lanes) const;

  const Registry& registry_;
  const Experiment& e_;
  int episodes_;
};

}  // namespace oneagent
