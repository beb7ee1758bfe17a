#include "core/io/pickle.h"

#include <cstring>
#include <unordered_map>
#include <variant>

#include "core/graph/context.h"
#include "core/io/zip.h"
#include "core/kernels/copy.h"

namespace oneagent::io {
namespace {

// What stands on the pickle machine's stack. Containers are shared, as memo entries alias them.
struct Object;
using ObjectRef = std::shared_ptr<Object>;

struct None {};
struct Mark {};
struct Global {
  std::string module, name;
};
struct Sequence {  // tuple or list
  std::vector<ObjectRef> items;
};
struct Dictionary {
  std::vector<std::pair<ObjectRef, ObjectRef>> items;
};
struct StorageRef {  // a persistent id: ('storage', type, key, location, count)
  DType dtype;
  std::string key;
  int64_t count;
};
struct Instance {  // of a TorchScript class: attributes only
  std::string name;
  ObjectRef state;
};
struct Object {
  std::variant<None, bool, int64_t, double, std::string, Mark, Global, Sequence, Dictionary,
               StorageRef, Instance, Tensor>
      value;
};

constexpr std::pair<std::string_view, DType> kStorages[] = {
    {"FloatStorage", DType::kFloat32},
    {"DoubleStorage", DType::kFloat64},
    {"LongStorage", DType::kInt64},
    {"IntStorage", DType::kInt32},
    {"ShortStorage", DType::kInt16},
    {"CharStorage", DType::kInt8},
    {"ByteStorage", DType::kUInt8},
    {"BoolStorage", DType::kBool},
    {"HalfStorage", DType::kFloat16},
    {"BFloat16Storage", DType::kBFloat16},
    {"ComplexFloatStorage", DType::kComplex64},
    {"ComplexDoubleStorage", DType::kComplex128}};

constexpr size_t kMaxObjects = 50'000'000;

class Unpickler {
 public:
  Unpickler(const std::map<std::string, std::string_view>& entries, std::string prefix,
            std::string_view program, const std::string& what)
      : entries_(entries), prefix_(std::move(prefix)), program_(program), what_(what) {}

  // Objects may hold each other in chains and circles: they are emptied one by one.
  ~Unpickler() {
    for (const ObjectRef& object : all_) object->value = None{};
  }
  Unpickler(const Unpickler&) = delete;
  Unpickler& operator=(const Unpickler&) = delete;

  ObjectRef run();

 private:
  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw_error(str(what_, ": broken pickle at byte ", at_, ": ", parts...));
  }
  std::string_view take(size_t size) {
    if (program_.size() - at_ < size) fail("it ends in the middle of an operand");
    const std::string_view part = program_.substr(at_, size);
    at_ += size;
    return part;
  }
  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string line() {
    const size_t end = program_.find('\n', at_);
    if (end == std::string_view::npos) fail("a name without an end");
    std::string text(program_.substr(at_, end - at_));
    at_ = end + 1;
    return text;
  }
  template <class T>
  void push(T value) {
    if (all_.size() >= kMaxObjects) fail("more than ", kMaxObjects, " objects");
    all_.push_back(std::make_shared<Object>(Object{std::move(value)}));
    stack_.push_back(all_.back());
  }
  ObjectRef pop() {
    if (stack_.empty()) fail("it takes from an empty stack");
    ObjectRef top = std::move(stack_.back());
    stack_.pop_back();
    return top;
  }
  const ObjectRef& top() const {
    if (stack_.empty()) fail("it reads from an empty stack");
    return stack_.back();
  }
  std::vector<ObjectRef> pop_to_mark() {
    size_t i = stack_.size();
    while (i > 0 && !std::holds_alternative<Mark>(stack_[i - 1]->value)) --i;
    if (i == 0) fail("no mark on the stack");
    std::vector<ObjectRef> out(stack_.begin() + static_cast<std::ptrdiff_t>(i), stack_.end());
    stack_.resize(i - 1);
    return out;
  }
  template <class T>
  T& as(const ObjectRef& object, const char* expected) const {
    T* value = std::get_if<T>(&object->value);
    if (value == nullptr) fail("expected ", expected);
    return *value;
  }
  int64_t integer(const ObjectRef& object) const { return as<int64_t>(object, "an integer"); }

  void memoize(size_t index) { memo_[index] = top(); }
  void recall(size_t index) {
    const auto found = memo_.find(index);
    if (found == memo_.end()) fail("memo entry ", index, " does not exist");
    stack_.push_back(found->second);
  }
  void tuple(size_t count) {
    Sequence out;
    for (size_t i = 0; i < count; ++i) out.items.insert(out.items.begin(), pop());
    push(std::move(out));
  }
  void append(const ObjectRef& list, std::vector<ObjectRef> items) {
    auto& into = as<Sequence>(list, "a list").items;
    into.insert(into.end(), items.begin(), items.end());
  }
  void set_items(const ObjectRef& dict, const std::vector<ObjectRef>& items) {
    if (items.size() % 2 != 0) fail("a key without a value");
    auto& into = as<Dictionary>(dict, "a dictionary").items;
    for (size_t i = 0; i < items.size(); i += 2) into.emplace_back(items[i], items[i + 1]);
  }
  void persistent();
  void reduce();
  void build();
  Tensor rebuild(const Sequence& arguments);
  void step(uint8_t op);

  const std::map<std::string, std::string_view>& entries_;
  std::string prefix_;
  std::string_view program_;
  const std::string& what_;
  size_t at_ = 0;
  std::vector<ObjectRef> all_, stack_;
  std::map<size_t, ObjectRef> memo_;
  std::map<std::string, Tensor> storages_;  // 1-d, over the whole storage
};

void Unpickler::persistent() {
  const ObjectRef id = pop();
  const auto& parts = as<Sequence>(id, "a tuple as persistent id").items;
  if (parts.size() < 5 || as<std::string>(parts[0], "text") != "storage")
    fail("a persistent id that is no storage");
  const auto& type = as<Global>(parts[1], "a storage class");
  for (const auto& [name, dtype] : kStorages)
    if (type.name == name)
      return push(StorageRef{dtype, as<std::string>(parts[2], "text"), integer(parts[4])});
  fail("storage class ", type.module, '.', type.name, " is not served");
}

Tensor Unpickler::rebuild(const Sequence& arguments) {
  const auto& items = arguments.items;
  if (items.size() < 4) fail("a tensor with too few parts");
  const auto& ref = as<StorageRef>(items[0], "a storage");
  Tensor& storage = storages_[ref.key];
  if (!storage.defined()) {
    const std::string name = prefix_ + "data/" + ref.key;
    auto entry = entries_.find(name);
    if (entry == entries_.end()) entry = entries_.find(prefix_ + "constants/" + ref.key);
    OA_REQUIRE(entry != entries_.end(), what_, ": it has no entry ", name);
    OA_REQUIRE(ref.count >= 0 && static_cast<uint64_t>(ref.count) <= entry->second.size() &&
                   static_cast<size_t>(ref.count) * size_of(ref.dtype) <= entry->second.size(),
               what_, ": storage ", ref.key, " should hold ", ref.count, " x ", name_of(ref.dtype),
               ", has ", entry->second.size(), " bytes");
    storage = empty_on(context().stream, {ref.count}, ref.dtype);
    std::memcpy(storage.data_ptr(), entry->second.data(), storage.nbytes());
  }
  OA_REQUIRE(storage.scalar_type() == ref.dtype, what_, ": storage ", ref.key, " is of ",
             name_of(storage.scalar_type()), " for one tensor and of ", name_of(ref.dtype),
             " for another");
  Shape sizes, strides;
  for (const ObjectRef& size : as<Sequence>(items[2], "sizes").items)
    sizes.push_back(integer(size));
  for (const ObjectRef& stride : as<Sequence>(items[3], "strides").items)
    strides.push_back(integer(stride));
  const int64_t offset = integer(items[1]);
  OA_REQUIRE(sizes.size() == strides.size() && offset >= 0 && offset <= storage.numel(), what_,
             ": a tensor with sizes ", sizes, ", strides ", strides, " and offset ", offset);
  int64_t last = offset;
  bool any = true;
  for (size_t i = 0; i < sizes.size(); ++i) {
    OA_REQUIRE(sizes[i] >= 0 && strides[i] >= 0 && sizes[i] <= (int64_t{1} << 48) &&
                   strides[i] <= (int64_t{1} << 48),
               what_, ": a tensor with sizes ", sizes, " and strides ", strides);
    any = any && sizes[i] > 0;
  }
  for (size_t i = 0; any && i < sizes.size(); ++i) {
    if (sizes[i] > 1) {
      OA_REQUIRE(strides[i] == 0 || (sizes[i] - 1) <= (storage.numel() / strides[i]), what_,
                 ": a tensor with sizes ", sizes, " and strides ", strides,
                 " reaches beyond its storage of ", storage.numel());
      last += (sizes[i] - 1) * strides[i];
    }
  }
  OA_REQUIRE(!any || last < storage.numel(), what_, ": a tensor with sizes ", sizes, ", strides ",
             strides, " and offset ", offset, " reaches beyond its storage of ", storage.numel());
  const Tensor view = alias_of(storage, {sizes, strides, offset, ref.dtype, storage.device()});
  return contiguous_copy(context().stream, view);
}

void Unpickler::reduce() {
  const ObjectRef arguments = pop(), function = pop();
  const auto& global = as<Global>(function, "a function");
  const auto& given = as<Sequence>(arguments, "arguments");
  const std::string name = global.module + '.' + global.name;
  if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor")
    return push(rebuild(given));
  if (name == "torch._utils._rebuild_parameter") {
    if (given.items.empty()) fail("a parameter without a tensor");
    return push(as<Tensor>(given.items[0], "a tensor"));
  }
  if (name == "collections.OrderedDict") return push(Dictionary{});
  if (name == "torch.Size" || name == "torch.jit._pickle.build_intlist" ||
      name == "torch.jit._pickle.build_doublelist" || name == "torch.jit._pickle.build_boollist" ||
      name == "torch.jit._pickle.build_tensorlist") {
    if (given.items.empty()) return push(Sequence{});
    as<Sequence>(given.items[0], "a list");
    stack_.push_back(given.items[0]);  // no copy: a short program could ask for many of a long list
    return;
  }
  if (name == "torch.jit._pickle.restore_type_tag") {
    if (given.items.empty()) fail("a tag without a value");
    stack_.push_back(given.items[0]);
    return;
  }
  throw_error(str(what_, ": it wants to call ", name,
                  "; only tensors, dictionaries, lists, numbers and text are read. Save a "
                  "state_dict() instead of a whole object"));
}

void Unpickler::build() {
  const ObjectRef state = pop();
  const ObjectRef& object = top();
  if (auto* instance = std::get_if<Instance>(&object->value)) {
    instance->state = state;
    return;
  }
  // An OrderedDict's attributes (a state dict's _metadata) are not data.
  if (std::holds_alternative<Dictionary>(object->value)) return;
  fail("state for an object that takes none");
}

void Unpickler::step(uint8_t op) {
  switch (op) {
    case 0x80:  // PROTO
      take(1);
      return;
    case 0x95:  // FRAME
      take(8);
      return;
    case '(':
      return push(Mark{});
    case ')':
    case ']':
      return push(Sequence{});
    case '}':
      return push(Dictionary{});
    case 'N':
      return push(None{});
    case 0x88:
      return push(true);
    case 0x89:
      return push(false);
    case 'J':
      return push(int64_t{number<int32_t>()});
    case 'K':
      return push(int64_t{number<uint8_t>()});
    case 'M':
      return push(int64_t{number<uint16_t>()});
    case 0x8a: {  // LONG1, little endian two's complement
      const auto size = number<uint8_t>();
      const std::string_view bytes = take(size);
      if (size > 8) fail("an integer of ", int{size}, " bytes");
      uint64_t value = 0;
      for (size_t i = 0; i < size; ++i)
        value |= uint64_t{static_cast<uint8_t>(bytes[i])} << (8 * i);
      if (size > 0 && size < 8 && (bytes[size - 1] & 0x80) != 0)
        value |= ~uint64_t{0} << (8 * size);
      return push(static_cast<int64_t>(value));
    }
    case 'G': {  // BINFLOAT, big endian
      uint64_t bits = 0;
      for (const char byte : take(8)) bits = (bits << 8) | static_cast<uint8_t>(byte);
      double value;
      std::memcpy(&value, &bits, 8);
      return push(value);
    }
    case 'X':
      return push(std::string(take(number<uint32_t>())));
    case 0x8c:
      return push(std::string(take(number<uint8_t>())));
    case 'c': {
      Global global;
      global.module = line();
      global.name = line();
      return push(std::move(global));
    }
    case 0x93: {  // STACK_GLOBAL
      const ObjectRef name = pop(), module = pop();
      return push(Global{as<std::string>(module, "text"), as<std::string>(name, "text")});
    }
    case 'q':
      return memoize(number<uint8_t>());
    case 'r':
      return memoize(number<uint32_t>());
    case 0x94:  // MEMOIZE
      return memoize(memo_.size());
    case 'h':
      return recall(number<uint8_t>());
    case 'j':
      return recall(number<uint32_t>());
    case 't':
      return push(Sequence{pop_to_mark()});
    case 0x85:
      return tuple(1);
    case 0x86:
      return tuple(2);
    case 0x87:
      return tuple(3);
    case 'l':
      return push(Sequence{pop_to_mark()});
    case 'd': {
      const std::vector<ObjectRef> items = pop_to_mark();
      push(Dictionary{});
      return set_items(top(), items);
    }
    case 'a': {
      const ObjectRef item = pop();
      return append(top(), {item});
    }
    case 'e': {
      std::vector<ObjectRef> items = pop_to_mark();
      return append(top(), std::move(items));
    }
    case 's': {
      const ObjectRef value = pop(), key = pop();
      return set_items(top(), {key, value});
    }
    case 'u': {
      const std::vector<ObjectRef> items = pop_to_mark();
      return set_items(top(), items);
    }
    case '0':
      pop();
      return;
    case 'Q':
      return persistent();
    case 'R':
      return reduce();
    case 0x81: {  // NEWOBJ
      pop();
      const ObjectRef type = pop();
      const auto& global = as<Global>(type, "a class");
      OA_REQUIRE(global.module.rfind("__torch__", 0) == 0, what_, ": it holds an object of class ",
                 global.module, '.', global.name, "; save a state_dict() instead");
      return push(Instance{global.module + '.' + global.name, nullptr});
    }
    case 'b':
      return build();
    default:
      fail("operation ", int{op}, " is not served");
  }
}

ObjectRef Unpickler::run() {
  for (;;) {
    const auto op = number<uint8_t>();
    if (op == '.') return pop();
    step(op);
  }
}

// Turns objects into values. One that is shared is turned once, and its value is shared.
class Converter {
 public:
  explicit Converter(const std::string& what) : what_(what) {}

  IValue operator()(const ObjectRef& object, int depth = 0) {
    OA_REQUIRE(depth < 200, what_, ": objects nested more than 200 deep");
    const auto found = done_.find(object.get());
    if (found != done_.end()) return found->second;
    IValue value =
        std::visit([&](const auto& given) { return convert(given, depth); }, object->value);
    if (value.isList() || value.isGenericDict()) done_.emplace(object.get(), value);
    return value;
  }

 private:
  IValue convert(const None&, int) { return {}; }
  IValue convert(const Sequence& value, int depth) {
    std::vector<IValue> list;
    for (const ObjectRef& item : value.items) list.push_back((*this)(item, depth + 1));
    return IValue(std::move(list));
  }
  IValue convert(const Dictionary& value, int depth) {
    auto dict = std::make_shared<IValue::Dict>();
    for (const auto& [key, item] : value.items)
      dict->emplace_back(key_of(key), (*this)(item, depth + 1));
    return IValue(std::move(dict));
  }
  IValue convert(const Instance& value, int depth) {
    if (value.state == nullptr) return IValue(std::make_shared<IValue::Dict>());
    return (*this)(value.state, depth + 1);
  }
  IValue convert(const Global& value, int) {
    throw_error(str(what_, ": it holds the class or function ", value.module, '.', value.name,
                    "; only data is read"));
  }
  IValue convert(const Mark&, int) {
    throw_error(str(what_, ": broken pickle: a mark as a value"));
  }
  IValue convert(const StorageRef&, int) {
    throw_error(str(what_, ": it holds a bare storage; save tensors"));
  }
  template <class T>
  IValue convert(const T& value, int) {
    return IValue(value);
  }
  std::string key_of(const ObjectRef& key) const {
    if (const auto* text = std::get_if<std::string>(&key->value)) return *text;
    if (const auto* whole = std::get_if<int64_t>(&key->value)) return std::to_string(*whole);
    throw_error(str(what_, ": a dictionary key that is neither text nor an integer"));
  }

  const std::string& what_;
  std::unordered_map<const Object*, IValue> done_;
};

}  // namespace

bool is_zip(std::string_view bytes) { return bytes.substr(0, 4) == "PK\x03\x04"; }

IValue read_pt(std::string_view bytes, const std::string& what) {
  OA_REQUIRE(is_zip(bytes), what,
             ": not a zip archive; torch.save writes one since PyTorch 1.6 (older files: load and "
             "save them again in Python)");
  const auto entries = read_zip(bytes, what);
  for (const auto& [name, entry] : entries) {
    constexpr std::string_view kProgram = "data.pkl";
    if (name.size() < kProgram.size() ||
        name.compare(name.size() - kProgram.size(), kProgram.size(), kProgram) != 0)
      continue;
    const std::string prefix = name.substr(0, name.size() - kProgram.size());
    Unpickler unpickler(entries, prefix, entry, what);
    return Converter(what)(unpickler.run());
  }
  throw_error(str(what, ": a zip archive without data.pkl; not made by torch.save"));
}

}  // namespace oneagent::io
