// Who waits for whom, in one sentence: the cycle if there is one, else whom everybody waits for.
#pragma once

#include <string>
#include <vector>

namespace oneagent {

struct Wait {
  std::string waiter, holder, reason;
};

// "a waits for b (slot x is empty), which waits for a (slot y is full)" or "3 of 4 waiters wait for
// c: a waits for b (slot x is empty), which waits for c (slot z is empty)"; "" without waits. A
// name that waits for several is followed along its first row.
std::string describe_waits(const std::vector<Wait>& waits);

// Of the holders that do not wait themselves, the one at the end of most waiters' chains; "" when
// all chains end in cycles.
std::string waited_for(const std::vector<Wait>& waits);

}  // namespace oneagent
