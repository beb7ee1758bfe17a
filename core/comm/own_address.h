// Whether a name or number is one at which this process can be reached.
#pragma once

#include <string>

namespace oneagent::comm {

// "" when a socket can listen at `host`; else why not, as "the name is not known: ...". Asks the
// system's resolver, which may take seconds for a name that it has to ask others for.
std::string own_address_problem(const std::string& host);

}  // namespace oneagent::comm
