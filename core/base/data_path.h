// Where data files named in experiment files are found: as given; then below each folder of
// OA_DATA; then beside the program (the source tree or an installation).
#pragma once

#include <string>
#include <vector>

#include "core/base/file.h"

namespace oneagent {

std::vector<fs::path> data_roots();
// The first that exists, or the path as given: opening it then gives the error.
fs::path find_data(const std::string& path);

}  // namespace oneagent
