// The threads behind Stream::parallel_for: one pool for each thread that asks for helpers
// (core/strand's ThreadPool).
#pragma once

#include "core/tensor/stream.h"

namespace oneagent {

// A runner with `count` threads, this one included, that lives as long as the calling thread; null
// for one thread.
ParallelRunner* parallel_runner(int count);
int parallel_runner_threads();

}  // namespace oneagent
