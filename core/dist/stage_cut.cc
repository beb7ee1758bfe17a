#include "core/dist/stage_cut.h"

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/dist/stages.h"

namespace oneagent::distributed {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Cutter {
 public:
  explicit Cutter(const CutProblem& problem) : problem_(problem) {
    choose_places();
    const size_t n = problem.seconds.size();
    sums_.assign(n + 1, 0);
    for (size_t i = 0; i < n; ++i) sums_[i + 1] = sums_[i] + problem.seconds[i];
    for (const auto& [place, rank] : problem.owned) OA_CHECK(rank < problem.ranks, "cut: rank");
    owned_.assign(static_cast<size_t>(problem.ranks) + 1, std::vector<int>(n + 1));
    for (const auto& [place, rank] : problem.owned) {
      ++owned_[static_cast<size_t>(rank)][static_cast<size_t>(place) + 1];
      ++owned_.back()[static_cast<size_t>(place) + 1];
    }
    for (std::vector<int>& count : owned_)
      for (size_t i = 0; i < n; ++i) count[i + 1] += count[i];
  }

  std::vector<size_t> run() {
    const auto stages = static_cast<size_t>(problem_.stages);
    OA_REQUIRE(places_.size() - 2 >= stages - 1, "pipeline: the program has ", places_.size() - 2,
               " places to be cut at, ", stages, " stages need ", stages - 1,
               "; take fewer ranks or stages_per_rank");
    const double best = solve(kNever).value;
    OA_REQUIRE(best < kNever,
               "pipeline: parameters lie on ranks of an earlier recording, and no "
               "cut into ",
               stages,
               " stages leaves them there; name the same stages with "
               "StageScope in all graphs of a parameter");
    return solve(best * (1 + kCutSlack)).cuts;
  }

 private:
  struct Solution {
    double value = kNever;
    std::vector<size_t> cuts;
  };

  // The first and the last place are the ends of the chain.
  void choose_places() {
    const size_t n = problem_.seconds.size();
    std::vector<size_t> all;
    for (size_t i = 1; i < n; ++i)
      if (problem_.may_cut[i]) all.push_back(i);
    if (all.size() > kCutPlaces) {
      double total = 0, done = 0;
      for (const double seconds : problem_.seconds) total += seconds;
      std::vector<size_t> fewer;
      size_t window = 0, at = 0;
      for (size_t i = 0; i < n; ++i) {
        const auto now = std::min(
            kCutPlaces - 1, static_cast<size_t>(done / total * static_cast<double>(kCutPlaces)));
        if (problem_.may_cut[i]) {
          if (at == 0 || now != window)
            fewer.push_back(i);
          else if (problem_.bytes[i] < problem_.bytes[fewer.back()])
            fewer.back() = i;
          window = now;
          at = i;
        }
        done += problem_.seconds[i];
      }
      all = std::move(fewer);
    }
    places_.push_back(0);
    places_.insert(places_.end(), all.begin(), all.end());
    places_.push_back(n);
  }

  double link(size_t place) const {
    return place == 0 || place == problem_.seconds.size() ? 0 : problem_.link_seconds(place);
  }
  double bytes(size_t place) const {
    return place == problem_.seconds.size() ? 0 : problem_.bytes[place];
  }
  bool may_own(size_t stage, size_t from, size_t to) const {
    const std::vector<int>& own = owned_[stage % static_cast<size_t>(problem_.ranks)];
    return own[to] - own[from] == owned_.back()[to] - owned_.back()[from];
  }

  // The least slowest stage; with a limit on it, the least bytes.
  Solution solve(double limit) const {
    const size_t count = places_.size(), stages = static_cast<size_t>(problem_.stages);
    const bool bytes_count = limit < kNever;
    std::vector<double> best(count, kNever);
    best[0] = 0;
    std::vector<std::vector<size_t>> from(stages, std::vector<size_t>(count));
    for (size_t stage = 0; stage < stages; ++stage) {
      std::vector<double> next(count, kNever);
      for (size_t j = 1; j < count; ++j)
        for (size_t i = 0; i < j; ++i) {
          if (best[i] == kNever) continue;
          const size_t begin = places_[i], end = places_[j];
          const double seconds = sums_[end] - sums_[begin] + link(begin) + link(end);
          if (seconds > limit || !may_own(stage, begin, end)) continue;
          const double value = bytes_count ? best[i] + bytes(end) : std::max(best[i], seconds);
          if (!(value < next[j])) continue;
          next[j] = value;
          from[stage][j] = i;
        }
      best = std::move(next);
    }
    Solution out{best.back(), {}};
    if (out.value == kNever) return out;
    for (size_t stage = stages, j = count - 1; stage-- > 1;) {
      j = from[stage][j];
      out.cuts.push_back(places_[j]);
    }
    std::reverse(out.cuts.begin(), out.cuts.end());
    return out;
  }

  const CutProblem& problem_;
  std::vector<size_t> places_;
  std::vector<double> sums_;
  std::vector<std::vector<int>> owned_;  // by rank, then all: how many before a place
};

}  // namespace

std::vector<size_t> best_cut(const CutProblem& problem) { return Cutter(problem).run(); }

}  // namespace oneagent::distributed
