// A golden file of tests/golden, read once.
#pragma once

#include <map>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"

namespace oneagent::testing {

inline const Json& golden_file(const std::string& name) {
  static std::map<std::string, Json> files;
  const auto found = files.find(name);
  if (found != files.end()) return found->second;
  return files.emplace(name, Json::parse(read_text(fs::path(OA_GOLDEN) / name))).first->second;
}

}  // namespace oneagent::testing
