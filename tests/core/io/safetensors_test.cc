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
  ByteWriter writer;
  writer.put_text(header);
  for (size_t i = 0; i < data_bytes; ++i) writer.put<uint8_t>(0);
  return writer.take();
}

io::SafeTensors parse(Bytes bytes) {
  return io::parse_safetensors(std::make_shared<const Bytes>(std::move(bytes)), "x.safetensors");
}

std::string error_of(Bytes bytes) {
  try {
    parse(std::move(bytes));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::string error_of(const std::string& header, size_t data_bytes) {
  return error_of(file_of(header, data_bytes));
}

TEST(Safetensors, WhatIsWrittenIsReadBackBitForBit) {
  const io::SafeTensors read = parse(io::write_safetensors(sample(), {{"version", "3"}}));
  EXPECT_TRUE(ring::equal(read.arrays, sample()));
  EXPECT_EQ(read.metadata.at("version"), "3");
}

TEST(Safetensors, FilesAreReplacedAtomicallyAndReadBack) {
  const fs::path path = fs::path(::testing::TempDir()) / "oneagent_safetensors_test.safetensors";
  io::save_safetensors(path, sample());
  EXPECT_TRUE(ring::equal(io::load_safetensors(path).arrays, sample()));
  fs::remove(path);
  EXPECT_THROW(io::load_safetensors(path), Error);
}

// One F32 tensor of two elements, in the format's documented layout, which need not be aligned.
TEST(Safetensors, ReadsAFileOfTheDocumentedFormatAtAnyAlignment) {
  for (const std::string space : {"", " ", "  ", "   "}) {
    Bytes bytes = file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})" + space, 8);
    const std::vector<float> values = {1.5F, -2};
    std::memcpy(bytes.data() + bytes.size() - 8, values.data(), 8);
    const io::SafeTensors read = parse(bytes);
    EXPECT_EQ(read.arrays.at("a").as<float>()[1], -2);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read.arrays.at("a").data) % sizeof(float), 0U);
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const Bytes whole = io::write_safetensors(sample());
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(error_of(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size))), "")
        << size;
}

TEST(Safetensors, MutatedFilesAreReadOrRefusedButNeverCrash) {
  const Bytes whole = io::write_safetensors(sample());
  Rng rng(5);
  for (int i = 0; i < 20000; ++i) {
    Bytes bytes = whole;
    for (uint32_t k = 0; k <= rng.below(3); ++k)
      bytes[rng.below(static_cast<uint32_t>(bytes.size()))] = static_cast<uint8_t>(rng.below(256));
    error_of(std::move(bytes));
  }
}

TEST(Safetensors, MalformedFilesNameTheReason) {
  EXPECT_THAT(error_of("[1]", 0), HasSubstr("the header is not a JSON object"));
  EXPECT_THAT(error_of(R"({"a":1})", 0), HasSubstr("expected dtype, shape and data_offsets"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F8","shape":[1],"data_offsets":[0,1]}})", 1),
              HasSubstr("unknown dtype \"F8\""));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4),
              HasSubstr("shape and dtype need 8 bytes"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4),
              HasSubstr("expected a number of at least 0, was -1"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 2),
              HasSubstr("truncated, the header announces 4 bytes of data, there are 2"));
  EXPECT_THAT(
      error_of(
          R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})",
          6),
      HasSubstr("\"b\" overlaps another at byte 2"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 8),
              HasSubstr("bytes 0 to 4 belong to no tensor"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 8),
              HasSubstr("4 bytes after the last tensor"));
  EXPECT_THAT(
      error_of(R"({"a":{"dtype":"U8","shape":[4611686018427387904,8],"data_offsets":[0,4]}})", 4),
      HasSubstr("too large"));
  EXPECT_THAT(
      error_of(
          R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
          0),
      HasSubstr("\"a\" appears twice"));
  EXPECT_THAT(error_of(R"({"__metadata__":{"a":1}})", 0),
              HasSubstr("__metadata__ \"a\" must be text"));
  Bytes bad_bool = file_of(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", 1);
  bad_bool.back() = 2;
  EXPECT_THAT(error_of(std::move(bad_bool)), HasSubstr("neither 0 nor 1"));
  Bytes huge = file_of("{}", 0);
  huge[6] = 1;
  EXPECT_THAT(error_of(std::move(huge)), HasSubstr("the header claims"));
}

// A printed value, or a name's chain of archives, must not use up the stack.
TEST(Safetensors, DepthAndSizesBeyondMeaningAreErrors) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_THAT(error_of(R"({"a":)" + deep + "}", 0), HasSubstr("nested more than"));
  EXPECT_THAT(error_of(R"({"a":{"dtype":"F32","shape":[0,18446744073709551615],)"
                       R"("data_offsets":[0,0]}})",
                       0),
              HasSubstr("too large"));
}

}  // namespace
}  // namespace oneagent
