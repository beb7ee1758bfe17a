#include "core/base/check.h"

namespace oneagent {

void throw_error(const std::string& message) { throw Error(message); }

void throw_broken(const char* condition, const char* file, int line, const std::string& message) {
  throw Error(
      str("internal error: ", message, " [", condition, " failed at ", file, ":", line, "]"));
}

}  // namespace oneagent
