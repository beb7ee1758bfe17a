// Keeps samples and inserts of one table in proportion. Reverb's arithmetic
// (core/data/table_spec.h); counts are separate from the configuration, so that a restored run
// keeps its counts and takes the limiter of its new experiment file.
#pragma once

#include <cstdint>
#include <string>

#include "core/data/table_spec.h"

namespace oneagent {

struct LimiterCounts {
  uint64_t inserts = 0, samples = 0, deletes = 0;
  int64_t size() const { return static_cast<int64_t>(inserts - deletes); }
  friend bool operator==(const LimiterCounts&, const LimiterCounts&) = default;
};

class RateLimiter final {
 public:
  // Error when min_size or samples_per_insert is not positive, or min_diff > max_diff.
  explicit RateLimiter(const ring::LimiterSpec& spec, LimiterCounts counts = {});

  bool can_insert(int64_t n) const;
  bool can_sample(int64_t n) const;
  // False when no sequence of inserts ever allows a sample of n at once.
  bool can_ever_sample(int64_t n) const;
  void insert(int64_t n) { counts_.inserts += static_cast<uint64_t>(n); }
  void sample(int64_t n) { counts_.samples += static_cast<uint64_t>(n); }
  void erase(int64_t n) { counts_.deletes += static_cast<uint64_t>(n); }

  // One sentence with the numbers, "" when it is allowed now.
  std::string insert_wait(int64_t n) const;
  std::string sample_wait(int64_t n) const;
  // "first sample now" or "first sample after 12 more inserts": printed after a restore.
  std::string prediction() const;

  const LimiterCounts& counts() const { return counts_; }
  const ring::LimiterSpec& spec() const { return spec_; }

 private:
  double cursor() const;  // inserts * samples_per_insert - samples

  ring::LimiterSpec spec_;
  LimiterCounts counts_;
};

// A checked ratio limiter: the range around samples_per_insert * min_size must be at least 2 *
// max(1, samples_per_insert) wide. Error when it is not, when min_size is not positive, or when
// min_diff lies above samples_per_insert * min_size (the first sample could never come). `warning`
// is set when max_diff lies below it: inserts then wait for samples before the range is used.
ring::LimiterSpec ratio_limiter(double samples_per_insert, int64_t min_size, double min_diff,
                                double max_diff, std::string* warning = nullptr);
ring::LimiterSpec ratio_limiter(double samples_per_insert, int64_t min_size, double error_buffer);

}  // namespace oneagent
