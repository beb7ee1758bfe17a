#include "core/plan/op_by_name.h"

#include <unordered_map>

#include "core/graph/accumulate.h"
#include "core/graph/view.h"
#include "core/ops/op.h"
#include "core/plan/bias_gradient.h"

namespace oneagent {
namespace {

std::unordered_map<std::string_view, const Op*> all_ops() {
  OpTable table;
  register_all(table);
  std::unordered_map<std::string_view, const Op*> ops;
  for (const Op* op : table.ops()) ops.emplace(op->name, op);
  for (const Op* op : {&kAccumulate, &kCopyOf, &kPartOf, &kReplacePart, &kBiasGradient})
    ops.emplace(op->name, op);
  return ops;
}

}  // namespace

const Op* op_by_name(std::string_view name) {
  static const auto& ops = *new std::unordered_map<std::string_view, const Op*>(all_ops());
  const auto found = ops.find(name);
  return found == ops.end() ? nullptr : found->second;
}

}  // namespace oneagent
