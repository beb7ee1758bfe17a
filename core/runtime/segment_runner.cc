#include "core/runtime/segment_runner.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/base/log.h"

namespace oneagent {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

SegmentRunner::SegmentRunner(SegmentGraph graph, WaitBoard& board,
                             const SegmentRunnerOptions& options)
    : graph_(std::move(graph)), board_(board), options_(options) {
  graph_.compile();
  make_units();
  make_counters();
  reset();
  for (const SegmentGraph::StrandPlan& strand : graph_.strands())
    strands_.push_back(std::make_unique<Strand>(board_, str(graph_.name(), "/", strand.name), 1));
}

SegmentRunner::~SegmentRunner() { abort("its runner was destroyed"); }

void SegmentRunner::make_units() {
  const auto& segments = graph_.segments();
  const auto& strands = graph_.strands();
  units_ = std::make_unique<Unit[]>(segments.size());
  lanes_ = std::make_unique<Lane[]>(strands.size());
  for (size_t id = 0; id < segments.size(); ++id) {
    Unit& unit = units_[id];
    unit.function = &segments[id].function;
    unit.firing.segment_ = &segments[id].name;
    unit.firing.abort_ = &abort_;
    const auto join = [&](int peer) {
      const int strand = segments[peer].strand;
      if (strand != segments[id].strand &&
          std::find(unit.others.begin(), unit.others.end(), strand) == unit.others.end())
        unit.others.push_back(strand);
    };
    for (const SlotUse& use : segments[id].consumes) {
      const SegmentGraph::Slot& slot = graph_.slots()[use.slot.index];
      unit.takes.push_back(
          {nullptr, nullptr, use.slot.index, slot.producer, use.tokens, slot.places, 0, 0});
      unit.consumed.push_back({use.slot.index, use.tokens, slot.places, 0});
      join(slot.producer);
    }
    for (const SlotUse& use : segments[id].produces) {
      const SegmentGraph::Slot& slot = graph_.slots()[use.slot.index];
      for (const int consumer : slot.consumers) {
        unit.gives.push_back(
            {nullptr, nullptr, use.slot.index, consumer, use.tokens, slot.places, 0, 0});
        join(consumer);
      }
      unit.produced.push_back({use.slot.index, use.tokens, slot.places, 0});
    }
    unit.firing.consumed_ = unit.consumed;
    unit.firing.produced_ = unit.produced;
    if (options_.trace != nullptr) unit.trace_name = options_.trace->name(segments[id].name);
  }
  if (options_.trace == nullptr) return;
  trace_wait_ = options_.trace->name("wait");
  for (size_t i = 0; i < strands.size(); ++i)
    lanes_[i].trace = &options_.trace->lane(str(graph_.name(), "/", strands[i].name));
}

// Counters that one strand writes and another reads lie together.
void SegmentRunner::make_counters() {
  const auto& segments = graph_.segments();
  std::map<std::pair<int, int>, std::vector<Counter**>> by_pair;  // writer, reader
  std::vector<std::pair<Counter**, Counter**>> other_ends;        // where to copy from and to
  for (size_t id = 0; id < segments.size(); ++id) {
    const int strand = segments[id].strand;
    for (Edge& give : units_[id].gives) {
      const int reader = segments[give.peer].strand;
      auto& takes = units_[give.peer].takes;
      const auto take = std::find_if(takes.begin(), takes.end(),
                                     [&](const Edge& edge) { return edge.slot == give.slot; });
      by_pair[{strand, reader}].push_back(&give.ready);
      by_pair[{reader, strand}].push_back(&take->ack);
      other_ends.push_back({&give.ready, &take->ready});
      other_ends.push_back({&take->ack, &give.ack});
    }
  }
  constexpr size_t of_line = kLine / sizeof(Counter);
  size_t lines = 0;
  for (const auto& [pair, counters] : by_pair) lines += (counters.size() + of_line - 1) / of_line;
  lines_ = std::make_unique<Line[]>(lines);
  size_t line = 0;
  for (const auto& [pair, counters] : by_pair) {
    for (size_t i = 0; i < counters.size(); ++i)
      *counters[i] = &lines_[line + i / of_line].counters[i % of_line];
    line += (counters.size() + of_line - 1) / of_line;
  }
  for (const auto& [from, to] : other_ends) *to = *from;
}

void SegmentRunner::reset() {
  const auto& slots = graph_.slots();
  for (size_t id = 0; id < graph_.segments().size(); ++id) {
    Unit& unit = units_[id];
    unit.firing.index = 0;
    unit.fired.store(0, std::memory_order_relaxed);
    unit.target.store(0, std::memory_order_relaxed);
    for (Edge& edge : unit.takes) {
      edge.mine = edge.seen = 0;
      edge.ack->store(0, std::memory_order_relaxed);
    }
    for (Edge& edge : unit.gives) {
      edge.mine = slots[edge.slot].full;
      edge.seen = 0;
      edge.ready->store(edge.mine, std::memory_order_relaxed);
    }
    for (Firing::Port& port : unit.consumed) port.place = 0;
    for (Firing::Port& port : unit.produced) port.place = slots[port.slot].full % port.places;
  }
  for (size_t i = 0; i < graph_.strands().size(); ++i) lanes_[i].next = 0;
  dirty_ = false;
}

Status SegmentRunner::run(int64_t steps) {
  OA_REQUIRE(steps >= 0, "graph ", graph_.name(), ": can't run ", steps, " steps");
  std::unique_lock lock(mutex_);
  if (running_ > 0)
    return absl::UnavailableError(
        str("graph ", graph_.name(), ": the run before is still in progress: ", describe()));
  if (std::exchange(told_, false)) forget_error().IgnoreError();
  if (abort_) return forget_error();  // it came between two runs
  if (dirty_) reset();
  for (size_t i = 0; i < strands_.size(); ++i) lanes_[i].left = 0;
  for (size_t id = 0; id < graph_.segments().size(); ++id) {
    const SegmentGraph::Segment& segment = graph_.segments()[id];
    units_[id].target += segment.per_step * steps;
    lanes_[segment.strand].left += segment.per_step * steps;
  }
  for (size_t i = 0; i < strands_.size(); ++i) {
    if (lanes_[i].left == 0) continue;
    ++running_;
    const Status posted = strands_[i]->try_post([this, i] { run_lane(static_cast<int>(i)); });
    OA_CHECK(posted.ok(), "graph ", graph_.name(), ": ", posted.message());
  }
  return watch(lock);
}

void SegmentRunner::abort(const std::string& reason) {
  fail(absl::CancelledError(str("graph ", graph_.name(), ": aborted: ", reason)));
}

Status SegmentRunner::forget_error() {
  abort_ = false;
  return std::exchange(status_, ok());
}

void SegmentRunner::fail(const Status& status) {
  {
    std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
    dirty_ = true;
    abort_ = true;
  }
  for (size_t i = 0; i < strands_.size(); ++i) ring(lanes_[i], true);
  ended_.notify_all();
}

// While the failed segment still counts as running.
Status SegmentRunner::failure_of(int index, std::string_view words) const {
  const int id = lanes_[index].running.load(std::memory_order_relaxed);
  const std::string& strand = graph_.strands()[index].name;
  if (id < 0)
    return absl::InternalError(str("graph ", graph_.name(), ": strand ", strand, ": ", words));
  return absl::InternalError(str("graph ", graph_.name(), ": segment ", graph_.segments()[id].name,
                                 " (strand ", strand, ", firing ", units_[id].firing.index,
                                 ") failed: ", words));
}

// A strand's life in one run.
void SegmentRunner::run_lane(int index) {
  Lane& lane = lanes_[index];
  int id = -1;
  try {
    for (; lane.left > 0; --lane.left) {
      if (abort_.load(std::memory_order_relaxed)) break;
      id = next_to_fire(index);
      if (id < 0) id = wait_for_work(index);
      if (id < 0) break;
      fire(lane, id);
    }
  } catch (const std::exception& error) {
    fail(failure_of(index, error.what()));
  } catch (...) {
    fail(failure_of(index, "it threw something that is no std::exception"));
  }
  lane.running.store(-1, std::memory_order_relaxed);
  std::lock_guard lock(mutex_);
  --running_;
  ended_.notify_all();
}

bool SegmentRunner::can_fire(Unit& unit) {
  for (Edge& edge : unit.takes) {
    if (edge.seen - edge.mine >= edge.tokens) continue;
    edge.seen = edge.ready->load(std::memory_order_acquire);
    if (edge.seen - edge.mine < edge.tokens) return false;
  }
  for (Edge& edge : unit.gives) {
    if (edge.mine - edge.seen + edge.tokens <= edge.places) continue;
    edge.seen = edge.ack->load(std::memory_order_acquire);
    if (edge.mine - edge.seen + edge.tokens > edge.places) return false;
  }
  return true;
}

int SegmentRunner::next_to_fire(int index) {
  Lane& lane = lanes_[index];
  const SegmentGraph::StrandPlan& strand = graph_.strands()[index];
  const size_t start = lane.next.load(std::memory_order_relaxed);
  if (!strand.order.empty()) {
    const int id = strand.order[start];
    if (!can_fire(units_[id])) return -1;
    lane.next.store(start + 1 == strand.order.size() ? 0 : start + 1, std::memory_order_relaxed);
    return id;
  }
  const size_t count = strand.segments.size();
  for (size_t i = 0, at = start; i < count; ++i) {
    const int id = strand.segments[at];
    at = at + 1 == count ? 0 : at + 1;
    Unit& unit = units_[id];
    if (unit.firing.index == unit.target.load(std::memory_order_relaxed) || !can_fire(unit))
      continue;
    lane.next.store(at, std::memory_order_relaxed);
    return id;
  }
  return -1;
}

void SegmentRunner::fire(Lane& lane, int id) {
  Unit& unit = units_[id];
  lane.running.store(id, std::memory_order_relaxed);
  const int64_t begin = lane.trace == nullptr ? 0 : steady_ns();
  if (*unit.function) (*unit.function)(unit.firing);
  if (lane.trace != nullptr)
    lane.trace->add(unit.trace_name, unit.firing.index, begin, steady_ns());
  lane.running.store(-1, std::memory_order_relaxed);
  for (Firing::Port& port : unit.consumed) port.move();
  for (Firing::Port& port : unit.produced) port.move();
  for (Edge& edge : unit.takes) {
    edge.mine += edge.tokens;
    edge.ack->store(edge.mine, std::memory_order_release);
  }
  for (Edge& edge : unit.gives) {
    edge.mine += edge.tokens;
    edge.ready->store(edge.mine, std::memory_order_release);
  }
  ++unit.firing.index;
  unit.fired.store(unit.firing.index, std::memory_order_relaxed);
  lane.firings.store(lane.firings.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (unit.others.empty()) return;
  // Either the other strand, about to park, sees the counters, or this one sees that it parks.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (const int other : unit.others) ring(lanes_[other], false);
}

int SegmentRunner::wait_for_work(int index) {
  Lane& lane = lanes_[index];
  int64_t begin = 0, until = 0;  // no clock is read in the first looks
  int id = -1;
  while (id < 0) {
    if (abort_.load(std::memory_order_relaxed)) return -1;
    for (int look = 0; look < 32 && id < 0; ++look) {
      id = next_to_fire(index);
      if (id < 0) relax();
    }
    if (id >= 0) break;
    const int64_t now = steady_ns();
    if (begin == 0) begin = now;
    if (until == 0) until = now + options_.spin_us * 1000;
    if (now < until) continue;
    id = park(index);
    until = 0;
  }
  if (lane.trace != nullptr && begin != 0) {
    const int64_t now = steady_ns();
    if (now - begin > options_.spin_us * 1000)
      lane.trace->add(trace_wait_, units_[id].firing.index, begin, now);
  }
  return id;
}

int SegmentRunner::park(int index) {
  Lane& lane = lanes_[index];
  const uint32_t before = lane.bell.load();
  lane.parked.store(true);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const int id = next_to_fire(index);
  if (id < 0 && !abort_) {
    Wait wait;
    std::optional<WaitScope> row;
    for (const int segment : graph_.strands()[index].segments) {
      if (!wait_of(segment, wait)) continue;
      row.emplace(board_, str(graph_.name(), "/", wait.waiter),
                  str(graph_.name(), "/", wait.holder), wait.reason);
      break;
    }
    lane.bell.wait(before);
  }
  lane.parked.store(false);
  return id;
}

void SegmentRunner::ring(Lane& lane, bool always) {
  if (!always && !(lane.parked.load(std::memory_order_relaxed) && lane.parked.exchange(false)))
    return;
  lane.bell.fetch_add(1);
  lane.bell.notify_one();
}

}  // namespace oneagent
