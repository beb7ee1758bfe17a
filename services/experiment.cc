#include "services/experiment.h"

#include <algorithm>
#include <filesystem>

#include "core/base/hash.h"

namespace oneagent {
namespace {

// The keys of `section` that belong to the named environment or algorithm.
Json own_keys(Config& config, const std::string& section, const std::vector<OptionInfo>& infos) {
  Json out = Json::object();
  for (const OptionInfo& info : infos) {
    config.know(section, info.name);
    if (const Json* value = config.find(section, info.name)) out[info.name] = *value;
  }
  return out;
}

void require_option(const Config& config, const std::string& section, const std::string& key,
                    const std::vector<OptionInfo>& infos) {
  std::vector<std::string> names;
  for (const OptionInfo& info : infos) names.push_back(info.name);
  OA_REQUIRE(std::find(names.begin(), names.end(), key) != names.end(), "config: ", config.name(),
             ": [", section, "] ", key, ": unknown key", suggestion(key, names));
}

// What is wrong only together, and would show as a wait without end.
void check_together(const Experiment& e, const std::string& file) {
  OA_REQUIRE(e.actor.index < e.actor.count, "config: ", file, ": [actor] index is ", e.actor.index,
             ", with [actor] count ", e.actor.count, " it must be -1 .. ", e.actor.count - 1);
  OA_REQUIRE(e.replay.ordered_actors == 0 || e.replay.ordered_actors == e.actor.count,
             "config: ", file, ": [replay] ordered_actors is ", e.replay.ordered_actors,
             ", [actor] count is ", e.actor.count,
             "; leave ordered_actors out, or give it that number");
  OA_REQUIRE(e.replay.capacity_bytes >= 2 * e.replay.segment_bytes, "config: ", file,
             ": [replay] capacity_bytes is ", e.replay.capacity_bytes,
             ", too little for two files of segment_bytes ", e.replay.segment_bytes);
  OA_REQUIRE(!e.learner_mesh.several() || e.learner.graph, "config: ", file,
             ": [learner.parallel] splits phases that run as graphs; leave [learner] graph = false "
             "out, or parallel");
}

// The options with defaults filled in, as the resolved configuration shows them.
Json with_defaults(Json given, const std::vector<OptionInfo>& infos) {
  for (const OptionInfo& info : infos)
    if (!given.contains(info.name)) given[info.name] = info.default_value;
  return given;
}

// The first free of NAME, NAME-2, NAME-3 ... below `folder`.
std::string free_run_name(const fs::path& folder, const std::string& stem) {
  std::string name = stem;
  for (int i = 2; fs::exists(folder / name); ++i) name = str(stem, "-", i);
  return name;
}

}  // namespace

Registry::Registry() {
  register_all(envs);
  register_all(algorithms);
}

Experiment read_experiment(Config config, const Registry& registry, bool fresh) {
  Experiment e;
  config.know("evaluator", "env");
  const Json* found = config.find("evaluator", "env");
  const Json eval_env = found == nullptr ? Json::object() : *found;
  OA_REQUIRE(eval_env.is_object(), "config: ", config.name(),
             ": [evaluator] env: expected a table such as { mode = \"eval\" }, was ",
             eval_env.dump());
  config.know("learner", "parallel");
  const Json* mesh = config.find("learner", "parallel");
  e.learner_mesh = parse_mesh(mesh != nullptr ? *mesh : Json::object(),
                              str("config: ", config.name(), ": [learner.parallel]"));
  e.run = config.section<RunOptions>("run");
  e.env = config.section<EnvOptions>("env");
  e.algorithm = config.section<AlgorithmOptions>("algorithm");
  e.actor = config.section<ActorOptions>("actor");
  e.replay = config.section<ReplayOptions>("replay");
  e.learner = config.section<LearnerOptions>("learner");
  e.evaluator = config.section<EvaluatorOptions>("evaluator");
  e.gateway = config.section<GatewayOptions>("gateway");
  e.store = config.section<StoreOptionsSection>("store");
  e.stop = config.section<StopOptions>("stop");

  const std::vector<OptionInfo> env_infos = registry.envs.find(e.env.name).describe_options();
  const std::vector<OptionInfo> algorithm_infos = registry.algorithms.at(e.algorithm.name).options;
  e.env_options = own_keys(config, "env", env_infos);
  e.algorithm_options = own_keys(config, "algorithm", algorithm_infos);
  e.eval_env_options = e.env_options;
  for (const auto& [key, value] : eval_env.items()) {
    require_option(config, "evaluator.env", key, env_infos);
    e.eval_env_options[key] = value;
  }
  config.require_all_known();
  registry.envs.spec(
      e.env.name,
      e.env_options);  // wrong options and missing files show here, before anything starts
  if (!eval_env.empty()) {
    try {
      registry.envs.spec(e.env.name, e.eval_env_options);
    } catch (const Error& error) {
      throw_error(str("config: ", config.name(), ": [evaluator.env]: ", error.what()));
    }
  }
  check_together(e, config.name());

  if (e.run.name.empty()) {
    const std::string stem = fs::path(config.name()).stem().string();
    e.run.name = fresh ? free_run_name(e.run.folder, stem) : stem;
  }
  // Several synchronous actors are merged in their order, so that the result does not depend on who
  // is faster.
  if (e.run.mode == "sync" && e.actor.count > 1 && e.replay.ordered_actors == 0)
    e.replay.ordered_actors = e.actor.count;
  e.resolved = config.resolved();
  e.resolved["run"]["name"] = e.run.name;
  e.resolved["env"] = with_defaults(e.env_options, env_infos);
  e.resolved["env"].update(options_to_json(e.env));
  e.resolved["algorithm"] = with_defaults(e.algorithm_options, algorithm_infos);
  e.resolved["algorithm"].update(options_to_json(e.algorithm));
  if (!eval_env.empty()) e.resolved["evaluator"]["env"] = eval_env;
  e.resolved["learner"]["parallel"] =
      e.learner_mesh.or_fewer ? Json("auto") : options_to_json(e.learner_mesh);
  const Json decisive = {{"env", e.resolved["env"]},
                         {"algorithm", e.resolved["algorithm"]},
                         {"seed", e.run.seed},
                         {"mode", e.run.mode},
                         {"actors", e.actor.count}};
  e.hash = sha256(decisive.dump());
  e.place.run = e.run.name;
  e.place.folder = fs::path(e.run.folder) / e.run.name;
  e.place.store = e.store.address.empty() ? "sqlite:" + (e.place.folder / "store.sqlite").string()
                                          : e.store.address;
  return e;
}

fs::path finished_file(const Experiment& e) { return e.place.folder / "finished.json"; }

PolicySpec policy_spec(const EnvSpec& spec, int actors) {
  return {spec.observation_shape, spec.action, spec.has_action_mask, actors};
}

std::unique_ptr<Algorithm> make_algorithm(const Experiment& e, const Registry& registry) {
  const EnvSpec spec = registry.envs.spec(e.env.name, e.env_options);
  return registry.algorithms.at(e.algorithm.name)
      .make(policy_spec(spec, e.actor.count), e.algorithm_options,
            seed_of({static_cast<uint64_t>(e.run.seed), hash_text("algorithm")}));
}

}  // namespace oneagent
