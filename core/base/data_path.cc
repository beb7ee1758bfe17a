#include "core/base/data_path.h"

#include <cstdlib>

#include "core/base/text.h"

namespace oneagent {

std::vector<fs::path> data_roots() {
  std::vector<fs::path> roots;
  if (const char* listed = std::getenv("OA_DATA"))
    for (const std::string& root : split(listed, ':'))
      if (!root.empty()) roots.emplace_back(root);
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (!error) {
    const fs::path folder = program.parent_path();
    roots.push_back(folder.parent_path() / "share" / "oneagent");  // bin/ of an installation
    roots.push_back(folder.parent_path());                         // build/ of a source tree
  }
  return roots;
}

fs::path find_data(const std::string& path) {
  if (fs::path(path).is_absolute() || fs::exists(path)) return path;
  for (const fs::path& root : data_roots())
    if (fs::exists(root / path)) return root / path;
  return path;
}

}  // namespace oneagent
