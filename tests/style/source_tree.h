// The files of the source tree, as the rules see them. Build folders, run folders, dependencies and
// version control are left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oneagent::style {

struct SourceFile {
  std::string path;  // from the root, "core/base/check.h"
  std::string text;

  std::string_view name() const;              // "check.h"
  std::string_view stem() const;              // "check"
  std::string_view folder() const;            // "core/base"
  bool is_cpp() const;                        // .h or .cc
  std::vector<std::string> includes() const;  // of quoted includes, in order
};

// Every text file, read once per process and sorted by path. Files above 1 MB and binary ones are
// left out.
const std::vector<SourceFile>& source_tree();

std::vector<std::string> lines(std::string_view text);
// One complaint a line, for failure messages.
std::string join(const std::vector<std::string>& complaints);

}  // namespace oneagent::style
