// In how many equal parts (micro-batches) the batch of what this thread records is to pass.
#pragma once

#include <cstdint>

namespace oneagent {

inline int64_t& recorded_parts() {
  thread_local int64_t parts = 1;
  return parts;
}

class RecordedPartsScope {
 public:
  explicit RecordedPartsScope(int64_t parts) : before_(recorded_parts()) {
    recorded_parts() = parts;
  }
  ~RecordedPartsScope() { recorded_parts() = before_; }
  RecordedPartsScope(const RecordedPartsScope&) = delete;
  RecordedPartsScope& operator=(const RecordedPartsScope&) = delete;

 private:
  int64_t before_;
};

}  // namespace oneagent
