// What a learner eats: the items that a table sampled, with what is needed to answer (priorities)
// and to trace back (lineage).
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/trajectory.h"

namespace oneagent::ring {

// A sampled item: its handle (with the generation of its slot, so that a late priority update is
// recognised) and its data.
struct SampledItem {
  uint64_t key = 0;
  uint64_t generation = 0;
  double probability = 1.0;
  ItemSpec spec;
  Chunk chunk;  // shares its bytes with the table or the message
};

struct SampleBatch {
  std::string table;
  std::vector<SampledItem> items;
};

}  // namespace oneagent::ring
