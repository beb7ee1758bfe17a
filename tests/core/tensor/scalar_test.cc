// Conversions of numbers: what does not fit is refused by to<T>() and wraps in wrapped_to<T>().
#include "core/tensor/scalar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/tensor/device.h"

namespace oneagent {
namespace {

TEST(Scalar, RefusesWhatTheTypeCannotHold) {
  EXPECT_THROW(Scalar(300).to<int8_t>(), std::runtime_error);
  EXPECT_THROW(Scalar(-256).to<uint8_t>(), std::runtime_error);
  EXPECT_THROW(Scalar(std::nan("")).to<int64_t>(), std::runtime_error);
  EXPECT_THROW(Scalar(1e300).to<float>(), std::runtime_error);
  EXPECT_THROW(Scalar(70000).to<Half>(), std::runtime_error);
  EXPECT_THROW(Scalar(1e39).to<BFloat16>(), std::runtime_error);
  EXPECT_THROW(Scalar(Complex<double>(1, 2)).to<double>(), std::runtime_error);
}

TEST(Scalar, HoldsNegativesInUnsignedTypesAndInfinities) {
  EXPECT_EQ(Scalar(-1).to<uint8_t>(), 255);
  EXPECT_TRUE(std::isinf(Scalar(INFINITY).to<float>()));
  EXPECT_TRUE(std::isnan(Scalar(std::nan("")).to<float>()));
  EXPECT_EQ(Scalar(Complex<double>(2, 0)).to<double>(), 2.0);
  EXPECT_TRUE(Scalar(Complex<double>(0, 2)).to<bool>());
  EXPECT_EQ(static_cast<float>(Scalar(65504).to<Half>()), 65504.0F);
}

TEST(Scalar, WrapsWhereAsked) {
  EXPECT_EQ(Scalar(300).wrapped_to<uint8_t>(), 44);
  EXPECT_TRUE(std::isinf(Scalar(1e300).wrapped_to<float>()));
}

TEST(Device, OfTheProcessorMayBeNumberedInItsName) {
  EXPECT_EQ(Device("cpu:1").index(), 1);
  EXPECT_EQ(Device("cpu:1").str(), "cpu:1");
  EXPECT_THROW(Device("cuda:x"), Error);
}

}  // namespace
}  // namespace oneagent
