#include "core/net/json_header.h"

#include "core/base/version.h"
#include "core/net/schema_version.h"

namespace oneagent::net {
namespace {

constexpr int kMaxDepth = 64;

Status malformed(const std::string& why) {
  return absl::InvalidArgumentError("JSON header: " + why);
}

// Bounds the nesting before the parser builds anything.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\')
      ++i;
    else if (c == '"')
      in_string = !in_string;
    else if (!in_string && (c == '{' || c == '[') && ++depth > kMaxDepth)
      return true;
    else if (!in_string && (c == '}' || c == ']'))
      --depth;
  }
  return false;
}

// The value of an optional unsigned key; false when it is there and is something else.
template <class T>
bool read_number(const Json& object, const char* key, T& into) {
  const auto found = object.find(key);
  if (found == object.end()) return true;
  if (!found->is_number_integer()) return false;
  if (std::is_unsigned_v<T> && !found->is_number_unsigned()) return false;
  into = found->get<T>();
  return true;
}

bool read_kind(const Json& header, proto::Kind& kind) {
  const auto found = header.find("kind");
  if (found == header.end() || !found->is_string()) return false;
  for (const auto& enumerant : capnp::Schema::from<proto::Kind>().getEnumerants()) {
    if (found->get_ref<const std::string&>() != enumerant.getProto().getName().cStr()) continue;
    kind = static_cast<proto::Kind>(enumerant.getOrdinal());
    return true;
  }
  return false;
}

bool read_head(const Json& header, const Limits& limits, Head& head) {
  if (const auto sender = header.find("sender"); sender != header.end()) {
    if (!sender->is_string() ||
        sender->get_ref<const std::string&>().size() > limits.max_name_bytes)
      return false;
    head.sender = sender->get<std::string>();
  }
  return read_number(header, "trace", head.trace_id) &&
         read_number(header, "request", head.request_id) &&
         read_number(header, "deadline_ms", head.deadline_ms) &&
         read_number(header, "incarnation", head.incarnation) &&
         read_number(header, "sequence", head.sequence) &&
         read_number(header, "version", head.version);
}

// Only views into `json`; "" and out-of-range values are refused by ArrayReader.
bool read_claim(const Json& json, ClaimedArray& claim) {
  if (!json.is_object()) return false;
  const auto name = json.find("name");
  const auto dtype = json.find("dtype");
  const auto shape = json.find("shape");
  if (name == json.end() || !name->is_string() || dtype == json.end() || !dtype->is_string())
    return false;
  if (shape == json.end() || !shape->is_array() || shape->size() > Shape::kMaxRank) return false;
  claim.name = name->get_ref<const std::string&>();
  claim.dtype = kDTypeCount;
  for (int i = 0; i < kDTypeCount; ++i)
    if (name_of(static_cast<DType>(i)) == dtype->get_ref<const std::string&>())
      claim.dtype = static_cast<uint32_t>(i);
  for (const Json& size : *shape) {
    if (!size.is_number_integer()) return false;
    claim.shape.push_back(size.get<int64_t>());
  }
  return read_number(json, "frame", claim.frame) && read_number(json, "offset", claim.offset);
}

Status read_arrays(const Json& header, Frames frames, const Limits& limits, Message& message) {
  const size_t header_bytes = frames[0].size();
  ArrayReader reader(std::move(frames), header_bytes, limits);
  if (const auto arrays = header.find("arrays"); arrays != header.end()) {
    if (!arrays->is_array() || arrays->size() > limits.max_arrays)
      return malformed(str("\"arrays\" must be a list of at most ", limits.max_arrays));
    for (const Json& json : *arrays) {
      ClaimedArray claim;
      if (!read_claim(json, claim))
        return malformed("an array needs name, dtype, shape, frame and offset");
      OA_RETURN_IF_ERROR(reader.add(claim));
    }
  }
  message.arrays = reader.take();
  return ok();
}

}  // namespace

std::string write_json_header(const Message& message, const Layout& layout) {
  Json arrays = Json::array();
  for (size_t i = 0; i < layout.places.size(); ++i) {
    const ring::Array& array = message.arrays.arrays()[i];
    arrays.push_back({{"name", array.name},
                      {"dtype", name_of(array.dtype)},
                      {"shape", array.shape.vec()},
                      {"frame", layout.places[i].frame},
                      {"offset", layout.places[i].offset}});
  }
  const Head& head = message.head;
  const Json header = {{"schema", kSchemaVersion},        {"kind", name_of(head.kind)},
                       {"trace", head.trace_id},          {"request", head.request_id},
                       {"deadline_ms", head.deadline_ms}, {"sender", head.sender},
                       {"incarnation", head.incarnation}, {"sequence", head.sequence},
                       {"version", head.version},         {"body", message.json()},
                       {"arrays", std::move(arrays)}};
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status read_json_header(Frames frames, const Limits& limits, Message& message) {
  const std::string_view text = frames[0].text();
  if (too_deep(text)) return malformed(str("nested deeper than ", kMaxDepth));
  const Json header = Json::parse(text, nullptr, false);
  if (!header.is_object()) return malformed("not a JSON object");
  int64_t schema = 0;
  if (!read_number(header, "schema", schema)) return malformed("\"schema\" must be an integer");
  if (!read_head(header, limits, message.head))
    return malformed("a field of the head has the wrong type or is too long");
  message.set_json(header.contains("body") ? header["body"] : Json::object());
  OA_RETURN_IF_ERROR(check_schema_version(schema, message.head.sender));
  if (!read_kind(header, message.head.kind)) return malformed("unknown \"kind\"");
  return read_arrays(header, std::move(frames), limits, message);
}

}  // namespace oneagent::net
