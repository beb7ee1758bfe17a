// The record of an op by its name, as saved plans know it.
#pragma once

#include <string_view>

#include "core/graph/op.h"

namespace oneagent {

const Op* op_by_name(std::string_view name);  // null: there is none

}  // namespace oneagent
