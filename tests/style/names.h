// What things may be called.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_tree.h"

namespace oneagent::style {

// Types that `text` defines and whose names end in a word that says nothing: Manager, Helper, Util
// ...
std::vector<std::string> empty_type_names(std::string_view text);

// The name that the registration macro at the end of a file bears, "" without one: OA_ENV(cartpole,
// Cartpole) -> "cartpole".
std::string registered_name(std::string_view text, std::string_view macro);

bool is_snake_case(std::string_view name);

}  // namespace oneagent::style
