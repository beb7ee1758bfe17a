// Marks calls that compute again what was dropped to save memory, so that a plan does not merge
// them with the first ones.
#pragma once

namespace oneagent {

class RecomputeScope {
 public:
  RecomputeScope() { ++depth(); }
  ~RecomputeScope() { --depth(); }
  RecomputeScope(const RecomputeScope&) = delete;
  RecomputeScope& operator=(const RecomputeScope&) = delete;
  static bool active() { return depth() > 0; }

 private:
  static int& depth() {
    thread_local int value = 0;
    return value;
  }
};

}  // namespace oneagent
