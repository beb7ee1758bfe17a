// A list of dimension sizes with inline storage for up to 8 dimensions. Value type; also used for
// strides.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <ostream>
#if __cplusplus >= 202002L
#include <span>
#endif
#include <vector>

#include "core/base/check.h"

namespace oneagent {

class Shape {
 public:
  static constexpr size_t kMaxRank = 8;

  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes) : Shape(sizes.begin(), sizes.size()) {}
  Shape(const std::vector<int64_t>& sizes)
      : Shape(sizes.data(), sizes.size()) {}  // NOLINT: implicit like libtorch's IntArrayRef
  template <size_t N>
  Shape(const std::array<int64_t, N>& sizes) : Shape(sizes.data(), N) {}  // NOLINT
  Shape(int64_t size) : Shape({size}) {}                                  // NOLINT
  Shape(const int64_t* sizes, size_t count) {
    OA_REQUIRE(count <= kMaxRank, "shape: at most ", kMaxRank, " dimensions, was ", count);
    rank_ = static_cast<uint8_t>(count);
    std::copy(sizes, sizes + count, sizes_.begin());
  }
#if __cplusplus >= 202002L
  explicit Shape(std::span<const int64_t> sizes) : Shape(sizes.data(), sizes.size()) {}
  operator std::span<const int64_t>() const { return {sizes_.data(), rank_}; }
#endif

  size_t size() const { return rank_; }
  bool empty() const { return rank_ == 0; }
  int64_t operator[](size_t i) const { return sizes_[i]; }
  int64_t& operator[](size_t i) { return sizes_[i]; }
  int64_t at(size_t i) const {
    OA_REQUIRE(i < rank_, "shape: index ", i, " is out of range for ", rank_, " dimensions");
    return sizes_[i];
  }
  int64_t front() const { return at(0); }
  int64_t back() const {
    OA_REQUIRE(rank_ > 0, "shape: back() of no dimensions");
    return sizes_[rank_ - 1];
  }
  bool equals(const Shape& other) const { return *this == other; }
  Shape slice(size_t start, size_t count) const {
    OA_REQUIRE(start + count <= rank_, "shape: slice of ", count, " from ", start,
               " is out of range for ", rank_, " dimensions");
    return Shape(sizes_.data() + start, count);
  }
  Shape slice(size_t start) const { return slice(start, rank_ - start); }
  const int64_t* begin() const { return sizes_.data(); }
  const int64_t* end() const { return sizes_.data() + rank_; }
  int64_t* begin() { return sizes_.data(); }
  int64_t* end() { return sizes_.data() + rank_; }
  const int64_t* data() const { return sizes_.data(); }
  std::vector<int64_t> vec() const { return {begin(), end()}; }

  void push_back(int64_t size) {
    OA_REQUIRE(rank_ < kMaxRank, "shape: at most ", kMaxRank, " dimensions");
    sizes_[rank_++] = size;
  }
  void insert(size_t at, int64_t size) {
    push_back(size);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --rank_;
  }

  // Number of elements; 1 for a scalar.
  int64_t numel() const {
    int64_t n = 1;
    for (const int64_t size : *this) n *= size;
    return n;
  }

  friend bool operator==(const Shape& a, const Shape& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  friend std::ostream& operator<<(std::ostream& out, const Shape& shape) {
    out << '[';
    for (size_t i = 0; i < shape.size(); ++i) out << (i > 0 ? ", " : "") << shape[i];
    return out << ']';
  }

 private:
  std::array<int64_t, kMaxRank> sizes_{};
  uint8_t rank_ = 0;
};

}  // namespace oneagent
