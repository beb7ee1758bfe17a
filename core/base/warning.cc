#include "core/base/warning.h"

#include <atomic>
#include <iostream>

namespace oneagent {

void WarningHandler::process(const SourceLocation& source_location, const std::string& message,
                             bool verbatim) {
  std::cerr << "Warning: " << message;
  if (!verbatim) std::cerr << " (function " << source_location.function << ')';
  std::cerr << '\n';
}

namespace Warning {
namespace {

std::atomic<bool> always{false};
thread_local WarningHandler* current = nullptr;

}  // namespace

void warn(const SourceLocation& source_location, const std::string& message, bool verbatim) {
  get_warning_handler()->process(source_location, message, verbatim);
}
void set_warning_handler(WarningHandler* handler) noexcept { current = handler; }
WarningHandler* get_warning_handler() noexcept {
  static WarningHandler usual;
  return current != nullptr ? current : &usual;
}
void set_warnAlways(bool on) noexcept { always = on; }
bool get_warnAlways() noexcept { return always; }

}  // namespace Warning

}  // namespace oneagent
