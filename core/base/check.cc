#include "core/base/check.h"

namespace oneagent {

Error::Error(const std::string& message, std::string backtrace, const void* caller)
    : runtime_error(message), backtrace_(std::move(backtrace)), caller_(caller) {}

Error::Error(const SourceLocation& location, const std::string& message)
    : Error(message,
            str("raised from ", location.function, " at ", location.file, ':', location.line)) {}

void Error::add_context(std::string line) {
  context_.push_back(std::move(line));
  what_ = msg();
  if (context_.size() == 1)
    what_ += str(" (", context_[0], ')');
  else
    for (const std::string& entry : context_) what_ += "\n  " + entry;
}

void throw_error(const std::string& message) { throw Error(message); }

void throw_broken(const char* condition, const char* file, int line, const std::string& message) {
  throw Error(
      str("internal error: ", message, " [", condition, " failed at ", file, ":", line, "]"));
}

}  // namespace oneagent
