// What ran when: spans of time on lanes (strands), written as a Chrome trace, which
// chrome://tracing and Perfetto show. Noting a span costs two clock reads and an append; without a
// trace, one test of a pointer.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace oneagent {

struct TraceSpan {
  std::string name;   // of a segment; "wait" while a strand is parked
  int64_t index = 0;  // firing
  int64_t begin_ns = 0, end_ns = 0;
};

// One strand's spans. Only the strand itself adds to it.
class TraceLane {
 public:
  // `name` from Trace::name.
  void add(const std::string* name, int64_t index, int64_t begin_ns, int64_t end_ns) {
    if (spans_.size() < kMost) spans_.push_back({name, index, begin_ns, end_ns});
  }

 private:
  friend class Trace;
  static constexpr size_t kMost = 1 << 20;  // spans; later ones are dropped
  struct Row {
    const std::string* name;
    int64_t index, begin_ns, end_ns;
  };
  std::string name_;
  std::vector<Row> spans_;
};

// Read it (spans, to_json, write, clear) while no run is in progress.
class Trace {
 public:
  // A text that lives as long as the trace.
  const std::string* name(const std::string& text);
  // The lane of that name, made when it is new.
  TraceLane& lane(const std::string& name);
  // By lane, in order of time; empty for an unknown lane.
  std::vector<TraceSpan> spans(const std::string& lane) const;
  // {"traceEvents": [...]}: complete events ("ph": "X") in microseconds from the first one.
  std::string to_json(const std::string& process = "oneagent") const;
  // Error: the file can't be written.
  void write(const std::string& path) const;
  void clear();

 private:
  mutable std::mutex mutex_;
  std::deque<TraceLane> lanes_;
  std::set<std::string> names_;
};

}  // namespace oneagent
