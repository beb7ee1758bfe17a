// What the text of the tree may not say.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace oneagent::style {

// Marks of unfinished work on a line: "line 3: ...".
std::vector<std::string> unfinished(std::string_view text);

// Hosts of URLs that are not on the list of those a reader may be sent to. A build takes packages
// from where the machine is configured to.
std::vector<std::string> foreign_hosts(std::string_view text);

// Folders of one machine: homes and work places.
std::vector<std::string> machine_paths(std::string_view text);

}  // namespace oneagent::style
