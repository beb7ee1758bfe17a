// Turns the samples that an op record declares into tensors: the same values on every machine.
#pragma once

#include <cmath>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "core/base/rng.h"
#include "core/graph/sample.h"
#include "core/ops/op.h"

namespace oneagent {

// What GoogleTest shows for a parameter.
inline void PrintTo(const Op* op, std::ostream* out) { *out << op->name; }

}  // namespace oneagent

namespace oneagent::testing {

// Of all ops.
inline const OpTable& op_table() {
  static const OpTable instance = [] {
    OpTable made;
    register_all(made);
    return made;
  }();
  return instance;
}

// Turns normal numbers into matrices of the kinds that have a name.
inline void make_matrices(const SampleInput& spec, std::vector<double>& values) {
  using Kind = SampleInput::Kind;
  const size_t rank = spec.sizes.size();
  const auto rows = static_cast<size_t>(spec.sizes[rank - 2]);
  const auto columns = static_cast<size_t>(spec.sizes[rank - 1]);
  for (size_t at = 0; at < values.size(); at += rows * columns)
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c) {
        double& x = values[at + r * columns + c];
        const double large = 1.5 + 0.5 * static_cast<double>(r);
        if (spec.kind == Kind::kPositiveDefinite) {
          if (c >= r) x = 0.2 * (x + values[at + c * columns + r]) + (c == r ? 2 * large : 0);
          if (c < r) x = values[at + c * columns + r];
        } else {
          const size_t place = spec.kind == Kind::kDominant ? r : (r + 1) % columns;
          x = 0.3 * x + (c == place ? large : 0);
        }
      }
}

// Floating inputs have `floating`; others the dtype that the sample names.
inline Tensor make_input(const SampleInput& spec, Rng& rng, DType floating) {
  using Kind = SampleInput::Kind;
  if (spec.kind == Kind::kAbsent) return {};
  const bool whole = spec.kind == Kind::kInts || spec.kind == Kind::kMask;
  std::vector<double> values(static_cast<size_t>(spec.sizes.numel()));
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[rng.below(static_cast<uint32_t>(i))]);
  for (size_t i = 0; i < values.size(); ++i) {
    switch (spec.kind) {
      case Kind::kNormal:
      case Kind::kPositiveDefinite:
      case Kind::kWellConditioned:
      case Kind::kDominant:
        values[i] = rng.normal();
        break;
      case Kind::kPositive:
        values[i] = rng.uniform(0.5, 2.0);
        break;
      case Kind::kUnit:
        values[i] = rng.uniform(-0.9, 0.9);
        break;
      case Kind::kBetween:
        values[i] = rng.uniform(spec.from, spec.to);
        break;
      case Kind::kDistinct:
        values[i] = 0.25 * static_cast<double>(order[i]) - 1.0 + rng.uniform(0.0, 0.1);
        break;
      default:
        values[i] =
            static_cast<double>(spec.low + rng.below(static_cast<uint32_t>(spec.high - spec.low)));
        break;
    }
  }
  if (spec.kind >= Kind::kPositiveDefinite && spec.kind <= Kind::kDominant)
    make_matrices(spec, values);
  if (!whole)  // exact in both floating types
    for (double& value : values) value = static_cast<double>(static_cast<float>(value));
  Stream stream;
  const Tensor out = empty_on(stream, spec.sizes, whole ? spec.dtype : floating);
  for (size_t i = 0; i < values.size(); ++i) {
    with_any(out.dtype(),
             [&]<class T>(Type<T>) { out.data_ptr<T>()[i] = Scalar(values[i]).to<T>(); });
  }
  return out;
}

inline std::vector<Tensor> make_inputs(const Op& op, size_t sample,
                                       DType floating = DType::kFloat64) {
  Rng rng(hash_text(op.name), sample);
  std::vector<Tensor> out;
  const Sample chosen = op.samples()[sample];
  for (const SampleInput& spec : chosen.inputs) out.push_back(make_input(spec, rng, floating));
  return out;
}

// The weight of element i of result r in the scalar whose gradient is compared.
inline double weight_of(size_t result, int64_t i) {
  return std::cos(0.7 * static_cast<double>(i) + 0.3 + static_cast<double>(result));
}

}  // namespace oneagent::testing
