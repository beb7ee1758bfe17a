#include "core/runtime/trace.h"

#include <algorithm>
#include <fstream>
#include <limits>

#include "core/base/check.h"
#include "core/base/json.h"

namespace oneagent {

const std::string* Trace::name(const std::string& text) {
  std::lock_guard lock(mutex_);
  return &*names_.insert(text).first;
}

TraceLane& Trace::lane(const std::string& name) {
  std::lock_guard lock(mutex_);
  for (TraceLane& lane : lanes_)
    if (lane.name_ == name) return lane;
  lanes_.emplace_back();
  lanes_.back().name_ = name;
  return lanes_.back();
}

std::vector<TraceSpan> Trace::spans(const std::string& name) const {
  std::lock_guard lock(mutex_);
  std::vector<TraceSpan> spans;
  for (const TraceLane& lane : lanes_)
    if (lane.name_ == name)
      for (const TraceLane::Row& row : lane.spans_)
        spans.push_back({*row.name, row.index, row.begin_ns, row.end_ns});
  return spans;
}

std::string Trace::to_json(const std::string& process) const {
  std::lock_guard lock(mutex_);
  int64_t first = std::numeric_limits<int64_t>::max();
  for (const TraceLane& lane : lanes_)
    for (const TraceLane::Row& row : lane.spans_) first = std::min(first, row.begin_ns);
  const auto micros = [](int64_t ns) { return static_cast<double>(ns) / 1000.0; };
  Json events = Json::array();
  events.push_back(
      {{"ph", "M"}, {"pid", 1}, {"name", "process_name"}, {"args", {{"name", process}}}});
  int number = 0;
  for (const TraceLane& lane : lanes_) {
    ++number;
    events.push_back({{"ph", "M"},
                      {"pid", 1},
                      {"tid", number},
                      {"name", "thread_name"},
                      {"args", {{"name", lane.name_}}}});
    for (const TraceLane::Row& row : lane.spans_)
      events.push_back({{"ph", "X"},
                        {"pid", 1},
                        {"tid", number},
                        {"name", *row.name},
                        {"ts", micros(row.begin_ns - first)},
                        {"dur", micros(row.end_ns - row.begin_ns)},
                        {"args", {{"firing", row.index}}}});
  }
  return Json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ms"}}.dump();
}

void Trace::write(const std::string& path) const {
  std::ofstream file(path, std::ios::trunc);
  file << to_json() << '\n';
  file.close();
  OA_REQUIRE(file.good(), "trace: can't write ", path);
}

void Trace::clear() {
  std::lock_guard lock(mutex_);
  for (TraceLane& lane : lanes_) lane.spans_.clear();
}

}  // namespace oneagent
