// A step length that satisfies the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5
// and 3.6), with cubic interpolation.
#pragma once

#include <functional>

#include "core/tensor/tensor.h"

namespace oneagent::optim {

// The function along a line: its value, gradient and slope at distance t.
struct LinePoint {
  double t = 0, value = 0;
  Tensor gradient;
  double slope = 0;
};

struct LineSearch {
  std::function<LinePoint(double t)> evaluate;
  double direction_size = 0;  // largest element of the direction
  double tolerance_change = 1e-9;
  double c1 = 1e-4, c2 = 0.9;  // of the two conditions
  int64_t max_steps = 25;

  // From a first guess t of the length; `evaluations` counts calls.
  LinePoint run(const LinePoint& start, double t, int64_t& evaluations) const;

 private:
  LinePoint zoom(const LinePoint& start, LinePoint a, LinePoint b, int64_t steps,
                 int64_t& evaluations) const;
};

// The minimum, within the bounds, of the cubic with the values and slopes of two points; the middle
// of the bounds where it has none.
double cubic_minimum(const LinePoint& a, const LinePoint& b, double low, double high);

}  // namespace oneagent::optim
