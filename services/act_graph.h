// act() as a graph: recorded once for each shape, then run as a plan with equal results, bit for
// bit. An algorithm whose act() looks at values (a search) runs op by op.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "core/torch/graph.h"

namespace oneagent {

class ActGraph {
 public:
  // Borrows the algorithm. Draws come from `generator`, a handle. graphs = false: always op by op.
  ActGraph(Algorithm& algorithm, ActMode mode, Generator generator, bool graphs = true);
  ActGraph(const ActGraph&) = delete;
  ActGraph& operator=(const ActGraph&) = delete;

  ActOut act(const ActIn& in);
  bool recorded() const { return graph_ != nullptr && graph_->plan_count() > 0; }

 private:
  std::vector<Tensor> build(const std::vector<Tensor>& inputs);
  std::vector<Tensor> inputs_of(const ActIn& in);
  void start_graph();

  Algorithm& algorithm_;
  const ActMode mode_;
  Generator generator_;
  std::unique_ptr<nn::Graph> graph_;  // null: op by op

  // What stands fixed in the plans.
  bool has_mask_ = false, has_first_ = false;
  double exploration_ = -1;
  std::vector<std::string> state_names_;
  std::vector<std::string> extras_, next_state_;  // names of the results behind the action
};

}  // namespace oneagent
