// Remembers calls for backward. A node holds the op, its attrs, edges to the nodes (or leaves) that
// its inputs came from, and the tensors that the vjp asks for, each with the version at which it
// was saved.
#pragma once

#include "absl/container/inlined_vector.h"
#include "core/graph/recorder.h"
#include "core/tensor/hooks.h"

namespace oneagent {

class TapeNode;

// Where the gradient of one input goes: to result `index` of `node`, or into a leaf. Neither: no
// gradient is needed.
struct Edge {
  Ref<TapeNode> node;
  Ref<TensorImpl> leaf;
  uint32_t index = 0;
  DType dtype = DType::kFloat32;
  Shape sizes;
  bool needed() const { return node || leaf; }
};

struct SavedTensor {
  Ref<TensorImpl> impl;
  uint32_t version = 0;
};

class TapeNode final : public GradNode {
 public:
  TapeNode(const Op& op, const Attrs& attrs);
  ~TapeNode() override;

  const Op& op;
  const Attrs attrs;
  const uint64_t sequence;                     // later calls have larger numbers
  absl::InlinedVector<Edge, 3> edges;          // one per input
  absl::InlinedVector<SavedTensor, 3> inputs;  // one per input, empty where not saved
  absl::InlinedVector<SavedTensor, 1> outputs;
  size_t output_count = 0;
  int32_t position;         // of its call in a recording (core/graph/stage.h)
  std::string title;        // of a custom function; others have their op's name
  Ref<RefCounted> payload;  // of a custom function
  absl::InlinedVector<Ref<GradHooks>, 1> hooks;  // one per result where any were registered
  bool released = false;  // saved tensors are gone: backward has been here without retain_graph

  // State of the backward pass in progress.
  uint64_t mark = 0;
  bool wanted = false;
  absl::InlinedVector<Tensor, 1> grads;
};

Edge edge_to(const Tensor& input);

class TapeRecorder final : public Recorder {
 public:
  void record(const Call& call, size_t level) override;
};

}  // namespace oneagent
