#include "core/comm/reduction.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/base/complex.h"
#include "core/comm/traffic.h"

namespace oneagent::comm {
namespace {

template <class T>
T reduced(const std::vector<T>& values, Reduce reduce) {
  std::vector<const void*> parts;
  for (const T& value : values) parts.push_back(&value);
  T out;
  reduce_in_order(&out, parts, 1, dtype_of<T>, reduce);
  return out;
}

TEST(Reduction, AddsInTheOrderOfRanks) {
  EXPECT_EQ(reduced<float>({1, 1e8F, -1e8F}, Reduce::kSum), 0);
  EXPECT_EQ(reduced<float>({1e8F, -1e8F, 1}, Reduce::kSum), 1);
}

TEST(Reduction, HalvesAreAddedInFloatAndRoundedOnce) {
  // 256 + 1 is 256 in bfloat16, so a sum in bfloat16 would stay there.
  EXPECT_EQ(float(reduced<BFloat16>({256, 1, 1}, Reduce::kSum)), 258);
  EXPECT_EQ(float(reduced<Half>({2048, 1, 1}, Reduce::kSum)), 2050);
}

TEST(Reduction, IntegersWrapAndBoolsAreOr) {
  EXPECT_EQ(reduced<int8_t>({127, 1}, Reduce::kSum), -128);
  EXPECT_EQ(reduced<uint8_t>({255, 2}, Reduce::kSum), 1);
  EXPECT_EQ(reduced<int64_t>({INT64_MAX, 1}, Reduce::kSum), INT64_MIN);
  bool values[] = {false, true, true}, out = false;
  const void* parts[] = {values, values + 1, values + 2};
  reduce_in_order(&out, parts, 1, DType::kBool, Reduce::kSum);
  EXPECT_TRUE(out);
  reduce_in_order(&out, parts, 1, DType::kBool, Reduce::kMin);
  EXPECT_FALSE(out);
}

TEST(Reduction, NanWinsWhereverItIs) {
  const float nan = std::nanf("");
  for (const Reduce reduce : {Reduce::kMax, Reduce::kMin}) {
    EXPECT_TRUE(std::isnan(reduced<float>({nan, 1, 2}, reduce)));
    EXPECT_TRUE(std::isnan(reduced<float>({1, nan, 2}, reduce)));
    EXPECT_TRUE(std::isnan(reduced<double>({1, 2, std::nan("")}, reduce)));
  }
  EXPECT_EQ(reduced<double>({1, 3, 2}, Reduce::kMax), 3);
  EXPECT_EQ(reduced<Half>({1, 3, -2}, Reduce::kMin), -2);
}

TEST(Reduction, ComplexNumbersCanOnlyBeSummed) {
  using C = Complex<float>;
  EXPECT_EQ(reduced<C>({C(1, 2), C(3, -5)}, Reduce::kSum), C(4, -3));
  EXPECT_THROW(reduced<C>({C(1, 2)}, Reduce::kMax), Error);
}

TEST(Traffic, ChunksAreBalancedAndCostsAddUp) {
  for (const int n : {1, 2, 3, 4, 8}) {
    for (const size_t count : {0, 1, 7, 64, 1001}) {
      size_t next = 0;
      int64_t all = 0;
      for (int r = 0; r < n; ++r) {
        const Chunk chunk = chunk_of(count, r, n);
        EXPECT_EQ(chunk.begin, next);
        next += chunk.count;
        all += all_reduce_cost(count, 4, r, n);
      }
      EXPECT_EQ(next, count);
      EXPECT_EQ(all, static_cast<int64_t>(2 * (n - 1) * count * 4));
    }
  }
}

}  // namespace
}  // namespace oneagent::comm
