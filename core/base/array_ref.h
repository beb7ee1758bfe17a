// ArrayRef: a borrowed list, as libtorch passes lists. It must not outlive what it was made from;
// an initializer list lives to the end of the full expression.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <numeric>
#include <ostream>
#include <vector>

#include "core/base/shape.h"

namespace oneagent {

template <class T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;

  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}  // NOLINT: implicit like libtorch's
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* begin, const T* end)
      : data_(begin), size_(static_cast<size_t>(end - begin)) {}
  template <class Allocator, class U = T, std::enable_if_t<!std::is_same_v<U, bool>, int> = 0>
  ArrayRef(const std::vector<T, Allocator>& list)  // NOLINT
      : data_(list.data()), size_(list.size()) {}
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N>& list) : data_(list.data()), size_(N) {}  // NOLINT
  template <size_t N>
  constexpr ArrayRef(const T (&list)[N]) : data_(list), size_(N) {}  // NOLINT
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"
  constexpr ArrayRef(const std::initializer_list<T>& list)  // NOLINT
      : data_(std::data(list)), size_(list.size()) {}
#pragma GCC diagnostic pop
  template <class U = T, std::enable_if_t<std::is_same_v<U, int64_t>, int> = 0>
  ArrayRef(const Shape& shape)  // NOLINT
      : data_(shape.data()), size_(shape.size()) {}

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  auto rbegin() const { return std::reverse_iterator<const T*>(end()); }
  auto rend() const { return std::reverse_iterator<const T*>(begin()); }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    OA_REQUIRE(i < size_, "ArrayRef: index ", i, " is out of range for a list of ", size_);
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  ArrayRef slice(size_t start, size_t count) const {
    OA_REQUIRE(start + count <= size_, "ArrayRef: slice of ", count, " from ", start,
               " is out of range for a list of ", size_);
    return {data_ + start, count};
  }
  ArrayRef slice(size_t start) const { return slice(start, size_ - start); }
  bool equals(ArrayRef other) const {
    return size_ == other.size_ && std::equal(begin(), end(), other.begin());
  }
  std::vector<T> vec() const { return {begin(), end()}; }
  operator std::vector<T>() const { return vec(); }  // NOLINT
  template <class U = T, std::enable_if_t<std::is_same_v<U, int64_t>, int> = 0>
  operator Shape() const {  // NOLINT
    return Shape(data_, size_);
  }

  // Templates, so that a list never has to choose between the two.
  template <class U,
            std::enable_if_t<std::is_same_v<T, int64_t> && std::is_same_v<U, Shape>, int> = 0>
  friend bool operator==(const U& a, const ArrayRef& b) {
    return b.equals(a);
  }
  template <class U,
            std::enable_if_t<std::is_same_v<T, int64_t> && std::is_same_v<U, Shape>, int> = 0>
  friend bool operator==(const ArrayRef& a, const U& b) {
    return a.equals(b);
  }
  template <class U,
            std::enable_if_t<std::is_same_v<T, int64_t> && std::is_same_v<U, Shape>, int> = 0>
  friend bool operator!=(const U& a, const ArrayRef& b) {
    return !b.equals(a);
  }
  template <class U,
            std::enable_if_t<std::is_same_v<T, int64_t> && std::is_same_v<U, Shape>, int> = 0>
  friend bool operator!=(const ArrayRef& a, const U& b) {
    return !a.equals(b);
  }
  friend bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }
  friend bool operator!=(ArrayRef a, ArrayRef b) { return !a.equals(b); }
  friend std::ostream& operator<<(std::ostream& out, ArrayRef list) {
    out << '[';
    for (size_t i = 0; i < list.size(); ++i) out << (i > 0 ? ", " : "") << list[i];
    return out << ']';
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};

using IntArrayRef = ArrayRef<int64_t>;

template <class T>
ArrayRef<T> makeArrayRef(const std::vector<T>& list) {
  return list;
}
template <class T>
ArrayRef<T> makeArrayRef(const T& one) {
  return one;
}
template <class T>
ArrayRef<T> makeArrayRef(const T* data, size_t size) {
  return {data, size};
}
template <class T, size_t N>
ArrayRef<T> makeArrayRef(const T (&list)[N]) {
  return list;
}

template <class List>
int64_t sum_integers(const List& list) {
  return std::accumulate(list.begin(), list.end(), int64_t{0});
}
template <class List>
int64_t multiply_integers(const List& list) {
  int64_t product = 1;
  for (const auto value : list) product *= value;
  return product;
}

}  // namespace oneagent
