#include "core/graph/program.h"

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

bool writes(const Program& program, const ProgramNode& node, BufferId buffer) {
  if (node.in_place) return program.buffer(node.in[0]) == buffer;
  if (node.op->alias_of >= 0) return false;
  for (const ValueId value : node.out)
    if (program.buffer(value) == buffer) return true;
  return false;
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
