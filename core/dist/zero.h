// ZeRO (Rajbhandari et al. 2020): what ranks that share out the rows of a batch would hold as equal
// copies is split over them, as a rewrite of shardings along their mesh dimension. With n ranks,
// for a parameter, its gradient and the optimizer's state:
//
//   stage 1   the state is split; a rank steps its part of the parameter, the parts are gathered
//   stage 2   the gradient too: it is reduced into parts as soon as backward has it
//   stage 3   the parameter too: it is gathered for the calls that read it and dropped after them
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/dist/auto_parallel.h"

namespace oneagent::distributed {

// `sharding` with an axis split along mesh dimension `dim`, the one that leaves the smallest part.
// Unchanged where this dimension splits it already, or where nothing can be split: axes that a
// later mesh dimension splits are left alone.
Sharding split_along(const Shape& sizes, const Mesh& mesh, const Sharding& sharding, size_t dim);

// Stages 1 and 2: optimizers hold the state of this rank's part of a global leaf and step that part
// alone (GlobalParts::stepped). Nothing where split_along() changes nothing.
void split_step(const Tensor& leaf, size_t dim);
// After a step: every rank gets what the others have stepped. Leaves without a gradient, or whose
// step is not split, stay as they are. One all-gather joins leaves of up to `bucket_bytes`, or one
// leaf. All ranks call it.
void join_steps(const std::vector<Tensor>& leaves, double bucket_bytes = 0);

// Of the sources named, those that no call writes and no result is: they may be gathered for their
// uses.
std::set<ValueId> gatherable(const Program& program, const std::vector<ValueId>& sources);

// Stage 3 while a program is replayed: the values of split sources, and views of them, are made
// when a call reads them. They are kept for the next calls while all of them take no more than
// `bytes`, or than the calls that read most; those used longest ago make room.
class GatherOnUse {
 public:
  using Values = std::map<ValueId, Tensor>;
  // Runs node `index` of the program on the values, as the plan says.
  using Run = void (*)(const Program&, const ShardingPlan&, const Mesh&, size_t index, Values&);

  // `sources`, of gatherable(), have values that lie otherwise than `plan.sources` says.
  GatherOnUse(const Program& program, const ShardingPlan& plan, const Mesh& mesh,
              const std::set<ValueId>& sources, double bytes, Run run);

  // A view of a source: it is made when it is read.
  bool waits(size_t node) const { return waiting_[node]; }
  // Makes what a node reads of them. What was made for another part of the program is dropped.
  void gather_for(size_t node, Values& values, int part = 0);

 private:
  double bytes_of(ValueId source) const;
  void make(ValueId value, Values& values);
  void drop(ValueId source, Values& values);

  const Program& program_;
  const ShardingPlan& plan_;
  const Mesh& mesh_;
  const Run run_;
  std::map<ValueId, ValueId> source_of_;            // sources and their views
  std::map<ValueId, size_t> made_by_;               // views
  std::map<ValueId, std::vector<ValueId>> family_;  // by source: it and its views
  std::vector<bool> waiting_;                       // by node
  Values split_;                                    // the sources as they lie
  double most_ = 0;                                 // bytes
  std::vector<ValueId> gathered_;                   // sources, used longest ago first
  int part_ = 0;                                    // that they were gathered for
};

}  // namespace oneagent::distributed
