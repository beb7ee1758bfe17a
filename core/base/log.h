// Logging: one line per event on stderr, "time level service: text". spdlog stays inside log.cc.
#pragma once

#include <string>
#include <string_view>

#include "core/base/text.h"

namespace oneagent {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// Name shown in every following line of this thread ("actor-0"); empty means the process name only.
void set_log_name(std::string_view name);
void set_log_level(LogLevel level);
LogLevel parse_log_level(std::string_view name);  // throws Error naming the valid ones
void log_line(LogLevel level, const std::string& text);

template <class... Parts>
void log_debug(const Parts&... parts) {
  log_line(LogLevel::kDebug, str(parts...));
}
template <class... Parts>
void log_info(const Parts&... parts) {
  log_line(LogLevel::kInfo, str(parts...));
}
template <class... Parts>
void log_warning(const Parts&... parts) {
  log_line(LogLevel::kWarning, str(parts...));
}
template <class... Parts>
void log_error(const Parts&... parts) {
  log_line(LogLevel::kError, str(parts...));
}

}  // namespace oneagent
