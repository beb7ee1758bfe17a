// What the heartbeats of a run say is not as it should be. Private to status.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/service/status.h"

namespace oneagent {

std::vector<Finding> find_troubles(const std::vector<SeenService>& services);  // all but kWait
std::vector<Finding> find_waits(const std::vector<SeenService>& services);

std::string seconds_text(int64_t ms);                               // "3.2 s"
std::string role_of(std::string_view service);                      // "actor-0" -> "actor"
bool is_over(const SeenService& service);                           // done or failed
int64_t waited_ms(const SeenService& service, const WaitRow& row);  // now, not at the beat

}  // namespace oneagent
