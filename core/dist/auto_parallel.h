// Choosing how every value of a program is sharded on a mesh: the shardings of parameters and
// inputs and the signature of every call, so that computing and moving data take the least time on
// a rank and what a rank holds stays under a limit. The choice is the best one of all combinations
// of signatures (core/dist/choice_graph.h), not a greedy one.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/dist/placing.h"
#include "core/graph/program.h"

namespace oneagent::distributed {

// What is fixed along each mesh dimension.
using Pin = std::vector<std::optional<Placement>>;
Pin pin(const Sharding& sharding);  // all of it

struct AutoOptions {
  CostModel cost;
  double memory_bytes = std::numeric_limits<double>::infinity();  // of one rank
  // Copies of a parameter that a rank holds: itself, its gradient and two moments of Adam.
  double parameter_copies = 4;
  std::map<ValueId, Pin> pins;  // what the user has fixed, of inputs and parameters
  // Mesh dimensions along which a parameter has to be split, however, where its sizes allow it.
  std::map<ValueId, std::vector<size_t>> splits;
  // Gradients and the parameters whose sharding they end in.
  std::vector<std::pair<ValueId, ValueId>> gradients;
  // Gradients end split along this mesh dimension, too (core/dist/zero.h).
  std::optional<size_t> split_gradients;

  Sharding gradient_sharding(const TensorMeta& parameter, const Mesh& mesh,
                             const Sharding& sharding) const;
};

struct ShardingPlan {
  std::vector<Placing> nodes;           // of the program's nodes
  std::map<ValueId, Sharding> sources;  // inputs and memory from outside
  double seconds = 0;                   // of one run, on one rank
  double bytes = 0;                     // that a rank holds
  bool exact = true;                    // is it proven to be the best choice
};

// Error: nothing fits under the memory limit (says what the least is and what would help), or pins
// that no signature allows.
ShardingPlan choose_shardings(const Program& program, const Mesh& mesh, const AutoOptions& options);

// What was chosen and why: shardings, data moved, and what other plans would take.
std::string explain(const Program& program, const Mesh& mesh, const AutoOptions& options,
                    const ShardingPlan& plan);

}  // namespace oneagent::distributed
