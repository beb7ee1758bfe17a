#include "core/io/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/json.h"

namespace oneagent {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kAlignment = 64;

constexpr std::array<std::pair<std::string_view, DType>, 6> kTypes = {{{"F64", DType::kFloat64}, {"F32", DType::kFloat32}, {"I64", DType::kInt64},
                                                                       {"I32", DType::kInt32}, {"U8", DType::kUInt8}, {"BOOL", DType::kBool}}};

std::string_view type_name(DType dtype) {
  for (const auto& [name, type] : kTypes)
    if (type == dtype) return name;
  throw_error(str("safetensors: no type for ", name_of(dtype)));
}

struct Header {
  Json json;
  uint64_t data_begin = 0;
};

Header read_header(const Bytes& bytes, std::string_view what) {
  OA_REQUIRE(bytes.size() >= 8, what, ": truncated: ", bytes.size(), " bytes, a safetensors file has at least 8");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), 8);
  OA_REQUIRE(length <= kMaxHeaderBytes, what, ": announces a header of ", length, " bytes, at most ", kMaxHeaderBytes, " are read; not a safetensors file?");
  OA_REQUIRE(length <= bytes.size() - 8, what, ": truncated: announces a header of ", length, " bytes, ", bytes.size() - 8, " are there");
  Header header;
  header.json = Json::parse(bytes.begin() + 8, bytes.begin() + 8 + static_cast<std::ptrdiff_t>(length), nullptr, false);
  OA_REQUIRE(header.json.is_object(), what, ": its header is not a JSON object");
  header.data_begin = 8 + length;
  return header;
}

struct Entry {
  std::string name;
  DType dtype;
  Shape shape;
  uint64_t begin, end;  // within the data
};

DType parse_type(const std::string& name, const std::string& place) {
  std::vector<std::string> valid;
  for (const auto& [known, dtype] : kTypes) {
    if (known == name) return dtype;
    valid.emplace_back(known);
  }
  throw_error(str(place, ": type ", name, " is not read here; valid: ", join(valid, ", ")));
}

// Product of sizes times element size, refusing negative sizes and overflow.
uint64_t checked_bytes(const std::vector<int64_t>& sizes, DType dtype, const std::string& place) {
  unsigned __int128 total = size_of(dtype);
  for (const int64_t size : sizes) {
    OA_REQUIRE(size >= 0, place, ": negative size ", size);
    total *= static_cast<uint64_t>(size);
    OA_REQUIRE(total <= (uint64_t{1} << 62), place, ": shape is too large");
  }
  return static_cast<uint64_t>(total);
}

Entry parse_entry(const std::string& name, const Json& json, uint64_t data_bytes, std::string_view what) {
  const std::string place = str(what, ": tensor \"", name, "\"");
  try {
    const DType dtype = parse_type(json.at("dtype").get<std::string>(), place);
    const auto sizes = json.at("shape").get<std::vector<int64_t>>();
    const auto offsets = json.at("data_offsets").get<std::array<uint64_t, 2>>();
    OA_REQUIRE(sizes.size() <= Shape::kMaxRank, place, ": ", sizes.size(), " dimensions, at most ", Shape::kMaxRank);
    OA_REQUIRE(offsets[0] <= offsets[1] && offsets[1] <= data_bytes, place, ": offsets ", offsets[0], "..", offsets[1], " leave the ", data_bytes, " bytes of data");
    const uint64_t expected = checked_bytes(sizes, dtype, place);
    OA_REQUIRE(offsets[1] - offsets[0] == expected, place, ": holds ", offsets[1] - offsets[0], " bytes, its shape needs ", expected);
    return {name, dtype, Shape(sizes), offsets[0], offsets[1]};
  } catch (const Json::exception& error) {
    throw_error(str(place, ": ", error.what()));
  }
}

}  // namespace

Bytes write_safetensors(const ring::ArraySet& arrays, const std::map<std::string, std::string>& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t offset = 0;
  for (const ring::Array& array : arrays.arrays()) {
    OA_REQUIRE(array.name != "__metadata__", "safetensors: an array cannot be called __metadata__");
    header[array.name] = {{"dtype", type_name(array.dtype)}, {"shape", array.shape.vec()}, {"data_offsets", {offset, offset + array.bytes()}}};
    offset += array.bytes();
  }
  std::string text = header.dump();
  text.append((kAlignment - (8 + text.size()) % kAlignment) % kAlignment, ' ');
  Bytes out(8 + text.size() + offset);
  const uint64_t length = text.size();
  std::memcpy(out.data(), &length, 8);
  std::memcpy(out.data() + 8, text.data(), text.size());
  uint8_t* at = out.data() + 8 + text.size();
  for (const ring::Array& array : arrays.arrays()) {
    if (array.bytes() > 0) std::memcpy(at, array.data, array.bytes());
    at += array.bytes();
  }
  return out;
}

ring::ArraySet read_safetensors(const Bytes& bytes, std::string_view what) {
  const Header header = read_header(bytes, what);
  std::vector<Entry> entries;
  for (const auto& [name, json] : header.json.items())
    if (name != "__metadata__") entries.push_back(parse_entry(name, json, bytes.size() - header.data_begin, what));
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return std::pair(a.begin, a.end) < std::pair(b.begin, b.end); });
  uint64_t covered = 0;
  ring::ArraySet set;
  for (const Entry& entry : entries) {
    OA_REQUIRE(entry.begin == covered, what, ": tensor \"", entry.name, "\" begins at ", entry.begin, ", expected ", covered,
               entry.begin < covered ? ": it overlaps another" : ": there is a gap");
    covered = entry.end;
    ring::MutableArray made = ring::make_array(entry.name, entry.dtype, entry.shape);
    if (entry.end > entry.begin) std::memcpy(made.data, bytes.data() + header.data_begin + entry.begin, entry.end - entry.begin);
    set.add(std::move(made.array));
  }
  OA_REQUIRE(covered == bytes.size() - header.data_begin, what, ": ", bytes.size() - header.data_begin - covered, " bytes belong to no tensor");
  return set;
}

std::map<std::string, std::string> read_safetensors_metadata(const Bytes& bytes, std::string_view what) {
  const Header header = read_header(bytes, what);
  if (!header.json.contains("__metadata__")) return {};
  try {
    return header.json.at("__metadata__").get<std::map<std::string, std::string>>();
  } catch (const Json::exception&) {
    throw_error(str(what, ": __metadata__ must map text to text"));
  }
}

}  // namespace oneagent
