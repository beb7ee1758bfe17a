#include "core/optim/line_search.h"

#include <algorithm>
#include <cmath>

namespace oneagent::optim {

double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high) {
  const double bend = a.slope + b.slope - 3 * (a.value - b.value) / (a.t - b.t);
  const double square = bend * bend - a.slope * b.slope;
  if (!(square >= 0)) return (low + high) / 2;
  const double root = std::sqrt(square);
  const LinePoint& left = a.t <= b.t ? a : b;
  const LinePoint& right = a.t <= b.t ? b : a;
  const double share = (right.slope + root - bend) / (right.slope - left.slope + 2 * root);
  return std::min(std::max(right.t - (right.t - left.t) * share, low), high);
}

LinePoint LineSearch::run(const LinePoint& start, double t, int64_t& evaluations) const {
  LinePoint before = start, now = evaluate(t);
  ++evaluations;
  for (int64_t steps = 0; steps < max_steps; ++steps) {
    const bool too_high = now.value > start.value + c1 * now.t * start.slope;
    if (too_high || (steps > 1 && now.value >= before.value))
      return zoom(start, before, now, steps, evaluations);
    if (std::abs(now.slope) <= -c2 * start.slope) return now;
    if (now.slope >= 0) return zoom(start, before, now, steps, evaluations);
    const double next = cubic_minimum(before, now, now.t + 0.01 * (now.t - before.t), 10 * now.t);
    before = std::move(now);
    now = evaluate(next);
    ++evaluations;
  }
  return start.value <= now.value ? start : now;
}

LinePoint LineSearch::zoom(const LinePoint& start, LinePoint a, LinePoint b, int64_t steps,
                           int64_t& evaluations) const {
  LinePoint *low = &a, *high = &b;  // low has the lower value
  if (a.value > b.value) std::swap(low, high);
  bool near_edge = false;  // the last trial was; twice in a row is too little progress
  for (; steps < max_steps; ++steps) {
    const double left = std::min(a.t, b.t), right = std::max(a.t, b.t);
    if ((right - left) * direction_size < tolerance_change) break;
    double t = cubic_minimum(a, b, left, right);
    const double margin = 0.1 * (right - left);
    if (std::min(right - t, t - left) < margin) {
      if (near_edge || t >= right || t <= left) {
        t = std::abs(t - right) < std::abs(t - left) ? right - margin : left + margin;
        near_edge = false;
      } else {
        near_edge = true;
      }
    } else {
      near_edge = false;
    }
    LinePoint now = evaluate(t);
    ++evaluations;
    if (now.value > start.value + c1 * t * start.slope || now.value >= low->value) {
      *high = std::move(now);
      low = &a;
      high = &b;
      if (a.value > b.value) std::swap(low, high);
      continue;
    }
    const bool done = std::abs(now.slope) <= -c2 * start.slope;
    if (!done && now.slope * (high->t - low->t) >= 0) *high = *low;
    *low = std::move(now);
    if (done) break;
  }
  return *low;
}

}  // namespace oneagent::optim
