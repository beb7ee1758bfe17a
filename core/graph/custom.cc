#include "core/graph/custom.h"

#include "core/graph/context.h"
#include "core/graph/stage.h"
#include "core/graph/tape.h"

namespace oneagent {
namespace {

class Payload final : public RefCounted {
 public:
  Payload(CustomBackward backward, std::function<void()> release)
      : backward_(std::move(backward)), release_(std::move(release)) {}
  ~Payload() override {
    if (release_) release_();
  }
  std::vector<Tensor> operator()(const std::vector<Tensor>& gradients) const {
    return backward_(gradients);
  }

 private:
  CustomBackward backward_;
  std::function<void()> release_;
};

void custom_vjp(VjpCall& call) {
  const auto& payload = static_cast<const Payload&>(*call.payload());
  std::vector<Tensor> gradients;
  for (size_t i = 0; i < call.output_count(); ++i) gradients.push_back(call.grad(i));
  const std::vector<Tensor> results = payload(gradients);
  OA_REQUIRE(results.size() >= call.input_count(), "function ", call.title(),
             ": returned an incorrect number of gradients (expected ", call.input_count(), ", got ",
             results.size(), ")");
  for (size_t i = 0; i < call.input_count(); ++i) {
    if (!call.needs(i) || !results[i].defined()) continue;
    OA_REQUIRE(results[i].sizes() == call.input_sizes(i), "function ", call.title(),
               ": returned an invalid gradient at index ", i, ": got ", results[i].sizes(),
               " but expected shape compatible with ", call.input_sizes(i));
    call.set(i, results[i]);
  }
}

constinit const Op kCustom = {.name = "custom", .vjp = custom_vjp};

}  // namespace

GradNode* attach_custom(std::string name, const std::vector<Tensor>& inputs,
                        const std::vector<Tensor>& outputs, CustomBackward backward,
                        std::function<void()> release) {
  std::vector<oneagent::Edge> edges;  // first: what they make must be older than the node
  for (const Tensor& input : inputs) edges.push_back(edge_to(input));
  auto node = make_ref<TapeNode>(kCustom, Attrs());
  node->title = std::move(name);
  node->position = recording_place().recorded - 1;  // what it stands for has been recorded
  node->payload = Ref<RefCounted>(new Payload(std::move(backward), std::move(release)));
  node->edges.assign(edges.begin(), edges.end());
  node->inputs.resize(edges.size());
  node->output_count = outputs.size();
  node->outputs.resize(outputs.size());
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].defined() || !has_gradient(outputs[i].dtype())) continue;
    TensorImpl& impl = outputs[i].impl();
    impl.grad_fn = Ref<GradNode>(node.get());
    impl.output_index = static_cast<uint32_t>(i);
    impl.requires_grad = false;
  }
  return node.get();
}

}  // namespace oneagent
