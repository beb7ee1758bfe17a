// Numbers that tell two runs of the same service apart.
#pragma once

#include <cstdint>

namespace oneagent::net {

// Larger in every later start, also across hosts whose clocks agree within the time between two
// starts; never the same twice.
uint64_t make_incarnation();

}  // namespace oneagent::net
