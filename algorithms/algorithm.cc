#include "algorithms/algorithm.h"

namespace oneagent {

void AlgorithmTable::add(AlgorithmEntry entry) {
  for (const AlgorithmEntry& known : entries_)
    OA_REQUIRE(known.name != entry.name, "algorithms: ", entry.name, " is registered twice");
  entries_.push_back(std::move(entry));
}

const AlgorithmEntry& AlgorithmTable::at(const std::string& name) const {
  std::vector<std::string> names;
  for (const AlgorithmEntry& entry : entries_) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw_error(str("algorithms: unknown \"", name, "\"", suggestion(name, names)));
}

}  // namespace oneagent
