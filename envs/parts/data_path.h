// Where a data file named in an options table lies: as written (relative to the working folder), else below the folder $ONEAGENT_DATA.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace oneagent {

// Throws Error naming every place that was tried. `what` names the option: "[env] map".
std::filesystem::path find_data(const std::string& path, std::string_view what);

}  // namespace oneagent
