// Which sharding signature an op call uses, one mesh dimension after the other.
#pragma once

#include <functional>
#include <vector>

#include "core/dist/cost.h"
#include "core/dist/signature.h"

namespace oneagent::distributed {

struct Placing {
  std::vector<Sharding> in;
  std::vector<Sharding> out;
  double seconds = 0;  // moving operands and computing, on one rank
};

// A logical call: where its operands lie now.
struct PlacedCall {
  const Op& op;
  const Attrs& attrs;
  Metas inputs;
  Metas results;
  const std::vector<Sharding>& from;  // of the inputs
  bool in_place = false;              // the result lies where input 0 does
};

// The placing of least time, chosen greedily along the mesh dimensions in order. Error: an in-place
// call that no signature allows.
Placing choose_placing(const PlacedCall& call, const Mesh& mesh, const CostModel& cost);

// Every placing that signatures allow, of those that are `allowed`, with the seconds that computing
// takes in it; `from` and `in_place` are not looked at. At most kMaxPlacings.
inline constexpr size_t kMaxPlacings = 256;
using Allowed = std::function<bool(size_t dim, const Signature& signature)>;
std::vector<Placing> all_placings(const PlacedCall& call, const Mesh& mesh, const CostModel& cost,
                                  const Allowed& allowed = nullptr);

}  // namespace oneagent::distributed
