// Sparse tensors: construction, order, sums, printing, gradients of tables; values from PyTorch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<int64_t> ints_of(const Tensor& x) { return to_vector<int64_t>(x.reshape({-1})); }
std::vector<double> numbers_of(const Tensor& x) { return to_vector<double>(x.reshape({-1})); }

// (0, 2), (1, 0) twice, (0, 1)
Tensor example() {
  return sparse_coo_tensor(tensor({{0, 1, 1, 0}, {2, 0, 0, 1}}), tensor({1.0, 2.0, 3.0, 4.0}),
                           {2, 3});
}
Tensor other() { return sparse_coo_tensor(tensor({{1, 0}, {2, 1}}), tensor({10.0, 20.0}), {2, 3}); }

TEST(Sparse, PartsAndKind) {
  const Tensor x = example();
  EXPECT_TRUE(x.is_sparse());
  EXPECT_EQ(x.layout(), kSparse);
  EXPECT_EQ(x.sizes(), (Shape{2, 3}));
  EXPECT_EQ(x.sparse_dim(), 2);
  EXPECT_EQ(x.dense_dim(), 0);
  EXPECT_EQ(x._nnz(), 4);
  EXPECT_FALSE(x.is_coalesced());
  EXPECT_THAT(error_of([&] { x.indices(); }), HasSubstr("please call .coalesce() first"));
  EXPECT_EQ(x.toString(), "SparseCPUFloatType");
  EXPECT_THAT(numbers_of(x.to_dense()), ElementsAre(0, 4, 1, 5, 0, 0));
  EXPECT_FALSE(x.to_dense().is_sparse());
}

TEST(Sparse, ManyCoordinatesAreJoinedLikeFew) {
  manual_seed(3);
  const Tensor rows = randint(70000, {1, 3000}, kInt64);
  const Tensor twice = cat({rows, rows.flip(1), rows}, 1);
  const Tensor values = randint(100, {9000, 2}, kInt64).to(kFloat32);  // whose sums are exact
  const Tensor x = sparse_coo_tensor(twice, values, {70000, 2}).coalesce();
  EXPECT_TRUE(equal(x.indices()[0], std::get<0>(_unique(rows, true))));
  EXPECT_TRUE(equal(x.to_dense(), zeros({70000, 2}).index_add(0, twice[0], values)));
}

TEST(Sparse, CoalescedCoordinatesAreInOrderAndDifferent) {
  const Tensor x = example().coalesce();
  EXPECT_TRUE(x.is_coalesced());
  EXPECT_THAT(ints_of(x.indices()), ElementsAre(0, 0, 1, 1, 2, 0));
  EXPECT_THAT(numbers_of(x.values()), ElementsAre(4, 1, 5));
  EXPECT_TRUE(x.coalesce().is_same(x));
}

TEST(Sparse, WrongPartsAreNamed) {
  const Tensor i = tensor({{0, 5}}), v = tensor({1.0, 2.0});
  EXPECT_THAT(error_of([&] { sparse_coo_tensor(i, v, {3}); }),
              HasSubstr("for dim 0, size is 3 but found index 5"));
  EXPECT_THAT(error_of([&] {
                sparse_coo_tensor(tensor({{0, -1}}), v, {3});
              }),
              HasSubstr("negative index -1"));
  EXPECT_THAT(error_of([&] { sparse_coo_tensor(i, tensor({1.0}), {6}); }), HasSubstr("same nnz"));
  EXPECT_EQ(sparse_coo_tensor(i, v).sizes(), (Shape{6}));
  EXPECT_EQ(sparse_coo_tensor({2, 4}, kFloat32)._nnz(), 0);
}

TEST(Sparse, SumsMergeAsLibtorchDoes) {
  const Tensor sum = example() + other();
  EXPECT_THAT(ints_of(sum._indices()), ElementsAre(0, 1, 1, 0, 1, 0, 2, 0, 0, 1, 2, 1));
  EXPECT_THAT(numbers_of(sum._values()), ElementsAre(1, 2, 3, 4, 10, 20));
  const Tensor ordered = example().coalesce() + other().coalesce();
  EXPECT_TRUE(ordered.is_coalesced());
  EXPECT_THAT(numbers_of(ordered._values()), ElementsAre(24, 1, 5, 10));
  Tensor x = example();
  const Tensor same = x;
  x.add_(other(), 2);
  EXPECT_THAT(numbers_of(same.to_dense()), ElementsAre(0, 44, 1, 5, 0, 20));
  EXPECT_THAT(numbers_of((example() - other()).to_dense()), ElementsAre(0, -16, 1, 5, 0, -10));
}

TEST(Sparse, SumsWithDenseTensors) {
  const Tensor dense = ones({2, 3});
  EXPECT_THAT(numbers_of(dense + example()), ElementsAre(1, 5, 2, 6, 1, 1));
  dense.add_(example(), -1.0);
  EXPECT_THAT(numbers_of(dense), ElementsAre(1, -3, 0, -4, 1, 1));
  EXPECT_THAT(error_of([&] { example() + dense; }), HasSubstr("Use add(dense, sparse) instead"));
}

TEST(Sparse, ElementwiseAndReductions) {
  const Tensor x = example();
  EXPECT_THAT(numbers_of((x * 2.0).to_dense()), ElementsAre(0, 8, 2, 10, 0, 0));
  EXPECT_THAT(numbers_of((x / 2.0).to_dense()), ElementsAre(0, 2, 0.5, 2.5, 0, 0));
  EXPECT_THAT(numbers_of(x.square().to_dense()), ElementsAre(0, 16, 1, 25, 0, 0));
  EXPECT_THAT(numbers_of((-x).to_dense()), ElementsAre(-0.0, -4, -1, -5, 0, 0));
  EXPECT_EQ(x.sum().item<float>(), 10.0F);
  EXPECT_FLOAT_EQ(x.norm().item<float>(), 6.4807407F);
  EXPECT_THAT(numbers_of(_sparse_sum(x, Shape{0}).to_dense()), ElementsAre(5, 4, 1));
  EXPECT_THAT(numbers_of((x * (ones({2, 3}) * 3)).to_dense()), ElementsAre(0, 12, 3, 15, 0, 0));
  EXPECT_THAT(numbers_of((x * other()).to_dense()), ElementsAre(0, 80, 0, 0, 0, 0));
  EXPECT_EQ(x.to(kFloat64).scalar_type(), kFloat64);
  EXPECT_THAT(error_of([&] { x.exp(); }), HasSubstr("'SparseCPU' backend"));
}

TEST(Sparse, InPlaceIsSeenByAllHandles) {
  Tensor x = example();
  const Tensor copy = x.clone(), same = x.detach();
  x.mul_(2.0);
  EXPECT_THAT(numbers_of(same._values()), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(numbers_of(copy._values()), ElementsAre(1, 2, 3, 4));
  x.zero_();
  EXPECT_EQ(same._nnz(), 0);
  EXPECT_EQ(copy._nnz(), 4);
  x.copy_(copy);
  EXPECT_EQ(x._nnz(), 4);
}

TEST(Sparse, FromDenseAndMasks) {
  const Tensor dense = tensor({{0.0, 2.0, 0.0}, {3.0, 0.0, 4.0}});
  const Tensor x = dense.to_sparse();
  EXPECT_THAT(ints_of(x.indices()), ElementsAre(0, 1, 1, 1, 0, 2));
  EXPECT_TRUE(equal(x.to_dense(), dense));
  const Tensor rows = dense.to_sparse(1);
  EXPECT_EQ(rows.dense_dim(), 1);
  EXPECT_TRUE(equal(rows.to_dense(), dense));
  EXPECT_THAT(numbers_of(dense.sparse_mask(example().coalesce()).to_dense()),
              ElementsAre(0, 2, 0, 3, 0, 0));
}

TEST(Sparse, ProductsAndTransposes) {
  const Tensor x = example(), dense = arange(6).to(kFloat32).view({3, 2});
  EXPECT_TRUE(equal(mm(x, dense), mm(x.to_dense(), dense)));
  EXPECT_TRUE(equal(matmul(x.t(), ones({2, 2})), mm(x.to_dense().t(), ones({2, 2}))));
  EXPECT_TRUE(equal(addmm(ones({2, 2}), x, dense), addmm(ones({2, 2}), x.to_dense(), dense)));
}

TEST(Sparse, GradientsFlowThroughValues) {
  const Tensor values = tensor({1.0, 2.0, 3.0, 4.0}, kFloat64).requires_grad_();
  const Tensor dense = arange(6).to(kFloat64).view({3, 2}).requires_grad_();
  const Tensor x =
      sparse_coo_tensor(tensor({{0, 1, 1, 0}, {2, 0, 0, 1}}), values, {2, 3}).coalesce();
  (mm(x, dense) * tensor({{1.0, 2.0}, {3.0, 4.0}}, kFloat64)).sum().backward();
  EXPECT_THAT(numbers_of(values.grad()), ElementsAre(14, 4, 4, 8));
  EXPECT_THAT(numbers_of(dense.grad()), ElementsAre(15, 20, 4, 8, 1, 2));
}

TEST(Sparse, PrintsAsLibtorchDoes) {
  const Tensor x =
      sparse_coo_tensor(tensor({{0, 1, 1}, {2, 0, 0}}), tensor({3.0, 4.0, 5.0}), {2, 3});
  EXPECT_EQ(str(x),
            "[ SparseCPUFloatType{}\nindices:\n 0  1  1\n 2  0  0\n[ CPULongType{2,3} ]\nvalues:\n"
            " 3\n 4\n 5\n[ CPUFloatType{3} ]\nsize:\n[2, 3]\n]");
}

TEST(SparseGradient, OfATable) {
  const Tensor weight = (arange(12).to(kFloat64).view({4, 3}) / 10).requires_grad_();
  const Tensor index = tensor({{1, 3}, {3, 1}});
  const Tensor scale = arange(12).to(kFloat64).view({2, 2, 3});
  (embedding(weight, index, -1, false, true) * scale).sum().backward();
  ASSERT_TRUE(weight.grad().is_sparse());
  EXPECT_EQ(weight.grad().sizes(), (Shape{4, 3}));
  EXPECT_THAT(ints_of(weight.grad()._indices()), ElementsAre(1, 3, 3, 1));
  EXPECT_THAT(numbers_of(weight.grad()._values()),
              ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
  (embedding(weight, index, 1, false, true) * scale).sum().backward();  // accumulates
  EXPECT_EQ(weight.grad()._nnz(), 4);
  EXPECT_THAT(numbers_of(weight.grad().to_dense()),
              ElementsAre(0, 0, 0, 9, 11, 13, 0, 0, 0, 18, 22, 26));
  (embedding(weight, index) * scale).sum().backward();  // a dense one makes the sum dense
  EXPECT_FALSE(weight.grad().is_sparse());
  EXPECT_THAT(numbers_of(weight.grad()), ElementsAre(0, 0, 0, 18, 22, 26, 0, 0, 0, 27, 33, 39));
  (embedding(weight, index, -1, false, true) * scale).sum().backward();
  EXPECT_THAT(numbers_of(weight.grad()), ElementsAre(0, 0, 0, 27, 33, 39, 0, 0, 0, 36, 44, 52));
  EXPECT_THAT(error_of([&] { embedding(weight, index, -1, true, true).sum().backward(); }),
              HasSubstr("scale_grad_by_freq not supported with sparse gradients"));
}

TEST(SparseGradient, OfBags) {
  const auto gradient = [](int64_t mode) {
    const Tensor weight = (arange(12).to(kFloat64).view({4, 3}) / 10).requires_grad_();
    const Tensor scale = tensor({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}, kFloat64);
    const Tensor bags = std::get<0>(embedding_bag(weight, tensor({1, 2, 1, 3, 0}), tensor({0, 3}),
                                                  false, mode, /*sparse=*/true));
    (bags * scale).sum().backward();
    EXPECT_TRUE(weight.grad().is_sparse());
    EXPECT_THAT(ints_of(weight.grad()._indices()), ElementsAre(1, 2, 1, 3, 0));
    return numbers_of(weight.grad()._values());
  };
  EXPECT_THAT(gradient(0), ElementsAre(1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6));
  const double third = 1.0 / 3;
  EXPECT_THAT(gradient(1), ElementsAre(third, 2 * third, 1, third, 2 * third, 1, third, 2 * third,
                                       1, 2, 2.5, 3, 2, 2.5, 3));
  EXPECT_THAT(error_of([&] { gradient(2); }), HasSubstr("max mode"));
}

TEST(SparseGradient, HooksAndGradSeeIt) {
  const Tensor weight = ones({5, 2}).requires_grad_();
  int64_t elements = 0;
  weight.register_hook([&](const Tensor& g) { elements = g._nnz(); });
  const Tensor index = tensor({4, 4, 0});
  embedding(weight, index, -1, false, true).sum().backward();
  EXPECT_EQ(elements, 3);
  const auto found = autograd::grad({embedding(weight, index, -1, false, true).sum()}, {weight});
  EXPECT_TRUE(found[0].is_sparse());
  // Two uses of the table in one pass are added up.
  const Tensor twice = ones({5, 2}).requires_grad_();
  (embedding(twice, index, -1, false, true).sum() + embedding(twice, index, -1, false, true).sum())
      .backward();
  EXPECT_THAT(numbers_of(twice.grad().to_dense()), ElementsAre(2, 2, 0, 0, 0, 0, 0, 0, 4, 4));
}

}  // namespace
}  // namespace oneagent
