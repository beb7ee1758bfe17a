// How one logical tensor lies on many ranks. A Mesh arranges ranks in a grid; a Sharding says, for
// each dimension of the grid, what the ranks along it hold of the tensor: a part of one dimension,
// all of it, or a value that must still be reduced (OneFlow calls these S, B and P), or whether one
// rank alone holds it, as the stages of a pipeline hold their parameters.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/base/shape.h"

namespace oneagent {

enum class Reduce : uint8_t { kSum, kMax, kMin };

// Along one mesh dimension.
struct Placement {
  enum class Kind : uint8_t { kBroadcast, kSplit, kPartial, kOwner };
  Kind kind = Kind::kBroadcast;
  int8_t axis = 0;               // of kSplit; of kOwner the rank that holds it
  Reduce reduce = Reduce::kSum;  // of kPartial

  bool is_broadcast() const { return kind == Kind::kBroadcast; }
  bool is_split() const { return kind == Kind::kSplit; }
  bool is_split(int64_t dim) const { return is_split() && axis == dim; }
  bool is_partial() const { return kind == Kind::kPartial; }
  bool is_owner() const { return kind == Kind::kOwner; }
  friend bool operator==(const Placement&, const Placement&) = default;

  // Parts of dimension `axis`, in the order of ranks; the first ones are one element longer where
  // the sizes do not divide, the last ones may be empty.
  static constexpr Placement split(int64_t axis) {
    return {Kind::kSplit, static_cast<int8_t>(axis), Reduce::kSum};
  }
  static constexpr Placement broadcast() { return {}; }  // equal copies
  // The value is the reduction of what all ranks hold.
  static constexpr Placement partial(Reduce reduce = Reduce::kSum) {
    return {Kind::kPartial, 0, reduce};
  }
  // The rank at this coordinate holds all; the others hold an empty tensor.
  static constexpr Placement owner(int64_t rank) {
    return {Kind::kOwner, static_cast<int8_t>(rank), Reduce::kSum};
  }
};

class Sharding {
 public:
  static constexpr size_t kMaxDims = 4;

  Sharding() = default;
  Sharding(std::initializer_list<Placement> placements) {
    for (const Placement& placement : placements) push_back(placement);
  }
  static Sharding broadcast(size_t dims) {
    Sharding out;
    for (size_t i = 0; i < dims; ++i) out.push_back(Placement());
    return out;
  }

  size_t size() const { return size_; }
  const Placement& operator[](size_t i) const { return placements_[i]; }
  Placement& operator[](size_t i) { return placements_[i]; }
  const Placement* begin() const { return placements_.data(); }
  const Placement* end() const { return placements_.data() + size_; }
  void push_back(Placement placement) {
    OA_REQUIRE(size_ < kMaxDims, "sharding: at most ", kMaxDims, " mesh dimensions");
    placements_[size_++] = placement;
  }
  bool has_partial() const;
  friend bool operator==(const Sharding& a, const Sharding& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  std::array<Placement, kMaxDims> placements_;
  uint8_t size_ = 0;
};

// "S(0)", "B", "P(sum)", "O(2)"; "[S(0), B]"; what is written in an error.
std::string to_text(const Placement& placement);
std::string to_text(const Sharding& sharding);
inline std::ostream& operator<<(std::ostream& out, const Placement& placement) {
  return out << to_text(placement);
}
inline std::ostream& operator<<(std::ostream& out, const Sharding& sharding) {
  return out << to_text(sharding);
}

// A grid of ranks, in row-major order: rank r = coordinates in `sizes`.
class Mesh {
 public:
  Mesh() = default;
  // Mesh({2, 4}, {"data", "tensor"}); names default to "0", "1" ... Error: a size below 1, more
  // than Sharding::kMaxDims dimensions, or names that do not fit.
  explicit Mesh(Shape sizes, std::vector<std::string> names = {});
  explicit Mesh(std::initializer_list<int64_t> sizes, std::vector<std::string> names = {})
      : Mesh(Shape(sizes), std::move(names)) {}

  size_t dims() const { return sizes_.size(); }
  const Shape& sizes() const { return sizes_; }
  int64_t size(size_t dim) const { return sizes_[dim]; }
  int64_t ranks() const { return sizes_.numel(); }
  const std::string& name(size_t dim) const { return names_[dim]; }
  size_t dim(std::string_view name) const;  // Error names the known ones
  // Where `rank` stands along `dim`.
  int64_t coordinate(int64_t rank, size_t dim) const;
  // The ranks that differ from `rank` along `dim` alone, in order.
  std::vector<int> line(int64_t rank, size_t dim) const;
  std::string text() const;  // "[data=2, tensor=4]"
  friend bool operator==(const Mesh& a, const Mesh& b) {
    return a.sizes_ == b.sizes_ && a.names_ == b.names_;
  }

 private:
  Shape sizes_;
  std::vector<std::string> names_;
};

struct AxisRange {
  int64_t begin = 0, length = 0;
};

// Part `index` of `count` of a dimension of `size`.
AxisRange part_of(int64_t size, int64_t count, int64_t index);

// What `rank` holds of each dimension. Dimensions split along several mesh dimensions are split in
// the order of these.
std::vector<AxisRange> ranges_of(const Shape& sizes, const Mesh& mesh, const Sharding& sharding,
                                 int64_t rank);
// Of a tensor with an owner, elsewhere: no elements, along its first dimension; {0} for a number.
Shape local_sizes(const Shape& sizes, const Mesh& mesh, const Sharding& sharding, int64_t rank);

// Error: `sharding` does not fit the mesh or names a dimension that the tensor does not have. Axes
// below 0 count from the end.
Sharding checked_sharding(const char* what, const Shape& sizes, const Mesh& mesh,
                          Sharding sharding);

}  // namespace oneagent
