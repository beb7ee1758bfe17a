#include "services/learner/trainer.h"

#include <cmath>

#include "core/base/log.h"
#include "core/graph/context.h"
#include "core/io/arrays.h"
#include "core/io/safetensors.h"
#include "core/nn/state.h"
#include "core/nn/utils/clip_grad.h"
#include "core/optim/adam.h"
#include "core/optim/sgd.h"
#include "core/optim/state.h"
#include "core/tensor/global_parts.h"
#include "services/learner/assemble.h"
#include "services/learner/mesh_fit.h"
#include "services/learner/weights_shards.h"
#include "services/learner/whole_parameters.h"

namespace oneagent {
namespace {

std::unique_ptr<optim::Optimizer> make_optimizer(const OptimizerGroup& group) {
  std::vector<optim::OptimizerParamGroup> groups = {{group.name, group.parameters}};
  if (group.kind == "adam")
    return std::make_unique<optim::Adam>(
        std::move(groups),
        optim::AdamOptions(0.0).eps(group.epsilon).weight_decay(group.weight_decay));
  if (group.kind == "sgd")
    return std::make_unique<optim::SGD>(
        std::move(groups),
        optim::SGDOptions(0.0).momentum(group.momentum).weight_decay(group.weight_decay));
  throw_error(str("optimizer group ", group.name, ": unknown kind \"", group.kind, "\"",
                  suggestion(group.kind, {"adam", "sgd"})));
}

void add_prefixed(ring::ArraySet& into, const std::string& prefix, const ring::ArraySet& set) {
  for (ring::Array array : set.arrays()) {
    array.name = prefix + array.name;
    into.add(std::move(array));
  }
}

ring::ArraySet take_prefixed(const ring::ArraySet& from, const std::string& prefix) {
  ring::ArraySet out;
  for (ring::Array array : from.arrays()) {
    if (!array.name.starts_with(prefix)) continue;
    array.name = array.name.substr(prefix.size());
    out.add(std::move(array));
  }
  return out;
}

}  // namespace

Trainer::Trainer(Algorithm& algorithm, uint64_t seed, Source source, Priorities priorities,
                 fs::path fault_folder, bool graphs)
    : algorithm_(algorithm),
      generator_(seed),
      source_(std::move(source)),
      priorities_(std::move(priorities)),
      fault_folder_(std::move(fault_folder)),
      graphs_(graphs) {
  for (OptimizerGroup& group : algorithm.optimizer_groups()) {
    std::unique_ptr<optim::Optimizer> optimizer = make_optimizer(group);
    const std::string name = group.name;
    groups_.emplace(name, Group{std::move(group), std::move(optimizer)});
  }
}

Trainer::Group& Trainer::group(const std::string& name) {
  const auto found = groups_.find(name);
  OA_CHECK(found != groups_.end(), "the algorithm has no optimizer group ", name);
  return found->second;
}

Result<Learn::Sample> Trainer::sample() {
  Result<ring::SampleBatch> batch = source_();
  if (!batch.ok()) return batch.status();
  Sample out;
  out.weights_version = std::numeric_limits<int64_t>::max();
  for (const ring::SampledItem& item : batch->items) {
    out.keys.push_back(item.key);
    out.generations.push_back(item.generation);
    out.probabilities.push_back(item.probability);
    out.weights_version = std::min(out.weights_version, item.chunk.weights_version);
    sampled_steps_ += item.spec.length * (item.spec.lane < 0 ? item.chunk.lanes : 1);
  }
  out.batch = assemble(*batch);
  return out;
}

void Trainer::fail(const std::string& what, const TensorMap& batch) const {
  std::string kept = "its batch could not be saved";
  try {
    ring::ArraySet arrays;
    for (const auto& [name, tensor] : batch) arrays.add(io::array_from(name, tensor));
    make_folder(fault_folder_);
    io::save_safetensors(fault_folder_ / "batch.safetensors", arrays);
    kept = "its batch is in " + (fault_folder_ / "batch.safetensors").string();
    if (const std::string name = ring::first_non_finite(arrays); !name.empty())
      kept += ", where " + name + " holds a NaN or infinity";
  } catch (const Error& error) {
    kept += str(": ", error.what());
  }
  throw TrainingFault(str(what, "; ", kept, "; the last good weights stand"));
}

void Trainer::tell(Json head, const TensorMap& tensors) {
  if (mesh_.link != nullptr && mesh_.link->leads()) mesh_.link->tell(std::move(head), tensors);
}

std::vector<nn::Module*> Trainer::modules() {
  std::vector<nn::Module*> out = {&algorithm_.model()};
  for (const auto& [name, module] : algorithm_.private_modules()) out.push_back(module);
  return out;
}

Phase Trainer::phase(const std::string& name) {
  for (Phase& phase : algorithm_.phases())
    if (phase.name == name) return std::move(phase);
  throw_error(str("the algorithm has no phase ", name));
}

void Trainer::share_state() {
  if (mesh_.link == nullptr) return;
  for (nn::Module* module : modules())
    for (const auto& entry : module->named_state()) mesh_.link->share(entry.tensor);
}

// The host program of the first rank changes buffers, as those of an observation normaliser.
void Trainer::share_buffers() {
  if (mesh_.link == nullptr) return;
  for (nn::Module* module : modules())
    for (const Tensor& buffer : module->buffers()) mesh_.link->share(buffer);
}

void Trainer::obey(const RankLink::Command& command) {
  const std::string what = command.head.at("do");
  if (what == "run") {
    run(phase(command.head.at("phase")), command.tensors);
  } else if (what == "step") {
    step(command.head.at("group"), {command.head.at("lr"), command.head.at("max_grad_norm")});
  } else if (what == "sync") {
    const auto all = modules();
    sync_target(*all.at(command.head.at("source")), *all.at(command.head.at("target")),
                command.head.at("tau"));
  } else if (what == "save") {
    save_tensors();
  } else if (what == "publish") {
    ring::Weights weights;
    weights.version = command.head.at("version");
    weights.incarnation = command.head.at("incarnation");
    add_own_shards(weights, algorithm_.model(), mesh_.link->rank());
    if (!weights.tensors.empty()) mesh_.publish(weights);
  } else if (what == "model") {
    model_state();
  } else if (what == "load") {
    ring::ArraySet arrays;
    for (const auto& [name, tensor] : command.tensors) arrays.add(io::array_from(name, tensor));
    load(arrays, command.head.at("host"));
  } else {
    throw_error(str("rank: unknown command \"", what, "\""));
  }
}

// Phases without a gradient have batches of varying shape and run eagerly, on every rank the same:
// the first one behind a start or a loss sees parameters that no mesh has placed yet.
PhaseOut Trainer::run(const Phase& phase, const TensorMap& batch) {
  if (mesh_.link != nullptr && !phase.group.empty())
    if (const std::string reason =
            misfit(mesh_.mesh, phase, batch, group(phase.group).spec.parameters);
        !reason.empty())
      throw TrainingFault(reason);
  tell({{"do", "run"}, {"phase", phase.name}}, batch);
  share_buffers();
  if (phase.group.empty()) {
    const NoGradGuard no_grad;
    const WholeParameters whole(modules());
    PhaseOut out = phase.function(batch);
    for (auto& [name, tensor] : out.outputs) tensor = whole_values(tensor);
    return out;
  }
  PhaseOut out = run_with_gradient(phase, batch);
  const double loss = out.loss.item<double>();
  if (!std::isfinite(loss)) fail(str("phase ", phase.name, ": the loss is ", loss), batch);
  last_batch_ = batch;
  return out;
}

PhaseOut Trainer::run_with_gradient(const Phase& phase, const TensorMap& batch) {
  if (graphs_ && !eager_phases_.contains(phase.name)) {
    auto graph = phase_graphs_.find(phase.name);
    if (graph == phase_graphs_.end())
      graph = phase_graphs_
                  .emplace(std::piecewise_construct, std::forward_as_tuple(phase.name),
                           std::forward_as_tuple(phase, group(phase.group).spec.parameters,
                                                 mesh_.link != nullptr ? &mesh_.mesh : nullptr))
                  .first;
    try {
      return run_graph(graph->second, phase.group, batch);
    } catch (const nn::RecordingError& error) {
      if (mesh_.link != nullptr)  // op by op nothing would be shared out
        throw_error(
            str("[learner.parallel]: phase ", phase.name, " cannot be a graph: ", error.what()));
      log_warning("phase ", phase.name, " runs op by op, as it cannot be a graph: ", error.what());
      phase_graphs_.erase(graph);
      eager_phases_.insert(phase.name);
    }
  }
  PhaseOut out = phase.function(batch);
  OA_CHECK(out.loss.defined() && out.loss.numel() == 1, "phase ", phase.name,
           " returned no scalar loss");
  out.loss.backward();
  out.loss = whole_values(out.loss.detach());
  for (auto& [name, tensor] : out.outputs) tensor = whole_values(tensor);
  return out;
}

// The first run on a mesh places the parameters; what an optimizer has loaded before is whole.
PhaseOut Trainer::run_graph(PhaseGraph& graph, const std::string& name, const TensorMap& batch) {
  Group& g = group(name);
  const auto placed = [&] {
    return std::any_of(g.spec.parameters.begin(), g.spec.parameters.end(), is_global);
  };
  if (mesh_.link == nullptr) return graph.run(batch);
  const auto run = [&] {
    const size_t plans = graph.plan_count();
    PhaseOut out = graph.run(batch);
    if (graph.plan_count() > plans)
      mesh_.link->require_same(str("program of optimizer group ", name), graph.program_hash());
    return out;
  };
  if (placed()) return run();
  const ring::ArraySet state = state_of(*g.optimizer);
  PhaseOut out = run();
  if (placed() && !state.arrays().empty()) load_state(*g.optimizer, state);
  return out;
}

std::vector<std::string> Trainer::graph_phases() const {
  std::vector<std::string> names;
  for (const auto& [name, graph] : phase_graphs_) names.push_back(name);
  return names;
}

std::string Trainer::explain(const std::string& phase) const {
  return phase_graphs_.at(phase).explain();
}

Learn::StepResult Trainer::step(const std::string& name, const StepSettings& settings) {
  tell({{"do", "step"},
        {"group", name},
        {"lr", settings.lr},
        {"max_grad_norm", settings.max_grad_norm}});
  Group& g = group(name);
  const double norm = nn::utils::limit_grad_norm_(g.spec.parameters, settings.max_grad_norm);
  if (!std::isfinite(norm))
    fail(str("optimizer group ", name, ": the gradient's norm is ", norm), last_batch_);
  g.optimizer->set_lr(settings.lr);
  g.optimizer->step();
  g.optimizer->zero_grad(true);
  return {norm};
}

void Trainer::sync_target(nn::Module& source, nn::Module& target, double tau) {
  if (mesh_.link != nullptr && mesh_.link->leads()) {
    const auto all = modules();
    const auto number = [&](nn::Module& module) {
      const auto at = std::find(all.begin(), all.end(), &module);
      OA_REQUIRE(at != all.end(), "sync_target: ", module.name(),
                 " is neither the model nor a private module, which several ranks need to know it");
      return at - all.begin();
    };
    tell({{"do", "sync"}, {"source", number(source)}, {"target", number(target)}, {"tau", tau}});
  }
  const NoGradGuard no_grad;
  const std::vector<Tensor> from = source.parameters(), to = target.parameters();
  OA_CHECK(from.size() == to.size(), "sync_target: ", from.size(), " and ", to.size(),
           " parameters");
  for (size_t i = 0; i < from.size(); ++i) {
    if (tau == 1.0)
      to[i].copy_(from[i].detach());
    else
      to[i].copy_(to[i].detach() * (1 - tau) + from[i].detach() * tau);
  }
}

void Trainer::set_priorities(const Sample& sample, const std::vector<double>& priorities) {
  OA_REQUIRE(priorities.size() == sample.keys.size(), "set_priorities: ", priorities.size(),
             " priorities for ", sample.keys.size(), " items");
  priorities_(sample, priorities);
}

ring::ArraySet Trainer::model_state() {
  tell({{"do", "model"}});
  return state_of(algorithm_.model());
}

void Trainer::add_weights(ring::Weights& weights) {
  std::vector<std::string> sources;
  bool all_publish = mesh_.link != nullptr;
  if (all_publish)
    for (const int rank : ranks_with_shards(algorithm_.model())) {
      sources.push_back(mesh_.addresses.at(static_cast<size_t>(rank)));
      all_publish = all_publish && !sources.back().empty();
    }
  if (sources.empty() || !all_publish) {
    weights.tensors = model_state();
    return;
  }
  tell({{"do", "publish"}, {"version", weights.version}, {"incarnation", weights.incarnation}});
  add_own_shards(weights, algorithm_.model(), 0);
  weights.sources = std::move(sources);
}

ring::ArraySet Trainer::save_tensors() {
  tell({{"do", "save"}});
  ring::ArraySet out;
  add_prefixed(out, "model.", state_of(algorithm_.model()));
  for (const auto& [name, module] : algorithm_.private_modules())
    add_prefixed(out, "private." + name + ".", state_of(*module));
  for (const auto& [name, g] : groups_)
    add_prefixed(out, "optimizer." + name + ".", state_of(*g.optimizer));
  return out;
}

Json Trainer::save_host() const {
  const RngState rng = generator_.state();
  return {{"sampled_steps", sampled_steps_},
          {"generator", {rng.seed, rng.stream, rng.position}},
          {"algorithm", algorithm_.save_state()}};
}

void Trainer::load(const ring::ArraySet& tensors, const Json& host) {
  if (mesh_.link != nullptr && mesh_.link->leads()) {
    TensorMap told;
    for (const ring::Array& array : tensors.arrays()) told[array.name] = io::tensor_over(array);
    tell({{"do", "load"}, {"host", host}}, told);
  }
  load_state(algorithm_.model(), take_prefixed(tensors, "model."));
  for (const auto& [name, module] : algorithm_.private_modules())
    load_state(*module, take_prefixed(tensors, "private." + name + "."));
  for (auto& [name, g] : groups_)
    load_state(*g.optimizer, take_prefixed(tensors, "optimizer." + name + "."));
  try {
    sampled_steps_ = host.at("sampled_steps").get<int64_t>();
    const auto rng = host.at("generator").get<std::array<uint64_t, 3>>();
    generator_.set_state({rng[0], rng[1], rng[2]});
    algorithm_.load_state(host.at("algorithm"));
  } catch (const Json::exception& error) {
    throw_error(str("checkpoint: learner.json: ", error.what()));
  }
}

}  // namespace oneagent
