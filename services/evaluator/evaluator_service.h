// The evaluator: plays fixed-seed episodes with published weights, judges scripted baselines beside
// them, writes metrics/evaluator.jsonl and recordings/. Its own environments; training never waits
// for it. The newest score is in the store under runs/<run>/evaluation.
#pragma once

#include "core/net/context.h"
#include "core/service/service.h"
#include "services/experiment.h"

namespace oneagent {

class EvaluatorService final : public Service {
 public:
  EvaluatorService(net::Context& context, const Registry& registry, const Experiment& experiment);
  std::string name() const override { return "evaluator"; }
  void run(ServiceContext& context) override;

 private:
  class Loop;
  net::Context& net_;
  const Registry& registry_;
  const Experiment& experiment_;
};

}  // namespace oneagent
