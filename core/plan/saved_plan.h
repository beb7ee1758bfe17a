// Plans as JSON: for a dashboard that draws them, and as files that are loaded instead of recorded
// again.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "core/plan/plan.h"

namespace oneagent {

using Json = nlohmann::json;

inline constexpr const char* kPlanFormat = "oneagent-plan";
inline constexpr int kPlanVersion = 1;

// {"buffers": [{"kind": "temporary" | "input" | "bound" | "constant", "bytes", "offset": in the
//    arena or null, "result", "first", "last": steps between which it is needed}],
//  "values": [{"buffer", "sizes", "strides", "offset": elements, "dtype"}],
//  "nodes": [{"op", "attrs": {name: value}, "in", "out": values or -1, "in_place", "recomputed",
//    "draw", "flops", "bytes": moved}],
//  "edges": [[from, to]]: nodes, of which the second reads what the first has written,
//  "steps": [{"nodes", "elements", "scratch": [[buffer, block]]}],
//  "inputs", "outputs": values, "draws", "arena_bytes", "lower_bound_bytes"}
Json to_json(const Plan& plan);

// to_json() with versions of the format, the code and the ops, and the bytes of constants.
// `name_of` names memory outside, "" where it knows none. Error: memory without a name that is no
// constant.
Json saved(const Plan& plan, const std::function<std::string(const Storage&)>& name_of);

// `memory_of` gives memory by name; the Error names the memory that has another size. Error:
// another version of the format or the code, an op that differs or is missing, a file that is
// damaged; `what` stands in front.
Plan loaded(const Json& json, const std::string& what,
            const std::function<Ref<Storage>(const std::string& name)>& memory_of);

// An op's name with the names and kinds of its attributes, by which a saved plan knows it.
std::string plan_op_signature(const Op& op);

}  // namespace oneagent
