#include "services/learner/mesh_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <thread>

#include "core/base/clock.h"
#include "core/comm/gloo_communicator.h"
#include "core/comm/probe.h"
#include "core/comm/thread_communicator.h"
#include "core/dist/world.h"
#include "services/learner/mesh_fit.h"
#include "services/learner/phase_graph.h"

namespace oneagent {
namespace {

// Reads and writes of memory by a step of Adam, for each byte of a parameter.
constexpr double kStepTraffic = 7;
constexpr double kClearlyBetter = 0.9, kNoticeable = 0.97;

// body(communicator) on every rank, over the transport that ranks of this kind use.
void run_ranks_of(const std::string& kind, int n,
                  const std::function<void(comm::Communicator&)>& body) {
  if (kind == "threads") return comm::run_ranks(n, body);
  comm::MemoryRendezvous rendezvous;
  std::vector<std::string> errors(static_cast<size_t>(n));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; ++rank)
    threads.emplace_back([&, rank] {
      try {
        body(*comm::make_gloo_communicator(rank, n, rendezvous, {}));
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::string& error : errors)
    OA_REQUIRE(error.empty(), "[learner.parallel]: the links cannot be measured: ", error);
}

double parameter_bytes(Algorithm& algorithm) {
  double bytes = 0;
  for (const OptimizerGroup& group : algorithm.optimizer_groups())
    for (const Tensor& parameter : group.parameters)
      bytes += static_cast<double>(parameter.numel() * parameter.element_size());
  return bytes;
}

std::string described(const MeshChoice::Candidate& c) {
  std::string out = fmt::format("data={} tensor={}", c.data, c.tensor);
  if (c.pipeline > 1)
    out += fmt::format(" pipeline={} ({} in {} micro-batches)", c.pipeline, c.schedule,
                       c.micro_batches);
  return out + fmt::format(" {:.2f} ms", c.seconds * 1e3);
}

using Candidates = std::vector<MeshChoice::Candidate>;
using Uses = std::vector<PhaseWatch::Use>;
using Parameters = std::map<std::string, std::vector<Tensor>>;

// Schedules and micro-batches of one split; 1F1B first, then what costs more memory or messages.
Candidates pipelines_of(const MeshOptions& mesh, const MeshChoice::Candidate& split) {
  std::vector<std::string> schedules = {mesh.schedule};
  if (mesh.open_schedule) schedules = {"1f1b", "zb-h1", "interleaved"};
  std::vector<int> micro_batches = {mesh.micro_batches};
  if (mesh.micro_batches == 0)
    micro_batches = {split.pipeline, 2 * split.pipeline, 4 * split.pipeline};
  Candidates out;
  for (const std::string& schedule : schedules)
    for (const int parts : micro_batches) {
      out.push_back(split);
      out.back().schedule = schedule;
      out.back().micro_batches = parts;
      if (schedule == "interleaved") out.back().stages_per_rank = mesh.stages_per_rank;
    }
  return out;
}

// Does any phase pass in as many parts as this one asks for? Fewer are another candidate.
bool reaches_its_parts(const MeshChoice::Candidate& candidate, const Uses& uses) {
  return std::any_of(uses.begin(), uses.end(), [&](const PhaseWatch::Use& use) {
    return micro_batches_of(candidate.mesh(), use.phase, use.batch) == candidate.micro_batches;
  });
}

// Fewest ranks first, among them the shortest pipelines, then most data ranks.
Candidates all_candidates(const MeshOptions& mesh, const Uses& uses, const Parameters& parameters) {
  Candidates out;
  const auto add = [&](const MeshChoice::Candidate& candidate) {
    const bool fits = std::all_of(uses.begin(), uses.end(), [&](const PhaseWatch::Use& use) {
      return misfit(candidate.mesh(), use.phase, use.batch, parameters.at(use.phase.group)).empty();
    });
    if (fits) out.push_back(candidate);
  };
  std::vector<int> sizes = {mesh.ranks};
  while (mesh.or_fewer && sizes.back() > 1) sizes.push_back(sizes.back() / 2);
  for (auto ranks = sizes.rbegin(); ranks != sizes.rend(); ++ranks)
    for (int pipeline = 1; pipeline <= *ranks; ++pipeline) {
      if (*ranks % pipeline != 0 || (!mesh.open_pipeline && pipeline != mesh.pipeline)) continue;
      const int of_stage = *ranks / pipeline;
      for (int tensor = 1; tensor <= of_stage; ++tensor) {
        const MeshChoice::Candidate split{of_stage / tensor, tensor, pipeline};
        if (split.ranks() != *ranks || (mesh.data > 0 && mesh.data != split.data) ||
            (mesh.tensor > 0 && mesh.tensor != split.tensor))
          continue;
        if (pipeline == 1) {
          add(split);
          continue;
        }
        for (const MeshChoice::Candidate& each : pipelines_of(mesh, split))
          if (!mesh.open_pipeline || reaches_its_parts(each, uses)) add(each);
      }
    }
  return out;
}

// Seconds that this machine needs for `batch` on one rank, when it is recorded already.
double measured_seconds(PhaseGraph& graph, const TensorMap& batch) {
  graph.run(batch);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    const int64_t started = steady_ns();
    graph.run(batch);
    best = std::min(best, seconds_since(started));
  }
  return best;
}

// Adds the time of one phase to the candidates that pass its batch in `parts`.
class PhaseJudge {
 public:
  PhaseJudge(const PhaseWatch::Use& use, const std::vector<Tensor>& parameters, int cores,
             const MeshRates* rates)
      : use_(use), graph_(use.phase, parameters), cores_(cores), rates_(rates) {}

  void add(const std::vector<MeshChoice::Candidate*>& candidates, int parts, double step_bytes) {
    const TensorMap part = part_of_batch(use_.phase, use_.batch, 0, parts);
    double speed = 1;
    if (rates_ == nullptr) {
      double measured = measured_seconds(graph_, part);
      if (parts == 1) measured = std::min(measured, use_.seconds);
      const double modelled = graph_.seconds_on({Mesh({1, 1}, {"data", "tensor"})}, {{}}, part)[0];
      speed = modelled / std::max(1e-9, measured);
    }
    std::vector<Mesh> meshes;
    std::vector<PhaseMesh> pipelines;
    std::vector<distributed::CostModel> costs, pipeline_costs;
    std::vector<distributed::CostModel::Link> links;
    for (const MeshChoice::Candidate* candidate : candidates) {
      distributed::CostModel cost = candidate->cost;
      // One rank's share of the machine.
      const double share = std::min(1.0, static_cast<double>(cores_) / candidate->ranks());
      cost.flops_per_second *= speed * share;
      cost.bytes_per_second *= speed * share;
      if (candidate->pipeline == 1) {
        meshes.push_back(candidate->mesh().mesh);
        costs.push_back(cost);
      } else {
        pipelines.push_back(candidate->mesh());
        pipeline_costs.push_back(cost);
        links.push_back(candidate->pipeline_link);
      }
    }
    const std::vector<double> plain =
        meshes.empty() ? std::vector<double>() : graph_.seconds_on(meshes, costs, part);
    const std::vector<double> staged =
        pipelines.empty() ? std::vector<double>()
                          : graph_.seconds_on(pipelines, pipeline_costs, links, parts, use_.batch);
    size_t at = 0, staged_at = 0;
    for (MeshChoice::Candidate* candidate : candidates) {
      const bool is_plain = candidate->pipeline == 1;
      const double seconds = is_plain ? plain[at] : staged[staged_at];
      const auto& cost = is_plain ? costs[at++] : pipeline_costs[staged_at++];
      candidate->seconds += use_.runs * (seconds + kStepTraffic * step_bytes /
                                                       (candidate->tensor * candidate->pipeline) /
                                                       cost.bytes_per_second);
    }
  }

 private:
  const PhaseWatch::Use& use_;
  PhaseGraph graph_;
  const int cores_;
  const MeshRates* rates_;
};

// Of each data x tensor x pipeline the fastest, the first of those within kNoticeable of it.
Candidates best_schedules(const Candidates& all) {
  Candidates out;
  for (const MeshChoice::Candidate& each : all) {
    if (!std::isfinite(each.seconds)) continue;
    const bool same = !out.empty() && out.back().data == each.data &&
                      out.back().tensor == each.tensor && out.back().pipeline == each.pipeline;
    if (!same)
      out.push_back(each);
    else if (each.seconds < kNoticeable * out.back().seconds)
      out.back() = each;
  }
  return out;
}

std::string text_of(const Candidates& candidates) {
  const MeshChoice::Candidate& chosen = candidates[0];
  const int ranks = chosen.ranks();
  std::string text =
      fmt::format("{} rank{}: {} an iteration", ranks, ranks == 1 ? "" : "s", described(chosen));
  for (size_t i = 1; i < candidates.size(); ++i)
    text += (i == 1 ? "; others: " : ", ") + described(candidates[i]);
  const auto add_link = [&](const char* name, int size, const auto& link) {
    if (size > 1)
      text += fmt::format("; {} link: alpha {:.1f} us, beta {:.2f} ns/byte", name, link.alpha * 1e6,
                          link.beta * 1e9);
  };
  add_link("data", chosen.data, chosen.cost.link[0]);
  add_link("tensor", chosen.tensor, chosen.cost.link[1]);
  add_link("pipeline", chosen.pipeline, chosen.pipeline_link);
  return text;
}

}  // namespace

PhaseOut PhaseWatch::run(const Phase& phase, const TensorMap& batch) {
  const int64_t started = steady_ns();
  PhaseOut out = learn_.run(phase, batch);
  const double seconds = seconds_since(started);
  if (phase.group.empty()) return out;
  auto use = std::find_if(uses_.begin(), uses_.end(),
                          [&](const Use& known) { return known.phase.name == phase.name; });
  if (use == uses_.end()) use = uses_.insert(uses_.end(), {phase, batch, 0, seconds});
  ++use->runs;
  use->seconds = std::min(use->seconds, seconds);
  return out;
}

distributed::CostModel::Link measured_link(const std::string& kind, int ranks, int group) {
  if (group == 1) return {};
  const Mesh mesh({ranks / group, group}, {"others", "group"});
  distributed::CostModel::Link out;
  run_ranks_of(kind, ranks, [&](comm::Communicator& all) {
    const auto line = all.split(mesh.line(all.rank(), 1));
    const comm::ProbedCost cost =
        comm::probe(*line, {.bytes = size_t{256} << 10, .small_rounds = 60, .large_rounds = 5});
    all.barrier();
    if (all.rank() == 0) out = {cost.alpha_s, cost.beta_s_per_byte};
  });
  return out;
}

PhaseMesh MeshChoice::Candidate::mesh() const {
  return {Mesh({data, tensor}, {"data", "tensor"}), pipeline, micro_batches, schedule,
          stages_per_rank};
}

MeshChoice choose_mesh(const MeshOptions& mesh, Algorithm& algorithm,
                       const std::vector<PhaseWatch::Use>& uses, int cores,
                       const MeshRates* rates) {
  MeshChoice out;
  Parameters parameters;
  for (const OptimizerGroup& group : algorithm.optimizer_groups())
    parameters[group.name] = group.parameters;
  Candidates all = all_candidates(mesh, uses, parameters);
  OA_REQUIRE(!all.empty(), "[learner.parallel]: ", mesh.ranks,
             " ranks are more than the batches have rows and the parameters have columns; lower "
             "ranks");
  // By the sizes of mesh and group, so that candidates are compared fairly.
  std::map<std::pair<int, int>, distributed::CostModel::Link> links;
  const auto link_of = [&](int ranks, int group) {
    if (rates != nullptr) return group == 1 ? distributed::CostModel::Link() : rates->link;
    const auto [at, added] = links.try_emplace({ranks, group});
    if (added) at->second = measured_link(mesh.kind, ranks, group);
    return at->second;
  };
  for (MeshChoice::Candidate& candidate : all) {
    if (rates != nullptr) {
      candidate.cost.flops_per_second = rates->flops_per_second;
      candidate.cost.bytes_per_second = rates->bytes_per_second;
    }
    candidate.cost.link[0] = link_of(candidate.ranks(), candidate.data);
    candidate.cost.link[1] = link_of(candidate.ranks(), candidate.tensor);
    if (candidate.pipeline > 1) candidate.pipeline_link = link_of(candidate.ranks(), 2);
  }
  const double bytes = parameter_bytes(algorithm);
  comm::run_ranks(1, [&](comm::Communicator& one) {
    const distributed::World world(one);
    for (const PhaseWatch::Use& use : uses) {
      PhaseJudge judge(use, parameters.at(use.phase.group), cores, rates);
      std::map<int, std::vector<MeshChoice::Candidate*>> by_parts;
      for (MeshChoice::Candidate& candidate : all)
        by_parts[micro_batches_of(candidate.mesh(), use.phase, use.batch)].push_back(&candidate);
      for (const auto& [parts, candidates] : by_parts) judge.add(candidates, parts, bytes);
    }
  });
  out.candidates = best_schedules(all);
  OA_REQUIRE(!out.candidates.empty(), "[learner.parallel]: no phase can be cut into ",
             mesh.pipeline, " stages; lower pipeline");
  const MeshChoice::Candidate* best = out.candidates.data();
  for (const MeshChoice::Candidate& candidate : out.candidates)
    if (candidate.seconds < kClearlyBetter * best->seconds) best = &candidate;
  std::swap(out.candidates[0], out.candidates[static_cast<size_t>(best - out.candidates.data())]);
  std::stable_sort(out.candidates.begin() + 1, out.candidates.end(),
                   [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  out.text = text_of(out.candidates);
  return out;
}

}  // namespace oneagent
