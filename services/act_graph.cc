#include "services/act_graph.h"

#include "core/base/log.h"

namespace oneagent {

ActGraph::ActGraph(Algorithm& algorithm, ActMode mode, Generator generator, bool graphs)
    : algorithm_(algorithm), mode_(mode), generator_(std::move(generator)) {
  if (graphs) start_graph();
}

void ActGraph::start_graph() {
  graph_ = std::make_unique<nn::Graph>(
      [this](const std::vector<Tensor>& inputs) { return build(inputs); });
  graph_->set_generator(generator_);
  graph_->add_parameters(algorithm_.model().parameters());
  graph_->add_parameters(algorithm_.model().buffers());
}

std::vector<Tensor> ActGraph::build(const std::vector<Tensor>& inputs) {
  size_t at = 0;
  ActIn in;
  in.observation = inputs[at++];
  if (has_mask_) in.action_mask = inputs[at++];
  if (has_first_) in.first = inputs[at++];
  for (const std::string& name : state_names_) in.state[name] = inputs[at++];
  in.exploration = exploration_;
  const ActOut out = algorithm_.act(in, mode_, generator_);
  std::vector<Tensor> results = {out.action};
  extras_.clear();
  next_state_.clear();
  for (const auto& [name, value] : out.extras) {
    extras_.push_back(name);
    results.push_back(value);
  }
  for (const auto& [name, value] : out.state) {
    next_state_.push_back(name);
    results.push_back(value);
  }
  return results;
}

// Also forgets the plans where something changes that they hold fixed.
std::vector<Tensor> ActGraph::inputs_of(const ActIn& in) {
  std::vector<std::string> names;
  std::vector<Tensor> inputs = {in.observation};
  if (in.action_mask.defined()) inputs.push_back(in.action_mask);
  if (in.first.defined()) inputs.push_back(in.first);
  for (const auto& [name, value] : in.state) {
    names.push_back(name);
    inputs.push_back(value);
  }
  if (in.action_mask.defined() != has_mask_ || in.first.defined() != has_first_ ||
      names != state_names_ || in.exploration != exploration_) {
    graph_->clear();
    has_mask_ = in.action_mask.defined();
    has_first_ = in.first.defined();
    state_names_ = std::move(names);
    exploration_ = in.exploration;
  }
  return inputs;
}

ActOut ActGraph::act(const ActIn& in) {
  const NoGradGuard no_grad;
  if (graph_ == nullptr) return algorithm_.act(in, mode_, generator_);
  std::vector<Tensor> results;
  try {
    results = (*graph_)(inputs_of(in));
  } catch (const nn::RecordingError& error) {
    log_warning("acting runs op by op, as it cannot be a graph: ", error.what());
    graph_.reset();
    return algorithm_.act(in, mode_, generator_);
  }
  size_t at = 0;
  ActOut out;
  out.action = results[at++];
  for (const std::string& name : extras_) out.extras[name] = results[at++];
  for (const std::string& name : next_state_) out.state[name] = results[at++];
  return out;
}

}  // namespace oneagent
