// A versioned set of parameters and of everything else that acting needs (observation normaliser
// included), as it is published and stored.
#pragma once

#include <cstdint>
#include <string>

#include "core/data/array_set.h"

namespace oneagent::ring {

struct Weights {
  int64_t version = 0;
  int64_t epoch =
      0;  // checkpoint token: actors stamp their state when they see a new one; 0 = none
  int64_t env_steps = 0;  // steps learned from so far
  int64_t granted =
      0;  // actors may send chunks with a sequence below this; keeps synchronous actors in step
  uint64_t incarnation = 0;  // of the learner; a restarted learner may go back to an older version
  bool final = false;        // the run is over
  std::string config_hash;
  ArraySet tensors;
};

}  // namespace oneagent::ring
