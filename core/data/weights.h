// A versioned set of parameters and of everything else that acting needs (observation normaliser
// included), as it is published and stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/array_set.h"

namespace oneagent::ring {

// Which part of a logical tensor an array is.
struct Shard {
  Shape shape;                   // of the whole
  std::vector<int64_t> offsets;  // of the part, one for each dimension
  uint64_t hash = 0;             // XXH3 (64 bits) of the part's bytes
};

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
  std::vector<Shard> shards;         // one for each of the tensors; empty: they are whole
  std::vector<std::string> sources;  // where the shards of other ranks are published
};

}  // namespace oneagent::ring
