// Prints every op's samples as JSON: attrs by name and inputs with values, for make_ops.py.
#include <iostream>

#include "core/base/json.h"
#include "core/ops/creation.h"
#include "tests/support/op_samples.h"

namespace oneagent {
namespace {

Json value_of(const AttrSpec& spec, const Attrs& attrs, size_t i) {
  switch (spec.kind) {
    case AttrKind::kInt:
      return attrs.integer(i);
    case AttrKind::kNumber:
      return str(attrs.number(i));  // text: JSON knows no infinity
    case AttrKind::kBool:
      return attrs.flag(i);
    case AttrKind::kDType:
      return std::string(name_of(attrs.dtype(i)));
    case AttrKind::kInts:
      return attrs.list(i).vec();
  }
  return nullptr;
}

Json tensor_of(const Tensor& x) {
  if (!x.defined()) return nullptr;
  return {
      {"dtype", name_of(x.dtype())}, {"sizes", x.sizes().vec()}, {"values", to_vector<double>(x)}};
}

void print_all() {
  OpTable table;
  register_all(table);
  Json out = Json::array();
  for (const Op* op : table.ops()) {
    const Samples samples = op->samples();
    for (size_t i = 0; i < samples.size(); ++i) {
      Json attrs = Json::object(), inputs = Json::array();
      for (size_t a = 0; a < op->attrs.size(); ++a)
        attrs[op->attrs[a].name] = value_of(op->attrs[a], samples[i].attrs, a);
      for (const Tensor& input : testing::make_inputs(*op, i)) inputs.push_back(tensor_of(input));
      out.push_back({{"op", op->name},
                     {"random", op->random},
                     {"differentiable", op->vjp != nullptr},
                     {"attrs", attrs},
                     {"inputs", inputs}});
    }
  }
  std::cout << out.dump() << '\n';
}

}  // namespace
}  // namespace oneagent

int main() { oneagent::print_all(); }
