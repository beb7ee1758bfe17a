// gemm against a plain loop in double, at every edge of its blocks, for all layouts of the
// operands.
#include "core/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/base/rng.h"

namespace oneagent {
namespace {

struct Case {
  int64_t m, n, k;
  bool a_transposed, b_transposed, accumulate;
};

template <class T>
void expect_product(const Case& c, Stream& stream) {
  Rng rng(static_cast<uint64_t>(c.m * 1000003 + c.n * 1009 + c.k));
  const auto fill = [&](int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    for (T& value : values) value = static_cast<T>(rng.uniform(-1.0, 1.0));
    return values;
  };
  const std::vector<T> a = fill(c.m * c.k), b = fill(c.k * c.n), bias = fill(c.n);
  std::vector<T> out = fill(c.m * c.n);
  const std::vector<T> before = out;
  cpu::GemmArgs args;
  args.m = c.m;
  args.n = c.n;
  args.k = c.k;
  args.a = a.data();
  args.a_row = c.a_transposed ? 1 : c.k;
  args.a_col = c.a_transposed ? c.m : 1;
  args.b = b.data();
  args.b_row = c.b_transposed ? 1 : c.n;
  args.b_col = c.b_transposed ? c.k : 1;
  args.c = out.data();
  args.c_row = c.n;
  args.bias = c.accumulate ? nullptr : bias.data();
  args.accumulate = c.accumulate;
  run_gemm(stream, dtype_of<T>, args);
  const double tolerance = (sizeof(T) == 4 ? 1.2e-7 : 2.3e-16) * static_cast<double>(c.k + 2);
  for (int64_t i = 0; i < c.m; ++i)
    for (int64_t j = 0; j < c.n; ++j) {
      double sum =
          c.accumulate ? before[static_cast<size_t>(i * c.n + j)] : bias[static_cast<size_t>(j)];
      for (int64_t k = 0; k < c.k; ++k)
        sum +=
            static_cast<double>(
                a[static_cast<size_t>(c.a_transposed ? k * c.m + i : i * c.k + k)]) *
            static_cast<double>(b[static_cast<size_t>(c.b_transposed ? j * c.k + k : k * c.n + j)]);
      ASSERT_NEAR(out[static_cast<size_t>(i * c.n + j)], sum, tolerance + 1e-15)
          << c.m << "x" << c.n << "x" << c.k << " at " << i << ", " << j;
    }
}

TEST(Gemm, EqualsAPlainLoopAtEveryEdgeOfItsBlocks) {
  Stream stream;
  for (const int64_t m : {1, 2, 5, 6, 7, 13, 30})
    for (const int64_t n : {1, 2, 7, 8, 9, 15, 16, 17, 33, 64, 65})
      for (const int64_t k : {0, 1, 3, 8, 17, 255, 256, 257, 600})
        for (int layout = 0; layout < 4; ++layout) {
          expect_product<float>({m, n, k, (layout & 1) != 0, (layout & 2) != 0, false}, stream);
          if (m <= 7 && k <= 257)
            expect_product<double>({m, n, k, (layout & 1) != 0, (layout & 2) != 0, true}, stream);
        }
}

TEST(Gemm, EqualsAPlainLoopAcrossItsBlocks) {
  Stream stream;
  for (const int64_t m : {97, 130})
    for (const int64_t n : {3, 200, 1030})
      for (const int64_t k : {5, 257})
        for (int layout = 0; layout < 4; ++layout)
          expect_product<float>({m, n, k, (layout & 1) != 0, (layout & 2) != 0, n == 3}, stream);
}

TEST(Gemm, EqualsAPlainLoopWhereFewRowsMeetAnOperandThatLiesAcross) {
  Stream stream;
  for (const int64_t m : {16, 17, 33, 64})
    for (const int64_t n : {256, 259, 300})
      for (const int64_t k : {64, 257, 301})
        for (const bool a_transposed : {false, true}) {
          expect_product<float>({m, n, k, a_transposed, true, n == 259}, stream);
          if (k == 64) expect_product<double>({m, n, k, a_transposed, true, n == 300}, stream);
        }
}

// A row's bits do not depend on how many rows there are, though the way they are computed does.
TEST(Gemm, RowsHaveTheSameBitsInAnyNumber) {
  constexpr int64_t kRows = 40, kColumns = 200, kDepth = 300;
  Rng rng(3, 0);
  std::vector<float> a(kRows * kDepth), b(kDepth * kColumns), bias(kColumns);
  for (std::vector<float>* values : {&a, &b, &bias})
    for (float& value : *values) value = static_cast<float>(rng.uniform(-1.0, 1.0));
  Stream stream;
  const auto product = [&](int64_t rows) {
    std::vector<float> out(static_cast<size_t>(rows * kColumns));
    cpu::GemmArgs args;
    args.m = rows;
    args.n = kColumns;
    args.k = kDepth;
    args.a = a.data();
    args.a_row = kDepth;
    args.a_col = 1;
    args.b = b.data();
    args.b_row = 1;
    args.b_col = kDepth;
    args.c = out.data();
    args.c_row = kColumns;
    args.bias = bias.data();
    args.activation = cpu::Activation::kTanh;
    run_gemm(stream, DType::kFloat32, args);
    return out;
  };
  const std::vector<float> all = product(kRows);
  for (const int64_t rows : {1, 7, 15, 16, 39}) {
    const std::vector<float> few = product(rows);
    EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin())) << rows;
  }
}

}  // namespace
}  // namespace oneagent
