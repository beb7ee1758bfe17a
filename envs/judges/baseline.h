// Scripted policies by name, to judge beside a trained one: those that the environment lists, and
// "random" for any with discrete actions.
//
//   auto greedy = make_baseline(table, "grid_path", "greedy", batch.spec(), batch.options());
//   greedy->act(batch.observation(), batch.action_mask(), actions);
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "envs/env.h"

namespace oneagent {

std::vector<EnvBaseline> baselines_of(const EnvTable& table, std::string_view env,
                                      const EnvSpec& spec);

// An unknown name is an Error with the nearest valid one.
std::unique_ptr<ScriptedPolicy> make_baseline(const EnvTable& table, std::string_view env,
                                              std::string_view name, const EnvSpec& spec,
                                              const Json& options);

}  // namespace oneagent
