// The table of all ops, filled by generated code from the files of this folder: core/ops/<file>.cc
// ends with OA_OP(<file>, kThis, kThat), which names its records. Eager calls never look here;
// listings, conformance tests, saved plans and `oneagent list ops` do.
#pragma once

#include <string_view>
#include <vector>

#include "core/graph/op.h"
#include "core/graph/recorder.h"

namespace oneagent {

class OpTable {
 public:
  void add(const Op& op) {
    OA_CHECK(find(op.name) == nullptr, "op: two records are called ", op.name);
    ops_.push_back(&op);
  }
  const std::vector<const Op*>& ops() const { return ops_; }
  const Op* find(std::string_view name) const {
    for (const Op* op : ops_)
      if (name == op->name) return op;
    return nullptr;
  }

 private:
  std::vector<const Op*> ops_;
};

void register_all(OpTable& table);  // generated

}  // namespace oneagent

#define OA_OP(file, ...)                               \
  void register_op_##file(OpTable& table) {            \
    for (const Op* op : {__VA_ARGS__}) table.add(*op); \
  }
