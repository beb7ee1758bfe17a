// IValue: one value of the kinds that archives and AutogradContext::saved_data hold: none, bool,
// int, double, string, tensor, device, a list of them, or a dictionary with text keys in order.
#pragma once

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

namespace containers {
template <class Key, class Value>
class Dict;
template <class T>
class List;
}  // namespace containers
class IValueText;
class IValueTuple;

class IValue {
 public:
  IValue() = default;
  IValue(std::nullptr_t) {}  // NOLINT: implicit like libtorch's, this one and the next
  template <class T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  IValue(T value) {  // NOLINT
    if constexpr (std::is_same_v<T, bool>)
      value_ = value;
    else if constexpr (std::is_integral_v<T>)
      value_ = static_cast<int64_t>(value);
    else
      value_ = static_cast<double>(value);
  }
  IValue(std::string value) : value_(std::move(value)) {}    // NOLINT
  IValue(const char* value) : value_(std::string(value)) {}  // NOLINT
  IValue(Tensor value) : value_(std::move(value)) {}         // NOLINT
  IValue(Scalar value) : IValue() {                          // NOLINT
    if (value.isBoolean())
      value_ = value.toBool();
    else if (value.isFloatingPoint())
      value_ = value.toDouble();
    else
      value_ = value.toLong();
  }
  IValue(std::vector<int64_t> value) : value_(std::move(value)) {}      // NOLINT
  IValue(std::vector<double> value) : value_(std::move(value)) {}       // NOLINT
  IValue(std::vector<bool> value) : value_(std::move(value)) {}         // NOLINT
  IValue(std::vector<Tensor> value) : value_(std::move(value)) {}       // NOLINT
  IValue(std::vector<std::string> value) : value_(std::move(value)) {}  // NOLINT
  IValue(IntArrayRef value) : value_(value.vec()) {}                    // NOLINT
  IValue(const Shape& value) : value_(value.vec()) {}                   // NOLINT
  template <class T>
  IValue(const std::optional<T>& value) : IValue() {  // NOLINT
    if (value) *this = IValue(*value);
  }
  explicit IValue(std::vector<IValue> value)
      : value_(std::make_shared<std::vector<IValue>>(std::move(value))) {}
  template <class... Parts>
  IValue(const std::tuple<Parts...>& parts)  // NOLINT
      : value_(std::apply(
            [](const auto&... part) {
              return std::make_shared<std::vector<IValue>>(std::vector<IValue>{IValue(part)...});
            },
            parts)) {}
  using Dict = std::vector<std::pair<std::string, IValue>>;
  explicit IValue(std::shared_ptr<Dict> value) : value_(std::move(value)) {}
  IValue(Device value) : value_(value) {}      // NOLINT
  IValue(std::shared_ptr<IValueTuple> value);  // NOLINT

  bool isNone() const { return is<std::monostate>(); }
  bool isBool() const { return is<bool>(); }
  bool isInt() const { return is<int64_t>(); }
  bool isDouble() const { return is<double>(); }
  bool isScalar() const { return isInt() || isDouble() || isBool(); }
  bool isString() const { return is<std::string>(); }
  bool isTensor() const { return is<Tensor>(); }
  bool isIntList() const { return is<std::vector<int64_t>>(); }
  bool isDoubleList() const { return is<std::vector<double>>(); }
  bool isBoolList() const { return is<std::vector<bool>>(); }
  bool isTensorList() const { return is<std::vector<Tensor>>(); }
  bool isList() const { return is<Values>(); }
  bool isTuple() const { return is<Values>(); }
  bool isGenericDict() const { return is<std::shared_ptr<Dict>>(); }
  bool isDevice() const { return is<Device>(); }

  bool toBool() const { return get<bool>("bool"); }
  int64_t toInt() const { return get<int64_t>("int"); }
  double toDouble() const { return get<double>("double"); }
  Scalar toScalar() const {
    if (isDouble()) return toDouble();
    if (isBool()) return toBool();
    return toInt();
  }
  const std::string& toStringRef() const { return get<std::string>("string"); }
  std::string_view toStringView() const { return toStringRef(); }
  std::shared_ptr<IValueText> toString() const;
  Device toDevice() const { return get<Device>("device"); }
  const Tensor& toTensor() const { return get<Tensor>("tensor"); }
  // Lists of one type, also of lists that do not say so (those of pickles).
  std::vector<int64_t> toIntVector() const { return list_of<int64_t>("list of ints"); }
  std::vector<int64_t> toIntList() const { return toIntVector(); }
  std::vector<double> toDoubleVector() const { return list_of<double>("list of doubles"); }
  std::vector<Tensor> toTensorVector() const { return list_of<Tensor>("list of tensors"); }
  std::vector<Tensor> toTensorList() const { return toTensorVector(); }
  const std::vector<IValue>& toListRef() const { return *get<Values>("list"); }
  const Dict& entries() const { return *get<std::shared_ptr<Dict>>("dictionary"); }
  // Copies of the handles, in core/torch/containers.h.
  containers::Dict<IValue, IValue> toGenericDict() const;
  containers::List<IValue> toList() const;
  const std::shared_ptr<Dict>& dict() const { return get<std::shared_ptr<Dict>>("dictionary"); }
  const std::shared_ptr<std::vector<IValue>>& list() const { return get<Values>("list"); }
  std::shared_ptr<IValueTuple> toTuple() const;
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>)
      return toBool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(toInt());
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(toDouble());
    else
      return parts_to(static_cast<T*>(nullptr));
  }
  template <class T>
  std::optional<T> toOptional() const {
    return to<std::optional<T>>();
  }
  friend std::ostream& operator<<(std::ostream& out, const IValue& value);
  // An order of keys: by kind, then by value. Error: what cannot be a key.
  friend bool operator<(const IValue& a, const IValue& b);
  std::string tagKind() const {
    constexpr const char* kKinds[] = {"None",        "Bool",       "Int",        "Double",
                                      "String",      "Tensor",     "IntList",    "DoubleList",
                                      "BoolList",    "TensorList", "StringList", "GenericList",
                                      "GenericDict", "Device"};
    return kKinds[value_.index()];
  }

 private:
  using Values = std::shared_ptr<std::vector<IValue>>;

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value_);
  }
  template <class T>
  T parts_to(T*) const {
    return get<T>("value of that type");
  }
  template <class T>
  std::vector<T> parts_to(std::vector<T>*) const {
    return list_of<T>("list of that type");
  }
  template <class T>
  std::optional<T> parts_to(std::optional<T>*) const {
    return isNone() ? std::nullopt : std::optional<T>(to<T>());
  }
  template <class... Parts>
  std::tuple<Parts...> parts_to(std::tuple<Parts...>*) const {
    const std::vector<IValue>& parts = toListRef();
    OA_REQUIRE(parts.size() == sizeof...(Parts), "IValue: expected a tuple of ", sizeof...(Parts),
               ", holds ", parts.size(), " values");
    auto part = parts.begin();  // the parts of a braced list are taken in order
    return std::tuple<Parts...>{next_part<Parts>(part)...};
  }
  template <class T>
  static T next_part(std::vector<IValue>::const_iterator& part) {
    const IValue& value = *part;
    ++part;
    return value.to<T>();
  }
  template <class T>
  std::vector<T> list_of(const char* what) const {
    if (!isList()) return get<std::vector<T>>(what);
    std::vector<T> out;
    for (const IValue& entry : toListRef()) out.push_back(entry.get<T>(what));
    return out;
  }
  template <class T>
  const T& get(const char* what) const {
    OA_REQUIRE(is<T>(), "IValue: expected ", what, ", holds ", tagKind());
    return std::get<T>(value_);
  }

  std::variant<std::monostate, bool, int64_t, double, std::string, Tensor, std::vector<int64_t>,
               std::vector<double>, std::vector<bool>, std::vector<Tensor>,
               std::vector<std::string>, Values, std::shared_ptr<Dict>, Device>
      value_;
};

class IValueTuple {
 public:
  explicit IValueTuple(std::shared_ptr<std::vector<IValue>> parts) : parts_(std::move(parts)) {}
  static std::shared_ptr<IValueTuple> create(std::vector<IValue> parts) {
    return std::make_shared<IValueTuple>(std::make_shared<std::vector<IValue>>(std::move(parts)));
  }
  template <class... Parts>
  static std::shared_ptr<IValueTuple> create(Parts&&... parts) {
    return create(std::vector<IValue>{IValue(std::forward<Parts>(parts))...});
  }
  const std::vector<IValue>& elements() const { return *parts_; }
  size_t size() const { return parts_->size(); }
  const std::shared_ptr<std::vector<IValue>>& list() const { return parts_; }

 private:
  std::shared_ptr<std::vector<IValue>> parts_;
};
class IValueText {
 public:
  explicit IValueText(std::string text) : text_(std::move(text)) {}
  const std::string& string() const { return text_; }

 private:
  std::string text_;
};
inline IValue::IValue(std::shared_ptr<IValueTuple> value) : value_(value->list()) {}
inline std::shared_ptr<IValueText> IValue::toString() const {
  return std::make_shared<IValueText>(toStringRef());
}
inline std::shared_ptr<IValueTuple> IValue::toTuple() const {
  return std::make_shared<IValueTuple>(list());
}

// libtorch's name.
namespace ivalue {
using Tuple = IValueTuple;
}

}  // namespace oneagent
