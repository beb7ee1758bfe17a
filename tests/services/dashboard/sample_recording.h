// Recorded grid episodes on the real map random-64-64-20: the shortest path by breadth-first
// search, and a walk that strays from it.
#pragma once

#include "core/base/file.h"

namespace oneagent {

// Names "<10 * k>-<0..1>.json" for k = evaluations - 2 .. evaluations.
void write_sample_recordings(const fs::path& folder, int evaluations);

}  // namespace oneagent
