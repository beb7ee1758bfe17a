#include "core/io/archive.h"

#include <algorithm>
#include <istream>
#include <iterator>
#include <ostream>
#include <set>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/graph/context.h"
#include "core/io/arrays.h"
#include "core/io/pickle.h"
#include "core/io/safetensors.h"
#include "core/kernels/copy.h"
#include "core/tensor/global_parts.h"

namespace oneagent::serialize {
namespace {

constexpr const char* kFormat = "oneagent";
constexpr int kMaxDepth = 1000;       // of names and lists: deeper ones would use up the stack
constexpr int kMaxNames = 1'000'000;  // of the dictionaries of a .pt file

Json json_of(const IValue& value, const std::string& path) {
  if (value.isNone()) return nullptr;
  if (value.isTensor() && !value.toTensor().defined()) return {{"undefined", true}};
  if (value.isBool()) return value.toBool();
  if (value.isInt()) return value.toInt();
  if (value.isDouble()) return {{"double", str(std::hexfloat, value.toDouble())}};
  if (value.isString()) return value.toStringRef();
  if (value.isIntList()) return value.toIntVector();
  if (value.isDoubleList()) {
    Json list = Json::array();
    for (const double entry : value.toDoubleVector()) list.push_back(str(std::hexfloat, entry));
    return {{"doubles", list}};
  }
  if (value.isList()) {
    Json list = Json::array();
    for (const IValue& entry : value.toListRef()) list.push_back(json_of(entry, path));
    return {{"list", list}};
  }
  throw_error(str("archive: \"", path, "\" holds a ", value.tagKind(),
                  "; tensors, numbers, text and lists of numbers can be saved"));
}

double parse_double(const Json& text) {
  return std::strtod(text.get<std::string>().c_str(), nullptr);
}

IValue value_of(const Json& json, int depth = 0) {
  OA_REQUIRE(depth < kMaxDepth, "archive: lists nested more than ", kMaxDepth, " deep");
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return json.get<std::vector<int64_t>>();
  if (json.contains("undefined")) return Tensor();
  if (json.contains("double")) return parse_double(json["double"]);
  if (json.contains("doubles")) {
    std::vector<double> list;
    for (const Json& entry : json["doubles"]) list.push_back(parse_double(entry));
    return list;
  }
  OA_REQUIRE(json.at("list").is_array(), "archive: a list that is none: ", json.dump());
  std::vector<IValue> list;
  for (const Json& entry : json.at("list")) list.push_back(value_of(entry, depth + 1));
  return IValue(std::move(list));
}

// The parts of a path on disk are joined with dots: names with dots or without letters are written
// with a percent sign, and the metadata then has an entry "escaped".
std::string escaped(const std::string& name, bool* any) {
  if (!name.empty() && name.find_first_of(".%") == std::string::npos) return name;
  *any = true;
  if (name.empty()) return "%";
  std::string out;
  for (const char c : name) {
    if (c == '.' || c == '%')
      out += c == '.' ? "%2E" : "%25";
    else
      out += c;
  }
  return out;
}
std::string unescaped(const std::string& text) {
  if (text == "%") return "";
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string code = text.substr(i, 3);
    out += code == "%2E" ? '.' : text[i];
    if (code == "%2E" || code == "%25") i += 2;
  }
  return out;
}
void unescape_names(ArchiveNode& node) {
  for (auto& [name, child] : node.children) {
    name = unescaped(name);
    unescape_names(*child);
  }
}

struct Contents {
  ring::ArraySet arrays;
  Json values = Json::object();
  Json branches = Json::array();  // empty ones, which no name would show
  Json strides = Json::object();  // of tensors that are not contiguous
  Json with_gradient = Json::array();
  bool escaped = false;
};

// A tensor with these strides and the values of a contiguous one; the same tensor where they make
// no sense or would need more than 64 times its memory.
Tensor with_strides(const Tensor& values, const Json& json) {
  const std::vector<int64_t> strides = json.get<std::vector<int64_t>>();
  const Shape& sizes = values.sizes();
  if (strides.size() != static_cast<size_t>(sizes.size()) || values.numel() == 0) return values;
  const int64_t most = 64 * values.numel();
  Shape kept_sizes, kept_strides;
  int64_t span = 1;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (strides[i] < 0 || strides[i] > most) return values;
    kept_sizes.push_back(strides[i] == 0 ? 1 : sizes[i]);
    kept_strides.push_back(strides[i]);
    span += (kept_sizes[i] - 1) * strides[i];
    if (span > most) return values;
  }
  const TensorMeta& meta = values.impl().meta;
  const auto view = [&](const Tensor& of, const Shape& view_sizes, const Shape& view_strides) {
    return alias_of(of, {view_sizes, view_strides, 0, meta.dtype, meta.device});
  };
  Stream& stream = context().stream;
  const Tensor storage = empty_on(stream, {span}, meta.dtype);
  copy_into(stream, view(storage, kept_sizes, kept_strides),
            view(values, kept_sizes, values.strides()));
  return view(storage, sizes, kept_strides);
}

void collect(const ArchiveNode& node, const std::string& path, Contents& out) {
  if (node.is_branch) {
    if (node.children.empty() && !path.empty()) out.branches.push_back(path);
    for (const auto& [name, child] : node.children) {
      const std::string part = escaped(name, &out.escaped);
      collect(*child, path.empty() ? part : path + '.' + part, out);
    }
  } else if (node.value.isTensor() && node.value.toTensor().defined()) {
    const Tensor& tensor = node.value.toTensor();
    out.arrays.add(io::array_from(path, tensor.detach()));
    if (!tensor.is_contiguous()) out.strides[path] = tensor.strides().vec();
    if (tensor.requires_grad()) out.with_gradient.push_back(path);
  } else {
    out.values[path] = json_of(node.value, path);
  }
}

ArchiveNode& branch_at(ArchiveNode& root, std::string_view path, std::string* last) {
  ArchiveNode* node = &root;
  for (int depth = 0;; ++depth) {
    OA_REQUIRE(depth < kMaxDepth, "archive: a name of more than ", kMaxDepth, " parts");
    const size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    if (dot == std::string_view::npos && last != nullptr) {
      *last = name;
      return *node;
    }
    ArchiveNode* next = node->find(name);
    if (next == nullptr) {
      next = node->children.emplace_back(name, std::make_shared<ArchiveNode>()).second.get();
      next->is_branch = true;
    }
    OA_REQUIRE(next->is_branch, "archive: \"", path, "\" lies below a value");
    node = next;
    if (dot == std::string_view::npos) return *node;
    path.remove_prefix(dot + 1);
  }
}

void place(ArchiveNode& root, const std::string& path, IValue value) {
  std::string last;
  ArchiveNode& parent = branch_at(root, path, &last);
  OA_REQUIRE(parent.find(last) == nullptr, "archive: \"", path, "\" comes twice");
  auto node = std::make_shared<ArchiveNode>();
  node->value = std::move(value);
  parent.children.emplace_back(last, std::move(node));
}

// A dictionary is a branch; the names of a state dict are paths.
// Those that hold one another many times over have more names than a file can have values.
void place_dict(ArchiveNode& root, const std::string& prefix, const IValue::Dict& dict, int depth,
                int* names) {
  OA_REQUIRE(depth < 64, "archive: dictionaries nested more than 64 deep");
  for (const auto& [key, value] : dict) {
    OA_REQUIRE(++*names <= kMaxNames, "archive: more than ", kMaxNames, " names");
    const std::string path = prefix.empty() ? key : prefix + '.' + key;
    if (value.isGenericDict())
      place_dict(root, path, value.entries(), depth + 1, names);
    else
      place(root, path, value);
  }
}

void load(ArchiveNode& root, std::string text, const std::string& what) {
  root = ArchiveNode();
  root.is_branch = true;
  if (io::is_zip(text)) {
    const IValue value = io::read_pt(text, what);
    int names = 0;
    if (value.isGenericDict())
      place_dict(root, "", value.entries(), 0, &names);
    else
      place(root, "0", value);
    return;
  }
  auto bytes = std::make_shared<Bytes>(text.begin(), text.end());
  const io::SafeTensors file = io::parse_safetensors(std::move(bytes), what);
  const auto described = [&](const char* key) {
    const auto found = file.metadata.find(key);
    return found == file.metadata.end()
               ? Json()
               : Json::parse(found->second, nullptr, /*allow_exceptions=*/false);
  };
  const Json strides = described("strides");
  std::set<std::string> with_gradient;
  for (const Json& path : described("requires_grad"))
    if (path.is_string()) with_gradient.insert(path.get<std::string>());
  for (const ring::Array& array : file.arrays.arrays()) {
    Tensor tensor = io::tensor_from(array);
    if (strides.is_object() && strides.contains(array.name))
      tensor = with_strides(tensor, strides[array.name]);
    if (with_gradient.contains(array.name) && is_floating(tensor.dtype()))
      tensor.set_requires_grad(true);
    place(root, array.name, tensor);
  }
  const auto values = file.metadata.find("values");
  if (values != file.metadata.end()) {
    const Json json = Json::parse(values->second, nullptr, /*allow_exceptions=*/false);
    OA_REQUIRE(json.is_object(), what, ": its metadata \"values\" is not a JSON object");
    for (const auto& [path, value] : json.items()) {
      try {
        place(root, path, value_of(value));
      } catch (const Json::exception&) {
        throw_error(str(what, ": its metadata \"values\" has a value for \"", path,
                        "\" of a form that no archive writes"));
      }
    }
  }
  const auto branches = file.metadata.find("branches");
  if (branches != file.metadata.end()) {
    const Json json = Json::parse(branches->second, nullptr, /*allow_exceptions=*/false);
    for (const Json& path : json)
      if (path.is_string()) branch_at(root, path.get<std::string>(), nullptr);
  }
  if (file.metadata.contains("escaped")) unescape_names(root);
}

}  // namespace

// As in libtorch: a second value takes the first one's place if it is of the same kind.
void OutputArchive::add(const std::string& key, IValue value, bool is_buffer) {
  ArchiveNode* node = root_->find(key);
  if (node != nullptr) {
    OA_REQUIRE(!node->is_branch && node->is_buffer == is_buffer &&
                   node->value.tagKind() == value.tagKind(),
               "archive: \"", key, "\" is written twice, as values of two kinds");
  } else {
    node = root_->children.emplace_back(key, std::make_shared<ArchiveNode>()).second.get();
  }
  node->value = std::move(value);
  node->is_buffer = is_buffer;
}

void OutputArchive::write(const std::string& key, OutputArchive& nested) {
  OA_REQUIRE(root_->find(key) == nullptr, "archive: \"", key, "\" is written twice");
  root_->children.emplace_back(key, nested.root_);
}

std::string OutputArchive::bytes() const {
  Contents contents;
  collect(*root_, "", contents);
  io::Metadata metadata = {{"format", kFormat}};
  if (!contents.values.empty()) metadata["values"] = contents.values.dump();
  if (!contents.strides.empty()) metadata["strides"] = contents.strides.dump();
  if (!contents.with_gradient.empty()) metadata["requires_grad"] = contents.with_gradient.dump();
  if (!contents.branches.empty()) metadata["branches"] = contents.branches.dump();
  if (contents.escaped) metadata["escaped"] = "1";
  const Bytes bytes = io::write_safetensors(contents.arrays, metadata);
  return {bytes.begin(), bytes.end()};
}

void OutputArchive::save_to(const std::string& filename) {
  write_atomic(fs::path(filename), std::string_view(bytes()));
}
void OutputArchive::save_to(std::ostream& stream) {
  const std::string text = bytes();
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  OA_REQUIRE(stream.good(), "archive: the stream could not be written to");
}
void OutputArchive::save_to(const std::function<size_t(const void*, size_t)>& writer) {
  const std::string text = bytes();
  const size_t written = writer(text.data(), text.size());
  OA_REQUIRE(written == text.size(), "archive: the writer took ", written, " of ", text.size(),
             " bytes");
}

InputArchive::InputArchive() : root_(std::make_shared<ArchiveNode>()) { root_->is_branch = true; }

void InputArchive::refuse(const char* kind, const std::string& key) const {
  throw_error(str("No such serialized ", kind, " '", path_, key, "'", suggestion(key, keys())));
}

bool InputArchive::try_read(const std::string& key, IValue& value) {
  const ArchiveNode* node = root_->find(key);
  if (node == nullptr || node->is_branch) return false;
  value = node->value;
  return true;
}
void InputArchive::read(const std::string& key, IValue& value) {
  if (!try_read(key, value)) refuse("IValue", key);
}

bool InputArchive::try_read(const std::string& key, Tensor& tensor, bool) {
  const ArchiveNode* node = root_->find(key);
  if (node == nullptr || node->is_branch || !node->value.isTensor()) return false;
  const Tensor& saved = node->value.toTensor();
  if (!tensor.defined() || !saved.defined()) {
    tensor = saved;
    return true;
  }
  const bool convert =
      tensor.dtype() != saved.dtype() && is_floating(tensor.dtype()) && is_floating(saved.dtype());
  OA_REQUIRE(convert || tensor.dtype() == saved.dtype(), "archive: \"", path_, key,
             "\" was saved as ", name_of(saved.dtype()), ", expected ", name_of(tensor.dtype()));
  const NoGradGuard guard;
  Tensor values = saved;
  if (convert) {
    values = empty_on(context().stream, saved.sizes(), tensor.dtype());
    copy_into(context().stream, values, saved);
  }
  // A parameter that lies on a mesh stays where it is.
  if (is_global(tensor)) values = global_hooks().placed_like(values, tensor.impl());
  tensor.set_data(values);
  return true;
}
void InputArchive::read(const std::string& key, Tensor& tensor, bool is_buffer) {
  if (!try_read(key, tensor, is_buffer)) refuse("tensor", key);
}

bool InputArchive::try_read(const std::string& key, InputArchive& archive) {
  for (const auto& [name, child] : root_->children) {
    if (name != key || !child->is_branch) continue;
    archive.root_ = child;
    archive.path_ = path_ + key + '.';
    return true;
  }
  return false;
}
void InputArchive::read(const std::string& key, InputArchive& archive) {
  if (!try_read(key, archive)) refuse("submodule:", key);
}

std::vector<std::string> InputArchive::keys() const {
  std::vector<std::string> out;
  for (const auto& [name, child] : root_->children) out.push_back(name);
  return out;
}

void InputArchive::load_from(const std::string& filename, std::optional<Device>) {
  OA_REQUIRE(fs::exists(filename),
             "open file failed because there is no such file, file path: ", filename);
  load(*root_, read_text(filename), filename);
}
void InputArchive::load_from(std::istream& stream, std::optional<Device>) {
  load(*root_, std::string(std::istreambuf_iterator<char>(stream), {}), "stream");
}
void InputArchive::load_from(const char* data, size_t size, std::optional<Device>) {
  load(*root_, std::string(data, size), "memory");
}
void InputArchive::load_from(const std::function<size_t(uint64_t, void*, size_t)>& read,
                             const std::function<size_t()>& size, std::optional<Device>) {
  std::string text(size(), '\0');
  const size_t got = read(0, text.data(), text.size());
  OA_REQUIRE(got == text.size(), "archive: the reader gave ", got, " of ", text.size(), " bytes");
  load(*root_, std::move(text), "reader");
}

}  // namespace oneagent::serialize
