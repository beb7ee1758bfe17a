#include "core/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "core/base/check.h"

namespace oneagent {
namespace {

thread_local std::string thread_name;  // who writes; set once per service thread

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>(
        "oneagent", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
    made->set_pattern("%H:%M:%S.%e %^%l%$ %v");
    return made;
  }();
  return *instance;
}

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

}  // namespace

void set_log_name(std::string_view name) { thread_name = name; }
void set_log_level(LogLevel level) { logger().set_level(to_spdlog(level)); }

LogLevel parse_log_level(std::string_view name) {
  if (name == "debug") return LogLevel::kDebug;
  if (name == "info") return LogLevel::kInfo;
  if (name == "warning") return LogLevel::kWarning;
  if (name == "error") return LogLevel::kError;
  if (name == "off") return LogLevel::kOff;
  throw_error(str("log: unknown level \"", name, "\"",
                  suggestion(name, {"debug", "info", "warning", "error", "off"})));
}

void log_line(LogLevel level, const std::string& text) {
  if (thread_name.empty()) {
    logger().log(to_spdlog(level), text);
  } else {
    logger().log(to_spdlog(level), thread_name + ": " + text);
  }
}

}  // namespace oneagent
