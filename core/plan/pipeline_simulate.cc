#include "core/plan/pipeline_simulate.h"

#include <algorithm>
#include <deque>

#include "core/base/check.h"

namespace oneagent {
namespace {

int64_t time_of(ActionKind kind, const PipelineTimes& times) {
  switch (kind) {
    case ActionKind::kForward:
      return times.forward;
    case ActionKind::kBackward:
      return times.input_grad + times.weight_grad;
    case ActionKind::kInputGrad:
      return times.input_grad;
    case ActionKind::kWeightGrad:
      return times.weight_grad;
    case ActionKind::kReduce:
      return times.reduce;
    case ActionKind::kStep:
      return times.step;
    default:
      return 0;
  }
}

// The ring between an action that computes and the one of another stage that reads its result.
struct Ring {
  size_t made = 0;                 // results so far, with that of the action in hand
  std::vector<int64_t> read_ends;  // by result
};

class Simulator {
 public:
  Simulator(const PipelineSchedule& schedule, const PipelineTimes& times, int credits)
      : schedule_(schedule),
        times_(times),
        credits_(credits),
        ranks_(schedule.actions.size()),
        next_(ranks_, 0),
        clock_(ranks_, 0),
        channels_(ranks_ * ranks_ * 2),
        rings_(static_cast<size_t>(schedule.stages()) * 2) {}

  PipelineSimulation run() {
    result_.ranks.resize(ranks_);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t rank = 0; rank < ranks_; ++rank)
        while (next_[rank] < schedule_.actions[rank].size() && advance(rank)) moved = true;
    }
    for (size_t rank = 0; rank < ranks_; ++rank)
      OA_REQUIRE(next_[rank] == schedule_.actions[rank].size(), "pipeline ",
                 name_of(schedule_.kind), ": deadlock", waits());
    sum_up();
    return std::move(result_);
  }

 private:
  // Arrivals of what is sent and not yet received.
  std::deque<int64_t>& channel(size_t from, size_t to, bool forward) {
    return channels_[(from * ranks_ + to) * 2 + (forward ? 1 : 0)];
  }

  // Rings are numbered by the stage before the border; null at the ends of the model.
  Ring* ring_behind(const PipelineAction& action) {
    const int stage = action.stage;
    if (action.kind == ActionKind::kForward)
      return stage + 1 == schedule_.stages() ? nullptr : &rings_[stage * 2];
    if (action.kind == ActionKind::kBackward || action.kind == ActionKind::kInputGrad)
      return stage == 0 ? nullptr : &rings_[(stage - 1) * 2 + 1];
    return nullptr;
  }
  Ring* ring_before(const PipelineAction& action) {
    const int stage = action.stage;
    if (action.kind == ActionKind::kForward) return stage == 0 ? nullptr : &rings_[(stage - 1) * 2];
    if (action.kind == ActionKind::kBackward || action.kind == ActionKind::kInputGrad)
      return stage + 1 == schedule_.stages() ? nullptr : &rings_[stage * 2 + 1];
    return nullptr;
  }

  // Does the rank's next action, or returns false when it must wait.
  bool advance(size_t rank) {
    const PipelineAction& action = schedule_.actions[rank][next_[rank]];
    int64_t begin = clock_[rank];
    if (is_send(action.kind)) {
      const auto peer = static_cast<size_t>(peer_of(schedule_, action));
      auto& way = channel(rank, peer, action.kind == ActionKind::kSendForward);
      way.push_back(begin + times_.latency);
      result_.messages_in_flight =
          std::max(result_.messages_in_flight, static_cast<int>(way.size()));
    } else if (is_receive(action.kind)) {
      const auto peer = static_cast<size_t>(peer_of(schedule_, action));
      auto& way = channel(peer, rank, action.kind == ActionKind::kRecvForward);
      if (way.empty()) return false;
      begin = std::max(begin, way.front());
      way.pop_front();
    }
    Ring* const behind = credits_ > 0 ? ring_behind(action) : nullptr;
    if (behind != nullptr && behind->made >= static_cast<size_t>(credits_)) {
      const size_t before = behind->made - static_cast<size_t>(credits_);
      if (before >= behind->read_ends.size()) return false;
      begin = std::max(begin, behind->read_ends[before]);
    }
    const int64_t end = begin + time_of(action.kind, times_);
    if (behind != nullptr) ++behind->made;
    if (Ring* const ring = ring_before(action)) ring->read_ends.push_back(end);
    result_.ranks[rank].push_back({action, begin, end});
    clock_[rank] = end;
    ++next_[rank];
    return true;
  }

  std::string waits() const {
    std::string text;
    for (size_t rank = 0; rank < ranks_; ++rank) {
      if (next_[rank] == schedule_.actions[rank].size()) continue;
      const PipelineAction& action = schedule_.actions[rank][next_[rank]];
      if (is_receive(action.kind))
        text += str("; rank ", rank, " waits in ", to_text(action), " for rank ",
                    peer_of(schedule_, action));
      else
        text += str("; rank ", rank, " waits in ", to_text(action), " for a free place behind it, ",
                    credits_, " credits");
    }
    return text;
  }

  void sum_up() {
    int64_t work = 0;
    for (const auto& actions : result_.ranks) {
      int64_t busy = 0, first = -1, last = 0;
      int between = 0, weights = 0, most = 0, most_weights = 0, most_held = 0;
      for (const TimedAction& timed : actions) {
        const ActionKind kind = timed.action.kind;
        if (is_compute(kind) && first < 0) first = timed.begin;
        if (timed.end > timed.begin) last = timed.end;
        busy += timed.end - timed.begin;
        if (kind == ActionKind::kForward) ++between;
        most = std::max(most, between);
        most_held = std::max(most_held, between + weights);
        if (kind == ActionKind::kBackward || kind == ActionKind::kInputGrad) --between;
        if (kind == ActionKind::kInputGrad) ++weights;
        most_weights = std::max(most_weights, weights);
        if (kind == ActionKind::kWeightGrad) --weights;
      }
      const int64_t span = last - std::max<int64_t>(first, 0);
      result_.makespan = std::max(result_.makespan, last);
      result_.longest_span = std::max(result_.longest_span, span);
      result_.bubble = std::max(result_.bubble, span - busy);
      result_.busy.push_back(busy);
      result_.activations.push_back(most);
      result_.weight_inputs.push_back(most_weights);
      result_.held.push_back(most_held);
      work += busy;
    }
    const int64_t all = result_.makespan * static_cast<int64_t>(ranks_);
    result_.idle_share = all == 0 ? 0 : 1 - static_cast<double>(work) / static_cast<double>(all);
  }

  const PipelineSchedule& schedule_;
  const PipelineTimes times_;
  const int credits_;
  const size_t ranks_;
  std::vector<size_t> next_;    // by rank, index of the next action
  std::vector<int64_t> clock_;  // by rank, end of the last action
  std::vector<std::deque<int64_t>> channels_;
  std::vector<Ring> rings_;  // by border between stages: results, then gradients
  PipelineSimulation result_;
};

bool runs_with(const PipelineSchedule& schedule, int credits) {
  try {
    simulate(schedule, {}, credits);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

PipelineSimulation simulate(const PipelineSchedule& schedule, const PipelineTimes& times,
                            int credits) {
  return Simulator(schedule, times, credits).run();
}

int least_credits(const PipelineSchedule& schedule) {
  int credits = 1;
  while (credits < schedule.shape.micro_batches && !runs_with(schedule, credits)) ++credits;
  return credits;
}

int full_speed_credits(const PipelineSchedule& schedule, const PipelineTimes& times) {
  const PipelineSimulation free = simulate(schedule, times);
  int credits = least_credits(schedule);
  for (; credits < schedule.shape.micro_batches; ++credits) {
    const PipelineSimulation run = simulate(schedule, times, credits);
    if (run.makespan == free.makespan && run.longest_span == free.longest_span) break;
  }
  return credits;
}

int64_t published_bubble(PipelineKind kind, const PipelineShape& shape,
                         const PipelineTimes& times) {
  const int64_t others = shape.ranks - 1, before_weights = times.forward + times.input_grad;
  switch (kind) {
    case PipelineKind::kZeroBubbleH1:
      return others * (before_weights - times.weight_grad);
    case PipelineKind::kZeroBubbleH2:
      return others * (before_weights - 2 * times.weight_grad);
    default:
      return others * (before_weights + times.weight_grad);
  }
}

int published_activations(PipelineKind kind, const PipelineShape& shape, int rank) {
  const int m = shape.micro_batches, after = shape.ranks - rank;
  switch (kind) {
    case PipelineKind::kGPipe:
      return m;
    case PipelineKind::kInterleaved:
      return std::min(m * shape.chunks, (shape.chunks - 1) * shape.ranks + 2 * after - 1);
    case PipelineKind::kZeroBubbleH2:
      return std::min(m, 2 * after - 1);
    default:
      return std::min(m, after);
  }
}

}  // namespace oneagent
