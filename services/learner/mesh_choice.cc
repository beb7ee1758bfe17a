#include "services/learner/mesh_choice.h"

#include <fmt/format.h>

#include <algorithm>
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
constexpr double kClearlyBetter = 0.9;

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

std::string described(const MeshChoice::Candidate& candidate) {
  return fmt::format("data={} tensor={} {:.2f} ms", candidate.data, candidate.tensor,
                     candidate.seconds * 1e3);
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

MeshChoice choose_mesh(const MeshOptions& mesh, Algorithm& algorithm,
                       const std::vector<PhaseWatch::Use>& uses, int cores) {
  MeshChoice out;
  std::map<std::string, std::vector<Tensor>> parameters;
  for (const OptimizerGroup& group : algorithm.optimizer_groups())
    parameters[group.name] = group.parameters;
  std::vector<int> sizes = {mesh.ranks};
  while (mesh.or_fewer && sizes.back() > 1) sizes.push_back(sizes.back() / 2);
  for (auto ranks = sizes.rbegin(); ranks != sizes.rend(); ++ranks)
    for (int tensor = 1; tensor <= *ranks; ++tensor) {
      const int data = *ranks / tensor;
      if (data * tensor != *ranks || (mesh.data > 0 && mesh.data != data) ||
          (mesh.tensor > 0 && mesh.tensor != tensor))
        continue;
      const bool fits = std::all_of(uses.begin(), uses.end(), [&](const PhaseWatch::Use& use) {
        return misfit({Mesh({data, tensor}, {"data", "tensor"})}, use.phase, use.batch,
                      parameters.at(use.phase.group))
            .empty();
      });
      if (fits) out.candidates.push_back({data, tensor});
    }
  OA_REQUIRE(!out.candidates.empty(), "[learner.parallel]: ", mesh.ranks,
             " ranks are more than the batches have rows and the parameters have columns; lower "
             "ranks");
  // By the sizes of mesh and group, so that candidates are compared fairly.
  std::map<std::pair<int, int>, distributed::CostModel::Link> links;
  const auto link_of = [&](int ranks, int group) {
    const auto [at, added] = links.try_emplace({ranks, group});
    if (added) at->second = measured_link(mesh.kind, ranks, group);
    return at->second;
  };
  for (MeshChoice::Candidate& candidate : out.candidates) {
    candidate.cost.link[0] = link_of(candidate.ranks(), candidate.data);
    candidate.cost.link[1] = link_of(candidate.ranks(), candidate.tensor);
  }
  const double bytes = parameter_bytes(algorithm);
  comm::run_ranks(1, [&](comm::Communicator& all) {
    const distributed::World world(all);
    for (const PhaseWatch::Use& use : uses) {
      PhaseGraph graph(use.phase, parameters.at(use.phase.group));
      const double modelled =
          graph.seconds_on({Mesh({1, 1}, {"data", "tensor"})}, {{}}, use.batch)[0];
      const double speed = modelled / std::max(1e-9, use.seconds);
      std::vector<Mesh> meshes;
      std::vector<distributed::CostModel> costs;
      for (MeshChoice::Candidate& candidate : out.candidates) {
        meshes.push_back(Mesh({candidate.data, candidate.tensor}, {"data", "tensor"}));
        costs.push_back(candidate.cost);
        // One rank's share of the machine.
        const double share = std::min(1.0, static_cast<double>(cores) / candidate.ranks());
        costs.back().flops_per_second *= speed * share;
        costs.back().bytes_per_second *= speed * share;
      }
      const std::vector<double> seconds = graph.seconds_on(meshes, costs, use.batch);
      for (size_t i = 0; i < seconds.size(); ++i)
        out.candidates[i].seconds +=
            use.runs * (seconds[i] + kStepTraffic * bytes / out.candidates[i].tensor /
                                         costs[i].bytes_per_second);
    }
  });
  // Fewest ranks first, among them most data ranks.
  const std::vector<MeshChoice::Candidate> in_order = out.candidates;
  const MeshChoice::Candidate* best = in_order.data();
  for (const MeshChoice::Candidate& candidate : in_order)
    if (candidate.seconds < kClearlyBetter * best->seconds) best = &candidate;
  std::stable_sort(out.candidates.begin(), out.candidates.end(), [&](const auto& a, const auto& b) {
    const auto chosen = [&](const MeshChoice::Candidate& c) {
      return c.data == best->data && c.tensor == best->tensor;
    };
    const bool first = chosen(a), other = chosen(b);
    return first != other ? first : a.seconds < b.seconds;
  });
  const int ranks = out.candidates[0].ranks();
  out.text = fmt::format("{} rank{}: {} an iteration", ranks, ranks == 1 ? "" : "s",
                         described(out.candidates[0]));
  for (size_t i = 1; i < out.candidates.size(); ++i)
    out.text += (i == 1 ? "; others: " : ", ") + described(out.candidates[i]);
  for (size_t dim = 0; dim < 2; ++dim)
    if ((dim == 0 ? out.candidates[0].data : out.candidates[0].tensor) > 1) {
      const auto& link = out.candidates[0].cost.link[dim];
      out.text += fmt::format("; {} link: alpha {:.1f} us, beta {:.2f} ns/byte",
                              dim == 0 ? "data" : "tensor", link.alpha * 1e6, link.beta * 1e9);
    }
  return out;
}

}  // namespace oneagent
