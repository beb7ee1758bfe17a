// D numbers, one for each spatial dimension, given as a list or as one number for all.
#pragma once

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "core/base/array_ref.h"

namespace oneagent {

template <size_t D, class T = int64_t>
class ExpandingArray {
 public:
  ExpandingArray(std::initializer_list<T> list)  // NOLINT: all implicit, like libtorch's
      : ExpandingArray(ArrayRef<T>(list.begin(), list.size())) {}
  ExpandingArray(const std::vector<T>& list)  // NOLINT
      : ExpandingArray(ArrayRef<T>(list.data(), list.size())) {}
  ExpandingArray(ArrayRef<T> list) {  // NOLINT
    OA_REQUIRE(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    std::copy(list.begin(), list.end(), values_.begin());
  }
  ExpandingArray(T one) { values_.fill(one); }                         // NOLINT
  ExpandingArray(const std::array<T, D>& values) : values_(values) {}  // NOLINT

  std::array<T, D>& operator*() { return values_; }
  const std::array<T, D>& operator*() const { return values_; }
  std::array<T, D>* operator->() { return &values_; }
  const std::array<T, D>* operator->() const { return &values_; }
  operator ArrayRef<T>() const { return values_; }  // NOLINT
  template <class U = T, std::enable_if_t<std::is_same_v<U, int64_t>, int> = 0>
  operator Shape() const {  // NOLINT
    return Shape(values_);
  }
  size_t size() const noexcept { return D; }

 protected:
  std::array<T, D> values_;
};

template <size_t D, class T>
std::ostream& operator<<(std::ostream& out, const ExpandingArray<D, T>& array) {
  if (D == 1) return out << array->front();
  return out << ArrayRef<T>(array);
}

// As above, where an entry may be left open.
template <size_t D, class T = int64_t>
class ExpandingArrayWithOptionalElem : public ExpandingArray<D, std::optional<T>> {
  using Parent = ExpandingArray<D, std::optional<T>>;

 public:
  using Parent::Parent;
  ExpandingArrayWithOptionalElem(std::initializer_list<T> list)  // NOLINT
      : ExpandingArrayWithOptionalElem(ArrayRef<T>(list.begin(), list.size())) {}
  ExpandingArrayWithOptionalElem(const std::vector<T>& list)  // NOLINT
      : ExpandingArrayWithOptionalElem(ArrayRef<T>(list.data(), list.size())) {}
  ExpandingArrayWithOptionalElem(ArrayRef<T> list) : Parent(std::optional<T>()) {  // NOLINT
    OA_REQUIRE(list.size() == D, "Expected ", D, " values, but instead got ", list.size());
    std::copy(list.begin(), list.end(), this->values_.begin());
  }
  ExpandingArrayWithOptionalElem(T one) : Parent(std::optional<T>(one)) {}  // NOLINT
  ExpandingArrayWithOptionalElem(const std::array<T, D>& values)            // NOLINT
      : ExpandingArrayWithOptionalElem(ArrayRef<T>(values)) {}
};

template <size_t D, class T>
std::ostream& operator<<(std::ostream& out, const ExpandingArrayWithOptionalElem<D, T>& array) {
  std::vector<std::string> texts;
  for (const std::optional<T>& entry : *array) {
    std::ostringstream text;
    entry ? text << *entry : text << "None";
    texts.push_back(text.str());
  }
  if (D == 1) return out << texts.front();
  return out << ArrayRef<std::string>(texts);
}

}  // namespace oneagent
