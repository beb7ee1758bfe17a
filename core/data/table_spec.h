// A replay table as an algorithm asks for it. The arithmetic of the limiter is Reverb's: an insert
// is allowed when it keeps size at or below min_size, or (inserts + n) * samples_per_insert -
// samples <= max_diff; a sample when size >= min_size and inserts * samples_per_insert - samples -
// n >= min_diff.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace oneagent::ring {

struct LimiterSpec {
  double samples_per_insert = 1.0;
  int64_t min_size = 1;
  double min_diff = -std::numeric_limits<double>::max();
  double max_diff = std::numeric_limits<double>::max();

  // Inserts and samples take turns with at most `size` items waiting: a bounded first-in first-out
  // queue.
  static LimiterSpec queue(int64_t size) { return {1.0, 1, 0.0, static_cast<double>(size)}; }
  // Sampling is free once min_size items are in.
  static LimiterSpec minimum(int64_t min_size) { return {1.0, min_size}; }
  // About samples_per_insert samples for each insert, within error_buffer samples (Reverb's
  // SampleToInsertRatio).
  static LimiterSpec ratio(double samples_per_insert, int64_t min_size, double error_buffer) {
    const double offset = samples_per_insert * static_cast<double>(min_size);
    return {samples_per_insert, min_size, offset - error_buffer, offset + error_buffer};
  }
};

struct TableSpec {
  std::string name;
  std::string sampler = "uniform";  // fifo, lifo, uniform
  std::string remover = "fifo";
  int64_t max_size = 1;           // items
  int64_t max_times_sampled = 0;  // 0 = without limit; 1 = consumed by its first sample
  LimiterSpec limiter;
};

}  // namespace oneagent::ring
