// Counts what a peer sent wrong and logs the first of each sort. Internal to the patterns.
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/net/counters.h"

namespace oneagent::net {

// `status` is what Codec::decode returned. `where` names the receiving end: "replay at
// tcp://*:5001".
void count_refused(const Status& status, const std::string& where, Counters& counters);

}  // namespace oneagent::net
