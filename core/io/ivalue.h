// IValue: one value of the kinds that archives and AutogradContext::saved_data hold: none, bool,
// int, double, string, tensor, a list of them, or a dictionary with text keys in order.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

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
  using Dict = std::vector<std::pair<std::string, IValue>>;
  explicit IValue(std::shared_ptr<Dict> value) : value_(std::move(value)) {}

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

  bool toBool() const { return get<bool>("bool"); }
  int64_t toInt() const { return get<int64_t>("int"); }
  double toDouble() const { return get<double>("double"); }
  Scalar toScalar() const {
    if (isDouble()) return toDouble();
    if (isBool()) return toBool();
    return toInt();
  }
  const std::string& toStringRef() const { return get<std::string>("string"); }
  const Tensor& toTensor() const { return get<Tensor>("tensor"); }
  // Lists of one type, also of lists that do not say so (those of pickles).
  std::vector<int64_t> toIntVector() const { return list_of<int64_t>("list of ints"); }
  std::vector<int64_t> toIntList() const { return toIntVector(); }
  std::vector<double> toDoubleVector() const { return list_of<double>("list of doubles"); }
  std::vector<Tensor> toTensorVector() const { return list_of<Tensor>("list of tensors"); }
  std::vector<Tensor> toTensorList() const { return toTensorVector(); }
  const std::vector<IValue>& toListRef() const { return *get<Values>("list"); }
  const Dict& toGenericDict() const { return *get<std::shared_ptr<Dict>>("dictionary"); }
  const std::shared_ptr<Dict>& dict() const { return get<std::shared_ptr<Dict>>("dictionary"); }
  const std::shared_ptr<std::vector<IValue>>& list() const { return get<Values>("list"); }
  template <class T>
  T to() const {
    if constexpr (std::is_same_v<T, bool>)
      return toBool();
    else if constexpr (std::is_integral_v<T>)
      return static_cast<T>(toInt());
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(toDouble());
    else
      return get<T>("value of that type");
  }
  std::string tagKind() const {
    constexpr const char* kKinds[] = {"None",       "Bool",       "Int",        "Double",
                                      "String",     "Tensor",     "IntList",    "DoubleList",
                                      "BoolList",   "TensorList", "StringList", "GenericList",
                                      "GenericDict"};
    return kKinds[value_.index()];
  }

 private:
  using Values = std::shared_ptr<std::vector<IValue>>;

  template <class T>
  bool is() const {
    return std::holds_alternative<T>(value_);
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
               std::vector<std::string>, Values, std::shared_ptr<Dict>>
      value_;
};

}  // namespace oneagent
