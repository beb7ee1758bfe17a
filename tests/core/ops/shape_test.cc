// Facts about views, joining, gathering and scattering that samples do not show: compositions
// (values of PyTorch 1.13), strides, in-place forms on strided tensors, dtypes, errors.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/graph/context.h"
#include "core/kernels/copy.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Tensor counted(const Shape& sizes) { return arange(sizes.numel()).view(sizes); }
Tensor modulo(const Tensor& x, int64_t n) {
  const Tensor out = x.contiguous().clone();
  for (int64_t& value : out.values<int64_t>()) value %= n;
  return out;
}
Tensor ints(const std::vector<int64_t>& values) { return tensor(values); }
Tensor bools(const std::vector<int64_t>& values) { return tensor(values).to(kBool); }

void expect(const Tensor& actual, const Shape& sizes, const std::vector<int64_t>& values) {
  EXPECT_EQ(actual.sizes(), sizes);
  EXPECT_EQ(to_vector<int64_t>(actual), values);
}
void expect(const std::vector<Tensor>& actual, const std::vector<std::vector<int64_t>>& values) {
  ASSERT_EQ(actual.size(), values.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(to_vector<int64_t>(actual[i]), values[i]);
}

TEST(ShapeViews, HaveThePositionsAndStridesOfPyTorch) {
  const Tensor x = counted({2, 3, 4});
  expect(x.transpose(0, 2).flatten(0, 1), {12, 2},
         {0, 12, 4, 16, 8, 20, 1, 13, 5, 17, 9, 21, 2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23});
  EXPECT_EQ(x.unflatten(2, {2, -1}).sizes(), (Shape{2, 3, 2, 2}));
  expect(x.movedim({0, 1}, {2, 0}).flatten(), {24},
         {0, 12, 1, 13, 2, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23});
  EXPECT_EQ(zeros({3, 1}).expand({3, 4}).unsqueeze(0).strides(), (Shape{3, 1, 0}));
  EXPECT_EQ(x.transpose(0, 2).unsqueeze(1).strides(), (Shape{1, 12, 4, 12}));
  EXPECT_EQ(x.unfold(2, 2, 1).strides(), (Shape{12, 4, 1, 1}));
  EXPECT_EQ(x.view({6, 4}).narrow(1, 0, 1).squeeze(1).strides(), (Shape{4}));
  expect(ones({1}, kInt32).view(kUInt8), {4}, {1, 0, 0, 0});
  EXPECT_EQ(x.mT().sizes(), (Shape{2, 4, 3}));
  EXPECT_EQ(x.numpy_T().sizes(), (Shape{4, 3, 2}));
}

TEST(ShapeViews, InPlaceFormsChangeTheTensorItself) {
  Tensor x = counted({2, 1, 3});
  const void* data = x.data_ptr();
  x.squeeze_(1);
  EXPECT_EQ(x.sizes(), (Shape{2, 3}));
  x.t_();
  expect(x, {3, 2}, {0, 3, 1, 4, 2, 5});
  x.unsqueeze_(0).transpose_(0, 2);
  EXPECT_EQ(x.sizes(), (Shape{2, 3, 1}));
  EXPECT_EQ(x.data_ptr(), data);
  Tensor y = counted({2, 3}).to(kFloat64).requires_grad_() * 2.0;
  y.t_();
  const Tensor weights = counted({3, 2}).to(kFloat64);
  EXPECT_EQ((y * weights).sum().item<double>(), 2.0 * (0 + 3 * 1 + 1 * 2 + 4 * 3 + 2 * 4 + 5 * 5));
  EXPECT_TRUE(y.requires_grad());
}

TEST(ShapeParts, SplitLikePyTorch) {
  const Tensor v = arange(5);
  expect(v.tensor_split(3), {{0, 1}, {2, 3}, {4}});
  expect(v.tensor_split({1, 3}), {{0}, {1, 2}, {3, 4}});
  expect(v.tensor_split(ints({1, 3})), {{0}, {1, 2}, {3, 4}});
  expect(v.chunk(4), {{0, 1}, {2, 3}, {4}});
  expect(zeros({0}).chunk(3), {{}, {}, {}});
  expect(arange(12).split(std::vector<int64_t>(12, 1)),
         {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}, {10}, {11}});
  expect(counted({1, 2, 4}).dsplit(2), {{0, 1, 4, 5}, {2, 3, 6, 7}});
  EXPECT_EQ(counted({2, 3}).unbind(1).size(), 3U);
  EXPECT_EQ(zeros({0, 3}).unbind().size(), 0U);
  EXPECT_THAT(error_of([&] { v.split({2, 2}); }), HasSubstr("but they sum to 4"));
  EXPECT_THAT(error_of([&] { v.hsplit(2); }), HasSubstr("2 sections do not divide dimension 0"));
}

TEST(ShapeJoins, StackAndPromoteLikePyTorch) {
  const Tensor a = arange(3), b = arange(2);
  expect(hstack({a, a}), {6}, {0, 1, 2, 0, 1, 2});
  expect(vstack({a, a}), {2, 3}, {0, 1, 2, 0, 1, 2});
  expect(dstack({a, a}), {1, 3, 2}, {0, 0, 1, 1, 2, 2});
  expect(column_stack({a, a.view({3, 1})}), {3, 2}, {0, 0, 1, 1, 2, 2});
  expect(cat({zeros({0}), b}), {2}, {0, 1});
  EXPECT_EQ(cat({zeros({0}), b}).scalar_type(), kFloat32);
  EXPECT_EQ(cat({ones({2}, kInt32), b}).scalar_type(), kInt64);
  expect(block_diag({tensor({5}).squeeze(), a}), {2, 4}, {5, 0, 0, 0, 0, 0, 1, 2});
  const auto grids = meshgrid({a, b}, "xy");
  expect(grids[0], {2, 3}, {0, 1, 2, 0, 1, 2});
  expect(grids[1], {2, 3}, {0, 0, 0, 1, 1, 1});
  expect(cartesian_prod({a, b}), {6, 2}, {0, 0, 0, 1, 1, 0, 1, 1, 2, 0, 2, 1});
  expect(combinations(a), {3, 2}, {0, 1, 0, 2, 1, 2});
  expect(combinations(a, 2, true), {6, 2}, {0, 0, 0, 1, 0, 2, 1, 1, 1, 2, 2, 2});
  EXPECT_THAT(error_of([&] {
                cat({zeros({2, 3}), zeros({2, 4})});
              }),
              HasSubstr("Expected size 3 but got size 4 for tensor number 1"));
}

TEST(ShapeMoves, TurnRollAndRepeatLikePyTorch) {
  const Tensor x = counted({3, 4});
  expect(rot90(x, 1), {4, 3}, {3, 7, 11, 2, 6, 10, 1, 5, 9, 0, 4, 8});
  expect(rot90(x, -1), {4, 3}, {8, 4, 0, 9, 5, 1, 10, 6, 2, 11, 7, 3});
  expect(x.roll(1).flatten(), {12}, {11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  expect(x.roll({1, 1}, {0, 0}), {3, 4}, {4, 5, 6, 7, 8, 9, 10, 11, 0, 1, 2, 3});
  expect(arange(2).tile({2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
  expect(repeat_interleave(ints({2, 0, 1})), {3}, {0, 0, 2});
  expect(x.repeat_interleave(2, 1), {3, 8},
         {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11});
  expect(x.repeat_interleave(ints({1, 0, 2}), 0), {3, 4}, {0, 1, 2, 3, 8, 9, 10, 11, 8, 9, 10, 11});
  expect(diagflat(ints({1, 2})), {2, 2}, {1, 0, 0, 2});
  expect(diag(x, 1), {3}, {1, 6, 11});
  EXPECT_THAT(error_of([] { repeat_interleave(ints({1, -1})); }), HasSubstr("negative, was -1"));
}

TEST(ShapeIndices, WrapTakeAndMaskLikePyTorch) {
  const Tensor x = counted({2, 3, 4});
  expect(take_along_dim(x, ints({1}).view({1, 1, 1}), 1), {2, 1, 4}, {4, 5, 6, 7, 16, 17, 18, 19});
  expect(zeros({3}).index_fill_(0, ints({-1}), 2.0), {3}, {0, 0, 2});
  expect(counted({2, 3}).masked_select(bools({1, 0, 1})), {4}, {0, 2, 3, 5});
  expect(arange(3).masked_fill(bools({1, 0, 1}), 2.7), {3}, {2, 1, 2});
  expect(one_hot(ints({1, 0})), {2, 2}, {0, 1, 1, 0});
  const Tensor mask = modulo(arange(100), 7).eq(0);
  EXPECT_EQ(arange(100).masked_select(mask).sizes(), (Shape{15}));
  EXPECT_EQ(arange(100).masked_select(mask)[2].item<int64_t>(), 14);
  const Tensor sparse = arange(100).eq(90);
  expect(arange(100).masked_select(sparse), {1}, {90});
}

TEST(ShapeIndices, ReduceLikePyTorch) {
  expect(ints({1, 5, 3}).index_reduce(0, ints({0, 0, 1}), ints({4, 2, 9}), "mean"), {3}, {2, 7, 3});
  expect(ints({-7, 5, 3}).scatter_reduce(0, ints({0, 0, 1}), ints({4, -2, 9}), "mean"), {3},
         {-2, 7, 3});
  const Tensor largest =
      tensor({1.0F, NAN}).scatter_reduce(0, ints({0, 1}), tensor({NAN, 1.0F}), "amax");
  EXPECT_TRUE(std::isnan(largest[0].item<float>()) && std::isnan(largest[1].item<float>()));
  expect(bools({1, 0}).scatter_add(0, ints({1}), bools({1})), {2}, {1, 1});
  expect(ints({1, 2}).scatter(0, ints({1}), 5, "multiply"), {2}, {1, 10});
  expect(ints({1, 2}).scatter(0, ints({1}), ints({5}), "add"), {2}, {1, 7});
  EXPECT_THAT(error_of([] { ints({1}).scatter_reduce(0, ints({0}), ints({1}), "max"); }),
              HasSubstr("must be sum, prod, mean, amax or amin, was max"));
}

TEST(ShapeIndices, ErrorsNameValueDimensionAndSize) {
  const Tensor x = zeros({2, 3});
  EXPECT_THAT(error_of([&] { x.index_select(1, ints({3})); }),
              HasSubstr("index 3 is out of bounds for dimension 1 with size 3"));
  EXPECT_THAT(error_of([&] {
                x.index_add(0, ints({-1}), zeros({1, 3}));
              }),
              HasSubstr("index -1 is out of bounds for dimension 0 with size 2"));
  EXPECT_THAT(error_of([&] { x.take(ints({6})); }), HasSubstr("index 6 is out of bounds"));
  EXPECT_THAT(error_of([&] {
                x.scatter(1, ints({7}).view({1, 1}), 1.0);
              }),
              HasSubstr("index 7 is out of bounds for dimension 1 with size 3"));
  EXPECT_THAT(error_of([&] {
                x.gather(0, zeros({1, 4}, kInt64));
              }),
              HasSubstr("reaches beyond [2, 3] at dimension 1"));
  EXPECT_THAT(error_of([&] { x.gather(0, zeros({1, 1}, kInt32)); }), HasSubstr("must be int64"));
  EXPECT_THAT(error_of([&] {
                x.masked_scatter(ones({2, 3}, kBool), zeros({5}));
              }),
              HasSubstr("Number of elements of source < number of ones in mask, 5 < 6"));
  EXPECT_THAT(error_of([&] { x.as_strided({4, 2}, {2, 1}); }), HasSubstr("reach beyond a storage"));
}

// The same change in place on a transposed tensor and out of place on a copy.
TEST(ShapeInPlace, StridedTensorsAreWrittenInPlace) {
  const auto check = [](const std::function<Tensor(const Tensor&)>& change,
                        const std::function<void(Tensor)>& in_place) {
    const Tensor strided = counted({4, 3}).to(kFloat32).t();
    const Tensor expected = change(strided.contiguous());
    in_place(strided);
    EXPECT_TRUE(equal(strided.contiguous(), expected));
  };
  const Tensor index = ints({2, 0}), wide = counted({3, 2});
  const Tensor source = counted({2, 4}).to(kFloat32), columns = ones({3, 2});
  check([&](const Tensor& x) { return x.index_add(0, index, source, 2); },
        [&](Tensor x) { x.index_add_(0, index, source, 2); });
  check([&](const Tensor& x) { return x.index_copy(0, index, source); },
        [&](Tensor x) { x.index_copy_(0, index, source); });
  check([&](const Tensor& x) { return x.index_reduce(0, index, source, "mean", false); },
        [&](Tensor x) { x.index_reduce_(0, index, source, "mean", false); });
  check([&](const Tensor& x) { return x.scatter_reduce(1, modulo(wide, 4), columns, "prod"); },
        [&](Tensor x) { x.scatter_reduce_(1, modulo(wide, 4), columns, "prod"); });
  check([&](const Tensor& x) { return x.scatter_add(1, modulo(wide, 4), columns); },
        [&](Tensor x) { x.scatter_add_(1, modulo(wide, 4), columns); });
  check([](const Tensor& x) { return x.tril(); }, [](Tensor x) { x.tril_(); });
  check([](const Tensor& x) { return x.triu(1); }, [](Tensor x) { x.triu_(1); });
  check([](const Tensor& x) { return x.masked_fill(x > 4.0, 0.0); },
        [](Tensor x) { x.masked_fill_(x > 4.0, 0.0); });
  check([&](const Tensor& x) { return x.masked_scatter(x > 4.0, arange(20).to(kFloat32)); },
        [&](Tensor x) { x.masked_scatter_(x > 4.0, arange(20).to(kFloat32)); });
  check(
      [&](const Tensor& x) {
        return x.put(ints({1, 5}), tensor({8.0, 9.0}));
      },
      [&](Tensor x) {
        x.put_(ints({1, 5}), tensor({8.0, 9.0}));
      });
  check([](const Tensor& x) { return x.diagonal_scatter(zeros({3})); },
        [](Tensor x) { x.fill_diagonal_(0); });
}

TEST(ShapeHalf, MovesAndSumsSixteenBitTypes) {
  const Tensor x = counted({3, 4}).to(kFloat16);
  expect(x.index_select(1, ints({3, 0})), {3, 2}, {3, 0, 7, 4, 11, 8});
  expect(x.t().contiguous(), {4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  expect(x.flip(1)[0], {4}, {3, 2, 1, 0});
  expect(x.scatter_add(1, zeros({3, 2}, kInt64), x)[2], {4}, {25, 9, 10, 11});
  EXPECT_EQ(x.index_add(0, ints({0}), x.narrow(0, 1, 1)).scalar_type(), kFloat16);
}

// Every layout of four sizes copied to every other one, in all element sizes.
TEST(ShapeCopies, AgreeForAllOrdersOfDimensions) {
  for (const DType dtype : {kUInt8, DType::kInt16, kInt32, kInt64}) {
    for (const Shape& sizes :
         {Shape{2, 9, 17}, Shape{33, 1, 70}, Shape{8, 8, 16}, Shape{3, 40, 2}}) {
      const Tensor x = modulo(counted(sizes), 251).to(dtype);
      Shape from = {0, 1, 2};
      do {
        const Tensor source = x.permute(from);
        Shape to = {0, 1, 2};
        do {
          Shape laid;
          for (size_t i = 0; i < 3; ++i) laid.push_back(source.sizes()[static_cast<size_t>(to[i])]);
          const Tensor target = empty(laid, dtype);
          Shape back = to;
          for (size_t i = 0; i < 3; ++i) back[static_cast<size_t>(to[i])] = static_cast<int64_t>(i);
          target.permute(back).copy_(source);
          const auto actual = to_vector<int64_t>(target.permute(back).reshape({-1}));
          for (int64_t i = 0; i < source.numel(); ++i) {
            const int64_t c = i % source.size(2), b = i / source.size(2) % source.size(1),
                          a = i / source.size(2) / source.size(1);
            int64_t flat = 0;
            const int64_t at[3] = {a, b, c};
            for (size_t d = 0; d < 3; ++d) flat += at[d] * source.strides()[d];
            ASSERT_EQ(actual[static_cast<size_t>(i)], flat % 251) << sizes << from << to;
          }
        } while (std::next_permutation(to.begin(), to.end()));
      } while (std::next_permutation(from.begin(), from.end()));
    }
  }
}

TEST(ShapeCopies, FlippedRowsOfEveryWidth) {
  for (const DType dtype : {kUInt8, DType::kInt16, kInt32, kInt64})
    for (const int64_t n : {1, 7, 16, 40}) {
      const auto actual = to_vector<int64_t>(arange(n).to(dtype).flip(0));
      for (int64_t i = 0; i < n; ++i) ASSERT_EQ(actual[static_cast<size_t>(i)], n - 1 - i);
    }
}

TEST(ShapeThreads, ResultsDoNotDependOnTheirNumber) {
  const Tensor x = counted({300, 7, 41}).to(kFloat32), index = modulo(arange(5000) * 37, 300);
  const auto run = [&] {
    return std::vector<Tensor>{
        x.transpose(0, 2).contiguous(),
        x.index_select(0, index),
        x.index_add(0, index, x.index_select(0, index)),
        x.gather(1, modulo(counted({300, 9, 41}) * 5, 7)),
        x.scatter_add(1, modulo(counted({300, 9, 41}) * 5, 7), ones({300, 9, 41})),
        cat({x, x}, 1),
        x.flip(2),
        x.tril()};
  };
  const auto alone = run();
  set_num_threads(3);
  const auto together = run();
  set_num_threads(1);
  for (size_t i = 0; i < alone.size(); ++i) EXPECT_TRUE(equal(alone[i], together[i])) << i;
}

// Products and sums of sizes that wrap around would give tensors that reach beyond their memory.
TEST(Shape, SizesThatAnInt64CannotCountAreErrors) {
  const int64_t most = std::numeric_limits<int64_t>::max(), half = int64_t{1} << 32;
  const Tensor x = arange(4.0);
  EXPECT_THROW(empty({half, half}), Error);
  EXPECT_EQ(empty({0, half, half}).numel(), 0);
  EXPECT_THROW(empty_strided({2}, {most}), Error);
  EXPECT_THROW(zeros({0}).view({half, half}), Error);
  EXPECT_THROW(x.view({(int64_t{1} << 62) + 1, 4}), Error);
  EXPECT_THROW(x.as_strided({2}, {most}, 2), Error);
  EXPECT_THROW(x.as_strided({half, half}, {0, 0}), Error);
  EXPECT_THROW(x.repeat({int64_t{1} << 62}), Error);
  EXPECT_THROW(x.repeat_interleave(int64_t{1} << 62), Error);
  EXPECT_THROW(repeat_interleave(tensor(std::vector<int64_t>{1, most, most, 3})), Error);
  EXPECT_THROW(x.split_with_sizes({most, most, 6}), Error);
  EXPECT_EQ(x.split(most).size(), 1U);
}

TEST(Shape, UndefinedTensorsAreErrors) {
  const Tensor none, x = arange(4.0);
  for (const std::function<void()>& action : std::vector<std::function<void()>>{
           [&] { none.abs(); },
           [&] {
             mm(ones({2, 2}), none);
           },
           [&] { none.isnan(); }, [&] { gelu(none); }, [&] { none.as_strided({2}, {1}); },
           [&] { where(none, x, x); }, [&] { x.copy_(none); },
           [&] { none.take(zeros({1}, kInt64)); },
           [&] {
             conv2d(ones({1, 1, 3, 3}), none);
           }})
    EXPECT_THROW(action(), Error);
}

TEST(Shape, WhatIsOutOfRangeIsAnIndexError) {
  const Tensor x = ones({2, 3});
  EXPECT_THROW(narrow(x, 0, 3, 1), IndexError);
  EXPECT_THROW(index_select(x, 0, zeros({1, 1}, kInt64)), IndexError);
  EXPECT_THROW(tril(ones({2})), IndexError);
  EXPECT_THROW(expand(ones({2}), {std::numeric_limits<int64_t>::max(), 2}), Error);
  EXPECT_EQ(expand(ones({1, 2}), {0, int64_t{1} << 40, 2}).numel(), 0);
}

TEST(Shape, ReshapeToTheSameShapeIsAnotherTensor) {
  const Tensor x = ones({2, 3}), y = reshape(x, {2, 3});
  y.requires_grad_();
  EXPECT_FALSE(x.requires_grad());
  EXPECT_TRUE(y.is_view());
}

}  // namespace
}  // namespace oneagent
