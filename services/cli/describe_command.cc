#include <cstdio>

#include "core/ops/op.h"
#include "services/cli/cli.h"

namespace oneagent {
namespace {

const std::map<std::string, std::vector<OptionInfo>>& sections() {
  static const std::map<std::string, std::vector<OptionInfo>> all = {
      {"run", describe_options<RunOptions>()},
      {"env", describe_options<EnvOptions>()},
      {"algorithm", describe_options<AlgorithmOptions>()},
      {"actor", describe_options<ActorOptions>()},
      {"replay", describe_options<ReplayOptions>()},
      {"learner", describe_options<LearnerOptions>()},
      {"learner.parallel", describe_options<MeshOptions>()},
      {"evaluator", describe_options<EvaluatorOptions>()},
      {"gateway", describe_options<GatewayOptions>()},
      {"store", describe_options<StoreOptionsSection>()},
      {"stop", describe_options<StopOptions>()}};
  return all;
}

Json to_json(const std::vector<OptionInfo>& infos) {
  Json out = Json::array();
  for (const OptionInfo& info : infos)
    out.push_back({{"name", info.name},
                   {"type", info.type},
                   {"default", info.default_value},
                   {"valid", info.valid},
                   {"meaning", info.meaning}});
  return out;
}

void print(const std::vector<OptionInfo>& infos) {
  for (const OptionInfo& info : infos) {
    std::printf("  %-22s %-18s default %-14s %s%s%s\n", info.name.c_str(), info.type.c_str(),
                info.default_value.dump().c_str(), info.meaning.c_str(),
                info.valid.empty() ? "" : "; valid: ", info.valid.c_str());
  }
}

int show(const std::string& kind, const std::string& name, const std::string& summary,
         const std::vector<OptionInfo>& infos, bool json) {
  if (json) {
    std::printf(
        "%s\n",
        Json({{"kind", kind}, {"name", name}, {"summary", summary}, {"options", to_json(infos)}})
            .dump()
            .c_str());
    return 0;
  }
  std::printf("%s %s%s%s\n", kind.c_str(), name.c_str(), summary.empty() ? "" : ": ",
              summary.c_str());
  print(infos);
  return 0;
}

}  // namespace

int describe_command(const std::string& kind, const std::string& name, bool json) {
  const Registry registry;
  if (kind == "env") {
    const EnvEntry& entry = registry.envs.find(name);
    return show(kind, name, entry.summary, entry.describe_options(), json);
  }
  if (kind == "algorithm") {
    const AlgorithmEntry& entry = registry.algorithms.at(name);
    return show(kind, name, entry.summary, entry.options, json);
  }
  OA_REQUIRE(kind == "section", "describe: unknown kind \"", kind, "\"",
             suggestion(kind, {"env", "algorithm", "section"}));
  std::vector<std::string> names;
  for (const auto& [section, infos] : sections()) names.push_back(section);
  const auto found = sections().find(name);
  OA_REQUIRE(found != sections().end(), "describe: the experiment file has no section [", name, "]",
             suggestion(name, names));
  return show(kind, name, "", found->second, json);
}

int list_command(const std::string& what, bool json) {
  const Registry registry;
  std::vector<std::string> names;
  if (what == "envs") {
    names = registry.envs.names();
  } else if (what == "algorithms") {
    for (const AlgorithmEntry& entry : registry.algorithms.entries()) names.push_back(entry.name);
  } else if (what == "presets") {
    names = preset_names();
  } else if (what == "ops") {
    OpTable table;
    register_all(table);
    for (const Op* op : table.ops()) names.emplace_back(op->name);
  } else {
    throw_error(str("list: unknown \"", what, "\"",
                    suggestion(what, {"envs", "algorithms", "presets", "ops"})));
  }
  if (json)
    std::printf("%s\n", Json(names).dump().c_str());
  else
    for (const std::string& name : names) std::printf("%s\n", name.c_str());
  return 0;
}

}  // namespace oneagent
