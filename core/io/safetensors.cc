#include "core/io/safetensors.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/base/json.h"

namespace oneagent::io {
namespace {

constexpr size_t kLengthBytes = 8;
constexpr uint64_t kMaxHeader = 100'000'000;  // the format's own limit
constexpr uint64_t kMaxCount = uint64_t{1} << 48;
constexpr int kMaxDepth = 8;  // of the header's JSON; three levels have a meaning

struct TypeName {
  DType dtype;
  const char* name;
};
constexpr TypeName kTypes[] = {
    {DType::kFloat32, "F32"},   {DType::kFloat64, "F64"},   {DType::kInt64, "I64"},
    {DType::kInt32, "I32"},     {DType::kUInt8, "U8"},      {DType::kBool, "BOOL"},
    {DType::kInt8, "I8"},       {DType::kInt16, "I16"},     {DType::kFloat16, "F16"},
    {DType::kBFloat16, "BF16"}, {DType::kComplex64, "C64"}, {DType::kComplex128, "C128"}};

const char* type_name(DType dtype) {
  return std::find_if(std::begin(kTypes), std::end(kTypes),
                      [&](const TypeName& type) { return type.dtype == dtype; })
      ->name;
}

DType parse_type(const std::string& name, const std::string& where) {
  for (const TypeName& type : kTypes)
    if (name == type.name) return type.dtype;
  throw_error(
      str(where, ": unknown dtype \"", name, "\"; served are F64, F32, I64, I32, U8, BOOL"));
}

struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  uint64_t begin, end;
};

uint64_t parse_count(const Json& value, const std::string& where) {
  OA_REQUIRE(value.is_number_unsigned(), where, ": expected a number of at least 0, was ",
             value.dump());
  return value.get<uint64_t>();
}

Shape parse_shape(const Json& value, const std::string& where) {
  OA_REQUIRE(value.is_array() && value.size() <= Shape::kMaxRank, where,
             ": expected a shape of at most ", Shape::kMaxRank, " sizes, was ", value.dump());
  Shape shape;
  uint64_t elements = 1;
  for (const Json& size : value) {
    const uint64_t count = parse_count(size, where);
    OA_REQUIRE(count <= kMaxCount && (count == 0 || elements <= kMaxCount / count), where,
               ": a shape too large: ", value.dump());
    elements *= count;
    shape.push_back(static_cast<int64_t>(count));
  }
  return shape;
}

Entry parse_entry(const std::string& name, const Json& value, const std::string& what) {
  const std::string where = str(what, ": tensor \"", name, "\"");
  OA_REQUIRE(value.is_object() && value.size() == 3 && value.contains("dtype") &&
                 value.contains("shape") && value.contains("data_offsets"),
             where, ": expected dtype, shape and data_offsets, was ", value.dump());
  OA_REQUIRE(value["dtype"].is_string(), where, ": the dtype must be text, was ",
             value["dtype"].dump());
  const Json& offsets = value["data_offsets"];
  OA_REQUIRE(offsets.is_array() && offsets.size() == 2, where, ": expected two data_offsets, was ",
             offsets.dump());
  Entry entry{name, parse_type(value["dtype"].get<std::string>(), where),
              parse_shape(value["shape"], where), parse_count(offsets[0], where),
              parse_count(offsets[1], where)};
  const uint64_t bytes = static_cast<uint64_t>(entry.shape.numel()) * size_of(entry.dtype);
  OA_REQUIRE(entry.begin <= entry.end && entry.end - entry.begin == bytes, where,
             ": shape and dtype need ", bytes, " bytes, data_offsets give ", offsets.dump());
  return entry;
}

// A name that comes twice would silently win in a plain parse.
Json parse_header(std::string_view text, const std::string& what) {
  std::set<std::string> names;
  std::string twice;
  bool deep = false;  // what prints a value would use up the stack
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    deep = deep || depth > kMaxDepth;
    if (deep) return false;
    if (event == Json::parse_event_t::key && depth == 1 &&
        !names.insert(parsed.get<std::string>()).second)
      twice = parsed.get<std::string>();
    return true;
  };
  const Json header = Json::parse(text.begin(), text.end(), watch, false);
  OA_REQUIRE(!deep, what, ": the header is nested more than ", kMaxDepth, " deep");
  OA_REQUIRE(!header.is_discarded() && header.is_object(), what,
             ": the header is not a JSON object");
  OA_REQUIRE(twice.empty(), what, ": tensor \"", twice, "\" appears twice");
  return header;
}

Metadata parse_metadata(const Json& value, const std::string& what) {
  OA_REQUIRE(value.is_object(), what, ": __metadata__ must be an object, was ", value.dump());
  Metadata out;
  for (const auto& [key, text] : value.items()) {
    OA_REQUIRE(text.is_string(), what, ": __metadata__ \"", key, "\" must be text, was ",
               text.dump());
    out[key] = text.get<std::string>();
  }
  return out;
}

// Sorted by place; together they must cover the data exactly.
void check_cover(std::vector<Entry>& entries, uint64_t data_bytes, const std::string& what) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  uint64_t at = 0;
  for (const Entry& entry : entries) {
    OA_REQUIRE(entry.begin >= at, what, ": tensor \"", entry.name, "\" overlaps another at byte ",
               entry.begin);
    OA_REQUIRE(entry.begin == at, what, ": bytes ", at, " to ", entry.begin,
               " belong to no tensor");
    at = entry.end;
  }
  OA_REQUIRE(at <= data_bytes, what, ": truncated, the header announces ", at,
             " bytes of data, there are ", data_bytes);
  OA_REQUIRE(at == data_bytes, what, ": ", data_bytes - at, " bytes after the last tensor");
}

ring::Array array_at(const Entry& entry, const std::shared_ptr<const Bytes>& bytes,
                     const uint8_t* data) {
  if (reinterpret_cast<uintptr_t>(data) % size_of(entry.dtype) == 0)
    return {entry.name, entry.dtype, entry.shape, bytes, data};
  ring::MutableArray copy = ring::make_array(entry.name, entry.dtype, entry.shape);
  std::memcpy(copy.data, data, entry.end - entry.begin);
  return std::move(copy.array);
}

void check_bools(const Entry& entry, const uint8_t* data, const std::string& what) {
  if (entry.dtype != DType::kBool) return;
  const bool valid =
      std::all_of(data, data + (entry.end - entry.begin), [](uint8_t value) { return value <= 1; });
  OA_REQUIRE(valid, what, ": tensor \"", entry.name, "\" holds a bool that is neither 0 nor 1");
}

}  // namespace

Bytes write_safetensors(const ring::ArraySet& arrays, const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t at = 0;
  for (const ring::Array& array : arrays.arrays()) {
    OA_REQUIRE(array.name != "__metadata__", "safetensors: no tensor may be called __metadata__");
    header[array.name] = {{"dtype", type_name(array.dtype)},
                          {"shape", array.shape.vec()},
                          {"data_offsets", {at, at + array.bytes()}}};
    at += array.bytes();
  }
  std::string text = header.dump();
  text.resize((text.size() + kLengthBytes + 63) / 64 * 64 - kLengthBytes,
              ' ');  // so that the data is aligned
  ByteWriter writer;
  writer.put<uint64_t>(text.size());
  Bytes out = writer.take();
  out.reserve(kLengthBytes + text.size() + at);
  out.insert(out.end(), text.begin(), text.end());
  for (const ring::Array& array : arrays.arrays())
    out.insert(out.end(), array.data, array.data + array.bytes());
  return out;
}

SafeTensors parse_safetensors(std::shared_ptr<const Bytes> bytes, const std::string& what) {
  OA_REQUIRE(bytes->size() >= kLengthBytes, what, ": truncated, ", bytes->size(),
             " bytes cannot hold the header's length");
  uint64_t length;
  std::memcpy(&length, bytes->data(), kLengthBytes);
  OA_REQUIRE(length <= kMaxHeader, what, ": the header claims ", length, " bytes, at most ",
             kMaxHeader, " are allowed");
  OA_REQUIRE(length <= bytes->size() - kLengthBytes, what, ": truncated, the header claims ",
             length, " bytes, ", bytes->size() - kLengthBytes, " follow");
  const Json header = parse_header(
      {reinterpret_cast<const char*>(bytes->data()) + kLengthBytes, static_cast<size_t>(length)},
      what);
  const uint8_t* data = bytes->data() + kLengthBytes + length;
  SafeTensors out;
  std::vector<Entry> entries;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__")
      out.metadata = parse_metadata(value, what);
    else
      entries.push_back(parse_entry(name, value, what));
  }
  check_cover(entries, bytes->size() - kLengthBytes - length, what);
  for (const Entry& entry : entries) {
    check_bools(entry, data + entry.begin, what);
    out.arrays.add(array_at(entry, bytes, data + entry.begin));
  }
  return out;
}

void save_safetensors(const fs::path& path, const ring::ArraySet& arrays,
                      const Metadata& metadata) {
  const Bytes bytes = write_safetensors(arrays, metadata);
  write_atomic(path, bytes);
}

SafeTensors load_safetensors(const fs::path& path) {
  return parse_safetensors(std::make_shared<const Bytes>(read_bytes(path)), path.string());
}

}  // namespace oneagent::io
