// Who this process is among all hosts and containers.
#pragma once

#include <string>

namespace oneagent {

std::string host_name();
// Unique to this process and call: "<host>:<pid>:<process namespace>:<random>".
std::string new_process_owner();
// "process 17 on host-1" from what new_process_owner() returned, by whichever process.
std::string describe_owner(const std::string& owner);
// True when that process ran in this host's process namespace and is no more. A process elsewhere
// is never known to be dead.
bool owner_is_dead(const std::string& owner);

}  // namespace oneagent
