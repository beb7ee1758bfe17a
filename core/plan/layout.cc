#include "core/plan/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/plan/pipeline_simulate.h"

namespace oneagent {
namespace {

using distributed::ParallelOptions;
using distributed::PipelineEstimate;

int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

// Every rank as slow as the slowest, so that the time is not promised too low.
PipelineTimes times_of(const PipelineEstimate& estimate, const ParallelOptions& options) {
  PipelineTimes times{0, 0, 0};
  double bytes = 0;
  for (size_t stage = 0; stage < estimate.parameter_bytes.size(); ++stage) {
    const distributed::StagePlan& plan = estimate.stages;
    times.forward = std::max(times.forward, nanoseconds(plan.forward_seconds[stage]));
    times.input_grad = std::max(times.input_grad, nanoseconds(plan.backward_seconds[stage]) / 2);
    bytes = std::max({bytes, plan.forward_bytes[stage], plan.backward_bytes[stage]});
  }
  times.weight_grad = times.input_grad;
  times.latency =
      nanoseconds(options.pipeline_link.alpha +
                  options.pipeline_link.beta * bytes / static_cast<double>(options.mesh.ranks()));
  return times;
}

void judge(LayoutCandidate& candidate, const PipelineEstimate& estimate, int micro_batches) {
  candidate.refusal = estimate.refusal;
  if (!candidate.refusal.empty()) return;
  const ParallelOptions& options = candidate.options;
  if (options.pipeline == 1) {
    candidate.seconds =
        micro_batches * (estimate.stages.forward_seconds[0] + estimate.stages.backward_seconds[0]);
    candidate.bytes = estimate.parameter_bytes[0] + estimate.activation_bytes[0];
    return;
  }
  const PipelineSchedule schedule = make_pipeline(
      pipeline_kind(options.schedule), {options.pipeline, micro_batches, options.stages_per_rank});
  const PipelineSimulation run = simulate(schedule, times_of(estimate, options));
  candidate.seconds = static_cast<double>(run.makespan) * 1e-9;
  candidate.idle_share = run.idle_share;
  for (int rank = 0; rank < options.pipeline; ++rank) {
    double parameters = 0, activations = 0;
    for (int stage = rank; stage < schedule.stages(); stage += options.pipeline) {
      const auto at = static_cast<size_t>(stage);
      parameters += estimate.parameter_bytes[at];
      activations = std::max(activations, estimate.activation_bytes[at]);
    }
    const double held = run.held[static_cast<size_t>(rank)];
    candidate.bytes = std::max(candidate.bytes, parameters + held * activations);
  }
}

}  // namespace

std::string PipelineLayout::text() const {
  std::string out;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const LayoutCandidate& each = candidates[i];
    out += fmt::format("{} pipeline = {}, {} ranks a stage: ", i == chosen ? "*" : " ",
                       each.options.pipeline, each.options.mesh.ranks());
    out += each.seconds > 0
               ? fmt::format("{:.3f} ms a step, idle {:.1f}%, {:.2f} MB a rank", each.seconds * 1e3,
                             each.idle_share * 100, each.bytes / 1e6)
               : "";
    if (!each.refusal.empty()) out += (each.seconds > 0 ? "; " : "") + each.refusal;
    out += "\n";
  }
  return out;
}

std::vector<LayoutCandidate> judge_layouts(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const std::vector<ParallelOptions>& options, int micro_batches, const Generator& generator) {
  // Stages and shardings are the same for schedules that differ in the order alone.
  std::vector<ParallelOptions> distinct;
  std::vector<size_t> place;
  for (const ParallelOptions& each : options) {
    const auto same =
        std::find_if(distinct.begin(), distinct.end(), [&](const ParallelOptions& known) {
          return known.mesh == each.mesh && known.pipeline == each.pipeline &&
                 known.stages_per_rank == each.stages_per_rank;
        });
    place.push_back(static_cast<size_t>(same - distinct.begin()));
    if (same == distinct.end()) distinct.push_back(each);
  }
  const auto estimates = distributed::plan_pipelines(build, inputs, leaves, distinct, generator);
  std::vector<LayoutCandidate> out;
  for (size_t i = 0; i < options.size(); ++i) {
    out.push_back({options[i]});
    try {
      judge(out.back(), estimates[place[i]], micro_batches);
    } catch (const Error& error) {
      out.back().refusal = error.what();  // the schedule has no such shape
    }
  }
  return out;
}

PipelineLayout choose_layout(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, int ranks, int micro_batches, const Generator& generator) {
  PipelineLayout out;
  std::vector<ParallelOptions> all;
  for (int pipeline = 1; pipeline <= ranks; ++pipeline) {
    if (ranks % pipeline != 0) continue;
    ParallelOptions each = options;
    each.automatic = false;
    each.pipeline = pipeline;
    if (pipeline == 1) each.stages_per_rank = 1;
    const int share = ranks / pipeline;
    each.mesh = share > 1 || pipeline == 1 ? Mesh({share}, {"ranks"}) : Mesh();
    all.push_back(each);
  }
  out.candidates = judge_layouts(build, inputs, leaves, all, micro_batches, generator);
  double best = std::numeric_limits<double>::infinity(), least = best;
  for (size_t i = 0; i < all.size(); ++i) {
    LayoutCandidate& candidate = out.candidates[i];
    if (candidate.refusal.empty()) {
      least = std::min(least, candidate.bytes);
      if (candidate.bytes > options.memory_bytes)
        candidate.refusal = fmt::format("more than {:.2f} MB", options.memory_bytes / 1e6);
      else if (candidate.seconds < best) {
        best = candidate.seconds;
        out.chosen = i;
      }
    }
  }
  OA_REQUIRE(best < std::numeric_limits<double>::infinity(), "layout: nothing fits into ",
             options.memory_bytes / 1e6, " MB a rank on ", ranks, " ranks; the least is ",
             least / 1e6, " MB; give more memory, more ranks or more micro-batches");
  return out;
}

std::string explain_pipeline(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& build,
    const std::vector<Tensor>& inputs, const std::vector<Tensor>& leaves,
    const ParallelOptions& options, int micro_batches, const Generator& generator) {
  const PipelineSchedule schedule = make_pipeline(
      pipeline_kind(options.schedule), {options.pipeline, micro_batches, options.stages_per_rank});
  const PipelineEstimate estimate =
      distributed::plan_pipelines(build, inputs, leaves, {options}, generator)[0];
  OA_REQUIRE(estimate.refusal.empty(), estimate.refusal);
  LayoutCandidate candidate{options};
  judge(candidate, estimate, micro_batches);
  return estimate.text + to_text(schedule) +
         fmt::format("  with these stages {:.3f} ms a step, idle {:.1f}%, {:.2f} MB a rank\n",
                     candidate.seconds * 1e3, candidate.idle_share * 100, candidate.bytes / 1e6);
}

}  // namespace oneagent
