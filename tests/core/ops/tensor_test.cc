// What users of Tensor rely on: views share memory, promotion follows PyTorch, errors print shapes,
// in-place and memory behave.
#include "core/tensor/tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ops/op.h"
#include "core/ops/ops.h"
#include "core/tensor/allocator.h"

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

TEST(TensorViews, ShareMemoryWithTheirBase) {
  const Tensor x = arange(12).view({3, 4});
  x.narrow(0, 1, 1).fill_(7);
  EXPECT_THAT(to_vector<int64_t>(x[1]), ElementsAre(7, 7, 7, 7));
  x.t()[0].fill_(0);
  EXPECT_THAT(to_vector<int64_t>(x.select(1, 0)), ElementsAre(0, 0, 0));
  EXPECT_EQ(x.flatten().data_ptr(), x.data_ptr());
}

TEST(TensorViews, WritingThroughAViewBumpsTheVersionOfAll) {
  const Tensor x = zeros({4}), y = x.narrow(0, 0, 2);
  y.add_(1.0);
  EXPECT_EQ(x.version(), 1U);
}

TEST(TensorViews, ReshapeCopiesOnlyWhereNoViewExists) {
  const Tensor x = arange(6).view({2, 3});
  EXPECT_EQ(x.reshape({3, 2}).data_ptr(), x.data_ptr());
  EXPECT_NE(x.t().reshape({6}).data_ptr(), x.data_ptr());
  EXPECT_THAT(error_of([&] { x.t().view({6}); }), HasSubstr("view size is not compatible"));
}

TEST(TensorViews, ExpandRepeatsWithoutMemory) {
  const Tensor x = tensor({1, 2}).view({2, 1}).expand({2, 1000});
  EXPECT_EQ(x.stride(1), 0);
  EXPECT_EQ(sum(x).item<float>(), 3000.0F);
}

TEST(TensorInPlace, OverlappingOperandInAnotherLayoutIsReadBeforeItIsOverwritten) {
  const Tensor x = arange(4).view({2, 2});
  x.add_(x.t());
  EXPECT_THAT(to_vector<int64_t>(x), ElementsAre(0, 3, 3, 6));
}

TEST(TensorInPlace, ResultMustFitTheTensor) {
  EXPECT_THAT(error_of([] {
                zeros({2}).add_(zeros({3, 2}));
              }),
              HasSubstr("output with shape [2] doesn't match the broadcast shape [3, 2]"));
  EXPECT_THAT(error_of([] { zeros({2}, kInt64).add_(1.5); }),
              HasSubstr("cannot be stored in int64"));
}

TEST(TypePromotion, FollowsPyTorch) {
  EXPECT_EQ((ones({2}, kInt64) + ones({2}, kFloat32)).dtype(), kFloat32);
  EXPECT_EQ((ones({2}, kFloat32) + ones({2}, kFloat64)).dtype(), kFloat64);
  EXPECT_EQ((ones({2}, kUInt8) + ones({2}, kInt32)).dtype(), kInt32);
  EXPECT_EQ((ones({2}, kBool) + ones({2}, kUInt8)).dtype(), kUInt8);
  EXPECT_EQ((ones({2}, kInt64) + 1.5).dtype(), kFloat32);
  EXPECT_EQ((ones({2}, kUInt8) + 1).dtype(), kUInt8);
  EXPECT_EQ((ones({2}, kInt64) / ones({2}, kInt64)).dtype(), kFloat32);
  EXPECT_EQ((ones({2}, kFloat32) + ones({}, kFloat64)).dtype(), kFloat32);
  EXPECT_EQ((ones({2}, kInt32) + ones({}, kFloat64)).dtype(), kFloat64);
  EXPECT_EQ(sum(ones({2}, kBool)).dtype(), kInt64);
}

TEST(TypePromotion, LargeIntegersStayExact) {
  const int64_t large = (int64_t{1} << 60) + 1;
  EXPECT_EQ((full({1}, large) + 1).item<int64_t>(), large + 1);
}

TEST(TensorErrors, NameTheOpAndBothShapes) {
  EXPECT_THAT(error_of([] {
                zeros({2, 3}) + zeros({4});
              }),
              HasSubstr("The size of tensor a (3) must match the size of tensor b (4) at "
                        "non-singleton dimension 1"));
  EXPECT_THAT(error_of([] {
                matmul(zeros({2, 3}), zeros({4, 5}));
              }),
              HasSubstr("shapes cannot be multiplied (2x3 and 4x5)"));
  EXPECT_THAT(error_of([] { zeros({2}).data_ptr<double>(); }),
              HasSubstr("expected scalar type Double but found Float"));
  EXPECT_THAT(error_of([] { zeros({2}).item<float>(); }),
              HasSubstr("a Tensor with 2 elements cannot be converted to Scalar"));
  EXPECT_THAT(error_of([] {
                gather(zeros({2, 3}), 1, full({2, 1}, 3));
              }),
              HasSubstr("index 3 is out of bounds for dimension 1 with size 3"));
  EXPECT_THAT(error_of([] { zeros({2}).narrow(0, 1, 2); }),
              HasSubstr("start (1) + length (2) exceeds dimension size (2)"));
}

TEST(TensorMemory, FromBlobCallsItsDeleterWithTheLastView) {
  int deleted = 0;
  float data[4] = {1, 2, 3, 4};
  Tensor view;
  {
    const Tensor x = from_blob(data, {4}, [&](void*) { ++deleted; });
    view = x.narrow(0, 1, 2);
  }
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(view[0].item<float>(), 2.0F);
  view = Tensor();
  EXPECT_EQ(deleted, 1);
}

TEST(TensorMemory, BlocksAreUsedAgainAndAligned) {
  const auto work = [] {
    const Tensor x = rand({300, 70});
    return sum(x * 2.0 + 1.0).item<float>();
  };
  work();
  const int64_t calls = cpu_allocator().stats().system_calls;
  for (int i = 0; i < 50; ++i) work();
  EXPECT_EQ(cpu_allocator().stats().system_calls, calls);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(empty({3}).data_ptr()) % 64, 0U);
}

TEST(TensorMemory, StatsReturnToTheirStartWhenTensorsAreGone) {
  const int64_t before = cpu_allocator().stats().bytes_in_use;
  { const Tensor x = zeros({1000}); }
  EXPECT_EQ(cpu_allocator().stats().bytes_in_use, before);
}

TEST(TensorCreation, ArangeEyeAndLists) {
  EXPECT_THAT(to_vector<int64_t>(arange(2, 8, 2)), ElementsAre(2, 4, 6));
  EXPECT_EQ(arange(0.0, 1.0, 0.25).dtype(), kFloat32);
  EXPECT_THAT(to_vector<float>(eye(2)), ElementsAre(1, 0, 0, 1));
  EXPECT_THAT(to_vector<float>(tensor({1.5, 2.5})), ElementsAre(1.5F, 2.5F));
  EXPECT_EQ(str(tensor(std::vector<int64_t>{1, 2})), " 1\n 2\n[ CPULongType{2} ]");
}

TEST(TensorReductions, MaxAlongADimensionGivesTheFirstIndex) {
  const auto [values, index] = max(tensor({1, 3, 3, 0, 5, 2}).view({2, 3}), 1);
  EXPECT_THAT(to_vector<float>(values), ElementsAre(3, 5));
  EXPECT_THAT(to_vector<int64_t>(index), ElementsAre(1, 1));
}

TEST(TensorReductions, NanWinsMaximaAndMinima) {
  const Tensor x = tensor({1.0, std::nan(""), 3.0});
  EXPECT_TRUE(std::isnan(max(x).item<float>()));
  EXPECT_TRUE(std::isnan(min(x).item<float>()));
  EXPECT_EQ(argmax(x).item<int64_t>(), 1);
}

TEST(TensorReductions, EmptySumsAreZeroAndEmptyMaximaErrors) {
  EXPECT_EQ(sum(zeros({0, 3})).item<float>(), 0.0F);
  EXPECT_THAT(error_of([] { max(zeros({0})); }), HasSubstr("max(): Expected reduction dim to be"));
  EXPECT_THAT(error_of([] { argmin(zeros({0})); }), HasSubstr("argmin(): Expected reduction dim"));
  EXPECT_THAT(error_of([] {
                amin(zeros({2, 0}), {1});
              }),
              HasSubstr("reduction dim 1 to have non-"));
  EXPECT_THROW(argmax(zeros({0})), IndexError);
  EXPECT_THROW(amax(zeros({0}), {0}), IndexError);
  EXPECT_EQ(argmin(zeros({0, 3}), 1).sizes(), (Shape{0}));
}

TEST(TensorMatmul, FollowsNumpysRulesForRanks) {
  const Tensor m = rand({4, 3}), v = rand({3}), batch = rand({2, 4, 3});
  EXPECT_EQ(matmul(m, v).sizes(), (Shape{4}));
  EXPECT_EQ(matmul(v, v).sizes(), (Shape{}));
  EXPECT_EQ(matmul(v, rand({3, 5})).sizes(), (Shape{5}));
  EXPECT_EQ(matmul(batch, rand({3, 5})).sizes(), (Shape{2, 4, 5}));
  EXPECT_EQ(matmul(batch, rand({5, 1, 3, 6})).sizes(), (Shape{5, 2, 4, 6}));
  EXPECT_EQ(matmul(v, rand({2, 3, 5})).sizes(), (Shape{2, 5}));
}

TEST(Tensor, UndefinedOnesHaveNoHistoryAndEqualNothing) {
  EXPECT_THROW(Tensor().grad_fn(), Error);
  EXPECT_THROW(equal(Tensor(), ones({1})), Error);
  EXPECT_THROW(einsum("i", {Tensor()}), Error);
  EXPECT_TRUE(std::isnan(median(empty({0})).item<double>()));
}

TEST(Tensor, PrintingKeepsTheFillOfTheStream) {
  std::ostringstream out;
  out << std::setfill('*') << tensor({1.5, 10.5}) << std::setw(3) << 7;
  EXPECT_EQ(out.str(), "**1.5000\n*10.5000\n[ CPUFloatType{2} ]**7");
}

TEST(Tensor, WhatIsNotServedSaysSo) {
  EXPECT_THROW(ones({2}, kInt64).uniform_(), Error);
  EXPECT_THROW(to(ones({2}), Device(DeviceType::kCUDA, 0)), NotImplementedError);
}

}  // namespace
}  // namespace oneagent
