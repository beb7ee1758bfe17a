#include "core/base/text.h"
#include "envs/env.h"

namespace oneagent {

void EnvTable::add(EnvEntry entry) {
  OA_REQUIRE(
      entry.autoreset == Autoreset::kSameStep, "env ", entry.name,
      ": must declare kAutoreset = Autoreset::kSameStep, the only mode that EnvBatch serves");
  OA_REQUIRE(entry.make != nullptr && entry.describe_options != nullptr, "env ", entry.name,
             ": incomplete entry");
  const std::string name = entry.name;
  OA_REQUIRE(entries_.emplace(name, std::move(entry)).second, "env ", name, ": registered twice");
}

const EnvEntry& EnvTable::find(std::string_view name) const {
  const auto found = entries_.find(name);
  OA_REQUIRE(found != entries_.end(), "unknown environment \"", name, "\"",
             suggestion(name, names()));
  return found->second;
}

std::vector<std::string> EnvTable::names() const {
  std::vector<std::string> out;
  for (const auto& [name, entry] : entries_) out.push_back(name);
  return out;
}

EnvSpec EnvTable::spec(std::string_view name, const Json& options) const {
  const EnvEntry& entry = find(name);
  return entry.make(entry.name, options, 0)->spec();
}

}  // namespace oneagent
