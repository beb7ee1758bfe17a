#include "core/io/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace oneagent {
namespace {

using ::testing::HasSubstr;

ring::ArraySet sample() {
  ring::ArraySet set;
  const std::vector<float> floats = {1, 2, 3, 4, 5, 6};
  const std::vector<int64_t> integers = {-7};
  set.add(ring::array_of<float>("layer.weight", {2, 3}, floats));
  set.add(ring::array_of<int64_t>("count", {}, integers));
  set.add(ring::array_of<uint8_t>("empty", {0, 4}, {}));
  return set;
}

Bytes file_of(const std::string& header, size_t data_bytes) {
  Bytes bytes(8);
  const uint64_t length = header.size();
  std::memcpy(bytes.data(), &length, 8);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.resize(bytes.size() + data_bytes);
  return bytes;
}

std::string error_of(const Bytes& bytes) {
  try {
    read_safetensors(bytes, "x.safetensors");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Safetensors, WhatIsWrittenIsReadBackBitForBit) {
  const ring::ArraySet read = read_safetensors(write_safetensors(sample(), {{"version", "3"}}), "x");
  for (const ring::Array& array : sample().arrays()) {
    const ring::Array& other = read.at(array.name);
    EXPECT_EQ(other.dtype, array.dtype);
    EXPECT_EQ(other.shape, array.shape);
    EXPECT_EQ(std::memcmp(other.data, array.data, array.bytes()), 0);
  }
  EXPECT_EQ(read_safetensors_metadata(write_safetensors(sample(), {{"version", "3"}}), "x").at("version"), "3");
}

// Made with the reference implementation's documented layout: one F32 tensor of two elements.
TEST(Safetensors, ReadsAFileOfTheDocumentedFormat) {
  Bytes bytes = file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  const std::vector<float> values = {1.5F, -2};
  std::memcpy(bytes.data() + bytes.size() - 8, values.data(), 8);
  const ring::ArraySet set = read_safetensors(bytes, "x");
  EXPECT_EQ(set.at("a").as<float>()[1], -2);
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const Bytes whole = write_safetensors(sample());
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_NE(error_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
}

TEST(Safetensors, MalformedHeadersNameTheReason) {
  EXPECT_THAT(error_of(file_of("[1]", 0)), HasSubstr("not a JSON object"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}})", 1)), HasSubstr("type F8 is not read"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4)), HasSubstr("its shape needs 8"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4)), HasSubstr("negative size"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 2)), HasSubstr("leave the 2 bytes"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})", 6)),
              HasSubstr("overlaps"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8)), HasSubstr("belong to no tensor"));
  EXPECT_THAT(error_of(file_of(R"({"a":{"dtype":"U8","shape":[4611686018427387904,8],"data_offsets":[0,4]}})", 4)), HasSubstr("too large"));
  Bytes huge = file_of("{}", 0);
  huge[6] = 1;
  EXPECT_THAT(error_of(huge), HasSubstr("header of"));
}

}  // namespace
}  // namespace oneagent
