// A number that changes over the run: constant, or linear to `final` times its start at progress 1.
#pragma once

#include <string>

namespace oneagent {

inline double scheduled(double start, const std::string& schedule, double progress) {
  return schedule == "linear" ? start * (1.0 - progress) : start;
}

}  // namespace oneagent
