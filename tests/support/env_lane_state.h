// The float64 state of lane 0 of a saved batch of a control environment, for comparison with an
// oracle to full precision.
#pragma once

#include <vector>

#include "envs/env_batch.h"

namespace oneagent::testing {

inline std::vector<double> lane_state(const EnvBatch& batch, size_t size) {
  ByteWriter out;
  batch.save(out);
  ByteReader in(out.bytes(), "saved batch");
  in.get<std::array<uint32_t, 2>>();  // magic, version
  in.get_text();                      // name
  in.get_text();                      // options
  in.get<int>();                      // lanes
  in.get<uint64_t>();                 // seed
  in.get<std::array<int, 2>>();       // place in the set
  in.get<uint8_t>();                  // started
  in.get_rng();
  in.get<int64_t>();  // episode
  in.get<int32_t>();  // length
  in.get<double>();   // return
  std::vector<double> state(size);
  for (double& value : state) value = in.get<double>();
  return state;
}

}  // namespace oneagent::testing
