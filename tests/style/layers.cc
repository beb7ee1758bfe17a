#include "tests/style/layers.h"

#include <map>
#include <set>
#include <vector>

namespace oneagent::style {
namespace {

// Direct permissions; reach() closes them.
const std::map<std::string, std::vector<std::string>, std::less<>>& table() {
  static const std::map<std::string, std::vector<std::string>, std::less<>> layers = {
      {"core/base", {}},
      {"proto", {}},
      {"core/strand", {"core/base"}},
      {"core/data", {"core/base"}},
      {"core/net", {"core/strand", "core/data", "proto"}},
      {"core/store", {"core/base"}},
      {"core/service", {"core/net", "core/store"}},
      {"core/tensor", {"core/base"}},
      {"core/kernels", {"core/tensor", "core/strand"}},
      {"core/backends", {"core/kernels"}},
      {"core/graph", {"core/kernels"}},
      {"core/ops", {"core/graph"}},
      {"core/io", {"core/ops", "core/data"}},
      {"core/nn", {"core/io"}},
      {"core/optim", {"core/io"}},
      {"core/distributions", {"core/ops"}},
      {"core/comm", {"core/tensor", "core/strand"}},
      {"core/dist", {"core/ops", "core/comm"}},
      {"core/plan", {"core/dist", "proto"}},
      {"core/runtime", {"core/plan", "core/strand"}},
      {"core/torch", {"core/nn", "core/optim", "core/distributions", "core/runtime"}},
      {"envs", {"core/base", "core/data", "core/strand"}},
      {"algorithms", {"core/data", "core/nn", "core/optim", "core/distributions"}},
  };
  return layers;
}

std::string layer_of(std::string_view path) {
  for (const auto& [layer, allowed] : table()) {
    if (path.starts_with(layer + "/")) return layer;
  }
  return path.starts_with("services/") ? "services" : "";
}

std::set<std::string> reach(const std::string& layer) {
  std::set<std::string> seen = {layer};
  std::vector<std::string> open = {layer};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    for (const std::string& allowed : table().at(next)) {
      if (seen.insert(allowed).second) open.push_back(allowed);
    }
  }
  return seen;
}

// "services/replay/table.h" -> "replay"; files directly in services/ belong to all services: "".
std::string service_of(std::string_view path) {
  path.remove_prefix(std::string_view("services/").size());
  const size_t slash = path.find('/');
  return slash == std::string_view::npos ? "" : std::string(path.substr(0, slash));
}

// A service sees of another one its clients and, for the experiment file, its options. The command
// line makes them all.
std::string service_complaint(std::string_view file, std::string_view included) {
  const std::string from = service_of(file), to = service_of(included);
  if (to.empty() || from == to || from == "cli") return "";
  if (included.ends_with("_client.h")) return "";
  if (from.empty() && included == "services/" + to + "/" + to + "_options.h") return "";
  return "of another service only its *_client.h may be included";
}

}  // namespace

std::string include_complaint(std::string_view file, std::string_view included) {
  const std::string from = layer_of(file), to = layer_of(included);
  if (from.empty() || to.empty() || from == to)
    return from == "services" && to == "services" ? service_complaint(file, included) : "";
  if (from == "services") return "";
  if (to == "services") return from + " may not include a service";
  if (from == "algorithms" && (included == "envs/env.h" || included == "envs/game.h")) return "";
  if (!reach(from).contains(to)) return from + " may not include " + to;
  return "";
}

}  // namespace oneagent::style
