#include "core/runtime/pipeline_segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <thread>

#include "core/plan/pipeline_simulate.h"
#include "core/runtime/segment_runner.h"

namespace oneagent {
namespace {

// A chain of numbers: stage s computes x <- sin(w_s x), the loss is the last x; plain SGD.
struct Chain {
  explicit Chain(int stages) : weights(stages), sums(stages, 0.0f) {
    for (int i = 0; i < stages; ++i) weights[i] = 0.9f + 0.01f * static_cast<float>(i);
  }
  void step(int stage) {
    weights[stage] -= 0.1f * sums[stage];
    sums[stage] = 0;
  }
  std::vector<float> weights, sums;
};

float sample(int64_t step, int micro_batch) {
  return 0.3f + 0.07f * static_cast<float>(micro_batch) + 0.01f * static_cast<float>(step);
}

std::vector<float> one_device(int stages, int micro_batches, int64_t steps) {
  Chain chain(stages);
  for (int64_t step = 0; step < steps; ++step) {
    for (int j = 0; j < micro_batches; ++j) {
      std::vector<float> x = {sample(step, j)};
      for (int s = 0; s < stages; ++s) x.push_back(std::sin(chain.weights[s] * x.back()));
      float gradient = 1;
      for (int s = stages - 1; s >= 0; --s) {
        const float inner = gradient * std::cos(chain.weights[s] * x[s]);
        chain.sums[s] += inner * x[s];
        gradient = inner * chain.weights[s];
      }
    }
    for (int s = 0; s < stages; ++s) chain.step(s);
  }
  return chain.weights;
}

// The same with a strand a rank, values only in the rings, and random delays.
std::vector<float> as_pipeline(const PipelineSchedule& schedule, int64_t steps, int delay_us) {
  const int stages = schedule.stages();
  Chain chain(stages);
  using Ring = std::vector<std::vector<float>>;  // by stage, place
  Ring results(stages, std::vector<float>(64)), gradients = results, kept = results,
                                                kept_grads = results, kept_x = results;
  std::vector<int64_t> step_of(stages, 0);
  std::vector<std::mt19937> random(schedule.shape.ranks);
  const auto act = [&](const PipelineAction& action, const PipelinePlaces& at) {
    const int s = action.stage;
    if (s >= 0 && delay_us > 0) {
      std::mt19937& dice = random[schedule.rank_of(s)];
      if (dice() % 3 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(dice() % delay_us));
    }
    const auto add = [&](float inner, float x) { chain.sums[s] += inner * x; };
    switch (action.kind) {
      case ActionKind::kForward: {
        const float x = s == 0 ? sample(step_of[0], action.micro_batch) : results[s - 1][at.input];
        kept[s][at.kept] = x;
        if (at.output >= 0) results[s][at.output] = std::sin(chain.weights[s] * x);
        break;
      }
      case ActionKind::kBackward:
      case ActionKind::kInputGrad: {
        const float x = kept[s][at.kept];
        const float gradient = at.input < 0 ? 1 : gradients[s + 1][at.input];
        const float inner = gradient * std::cos(chain.weights[s] * x);
        if (at.output >= 0) gradients[s][at.output] = inner * chain.weights[s];
        if (action.kind == ActionKind::kBackward) {
          add(inner, x);
        } else {
          kept_grads[s][at.kept_grad] = inner;
          kept_x[s][at.kept_grad] = x;
        }
        break;
      }
      case ActionKind::kWeightGrad:
        add(kept_grads[s][at.kept_grad], kept_x[s][at.kept_grad]);
        break;
      case ActionKind::kReduce:
        chain.step(s);
        ++step_of[s];
        break;
      default:
        break;
    }
  };
  PipelineGraph made = pipeline_graph("pipeline", schedule, act);
  WaitBoard board;
  SegmentRunner runner(std::move(made.graph), board, {.give_up_ms = 20000});
  const Status status = runner.run(steps);
  EXPECT_TRUE(status.ok()) << status.message();
  return chain.weights;
}

TEST(PipelineSegments, EqualsOneDeviceBitForBit) {
  const std::pair<PipelineKind, PipelineShape> cases[] = {
      {PipelineKind::kGPipe, {4, 8, 1}},        {PipelineKind::kOneForwardOneBackward, {4, 8, 1}},
      {PipelineKind::kInterleaved, {2, 6, 3}},  {PipelineKind::kInterleaved, {1, 3, 2}},
      {PipelineKind::kZeroBubbleH1, {4, 8, 1}}, {PipelineKind::kZeroBubbleH2, {3, 7, 1}}};
  for (const auto& [kind, shape] : cases) {
    const PipelineSchedule schedule = make_pipeline(kind, shape);
    const auto expected = one_device(schedule.stages(), shape.micro_batches, 3);
    EXPECT_EQ(as_pipeline(schedule, 3, 0), expected) << name_of(kind);
    EXPECT_EQ(as_pipeline(schedule, 3, 300), expected) << name_of(kind);
  }
}

// Memory is what the table of activations says: rings are no longer.
TEST(PipelineSegments, RingsAreAsLongAsTheTable) {
  for (const PipelineKind kind :
       {PipelineKind::kGPipe, PipelineKind::kOneForwardOneBackward, PipelineKind::kZeroBubbleH1,
        PipelineKind::kZeroBubbleH2, PipelineKind::kInterleaved}) {
    const PipelineShape shape{4, 8, kind == PipelineKind::kInterleaved ? 2 : 1};
    const PipelineSchedule schedule = make_pipeline(kind, shape);
    const PipelineGraph made = pipeline_graph("pipeline", schedule, [](auto&, auto&) {});
    std::vector<int> kept(shape.ranks, 0);
    for (int stage = 0; stage < schedule.stages(); ++stage)
      kept[schedule.rank_of(stage)] += made.rings.kept[stage];
    for (int rank = 0; rank < shape.ranks; ++rank) {
      const int table = published_activations(kind, shape, rank);
      if (shape.chunks == 1) {
        EXPECT_EQ(kept[rank], table) << name_of(kind);
      } else {  // chunks are at their most at different times
        EXPECT_LE(kept[rank], table + shape.ranks) << name_of(kind);
      }
    }
    EXPECT_LE(made.rings.transfer, 4) << name_of(kind);
  }
}

// Time travels with the tokens: an action begins when its rank is free, what it reads is there and
// what it fills is free. A step of the graph then takes exactly what the simulation says, so that
// no ring is too short for full speed.
TEST(PipelineSegments, TakesAsLongAsSimulated) {
  struct Place {
    int64_t filled = 0, freed = 0;
  };
  const PipelineTimes times{3, 2, 2};
  for (const auto& [kind, shape] :
       {std::pair{PipelineKind::kGPipe, PipelineShape{4, 8, 1}},
        std::pair{PipelineKind::kOneForwardOneBackward, PipelineShape{4, 8, 1}},
        std::pair{PipelineKind::kInterleaved, PipelineShape{4, 8, 2}},
        std::pair{PipelineKind::kZeroBubbleH1, PipelineShape{4, 8, 1}},
        std::pair{PipelineKind::kZeroBubbleH2, PipelineShape{4, 8, 1}}}) {
    const PipelineSchedule schedule = make_pipeline(kind, shape);
    using Rings = std::vector<std::vector<Place>>;  // by stage
    Rings results(schedule.stages(), std::vector<Place>(64));
    Rings gradients = results, kept = results, kept_grads = results;
    std::vector<int64_t> clock(shape.ranks, 0);
    const auto act = [&](const PipelineAction& action, const PipelinePlaces& at) {
      if (!is_compute(action.kind)) return;
      const int s = action.stage;
      const bool forward = action.kind == ActionKind::kForward;
      std::vector<Place*> reads, fills;
      if (at.input >= 0) reads.push_back(&(forward ? results[s - 1] : gradients[s + 1])[at.input]);
      if (at.output >= 0) fills.push_back(&(forward ? results : gradients)[s][at.output]);
      if (at.kept >= 0) (forward ? fills : reads).push_back(&kept[s][at.kept]);
      if (at.kept_grad >= 0)
        (action.kind == ActionKind::kInputGrad ? fills : reads)
            .push_back(&kept_grads[s][at.kept_grad]);
      int64_t& now = clock[schedule.rank_of(s)];
      for (const Place* place : reads) now = std::max(now, place->filled);
      for (const Place* place : fills) now = std::max(now, place->freed);
      now += forward ? times.forward : 0;
      if (action.kind != ActionKind::kWeightGrad && !forward) now += times.input_grad;
      if (action.kind == ActionKind::kWeightGrad || action.kind == ActionKind::kBackward)
        now += times.weight_grad;
      for (Place* place : reads) place->freed = now;
      for (Place* place : fills) place->filled = now;
    };
    WaitBoard board;
    SegmentRunner runner(pipeline_graph("pipeline", schedule, act, times).graph, board,
                         {.give_up_ms = 20000});
    ASSERT_TRUE(runner.run(1).ok());
    EXPECT_EQ(*std::max_element(clock.begin(), clock.end()), simulate(schedule, times).makespan)
        << name_of(kind);
  }
}

}  // namespace
}  // namespace oneagent
