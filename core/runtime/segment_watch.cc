// The watchdog of SegmentRunner: what the thread that called run() does meanwhile.
#include <algorithm>
#include <optional>

#include "core/base/log.h"
#include "core/runtime/segment_runner.h"

namespace oneagent {

int64_t SegmentRunner::all_firings() const {
  int64_t all = 0;
  for (size_t i = 0; i < strands_.size(); ++i)
    all += lanes_[i].firings.load(std::memory_order_relaxed);
  return all;
}

// With the lock held but for the waits.
Status SegmentRunner::watch(std::unique_lock<std::mutex>& lock) {
  const int64_t look_ms = std::clamp<int64_t>(options_.report_ms / 4, 1, 100);
  int64_t firings = all_firings(), since = steady_ns();
  bool leaving = false, reported = false;
  std::optional<WaitScope> row;
  while (running_ > 0) {
    ended_.wait_until(lock, Deadline::after_ms(look_ms),
                      [&] { return running_ == 0 || (!leaving && abort_); });
    if (running_ == 0) break;
    const int64_t now = steady_ns(), fired = all_firings();
    if (abort_ && !leaving) {
      leaving = true;
      since = now;
      continue;
    }
    const int64_t idle_ms = (now - since) / 1'000'000;
    if (leaving) {
      if (idle_ms < options_.leave_ms) continue;
      told_ = true;
      return Status(status_.code(),
                    str(status_.message(), "; still there ", idle_ms, " ms later: ", describe()));
    }
    if (fired != firings) {
      firings = fired;
      since = now;
      reported = false;
      row.reset();
    } else if (options_.give_up_ms > 0 && idle_ms >= options_.give_up_ms) {
      const Status status = absl::DeadlineExceededError(
          str("graph ", graph_.name(), ": nothing fired for ", idle_ms, " ms: ", describe()));
      lock.unlock();
      fail(status);
      lock.lock();
    } else if (!reported && idle_ms >= options_.report_ms) {
      reported = true;
      const std::string text = describe();
      log_warning("graph ", graph_.name(), ": nothing fired for ", idle_ms, " ms: ", text);
      const std::string holder = waited_for(waits());
      row.emplace(board_, graph_.name(),
                  holder.empty() ? graph_.name() : str(graph_.name(), "/", holder), text);
    }
  }
  return forget_error();
}

// From counters that any thread may read: what a segment with firings left waits for.
bool SegmentRunner::wait_of(int id, Wait& wait) const {
  const auto& segments = graph_.segments();
  const Unit& unit = units_[id];
  const SegmentGraph::Segment& segment = segments[id];
  if (unit.fired.load(std::memory_order_relaxed) >= unit.target.load(std::memory_order_relaxed))
    return false;
  const Lane& lane = lanes_[segment.strand];
  const int running = lane.running.load(std::memory_order_relaxed);
  if (running == id) return false;
  const SegmentGraph::StrandPlan& strand = graph_.strands()[segment.strand];
  wait.waiter = segment.name;
  if (!strand.order.empty() && running < 0) {
    const int first = strand.order[lane.next.load(std::memory_order_relaxed)];
    if (first != id) {
      wait.holder = segments[first].name;
      wait.reason = str("strand ", strand.name, " fires it first");
      return true;
    }
  }
  for (const Edge& edge : unit.takes) {
    if (running >= 0 && !strand.order.empty()) break;
    if (edge.ready->load() - edge.ack->load() >= edge.tokens) continue;
    wait.holder = segments[edge.peer].name;
    wait.reason = str("slot ", graph_.slots()[edge.slot].name, " is empty");
    return true;
  }
  for (const Edge& edge : unit.gives) {
    if (running >= 0 && !strand.order.empty()) break;
    if (edge.ready->load() - edge.ack->load() + edge.tokens <= edge.places) continue;
    wait.holder = segments[edge.peer].name;
    wait.reason = str("slot ", graph_.slots()[edge.slot].name, " is full, places ", edge.places);
    return true;
  }
  if (running < 0) return false;  // it can fire
  wait.holder = segments[running].name;
  wait.reason = str("strand ", strand.name, " runs it");
  return true;
}

std::string SegmentRunner::board_name(int segment) const {
  return str(graph_.name(), "/", graph_.segments()[segment].name);
}

std::vector<Wait> SegmentRunner::waits() const {
  std::vector<Wait> waits;
  const std::string prefix = graph_.name() + "/";
  const std::vector<WaitRow> rows = board_.snapshot();
  for (size_t id = 0; id < graph_.segments().size(); ++id) {
    const SegmentGraph::Segment& segment = graph_.segments()[id];
    Wait wait;
    if (wait_of(static_cast<int>(id), wait)) {
      waits.push_back(wait);
    } else if (lanes_[segment.strand].running.load(std::memory_order_relaxed) ==
               static_cast<int>(id)) {
      for (const WaitRow& row : rows) {
        if (row.waiter != board_name(static_cast<int>(id))) continue;
        const bool own = row.holder.starts_with(prefix);
        waits.push_back(
            {segment.name, own ? row.holder.substr(prefix.size()) : row.holder, row.reason});
      }
    }
  }
  return waits;
}

std::string SegmentRunner::describe() const {
  const std::vector<Wait> all = waits();
  std::string text = describe_waits(all);
  for (size_t i = 0; i < strands_.size(); ++i) {
    const int running = lanes_[i].running.load(std::memory_order_relaxed);
    if (running < 0) continue;
    const std::string& name = graph_.segments()[running].name;
    const bool waits_itself =
        std::any_of(all.begin(), all.end(), [&](const Wait& wait) { return wait.waiter == name; });
    if (waits_itself) continue;
    text += str(text.empty() ? "" : "; ", name, " runs (strand ", graph_.strands()[i].name,
                ", firing ", units_[running].fired.load(std::memory_order_relaxed), ")");
  }
  return text.empty() ? "every segment is done" : text;
}

}  // namespace oneagent
