#include "core/base/version.h"

namespace oneagent {

std::string code_version() { return OA_CODE_VERSION; }

}  // namespace oneagent
