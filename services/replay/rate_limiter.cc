#include "services/replay/rate_limiter.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace oneagent {
namespace {

// Whole numbers in full: 1152000, not 1.152e+06.
std::string number(double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15) return str(static_cast<int64_t>(value));
  return str(value);
}

}  // namespace

RateLimiter::RateLimiter(const ring::LimiterSpec& spec, LimiterCounts counts)
    : spec_(spec), counts_(counts) {
  OA_REQUIRE(spec.min_size > 0, "limiter: min_size must be at least 1, was ", spec.min_size);
  OA_REQUIRE(spec.samples_per_insert > 0, "limiter: samples_per_insert must be positive, was ",
             spec.samples_per_insert);
  OA_REQUIRE(spec.min_diff <= spec.max_diff, "limiter: min_diff ", spec.min_diff,
             " lies above max_diff ", spec.max_diff);
}

double RateLimiter::cursor() const {
  return static_cast<double>(counts_.inserts) * spec_.samples_per_insert -
         static_cast<double>(counts_.samples);
}

bool RateLimiter::can_insert(int64_t n) const {
  if (counts_.size() + n <= spec_.min_size) return true;
  return cursor() + static_cast<double>(n) * spec_.samples_per_insert <= spec_.max_diff;
}

bool RateLimiter::can_sample(int64_t n) const {
  return counts_.size() >= spec_.min_size && cursor() - static_cast<double>(n) >= spec_.min_diff;
}

bool RateLimiter::can_ever_sample(int64_t n) const {
  const double highest = std::max(spec_.max_diff, cursor());
  const double filled = static_cast<double>(spec_.min_size) *
                        spec_.samples_per_insert;  // reached through can_insert's first rule
  return std::max(highest, filled) - spec_.min_diff >= static_cast<double>(n);
}

std::string RateLimiter::insert_wait(int64_t n) const {
  if (can_insert(n)) return "";
  return str("limiter: ", counts_.inserts, " + ", n, " inserts x ", spec_.samples_per_insert, " - ",
             counts_.samples,
             " samples = ", number(cursor() + static_cast<double>(n) * spec_.samples_per_insert),
             ", at most ", number(spec_.max_diff), "; the learner must sample");
}

std::string RateLimiter::sample_wait(int64_t n) const {
  if (can_sample(n)) return "";
  if (counts_.size() < spec_.min_size)
    return str("limiter: needs ", spec_.min_size, spec_.min_size == 1 ? " item" : " items",
               ", has ", counts_.size(), "; actors must insert");
  return str("limiter: ", counts_.inserts, " inserts x ", spec_.samples_per_insert, " - ",
             counts_.samples, " samples - ", n, " = ", number(cursor() - static_cast<double>(n)),
             ", at least ", number(spec_.min_diff), "; actors must insert");
}

std::string RateLimiter::prediction() const {
  if (can_sample(1)) return "first sample now";
  const int64_t for_size = spec_.min_size - counts_.size();
  const double for_diff = std::ceil((spec_.min_diff + 1 - cursor()) / spec_.samples_per_insert);
  return str("first sample after ", std::max<int64_t>(for_size, static_cast<int64_t>(for_diff)),
             " more inserts");
}

ring::LimiterSpec ratio_limiter(double samples_per_insert, int64_t min_size, double min_diff,
                                double max_diff, std::string* warning) {
  const ring::LimiterSpec spec{samples_per_insert, min_size, min_diff, max_diff};
  const RateLimiter checked(spec);
  const double offset = samples_per_insert * static_cast<double>(min_size);
  const double narrowest = 2 * std::max(1.0, samples_per_insert);
  OA_REQUIRE(max_diff - min_diff >= narrowest, "limiter: the range ", min_diff, " .. ", max_diff,
             " is ", max_diff - min_diff, " wide; with samples_per_insert ", samples_per_insert,
             " it needs ", narrowest, ": raise error_buffer");
  OA_REQUIRE(min_diff <= offset, "limiter: min_diff ", min_diff,
             " lies above samples_per_insert x min_size = ", offset,
             ": no sample would be allowed at min_size");
  if (warning != nullptr && max_diff < offset)
    *warning =
        str("limiter: max_diff ", max_diff, " lies below samples_per_insert x min_size = ", offset,
            ": inserts stop at min_size until samples catch up");
  return spec;
}

ring::LimiterSpec ratio_limiter(double samples_per_insert, int64_t min_size, double error_buffer) {
  const double offset = samples_per_insert * static_cast<double>(min_size);
  return ratio_limiter(samples_per_insert, min_size, offset - error_buffer, offset + error_buffer);
}

}  // namespace oneagent
