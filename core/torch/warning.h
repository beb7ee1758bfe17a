// TORCH_WARN and who hears it: c10::WarningHandler. The usual handler writes to std::cerr.
#pragma once

#include <atomic>
#include <cstdint>
#include <iostream>
#include <string>

namespace oneagent {

struct SourceLocation {
  const char* function;
  const char* file;
  uint32_t line;
};

class WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  // `verbatim`: the text needs no place in the source beside it.
  virtual void process(const SourceLocation& source_location, const std::string& message,
                       bool verbatim) {
    std::cerr << "Warning: " << message;
    if (!verbatim) std::cerr << " (function " << source_location.function << ')';
    std::cerr << '\n';
  }
};

namespace Warning {

namespace detail {
inline std::atomic<bool> always{false};
inline thread_local WarningHandler* current = nullptr;
}  // namespace detail

// Of this thread; null: the usual one.
inline void set_warning_handler(WarningHandler* handler) noexcept { detail::current = handler; }
inline WarningHandler* get_warning_handler() noexcept {
  static WarningHandler usual;
  return detail::current != nullptr ? detail::current : &usual;
}
inline void warn(const SourceLocation& location, const std::string& message, bool verbatim) {
  get_warning_handler()->process(location, message, verbatim);
}
inline void set_warnAlways(bool on) noexcept { detail::always = on; }  // TORCH_WARN_ONCE, too
inline bool get_warnAlways() noexcept { return detail::always; }

struct WarnAlways {  // for a scope
  explicit WarnAlways(bool on = true) : before_(get_warnAlways()) { set_warnAlways(on); }
  ~WarnAlways() { set_warnAlways(before_); }

 private:
  bool before_;
};

}  // namespace Warning
namespace WarningUtils {
using namespace Warning;
}

}  // namespace oneagent
