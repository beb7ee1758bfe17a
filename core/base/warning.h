// TORCH_WARN and who hears it: c10::WarningHandler. The default handler writes to std::cerr.
#pragma once

#include <string>

#include "core/base/check.h"

namespace oneagent {

class WarningHandler {
 public:
  virtual ~WarningHandler() = default;
  // `verbatim`: the text needs no place in the source beside it.
  virtual void process(const SourceLocation& source_location, const std::string& message,
                       bool verbatim);
};

namespace Warning {

void warn(const SourceLocation& source_location, const std::string& message, bool verbatim);
void set_warning_handler(WarningHandler* handler) noexcept;  // of this thread; null: the default
WarningHandler* get_warning_handler() noexcept;
void set_warnAlways(bool on) noexcept;  // TORCH_WARN_ONCE warns each time
bool get_warnAlways() noexcept;

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
