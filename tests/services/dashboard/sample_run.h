// Writes run folders as a training run leaves them, with made-up figures that a test knows, for
// looking at the dashboard.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/file.h"

namespace oneagent {

struct SampleRun {
  std::string name;
  std::string env;  // "grid_path" or "cartpole"
  int seed = 1;
  int evaluations = 40;  // every 10,000 steps, the last at 10,000 * evaluations
  double best = 0.95;    // SPL (or return / 500) that the curve approaches
  bool recordings = false;
};

// Environment steps of evaluation k, k = 1 .. evaluations.
inline int64_t sample_step(int evaluation) { return 10000 * int64_t{evaluation}; }
// SPL at that evaluation, without noise.
double sample_spl(const SampleRun& run, int evaluation);

void write_sample_run(const fs::path& runs_folder, const SampleRun& run);
// One more learner row and evaluation, as of now.
void append_sample_rows(const fs::path& runs_folder, const SampleRun& run, int evaluation);

}  // namespace oneagent
