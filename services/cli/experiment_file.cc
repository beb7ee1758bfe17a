#include <algorithm>
#include <set>

#include "core/base/data_path.h"
#include "services/cli/cli.h"

namespace oneagent {
namespace {

std::vector<fs::path> preset_folders() {
  std::vector<fs::path> folders{"algorithms/presets"};
  for (const fs::path& root : data_roots()) {
    folders.push_back(root / "algorithms" / "presets");
    folders.push_back(root / "presets");
  }
  return folders;
}

fs::path find_experiment(const std::string& name) {
  OA_REQUIRE(!name.empty(), "the name of the experiment file is empty",
             suggestion(name, preset_names()));
  if (const fs::path found = find_data(name); fs::exists(found)) return found;
  if (fs::path(name).filename() == name)  // a path is not the name of a preset
    for (const fs::path& folder : preset_folders())
      for (const std::string& file : {name, name + ".toml"})
        if (fs::is_regular_file(folder / file)) return folder / file;
  throw_error(str("experiment file ", name, " does not exist, and no preset has that name",
                  suggestion(name, preset_names())));
}

}  // namespace

std::vector<std::string> preset_names() {
  std::set<std::string> names;
  for (const fs::path& folder : preset_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".toml") names.insert(entry.path().stem().string());
  }
  return {names.begin(), names.end()};
}

Experiment load_experiment(const ExperimentArguments& arguments, const Registry& registry,
                           bool fresh) {
  Experiment e = read_experiment(
      Config::from_file(find_experiment(arguments.file).string(), arguments.overrides), registry,
      fresh);
  OA_REQUIRE(is_plain_name(e.run.name),
             "[run] name: expected letters, digits and . _ - + =, not "
             "starting with a dot, at most 128, was ",
             Json(e.run.name).dump(), "; give one with --set run.name=NAME");
  return e;
}

}  // namespace oneagent
