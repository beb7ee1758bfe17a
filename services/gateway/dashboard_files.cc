#include "services/gateway/dashboard_files.h"

namespace oneagent {

const DashboardFile* find_dashboard_file(std::string_view path) {
  for (const DashboardFile& file : dashboard_files())
    if (file.path == path) return &file;
  return nullptr;
}

}  // namespace oneagent
