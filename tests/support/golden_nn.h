// The inputs and results of tests/golden/make_nn.py.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/ops/ops.h"

namespace oneagent::testing {

// sin(1.3 i + shift), float64
inline Tensor wave(double shift, const Shape& sizes) {
  const Tensor out = empty(sizes, kFloat64);
  for (int64_t i = 0; i < out.numel(); ++i)
    out.data_ptr<double>()[i] = std::sin(1.3 * static_cast<double>(i) + shift);
  return out;
}

inline Json golden_nn(const std::string& name) {
  return Json::parse(read_text(fs::path(OA_GOLDEN) / "nn.json")).at(name);
}

inline void expect_values(const Tensor& actual, const Json& expected, const std::string& where,
                          double tolerance = 1e-9) {
  const auto values = to_vector<double>(actual);
  ASSERT_EQ(values.size(), expected.size()) << where;
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i].get<double>(), tolerance) << where << ", element " << i;
}

}  // namespace oneagent::testing
