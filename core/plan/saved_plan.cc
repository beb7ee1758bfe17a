#include "core/plan/saved_plan.h"

#include <cmath>
#include <limits>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/plan/op_by_name.h"

namespace oneagent {
namespace {

constexpr const char* kKinds[] = {"temporary", "input", "bound"};

// JSON has no infinities.
Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json attrs_json(const Op& op, const Attrs& attrs) {
  Json out = Json::object();
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    Json& value = out[op.attrs[i].name];
    switch (op.attrs[i].kind) {
      case AttrKind::kInt:
        value = attrs.integer(i);
        break;
      case AttrKind::kNumber:
        value = number_json(attrs.number(i));
        break;
      case AttrKind::kBool:
        value = attrs.flag(i);
        break;
      case AttrKind::kDType:
        value = std::string(name_of(attrs.dtype(i)));
        break;
      case AttrKind::kInts:
        value = attrs.list(i).vec();
        break;
    }
  }
  return out;
}

Json node_json(const Program& program, const ProgramNode& node) {
  std::vector<const TensorMeta*> metas;
  for (const ValueId value : node.in)
    metas.push_back(value == kNoValue ? nullptr : &program.meta(value));
  Inferred out(node.op->name);
  for (const ValueId value : node.out)
    out.add(program.meta(value).sizes, program.meta(value).dtype);
  const Metas in(metas.data(), metas.size());
  return {{"op", node.op->name},
          {"attrs", attrs_json(*node.op, node.attrs)},
          {"in", node.in},
          {"out", node.out},
          {"in_place", node.in_place},
          {"recomputed", node.recomputed},
          {"draw", node.draw},
          {"flops", flops_of(*node.op, in, node.attrs, out)},
          {"bytes", bytes_of(*node.op, in, node.attrs, out)}};
}

// From the last node that wrote a buffer to those that read it.
Json edges_json(const Program& program) {
  Json edges = Json::array();
  std::vector<int64_t> writer(program.buffers.size(), -1);
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    for (const ValueId value : node.in)
      if (value != kNoValue && writer[static_cast<size_t>(program.buffer(value))] >= 0)
        edges.push_back({writer[static_cast<size_t>(program.buffer(value))], i});
    for (const ValueId value : node.out)
      writer[static_cast<size_t>(program.buffer(value))] = static_cast<int64_t>(i);
  }
  return edges;
}

std::string hex_of(const Storage& storage) {
  static constexpr char kDigits[] = "0123456789abcdef";
  const auto* bytes = static_cast<const uint8_t*>(storage.data());
  std::string text;
  for (size_t i = 0; i < storage.bytes(); ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

// "linear(activation:0)": names and kinds of the attributes.
std::string plan_op_signature(const Op& op) {
  std::string text = str(op.name, "(");
  for (const AttrSpec& attr : op.attrs)
    text += str(attr.name, ":", static_cast<int>(attr.kind), " ");
  return text + ")";
}

Json to_json(const Plan& plan) {
  const Program& program = plan.program;
  Json json = {{"inputs", program.inputs},
               {"outputs", program.outputs},
               {"draws", program.draws},
               {"arena_bytes", plan.arena_bytes},
               {"lower_bound_bytes", plan.lower_bound_bytes},
               {"edges", edges_json(program)}};
  for (const char* list : {"buffers", "values", "nodes", "steps"}) json[list] = Json::array();
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = program.buffers[i];
    Json offset;
    if (plan.offsets[i] != kNotInArena) offset = plan.offsets[i];
    json["buffers"].push_back(
        {{"kind", buffer.constant ? "constant" : kKinds[static_cast<int>(buffer.kind)]},
         {"bytes", buffer.bytes},
         {"offset", offset},
         {"result", bool{plan.is_result[i]}},
         {"first", plan.lifetimes[i].first},
         {"last", plan.lifetimes[i].last}});
  }
  for (const ProgramValue& value : program.values)
    json["values"].push_back({{"buffer", value.buffer},
                              {"sizes", value.meta.sizes.vec()},
                              {"strides", value.meta.strides.vec()},
                              {"offset", value.meta.offset},
                              {"dtype", std::string(name_of(value.meta.dtype))}});
  for (const ProgramNode& node : program.nodes) json["nodes"].push_back(node_json(program, node));
  for (const PlanStep& step : plan.steps)
    json["steps"].push_back(
        {{"nodes", step.nodes}, {"elements", step.elements}, {"scratch", step.scratch}});
  return json;
}

Json saved(const Plan& plan, const std::function<std::string(const Storage&)>& name_of) {
  Json json = to_json(plan);
  json["format"] = kPlanFormat;
  json["version"] = kPlanVersion;
  json["code"] = code_version();
  for (const ProgramNode& node : plan.program.nodes) {
    OA_REQUIRE(op_by_name(node.op->name) == node.op, "plan: the op ", node.op->name,
               " is known here alone, so that a saved plan could not be loaded");
    json["ops"][node.op->name] = plan_op_signature(*node.op);
  }
  std::vector<bool> used(plan.program.buffers.size());
  for (const ProgramNode& node : plan.program.nodes)
    for (const auto* values : {&node.in, &node.out})
      for (const ValueId value : *values)
        if (value != kNoValue) used[static_cast<size_t>(plan.program.buffer(value))] = true;
  for (size_t i = 0; i < plan.program.buffers.size(); ++i) {
    const ProgramBuffer& buffer = plan.program.buffers[i];
    if (buffer.kind != BufferKind::kBound) continue;
    Json& out = json["buffers"][i];
    const std::string name = name_of(*buffer.bound);
    if (!name.empty()) {
      out["name"] = name;
      out["kind"] = "bound";
    } else if (buffer.constant || !used[i]) {
      out["kind"] = "constant";
      if (used[i]) out["data"] = hex_of(*buffer.bound);
    } else {
      throw_error(str("plan: buffer ", i, " of ", buffer.bytes,
                      " bytes is memory that somebody else holds and that has no name, so that it "
                      "could not be found again; name it (nn::Graph::add_buffers())"));
    }
  }
  return json;
}

}  // namespace oneagent
