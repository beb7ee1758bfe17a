// What users see of the recorded graph: Tensor::grad_fn()->name(), next_edges(). A Node keeps the
// graph behind it alive.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {
class TapeNode;
}

namespace oneagent::autograd {

class Node;

// Where a gradient goes next: result `input_nr` of `function`; a leaf has a node that accumulates.
struct Edge {
  Edge() = default;
  Edge(std::shared_ptr<Node> node, uint32_t index) : function(std::move(node)), input_nr(index) {}
  std::shared_ptr<Node> function;
  uint32_t input_nr = 0;
  bool is_valid() const { return function != nullptr; }
  friend bool operator==(const Edge& a, const Edge& b) {
    return a.function == b.function && a.input_nr == b.input_nr;
  }
  friend bool operator!=(const Edge& a, const Edge& b) { return !(a == b); }
};

class Node {
 public:
  explicit Node(Ref<GradNode> recorded) : recorded_(std::move(recorded)) {}
  explicit Node(Ref<TensorImpl> leaf) : leaf_(std::move(leaf)) {}

  std::string name() const;  // "MulBackward0", "torch::autograd::AccumulateGrad"
  std::vector<Edge> next_edges() const;
  Edge next_edge(size_t i) const { return next_edges().at(i); }
  size_t num_inputs() const;   // results of the op
  size_t num_outputs() const;  // operands of the op
  uint64_t sequence_nr() const;
  bool should_compute_output(size_t i) const { return next_edge(i).is_valid(); }
  bool task_should_compute_output(size_t i) const { return should_compute_output(i); }
  Tensor variable() const { return Tensor(leaf_); }  // of an accumulating node

 private:
  Ref<GradNode> recorded_;
  Ref<TensorImpl> leaf_;
};

namespace impl {
Edge gradient_edge(
    const Tensor& x);  // where the gradient of x goes; of leaves an accumulating node
}

// "add_number" -> "AddBackward1"
std::string backward_name(std::string_view op);
std::string name_of_node(const TapeNode& node);  // the custom function's title, if it has one

}  // namespace oneagent::autograd
