#include "core/graph/attrs.h"

#include "core/base/rng.h"

namespace oneagent {
namespace {

std::string print_one(AttrKind kind, const Attrs& attrs, size_t index) {
  switch (kind) {
    case AttrKind::kInt:
      return str(attrs.integer(index));
    case AttrKind::kNumber:
      return str(attrs.number(index));
    case AttrKind::kBool:
      return attrs.flag(index) ? "true" : "false";
    case AttrKind::kDType:
      return std::string(name_of(attrs.dtype(index)));
    case AttrKind::kInts:
      return str(attrs.list(index));
  }
  return "";
}

}  // namespace

std::string print(std::span<const AttrSpec> schema, const Attrs& attrs) {
  OA_CHECK(schema.size() == attrs.size(), "attrs: the schema names ", schema.size(),
           ", the call has ", attrs.size());
  std::string out;
  for (size_t i = 0; i < schema.size(); ++i)
    out += str(i > 0 ? ", " : "", schema[i].name, "=", print_one(schema[i].kind, attrs, i));
  return out;
}

uint64_t hash(const Attrs& attrs) {
  uint64_t value = attrs.size();
  for (const int64_t word : attrs.words()) value = mix64(value ^ static_cast<uint64_t>(word));
  return value;
}

}  // namespace oneagent
