// Chunks and folders for replay tests.
#pragma once

#include <unistd.h>

#include <atomic>
#include <limits>

#include "core/base/file.h"
#include "core/data/trajectory.h"

namespace oneagent {

// A whole, valid chunk: T steps of one lane whose rewards are `value`, with `extra_bytes` of uint8
// columns.
inline ring::Chunk make_chunk(uint32_t actor, uint64_t sequence, float value = 0, int64_t steps = 2,
                              int64_t extra_bytes = 0) {
  ring::Chunk chunk;
  chunk.key = {actor, sequence};
  chunk.steps = steps;
  chunk.lanes = 1;
  const auto add = [&](const char* name, DType dtype, const Shape& shape) {
    chunk.arrays.add(ring::make_array(name, dtype, shape).array);
  };
  add("observation", DType::kFloat32, {steps, 1, 4});
  add("action", DType::kInt32, {steps, 1});
  ring::MutableArray reward = ring::make_array("reward", DType::kFloat32, {steps, 1});
  for (float& x : reward.as<float>()) x = value;
  chunk.arrays.add(reward.array);
  for (const char* name : {"terminated", "truncated", "first"})
    add(name, DType::kUInt8, {steps, 1});
  if (extra_bytes > 0) add("extra.pixels", DType::kUInt8, {extra_bytes});
  return chunk;
}

inline ring::Chunk make_bad_chunk(uint32_t actor, uint64_t sequence) {
  return make_chunk(actor, sequence, std::numeric_limits<float>::quiet_NaN());
}

inline float value_of(const ring::Chunk& chunk) { return chunk.arrays.at("reward").as<float>()[0]; }

inline std::vector<ring::ItemSpec> whole(const std::string& table, int64_t steps = 2) {
  return {{table, 0, steps, -1, 1.0}};
}

// A queue that gives each item once.
inline ring::TableSpec queue_table(const std::string& name, int64_t size) {
  return {name, "fifo", "fifo", size, 1, ring::LimiterSpec::queue(size)};
}
inline ring::TableSpec uniform_table(const std::string& name, int64_t max_size,
                                     int64_t min_size = 1) {
  return {name, "uniform", "fifo", max_size, 0, ring::LimiterSpec::minimum(min_size)};
}

// A folder of its own, deleted at the end.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    static std::atomic<int> counter{0};
    path_ = fs::temp_directory_path() / str("oneagent-replay-", ::getpid(), "-", counter++);
    make_folder(path_);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace oneagent
