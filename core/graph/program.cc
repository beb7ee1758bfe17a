#include "core/graph/program.h"

#include <cstring>

#include "core/base/text.h"

namespace oneagent {
namespace {

std::string name_of_value(const Program& program, ValueId value) {
  if (value == kNoValue) return "none";
  static constexpr const char* kMarks[] = {"%", "in", "@"};
  return str(kMarks[static_cast<int>(program.buffer_of(value).kind)], value);
}

std::string names(const Program& program, const std::vector<ValueId>& values) {
  std::string text;
  for (const ValueId value : values)
    text += (text.empty() ? "" : ", ") + name_of_value(program, value);
  return text;
}

}  // namespace

bool same_place(const TensorMeta& a, const TensorMeta& b) {
  return a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes && a.strides == b.strides;
}

size_t seed_attr(const Op& op) {
  for (size_t i = 0; i + 2 < op.attrs.size(); ++i)
    if (std::strcmp(op.attrs[i].name, "seed") == 0) return i;
  OA_CHECK(false, op.name, ": a random op needs the attributes seed, stream and offset");
  return 0;
}

std::string print(const Program& program, const ProgramNode& node) {
  std::string text = str(names(program, node.out), " = ", node.op->name, node.in_place ? "_" : "",
                         "(", names(program, node.in));
  const std::string attrs = print(node.op->attrs, node.attrs);
  if (!attrs.empty()) text += str(node.in.empty() ? "" : ", ", attrs);
  text += ")";
  for (const ValueId value : node.out)
    text += str(" ", program.meta(value).sizes, " ", name_of(program.meta(value).dtype));
  return text;
}

std::string print(const Program& program) {
  std::string text = str("inputs: ", names(program, program.inputs), "\n");
  for (const ProgramNode& node : program.nodes) text += print(program, node) + "\n";
  return text + str("results: ", names(program, program.outputs), "\n");
}

}  // namespace oneagent
