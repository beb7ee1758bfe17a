// Example calls of an op, declared in its record. The conformance suite makes the tensors (Philox,
// fixed seed) and checks shapes, golden values, finite differences and layouts on them; nothing
// else has to be written for a new op.
#pragma once

#include <vector>

#include "core/graph/attrs.h"

namespace oneagent {

struct SampleInput {
  enum class Kind : uint8_t {
    kNormal,
    kPositive,
    kUnit,
    kInts,
    kMask,
    kDistinct,
    kAbsent,
    kPositiveDefinite,
    kWellConditioned,
    kDominant,
    kBetween
  };
  Kind kind = Kind::kNormal;
  Shape sizes;
  int64_t low = 0, high = 0;  // of kInts: low <= value < high
  DType dtype = DType::kFloat32;
  double from = 0, to = 0;  // of kBetween: from <= value < to
};

inline SampleInput normal(const Shape& sizes) {
  return {SampleInput::Kind::kNormal, sizes};
}  // N(0, 1)
inline SampleInput positive(const Shape& sizes) {
  return {SampleInput::Kind::kPositive, sizes};
}  // [0.5, 2)
inline SampleInput positive(std::initializer_list<int64_t> sizes) {
  return positive(Shape(sizes));  // {} is a shape here, not a tensor: core/ops/unary.h
}
inline SampleInput unit(const Shape& sizes) {
  return {SampleInput::Kind::kUnit, sizes};
}  // (-0.9, 0.9)
inline SampleInput distinct(const Shape& sizes) {
  return {SampleInput::Kind::kDistinct, sizes};
}  // a permutation with gaps: no ties
inline SampleInput between(const Shape& sizes, double from, double to) {
  return {SampleInput::Kind::kBetween, sizes, 0, 0, DType::kFloat32, from, to};
}
inline SampleInput ints(const Shape& sizes, int64_t low, int64_t high,
                        DType dtype = DType::kInt64) {
  return {SampleInput::Kind::kInts, sizes, low, high, dtype};
}
inline SampleInput mask(const Shape& sizes) {
  return {SampleInput::Kind::kMask, sizes, 0, 2, DType::kBool};
}
// Batches of matrices. The first are symmetric, with eigenvalues apart from each other and from
// zero; gradients by finite differences change both elements of a pair. The second have large
// elements beside the diagonal, the third on it; singular values lie apart.
inline SampleInput positive_definite(const Shape& sizes) {
  return {SampleInput::Kind::kPositiveDefinite, sizes};
}
inline SampleInput well_conditioned(const Shape& sizes) {
  return {SampleInput::Kind::kWellConditioned, sizes};
}
inline SampleInput dominant(const Shape& sizes) { return {SampleInput::Kind::kDominant, sizes}; }
inline SampleInput absent() {
  return {SampleInput::Kind::kAbsent, {}};
}  // an optional input that is not given

struct Sample {
  std::vector<SampleInput> inputs;
  Attrs attrs = {};
};

using Samples = std::vector<Sample>;

}  // namespace oneagent
