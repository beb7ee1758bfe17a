#include <cmath>
#include <limits>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "core/plan/op_by_name.h"
#include "core/plan/saved_plan.h"

namespace oneagent {
namespace {

double number_of(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  return text == "inf" ? infinity : -infinity;
}

Shape shape_of(const Json& json) { return Shape(json.get<std::vector<int64_t>>()); }

Attrs attrs_of(const Op& op, const Json& json) {
  Attrs attrs;
  for (const AttrSpec& spec : op.attrs) {
    const Json& value = json.at(spec.name);
    switch (spec.kind) {
      case AttrKind::kInt:
        attrs.add(value.get<int64_t>());
        break;
      case AttrKind::kNumber:
        attrs.add(number_of(value));
        break;
      case AttrKind::kBool:
        attrs.add(value.get<bool>());
        break;
      case AttrKind::kDType:
        attrs.add(parse_dtype(value.get<std::string>()));
        break;
      case AttrKind::kInts:
        attrs.add(shape_of(value));
        break;
    }
  }
  return attrs;
}

Ref<Storage> storage_of(const std::string& hex, size_t bytes, const std::string& what) {
  OA_REQUIRE(hex.size() == 2 * bytes, what, ": a constant of ", bytes, " bytes has ",
             hex.size() / 2);
  auto storage = make_ref<Storage>(bytes, context().stream);
  auto* to = static_cast<uint8_t*>(storage->data());
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (size_t i = 0; i < bytes; ++i)
    to[i] = static_cast<uint8_t>(digit(hex[2 * i]) << 4 | digit(hex[2 * i + 1]));
  return storage;
}

// Reads what saved() wrote; every index and extent is checked, because kernels trust them.
class Reader {
 public:
  Reader(const Json& json, const std::string& what,
         const std::function<Ref<Storage>(const std::string&)>& memory_of)
      : json_(json), what_(what), memory_of_(memory_of) {}

  Plan read() {
    check_versions();
    plan_.arena_bytes = json_.at("arena_bytes").get<size_t>();
    plan_.lower_bound_bytes = json_.at("lower_bound_bytes").get<size_t>();
    program().draws = json_.at("draws").get<uint64_t>();
    for (const Json& buffer : json_.at("buffers")) read_buffer(buffer);
    for (const Json& value : json_.at("values")) read_value(value);
    for (const Json& node : json_.at("nodes")) read_node(node);
    program().inputs = values_of(json_.at("inputs"), false);
    program().outputs = values_of(json_.at("outputs"), false);
    for (const Json& step : json_.at("steps")) read_step(step);
    return std::move(plan_);
  }

 private:
  Program& program() { return plan_.program; }

  void check_versions() const {
    OA_REQUIRE(json_.value("format", "") == kPlanFormat, what_, ": is no saved plan");
    OA_REQUIRE(json_.at("version").get<int>() == kPlanVersion, what_, ": has version ",
               json_.at("version").get<int>(), " of the format, this library reads version ",
               kPlanVersion, "; record the graph again");
    OA_REQUIRE(json_.at("code").get<std::string>() == code_version(), what_,
               ": was saved by version ", json_.at("code").get<std::string>(), ", this is ",
               code_version(), "; record the graph again");
    for (const auto& [name, signature] : json_.at("ops").items()) {
      const Op* op = op_by_name(name);
      OA_REQUIRE(op != nullptr, what_, ": uses the op ", name, ", which this library has not");
      OA_REQUIRE(plan_op_signature(*op) == signature.get<std::string>(), what_, ": uses the op ",
                 signature.get<std::string>(), ", here it is ", plan_op_signature(*op));
    }
  }

  void read_buffer(const Json& json) {
    const std::string kind = json.at("kind").get<std::string>();
    ProgramBuffer buffer;
    buffer.bytes = json.at("bytes").get<size_t>();
    buffer.kind = kind == "input"       ? BufferKind::kInput
                  : kind == "temporary" ? BufferKind::kTemporary
                                        : BufferKind::kBound;
    buffer.constant = kind == "constant";
    if (json.contains("name")) {
      const std::string name = json.at("name").get<std::string>();
      buffer.bound = memory_of_(name);
      OA_REQUIRE(buffer.bound->bytes() == buffer.bytes, what_, ": was saved with ", buffer.bytes,
                 " bytes of ", name, ", here it has ", buffer.bound->bytes());
    } else if (json.contains("data")) {
      buffer.bound = storage_of(json.at("data").get<std::string>(), buffer.bytes, what_);
    } else if (buffer.kind == BufferKind::kBound) {
      buffer.bound = make_ref<Storage>(buffer.bytes, context().stream);  // nobody reads it
    }
    const Json& offset = json.at("offset");
    plan_.offsets.push_back(offset.is_null() ? kNotInArena : offset.get<int64_t>());
    OA_REQUIRE(plan_.offsets.back() == kNotInArena ||
                   (plan_.offsets.back() >= 0 &&
                    static_cast<size_t>(plan_.offsets.back()) + buffer.bytes <= plan_.arena_bytes),
               what_, ": a buffer lies outside the arena");
    plan_.is_result.push_back(json.at("result").get<bool>());
    plan_.lifetimes.push_back(
        {json.at("first").get<int32_t>(), json.at("last").get<int32_t>(), buffer.bytes});
    program().buffers.push_back(std::move(buffer));
  }

  void read_value(const Json& json) {
    ProgramValue value;
    value.buffer = json.at("buffer").get<BufferId>();
    OA_REQUIRE(static_cast<size_t>(value.buffer) < program().buffers.size(), what_,
               ": a value lies in buffer ", value.buffer, " of ", program().buffers.size());
    value.meta.sizes = shape_of(json.at("sizes"));
    value.meta.strides = shape_of(json.at("strides"));
    value.meta.offset = json.at("offset").get<int64_t>();
    value.meta.dtype = parse_dtype(json.at("dtype").get<std::string>());
    OA_REQUIRE(value.meta.sizes.size() == value.meta.strides.size(), what_,
               ": a value has more sizes than strides");
    int64_t first = value.meta.offset, end = value.meta.offset + 1;
    for (size_t i = 0; i < value.meta.sizes.size(); ++i) {
      const int64_t reach = (value.meta.sizes[i] - 1) * value.meta.strides[i];
      OA_REQUIRE(value.meta.sizes[i] >= 0, what_, ": a value has negative sizes");
      (reach < 0 ? first : end) += reach;
    }
    const size_t bytes = program().buffers[static_cast<size_t>(value.buffer)].bytes;
    OA_REQUIRE(value.meta.sizes.numel() == 0 ||
                   (first >= 0 && static_cast<size_t>(end) * size_of(value.meta.dtype) <= bytes),
               what_, ": a value reaches beyond its buffer of ", bytes, " bytes");
    program().values.push_back(std::move(value));
  }

  std::vector<ValueId> values_of(const Json& json, bool may_be_absent) {
    auto values = json.get<std::vector<ValueId>>();
    for (const ValueId value : values)
      OA_REQUIRE((may_be_absent && value == kNoValue) ||
                     (value >= 0 && static_cast<size_t>(value) < program().values.size()),
                 what_, ": names value ", value, " of ", program().values.size());
    return values;
  }

  void read_node(const Json& json) {
    ProgramNode node;
    node.op = op_by_name(json.at("op").get<std::string>());
    OA_REQUIRE(node.op != nullptr, what_, ": uses the op ", json.at("op").get<std::string>(),
               ", which this library has not");
    node.attrs = attrs_of(*node.op, json.at("attrs"));
    node.in = values_of(json.at("in"), true);
    node.out = values_of(json.at("out"), false);
    node.in_place = json.at("in_place").get<bool>();
    node.recomputed = json.at("recomputed").get<bool>();
    node.draw = json.at("draw").get<uint64_t>();
    check_results(node);
    program().nodes.push_back(std::move(node));
  }

  // The op of today gives the results that were saved.
  void check_results(const ProgramNode& node) {
    std::vector<const TensorMeta*> metas;
    for (const ValueId value : node.in)
      metas.push_back(value == kNoValue ? nullptr : &program().meta(value));
    Inferred inferred(node.op->name);
    node.op->infer(Metas(metas.data(), metas.size()), node.attrs, inferred);
    bool same = inferred.size() == node.out.size();
    for (size_t i = 0; same && i < node.out.size(); ++i)
      same = inferred[i].sizes == program().meta(node.out[i]).sizes &&
             inferred[i].dtype == program().meta(node.out[i]).dtype;
    OA_REQUIRE(same, what_, ": the op ", node.op->name,
               " has other results than when it was saved");
  }

  void read_step(const Json& json) {
    PlanStep step;
    step.nodes = json.at("nodes").get<std::vector<size_t>>();
    step.elements = json.at("elements").get<int64_t>();
    step.scratch = json.at("scratch").get<std::vector<std::pair<BufferId, size_t>>>();
    OA_REQUIRE(!step.nodes.empty(), what_, ": a step has no calls");
    for (const size_t node : step.nodes)
      OA_REQUIRE(node < program().nodes.size(), what_, ": names call ", node, " of ",
                 program().nodes.size());
    for (const auto& [buffer, block] : step.scratch)
      OA_REQUIRE(static_cast<size_t>(buffer) < program().buffers.size() && block < kFusedScratch,
                 what_, ": names scratch block ", block, " of ", kFusedScratch);
    plan_.steps.push_back(std::move(step));
  }

  const Json& json_;
  const std::string& what_;
  const std::function<Ref<Storage>(const std::string&)>& memory_of_;
  Plan plan_;
};

}  // namespace

Plan loaded(const Json& json, const std::string& what,
            const std::function<Ref<Storage>(const std::string& name)>& memory_of) {
  try {
    return Reader(json, what, memory_of).read();
  } catch (const nlohmann::json::exception& error) {
    throw_error(str(what, ": is damaged: ", error.what()));
  }
}

}  // namespace oneagent
