// Linear algebra beyond the conformance suite: errors, special values, larger sizes, composites.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/graph/context.h"
#include "core/ops/linalg_ns.h"
#include "core/ops/op_matrix.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Tensor normal_matrix(const Shape& sizes, DType dtype = kFloat64) {
  Generator generator(7);
  return randn(sizes, generator, dtype);
}
void expect_close(const Tensor& actual, const Tensor& expected, double tolerance = 1e-10) {
  ASSERT_EQ(actual.sizes(), expected.sizes());
  EXPECT_TRUE(allclose(to(actual, kFloat64), to(expected, kFloat64), tolerance, tolerance))
      << actual << expected;
}
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}
#define EXPECT_ERROR(expression, text)                                           \
  EXPECT_NE(error_of([&] { (void)(expression); }).find(text), std::string::npos) \
      << error_of([&] { (void)(expression); })

TEST(Linalg, SingularMatricesAreNamed) {
  const Tensor one = tensor({{1.0, 2.0}, {2.0, 4.0}});
  const Tensor batch = stack({eye(2), one});
  EXPECT_ERROR(linalg_inv(one), "linalg.inv: The diagonal element 2 is zero");
  EXPECT_ERROR(linalg_inv(batch), "linalg.inv: (Batch element 1): The diagonal element 2 is zero");
  EXPECT_ERROR(linalg_solve(one, ones({2})),
               "The solver failed because the input matrix is singular");
  EXPECT_ERROR(linalg_lu_factor(one), "U[2,2] is zero");
  EXPECT_ERROR(linalg_cholesky(neg(one)), "the leading minor of order 1 is not positive-definite");
  EXPECT_ERROR(linalg_inv(ones({2, 3})), "they are 2 by 3 matrices");
  EXPECT_ERROR(linalg_inv(ones({2, 2}, kInt64)), "floating");
  EXPECT_EQ(std::get<1>(linalg_inv_ex(batch))[1].item<int>(), 2);
  EXPECT_EQ(linalg_det(one).item<double>(), 0.0);
  EXPECT_EQ(std::get<1>(linalg_slogdet(one)).item<double>(), -kInfinity);
  EXPECT_TRUE(std::isnan(logdet(neg(eye(3))).item<double>()));
  EXPECT_EQ(linalg_cond(one, Scalar(1)).item<double>(), kInfinity);
}

class Types : public ::testing::TestWithParam<DType> {
 protected:
  double tolerance() const { return GetParam() == kFloat32 ? 2e-4 : 1e-9; }
};

TEST_P(Types, FactorsGiveTheMatrixBack) {
  const Tensor a = normal_matrix({2, 70, 70}, GetParam()), one = eye(70, GetParam());
  const Tensor spd = add(matmul(a, matrix::transposed(a)), one);
  expect_close(matmul(a, linalg_inv(a)), expand(one, {2, 70, 70}), 100 * tolerance());
  const auto [p, l, u] = linalg_lu(a);
  expect_close(matmul(p, matmul(l, u)), a, tolerance());
  const Tensor lower = linalg_cholesky(spd);
  expect_close(matmul(lower, matrix::transposed(lower)), spd, 10 * tolerance());
  expect_close(matmul(spd, cholesky_inverse(lower)), expand(one, {2, 70, 70}), 100 * tolerance());
  for (const auto& x : {a, narrow(a, -1, 0, 40), narrow(a, -2, 0, 40)}) {
    const auto [q, r] = linalg_qr(x);
    expect_close(matmul(q, r), x, tolerance());
    const auto [full_q, full_r] = linalg_qr(x, "complete");
    expect_close(matmul(full_q, full_r), x, tolerance());
    expect_close(std::get<1>(linalg_qr(x, "r")), r, tolerance());
    const auto [reflectors, tau] = geqrf(x);
    expect_close(ormqr(reflectors, tau, full_r), x, tolerance());
    const auto [left, s, right] = linalg_svd(x, false);
    expect_close(matmul(mul(left, unsqueeze(s, -2)), right), x, tolerance());
    expect_close(linalg_svdvals(x), s, tolerance());
    const auto [full_left, full_s, full_right] = linalg_svd(x);
    EXPECT_EQ(full_left.size(-1), x.size(-2));
    expect_close(matmul(matrix::transposed(full_right), full_right),
                 expand(eye(x.size(-1), GetParam()), full_right.sizes()), tolerance());
    expect_close(matmul(x, matmul(linalg_pinv(x), x)), x, 10 * tolerance());
  }
  const auto [values, vectors] = linalg_eigh(spd);
  expect_close(matmul(mul(vectors, unsqueeze(values, -2)), matrix::transposed(vectors)), spd,
               20 * tolerance());
  const auto [ld, pivots] = linalg_ldl_factor(spd);
  const Tensor b = normal_matrix({2, 70, 3}, GetParam());
  expect_close(matmul(spd, linalg_ldl_solve(ld, pivots, b)), b, 100 * tolerance());
}
INSTANTIATE_TEST_SUITE_P(Linalg, Types, ::testing::Values(kFloat32, kFloat64));

TEST(Linalg, SystemsAreBroadcast) {
  const Tensor a = add(normal_matrix({3, 3}), mul(eye(3, kFloat64), 4.0));
  const Tensor b = normal_matrix({2, 5, 3, 2});
  expect_close(matmul(a, linalg_solve(a, b)), b);
  expect_close(matmul(linalg_solve(a, matrix::transposed(b), false), a), matrix::transposed(b));
  const Tensor vectors = normal_matrix({4, 3});
  expect_close(matmul(a, linalg_solve(expand(a, {4, 3, 3}), vectors).unsqueeze(-1)).squeeze(-1),
               vectors);
  const Tensor upper = matrix::upper(a);
  const auto [x, copy] = triangular_solve(b, upper, true, true);
  expect_close(matmul(matrix::transposed(upper), x), b);
  expect_close(copy, expand(upper, {2, 5, 3, 3}));
  EXPECT_ERROR(linalg_solve(a, normal_matrix({2, 3}), true), "incompatible shapes");
}

TEST(Linalg, LeastSquaresAndRank) {
  const Tensor a = normal_matrix({6, 3}), b = normal_matrix({6, 2});
  const Tensor expected = matmul(linalg_pinv(a), b);
  for (const char* driver : {"gels", "gelsy", "gelsd", "gelss"}) {
    const auto [x, residuals, rank, values] = linalg_lstsq(a, b, std::nullopt, driver);
    expect_close(x, expected);
    if (rank.dim() == 0) {
      EXPECT_EQ(rank.item<int64_t>(), 3);
    }
    if (values.numel() > 0) expect_close(values, linalg_svdvals(a));
    if (residuals.numel() > 0) expect_close(residuals, sum(square(sub(matmul(a, x), b)), Shape{0}));
  }
  EXPECT_ERROR(linalg_lstsq(a, b, std::nullopt, "gelsx"), "driver");
  const Tensor two = matmul(normal_matrix({5, 2}), normal_matrix({2, 4}));
  EXPECT_EQ(linalg_matrix_rank(two).item<int64_t>(), 2);
  EXPECT_EQ(linalg::matrix_rank(eye(3), 2.0, true).item<int64_t>(), 0);
  expect_close(matmul(two, matmul(linalg_pinv(two), two)), two);
}

TEST(Linalg, ExponentialsOfLargeAndSmallMatrices) {
  for (const double size : {1e-3, 0.1, 0.7, 1.8, 5.0, 40.0}) {
    const auto [values, vectors] = linalg_eigh(
        mul(add(normal_matrix({5, 5}), matrix::transposed(normal_matrix({5, 5}))), size / 10));
    const Tensor a = matmul(mul(vectors, values), matrix::transposed(vectors));
    expect_close(matrix_exp(a), matmul(mul(vectors, exp(values)), matrix::transposed(vectors)),
                 1e-9);
    expect_close(matrix_exp(to(a, kFloat32)), matrix_exp(a), 2e-3);
  }
  EXPECT_TRUE(isnan(matrix_exp(full({2, 2}, kInfinity))).all().item<bool>());
}

TEST(Linalg, PowersAndChains) {
  const Tensor a = add(normal_matrix({3, 3}), mul(eye(3, kFloat64), 3.0));
  expect_close(matrix_power(a, 5), matmul(a, matmul(matmul(a, a), matmul(a, a))));
  expect_close(matrix_power(a, -2), linalg_inv(matmul(a, a)));
  expect_close(matrix_power(a, 0), eye(3, kFloat64));
  const Tensor b = normal_matrix({3, 8}), c = normal_matrix({8, 2}), v = normal_matrix({3});
  expect_close(linalg_multi_dot({v, a, b, c}), matmul(matmul(matmul(v, a), b), c));
  expect_close(chain_matmul({a, b, c}), matmul(matmul(a, b), c));
  EXPECT_ERROR(linalg_multi_dot({a, c}), "cannot be multiplied");
  const Tensor k = kron(tensor({{1.0, 2.0}}), tensor({1.0, 10.0}));
  expect_close(k, tensor({{1.0, 10.0, 2.0, 20.0}}));
  expect_close(linalg_tensorinv(reshape(matrix_power(a, 1), {3, 3, 1}), 1).reshape({3, 3}),
               linalg_inv(a));
  const Tensor t = normal_matrix({6, 4, 2, 3, 4});
  const Tensor r = normal_matrix({6, 4});
  expect_close(
      reshape(matmul(reshape(t, {24, 24}), reshape(linalg_tensorsolve(t, r), {24})), {6, 4}), r,
      1e-8);
  EXPECT_EQ(trace(ones({2, 3}, kInt32)).dtype(), kInt64);
  EXPECT_TRUE(equal(vander(tensor({1, 2, 3}), 3), tensor({{1, 1, 1}, {4, 2, 1}, {9, 3, 1}})));
  EXPECT_TRUE(equal(cross(tensor({{1, 0, 0}}), tensor({{0, 1, 0}})), tensor({{0, 0, 1}})));
}

TEST(Linalg, NormsOfMatrices) {
  const Tensor a = tensor({{3.0, 0.0}, {4.0, 5.0}});
  const auto norm_of = [&](auto ord) {
    const Tensor norm = linalg_norm(a, ord);
    return norm.item<double>();
  };
  EXPECT_NEAR(norm_of("fro"), std::sqrt(50.0), 1e-5);
  EXPECT_NEAR(norm_of("nuc"), std::sqrt(45.0) + std::sqrt(5.0), 1e-5);
  EXPECT_NEAR(norm_of(Scalar(1)), 7, 1e-5);
  EXPECT_NEAR(norm_of(Scalar(-1)), 5, 1e-5);
  EXPECT_NEAR(norm_of(Scalar(kInfinity)), 9, 1e-5);
  EXPECT_NEAR(norm_of(Scalar(-kInfinity)), 3, 1e-5);
  EXPECT_NEAR(norm_of(Scalar(2)), std::sqrt(45.0), 1e-5);
  EXPECT_NEAR(norm_of(Scalar(-2)), std::sqrt(5.0), 1e-5);
  EXPECT_NEAR(linalg_cond(a).item<double>(), 3, 1e-5);
  EXPECT_NEAR(linalg_cond(a, "fro").item<double>(), 50.0 / 15.0, 1e-5);
  EXPECT_NEAR(linalg_norm(a).item<double>(), std::sqrt(50.0), 1e-5);
  const Tensor batch = normal_matrix({3, 4, 5});
  EXPECT_EQ(linalg_matrix_norm(batch, 2, {0, 2}, true).sizes(), Shape({1, 4, 1}));
  expect_close(linalg_matrix_norm(batch, 1, {2, 0}), amax(sum(abs(batch), Shape{2}), {0}));
  EXPECT_ERROR(linalg_norm(batch, Scalar(1)), "must be 1D or 2D");
}

TEST(Linalg, ProductsOfAllRanks) {
  const auto sizes_of = [](const Shape& a, const Shape& b) {
    return matmul(ones(a), ones(b)).sizes();
  };
  EXPECT_EQ(sizes_of({3}, {3}), Shape{});
  EXPECT_EQ(sizes_of({2, 3}, {3}), Shape{2});
  EXPECT_EQ(sizes_of({3}, {3, 4}), Shape{4});
  EXPECT_EQ(sizes_of({5, 2, 3}, {3}), Shape({5, 2}));
  EXPECT_EQ(sizes_of({3}, {5, 3, 4}), Shape({5, 4}));
  EXPECT_EQ(sizes_of({2, 3}, {5, 3, 4}), Shape({5, 2, 4}));
  EXPECT_EQ(sizes_of({6, 1, 2, 3}, {5, 3, 4}), Shape({6, 5, 2, 4}));
  EXPECT_EQ(sizes_of({5, 2, 0}, {0, 4}), Shape({5, 2, 4}));
  EXPECT_EQ(sizes_of({0, 2, 3}, {3, 4}), Shape({0, 2, 4}));
  EXPECT_EQ(inner(ones({2, 3}), ones({4, 5, 3})).sizes(), Shape({2, 4, 5}));
  EXPECT_ERROR(matmul(ones({2, 3}), ones({4, 3})), "shapes cannot be multiplied (2x3 and 4x3)");
  EXPECT_ERROR(matmul(ones({}), ones({3})), "need to be at least 1D");
  const Tensor bytes = full({2, 2}, 100, kUInt8);
  EXPECT_EQ(matmul(bytes, bytes)[0][0].item<int>(), 20000 % 256);
}

TEST(Linalg, AddedProducts) {
  Tensor x = normal_matrix({4, 4});
  const Tensor expected = add(mul(x, 0.5), mul(matmul(x, matrix::transposed(x)), 2.0));
  addmm_(x, x, matrix::transposed(x), 0.5, 2.0);
  expect_close(x, expected);
  Tensor view = transpose(normal_matrix({4, 4}), 0, 1);
  const Tensor before = view.clone();
  addmm_(view, x, x);
  expect_close(view, add(before, matmul(x, x)));
  const Tensor nan = full({4}, std::numeric_limits<double>::quiet_NaN(), kFloat64);
  EXPECT_FALSE(isnan(addmm(nan, x, x, 0)).any().item<bool>());
  EXPECT_FALSE(isnan(addmv(nan, x, ones({4}, kFloat64), 0)).any().item<bool>());
  EXPECT_FALSE(isnan(addr(nan, ones({4}, kFloat64), ones({4}, kFloat64), 0)).any().item<bool>());
  const Tensor whole = ones({2, 2}, kInt64);
  EXPECT_EQ(addmm(whole, whole, whole, 2, 3)[0][0].item<int>(), 8);
  EXPECT_EQ(addmm(whole, whole, whole, 1.5, 1)[0][0].item<int>(), 3);  // cut to 1, as in libtorch
  EXPECT_ERROR(addr(whole, whole[0], whole[0], 0.5, 1), "must not be a floating point number");
  EXPECT_THROW(addmm(ones({2, 2}), ones({2, 2}), ones({2, 2}), 1e300), std::runtime_error);
  EXPECT_ERROR(addmm(ones({3}), ones({2, 2}), ones({2, 2})), "addmm");
}

TEST(Linalg, ThreadsDoNotChangeResults) {
  const Tensor a = normal_matrix({24, 90, 90}, kFloat32), v = normal_matrix({90}, kFloat32);
  const Tensor wide = normal_matrix({3000, 700}, kFloat32),
               long_vector = normal_matrix({700}, kFloat32);
  const auto all = [&] {
    return std::vector<Tensor>{
        bmm(a, a),    linalg_inv(a),         linalg_svdvals(a),
        matmul(a, v), mv(wide, long_vector), mm(transpose(wide, 0, 1), wide)};
  };
  const auto alone = all();
  set_num_threads(3);
  const auto together = all();
  set_num_threads(1);
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(equal(alone[i], together[i])) << i;
}

}  // namespace
}  // namespace oneagent
