// Code and schema versions, written into every artefact.
#pragma once

#include <string>

namespace oneagent {

inline constexpr int kSchemaVersion = 1;  // of every wire message, checkpoint and recording
std::string code_version();               // "0.1.0+<git commit>[-dirty]" fixed at build time

}  // namespace oneagent
