// Who may include whom. The table is the architecture: a layer sees itself and what it names,
// transitively.
#pragma once

#include <string>
#include <string_view>

namespace oneagent::style {

// "" when `file` may include `included`, else the reason in words. Paths from the root; files
// outside the layers may include anything.
std::string include_complaint(std::string_view file, std::string_view included);

}  // namespace oneagent::style
