#include "core/torch/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <unordered_set>

#include "core/dist/parallel_recording.h"
#include "core/dist/zero.h"
#include "core/graph/capture.h"
#include "core/graph/context.h"
#include "core/graph/loss_scale.h"
#include "core/graph/passes.h"
#include "core/graph/recorded_parts.h"
#include "core/ops/ops.h"
#include "core/plan/op_by_name.h"
#include "core/runtime/trace.h"
#include "core/torch/graph_compiled.h"

namespace oneagent::nn {
namespace {

bool is_recorded(const Tensor& gradient) {
  return gradient.defined() && !gradient.is_sparse() && gradient.impl().storage->symbolic();
}

}  // namespace

std::vector<Tensor> micro_batch_of(const std::vector<Tensor>& inputs, int64_t k, int64_t parts) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].defined() || inputs[i].dim() == 0) {
      out.push_back(inputs[i]);
      continue;
    }
    const int64_t rows = inputs[i].size(0);
    OA_REQUIRE(rows % parts == 0, "graph: input ", i, " of shape ", inputs[i].sizes(),
               " cannot be split into ", parts, " equal micro-batches; take a batch of ",
               (rows / parts + 1) * parts, " rows, or a micro_batches that divides ", rows);
    out.push_back(narrow(inputs[i], 0, k * (rows / parts), rows / parts));
  }
  return out;
}

std::vector<Tensor> joined(const std::vector<std::vector<Tensor>>& parts) {
  std::vector<Tensor> out;
  for (size_t i = 0; i < parts[0].size(); ++i) {
    std::vector<Tensor> pieces;
    for (const std::vector<Tensor>& part : parts) pieces.push_back(part[i]);
    out.push_back(pieces[0].dim() == 0 ? stack(pieces) : cat(pieces));
  }
  return out;
}

Graph::Graph(Build build, GraphOptions options)
    : build_(std::move(build)), options_(options), generator_(default_generator()) {
  OA_REQUIRE(options_.micro_batches >= 1, "graph: micro_batches must be at least 1, was ",
             options_.micro_batches);
  OA_REQUIRE(options_.max_plans >= 1, "graph: max_plans must be at least 1");
  OA_REQUIRE(options_.amp == DType::kFloat32 || is_half(options_.amp),
             "graph: amp must be kBFloat16, kHalf or kFloat32 (none), was ", name_of(options_.amp));
  if (options_.parallel != nullptr) distributed::check_options(*options_.parallel);
}
Graph::~Graph() = default;

Graph& Graph::set_generator(Generator generator) {
  generator_ = std::move(generator);
  clear();
  return *this;
}

Graph& Graph::add_optimizer(optim::Optimizer& optimizer) {
  OA_REQUIRE(std::find(optimizers_.begin(), optimizers_.end(), &optimizer) == optimizers_.end(),
             "graph: the optimizer was added before; every call would step twice");
  optimizers_.push_back(&optimizer);
  clear();  // plans know all parameters
  return *this;
}

Graph& Graph::add_buffers(std::vector<Tensor> buffers) {
  for (Tensor& buffer : buffers) buffers_.push_back(std::move(buffer));
  clear();
  return *this;
}

void Graph::bind(Compiled& compiled, const std::vector<Tensor>& leaves) const {
  for (const optim::Optimizer* optimizer : optimizers_)
    for (const optim::OptimizerParamGroup& group : optimizer->param_groups())
      for (const Tensor& parameter : group.params()) compiled.stepped.push_back(parameter);
  for (const Tensor& leaf : leaves) compiled.requires_grad.push_back(leaf.requires_grad());
  for (const auto* tensors : {&leaves, &buffers_})
    for (const Tensor& tensor : *tensors)
      compiled.bound.emplace_back(tensor, tensor.impl().storage);
}

Graph& Graph::add_parameters(std::vector<Tensor> parameters) {
  for (Tensor& parameter : parameters) {
    OA_REQUIRE(parameter.defined() && parameter.is_leaf(),
               "graph: a parameter is a defined leaf; what is computed from others belongs into "
               "the function");
    parameters_.push_back(std::move(parameter));
  }
  clear();
  return *this;
}

// Each parameter once: its gradient is computed once, whoever steps.
std::vector<Tensor> Graph::leaves() const {
  std::vector<Tensor> all;
  std::unordered_set<const TensorImpl*> known;
  const auto add = [&](const Tensor& parameter) {
    if (known.insert(&parameter.impl()).second) all.push_back(parameter);
  };
  for (const Tensor& parameter : parameters_) add(parameter);
  for (const optim::Optimizer* optimizer : optimizers_)
    for (const optim::OptimizerParamGroup& group : optimizer->param_groups())
      for (const Tensor& parameter : group.params()) add(parameter);
  return all;
}

// A parameter of an optimizer, or one that is named twice, is none of the list's.
void Graph::own_parameters() {
  std::unordered_set<const TensorImpl*> known;
  for (const optim::Optimizer* optimizer : optimizers_)
    for (const optim::OptimizerParamGroup& group : optimizer->param_groups())
      for (const Tensor& parameter : group.params()) known.insert(&parameter.impl());
  std::erase_if(parameters_,
                [&](const Tensor& parameter) { return !known.insert(&parameter.impl()).second; });
}

// Do the parameters still have the memory that the plan writes and reads, the same of them their
// gradients, and the optimizers the same parameters?
bool Graph::bound(const Compiled& compiled) const {
  for (size_t i = 0; i < compiled.bound.size(); ++i) {
    const auto& [tensor, memory] = compiled.bound[i];
    if (tensor.impl().storage != memory) return false;
    if (i < compiled.requires_grad.size() && tensor.requires_grad() != compiled.requires_grad[i])
      return false;
  }
  size_t at = 0;
  for (const optim::Optimizer* optimizer : optimizers_)
    for (const optim::OptimizerParamGroup& group : optimizer->param_groups())
      for (const Tensor& parameter : group.params())
        if (at == compiled.stepped.size() || !parameter.is_same(compiled.stepped[at++]))
          return false;
  return at == compiled.stepped.size();
}

// Of what is recorded while it lives: with kHalf gradients start from the scaler's factor.
std::unique_ptr<LossScale> Graph::loss_scale() const {
  if (options_.amp != DType::kFloat16) return nullptr;
  return std::make_unique<LossScale>(
      scaler_.factor(),
      [inverse = scaler_.inverse()](const Tensor& gradient) { return gradient * inverse; });
}

Program Graph::record_program(const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                              Compiled& compiled) {
  Capture capture(generator_);
  const auto scale = loss_scale();
  std::vector<Tensor> symbols;
  for (const Tensor& input : inputs) {
    symbols.push_back(capture.input(input));
    if (input.requires_grad()) symbols.back().requires_grad_();
  }
  for (const Tensor& result : build_(symbols)) {
    capture.output(result);
    compiled.globals.push_back(is_global(result) ? result.detach() : Tensor());
  }
  for (size_t i = 0; i < leaves.size(); ++i)
    compiled.add_gradient(leaves[i],
                          is_recorded(leaves[i].grad()) ? capture.keep(leaves[i].grad()) : Tensor(),
                          i < parameters_.size());
  return capture.finish();
}

std::vector<std::vector<optim::NamedState>> Graph::states_before(
    const std::vector<Tensor>& leaves) const {
  const bool fresh = std::any_of(leaves.begin(), leaves.end(),
                                 [](const Tensor& leaf) { return !is_global(leaf); });
  std::vector<std::vector<optim::NamedState>> states;
  for (const optim::Optimizer* optimizer : optimizers_)
    if (fresh) states.push_back(optimizer->named_state());
  return states;
}

void Graph::restore_states(const std::vector<std::vector<optim::NamedState>>& states) {
  for (size_t i = 0; i < states.size(); ++i)
    if (!states[i].empty()) optimizers_[i]->load_state(states[i]);
}

Program Graph::record_for_mesh(const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
                               Compiled& compiled) {
  const auto states = states_before(leaves);
  const auto scale = loss_scale();
  auto recording =
      distributed::record_parallel(build_, inputs, leaves, *options_.parallel, generator_);
  for (size_t i = 0; i < leaves.size(); ++i)
    compiled.add_gradient(leaves[i], recording.gradients[i], i < parameters_.size());
  restore_states(states);
  compiled.globals.resize(recording.program.outputs.size());  // results are whole
  sharding_ = std::move(recording.explain);
  return std::move(recording.program);
}

// Gradients that stand in the parameters are put aside, so that a failure leaves them as they were.
std::unique_ptr<Graph::Compiled> Graph::record(const std::vector<Tensor>& inputs) {
  const RecordedPartsScope parts(options_.micro_batches);
  if (has_pipeline()) return record_pipeline(inputs);
  auto compiled = std::make_unique<Compiled>(Compiled{Signature(inputs)});
  const std::vector<Tensor> leaves = this->leaves();
  std::vector<Tensor> before;
  for (const Tensor& leaf : leaves) before.push_back(leaf.grad());
  const auto restore = [&] {
    for (size_t i = 0; i < leaves.size(); ++i) leaves[i].mutable_grad() = before[i];
  };
  for (const Tensor& leaf : leaves) leaf.mutable_grad().reset();
  Program program;
  try {
    program = options_.parallel != nullptr ? record_for_mesh(inputs, leaves, *compiled)
                                           : record_program(inputs, leaves, *compiled);
  } catch (const Error& error) {
    restore();
    throw RecordingError(error.what());
  } catch (...) {
    restore();
    throw;
  }
  restore();
  bind(*compiled, leaves);
  compiled->note_globals();
  if (is_half(options_.amp)) mixed_precision(program, options_.amp, *op_by_name("to"));
  auto plan = std::make_shared<const Plan>(compile(std::move(program), options_.plan));
  compiled->instance = std::make_unique<PlanInstance>(std::move(plan), generator_);
  compiled->instance->set_trace(trace_, trace_prefix_ + "compute");
  return compiled;
}

Graph::Compiled& Graph::compiled_for(const std::vector<Tensor>& inputs) {
  const auto found = std::find_if(plans_.begin(), plans_.end(), [&](const auto& compiled) {
    return compiled->signature.fits(inputs);
  });
  if (found != plans_.end() && !bound(**found))
    plans_.clear();
  else if (found != plans_.end()) {
    if (found != plans_.begin()) std::rotate(plans_.begin(), found, found + 1);
    return *plans_.front();
  }
  own_parameters();
  return keep(record(inputs));
}

Graph::Compiled& Graph::keep(std::unique_ptr<Compiled> compiled) {
  if (plans_.size() >= options_.max_plans) plans_.pop_back();
  plans_.insert(plans_.begin(), std::move(compiled));
  return *plans_.front();
}

// Gradients are put into the parameters, or added to those that stand there.
void Graph::run(const Compiled& compiled, const std::vector<Tensor>& inputs, bool adds,
                std::vector<Tensor>& results) {
  if (compiled.has_globals) [[unlikely]] {
    std::vector<Tensor> parts, local;
    for (const Tensor& input : inputs) parts.push_back(local_part(input));
    compiled.instance->run(parts, local);
    results = local;
    for (size_t i = 0; i < results.size(); ++i)
      if (compiled.globals[i].defined()) results[i] = global_like(compiled.globals[i], local[i]);
  } else {
    compiled.instance->run(inputs, results);
  }
  for (const Gradient& gradient : compiled.gradients) {
    Tensor& stands = gradient.leaf.mutable_grad();
    if (!adds && !gradient.adds) {
      if (!stands.is_same(gradient.filled)) stands = gradient.filled;
    } else if (stands.defined()) {
      stands.add_(gradient.filled);
    } else {
      stands = gradient.filled.clone();
    }
  }
}

std::vector<Tensor> Graph::operator()(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> results;
  (*this)(inputs, results);
  return results;
}

void Graph::operator()(const std::vector<Tensor>& inputs, std::vector<Tensor>& results) {
  OA_REQUIRE(&inputs != &results, "graph: inputs and results are the same list");
  const int64_t count = options_.micro_batches;
  if (count == 1) settle_layout(inputs);
  if (count > 1 || has_pipeline()) {
    std::vector<std::vector<Tensor>> parts;
    for (int64_t k = 0; k < count; ++k) parts.push_back(micro_batch_of(inputs, k, count));
    return run_parts(parts, results);
  }
  const Compiled& compiled = compiled_for(inputs);  // may fail: before any change
  for (const Tensor& leaf : compiled.without_gradient) leaf.mutable_grad().reset();
  run(compiled, inputs, false, results);
  step();
}

std::vector<Tensor> Graph::run_parts(const std::vector<std::vector<Tensor>>& parts) {
  OA_REQUIRE(static_cast<int64_t>(parts.size()) == options_.micro_batches, "graph: ", parts.size(),
             " parts, but micro_batches is ", options_.micro_batches);
  std::vector<Tensor> results;
  run_parts(parts, results);
  return results;
}

void Graph::run_parts(const std::vector<std::vector<Tensor>>& parts, std::vector<Tensor>& results) {
  settle_layout(parts[0]);
  const Compiled& compiled = compiled_for(parts[0]);  // may fail: before any change
  for (size_t k = 1; k < parts.size(); ++k)
    OA_REQUIRE(compiled.signature.fits(parts[k]), "graph: micro-batch ", k,
               " has other shapes or types than the first one; all parts have to be equal");
  for (optim::Optimizer* optimizer : optimizers_) optimizer->zero_grad(true);
  if (has_pipeline()) {
    run_pipeline(compiled, parts, results);
  } else {
    std::vector<std::vector<Tensor>> of_parts(parts.size());
    for (size_t k = 0; k < parts.size(); ++k) run(compiled, parts[k], true, of_parts[k]);
    results = joined(of_parts);
  }
  step();
}

void Graph::step() {
  const bool scaled = options_.amp == DType::kFloat16;
  for (optim::Optimizer* optimizer : optimizers_)
    if (scaled)
      scaler_.step_unscaled(*optimizer);
    else
      optimizer->step();
  if (scaled && !optimizers_.empty()) scaler_.update();
  if (options_.parallel == nullptr || options_.parallel->zero == 0) return;
  std::vector<Tensor> stepped = leaves();
  stepped.erase(stepped.begin(), stepped.begin() + static_cast<ptrdiff_t>(parameters_.size()));
  distributed::join_steps(stepped, distributed::bucket_bytes_of(*options_.parallel));
}

const Plan& Graph::plan() const {
  OA_REQUIRE(!plans_.empty(), "graph: has no plan before its first call");
  const Compiled& last = *plans_.front();
  return last.pipeline != nullptr ? *last.pipeline->run->plans().at(0) : last.instance->plan();
}

const Program& Graph::program() const {
  OA_REQUIRE(!plans_.empty(), "graph: has no program before its first call");
  const Compiled& last = *plans_.front();
  return last.pipeline != nullptr ? last.pipeline->run->program() : last.instance->plan().program;
}

std::string profile_text(const Plan& plan, const std::vector<double>& seconds) {
  std::vector<size_t> order(seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return seconds[a] > seconds[b]; });
  std::string text;
  for (const size_t i : order) {
    const PlanStep& step = plan.steps[i];
    std::string calls;
    for (const size_t node : step.nodes)
      calls += (calls.empty() ? "" : "\n               ") +
               print(plan.program, plan.program.nodes[node]);
    text += fmt::format("{:10.2f} us  {}\n", seconds[i] * 1e6, calls);
  }
  return text;
}

std::string Graph::profile(const std::vector<Tensor>& inputs, int runs) {
  if (has_pipeline()) return profile_pipeline(inputs, runs);
  PlanInstance& instance = *compiled_for(inputs).instance;
  return profile_text(instance.plan(), instance.time_steps(inputs, runs));
}

void Graph::set_trace(Trace* trace, const std::string& prefix) {
  trace_ = trace;
  trace_prefix_ = prefix;
  for (const auto& compiled : plans_)
    if (compiled->instance != nullptr)
      compiled->instance->set_trace(trace, prefix + "compute");
    else
      compiled->pipeline->run->set_trace(trace, prefix);
  if (options_.parallel == nullptr) return;
  TraceLane* lane = trace == nullptr ? nullptr : &trace->lane(prefix + "communication");
  distributed::CollectiveStrand::Spans spans;
  if (lane != nullptr)
    spans = [trace, lane](const std::string& name, int64_t begin_ns, int64_t end_ns) {
      lane->add(trace->name(name), 0, begin_ns, end_ns);
    };
  distributed::World::current("trace").strand().set_spans(std::move(spans));
}

void Graph::clear() { plans_.clear(); }

}  // namespace oneagent::nn
