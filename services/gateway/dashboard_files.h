// The dashboard's built files, embedded into the library by CMake
// (services/dashboard/dashboard.cmake), so that the gateway serves them without any file beside it.
#pragma once

#include <span>
#include <string_view>

namespace oneagent {

struct DashboardFile {
  std::string_view path;  // "assets/dashboard.js"
  std::string_view mime;
  std::string_view hash;  // SHA-256 of the bytes
  std::string_view bytes;
};

std::span<const DashboardFile> dashboard_files();
const DashboardFile* find_dashboard_file(std::string_view path);  // or nullptr

}  // namespace oneagent
