#include "envs/parts/data_path.h"

#include <cstdlib>

#include "core/base/check.h"

namespace oneagent {

std::filesystem::path find_data(const std::string& path, std::string_view what) {
  namespace fs = std::filesystem;
  if (fs::is_regular_file(path)) return path;
  std::string tried = fs::absolute(path).string();
  if (const char* folder = std::getenv("ONEAGENT_DATA"); folder != nullptr && fs::path(path).is_relative()) {
    const fs::path below = fs::path(folder) / path;
    if (fs::is_regular_file(below)) return below;
    tried += " and " + below.string();
  }
  throw_error(str(what, ": ", path, ": no such file (tried ", tried, "); write a path from the working folder, an absolute path, or set ONEAGENT_DATA"));
}

}  // namespace oneagent
