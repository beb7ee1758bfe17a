#include "envs/judges/baseline.h"

#include "core/base/check.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

// Uniform over the legal actions.
class RandomPolicy final : public ScriptedPolicy {
 public:
  explicit RandomPolicy(int64_t actions)
      : count_(static_cast<uint32_t>(actions)), rng_(seed_of({hash_text("random baseline")})) {}

  void act(std::span<const float>, std::span<const uint8_t> mask,
           std::span<int32_t> actions) override {
    for (size_t i = 0; i < actions.size(); ++i) {
      do {
        actions[i] = static_cast<int32_t>(rng_.below(count_));
      } while (!mask.empty() && mask[i * count_ + actions[i]] == 0);
    }
  }

 private:
  uint32_t count_;
  Rng rng_;
};

EnvBaseline random_baseline() {
  return {"random", "uniform over the legal actions",
          [](const EnvSpec& spec, const Json&) -> std::unique_ptr<ScriptedPolicy> {
            return std::make_unique<RandomPolicy>(spec.action.count);
          }};
}

}  // namespace

std::vector<EnvBaseline> baselines_of(const EnvTable& table, std::string_view env,
                                      const EnvSpec& spec) {
  std::vector<EnvBaseline> all = table.find(env).baselines();
  if (spec.action.discrete()) all.push_back(random_baseline());
  return all;
}

std::unique_ptr<ScriptedPolicy> make_baseline(const EnvTable& table, std::string_view env,
                                              std::string_view name, const EnvSpec& spec,
                                              const Json& options) {
  std::vector<std::string> names;
  for (const EnvBaseline& baseline : baselines_of(table, env, spec)) {
    if (baseline.name == name) return baseline.make(spec, options);
    names.push_back(baseline.name);
  }
  throw_error(str(env, ": unknown baseline \"", name, "\"", suggestion(name, names)));
}

}  // namespace oneagent
