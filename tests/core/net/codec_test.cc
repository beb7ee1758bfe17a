#include "core/net/codec.h"

#include <capnp/serialize.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/version.h"
#include "tests/support/message_samples.h"

namespace oneagent::net {
namespace {

using testing::HasSubstr;

Frames encoded(const Message& message) {
  Result<Frames> frames = Codec().encode(message);
  EXPECT_TRUE(frames.ok()) << frames.status();
  return *frames;
}

std::string refusal(Frames frames, Limits limits = {}) {
  Message message;
  const Status status = Codec(limits).decode(std::move(frames), message);
  EXPECT_FALSE(status.ok());
  return std::string(status.message());
}

// A header with one array whose descriptor the test bends.
Frames with_descriptor(const std::function<void(proto::ArrayDescriptor::Builder)>& bend,
                       size_t frame_bytes = 64) {
  capnp::MallocMessageBuilder builder;
  auto envelope = builder.initRoot<proto::Envelope>();
  envelope.setSchemaVersion(kSchemaVersion);
  auto descriptor = envelope.initArrays(1)[0];
  descriptor.setName("a");
  descriptor.setShape({16});
  descriptor.setFrame(1);
  bend(descriptor);
  const auto words = capnp::messageToFlatArray(builder);
  const auto bytes = words.asBytes();
  Frames frames;
  frames.emplace_back(std::string_view(reinterpret_cast<const char*>(bytes.begin()), bytes.size()));
  frames.emplace_back(std::string_view(std::string(frame_bytes, '\1')));
  return frames;
}

TEST(Codec, EveryKindSurvivesTheWire) {
  for (const proto::Kind kind : all_kinds()) {
    const Message sent = sample_message(kind);
    Message got;
    ASSERT_TRUE(Codec().decode(encoded(sent), got).ok()) << name_of(kind);
    EXPECT_EQ(got.kind(), kind);
    EXPECT_EQ(got.head.trace_id, sent.head.trace_id);
    EXPECT_EQ(got.head.request_id, sent.head.request_id);
    EXPECT_EQ(got.head.sender, sent.head.sender);
    EXPECT_EQ(got.head.incarnation, sent.head.incarnation);
    EXPECT_EQ(got.head.sequence, sent.head.sequence);
    EXPECT_EQ(got.head.version, sent.head.version);
    EXPECT_EQ(got.stream, sent.stream);
    EXPECT_TRUE(ring::equal(got.arrays, sent.arrays)) << name_of(kind);
    EXPECT_TRUE(read_body(got).ok()) << name_of(kind) << read_body(got);
  }
}

TEST(Codec, BodiesKeepTheirFields) {
  Message got;
  ASSERT_TRUE(Codec().decode(encoded(sample_message(proto::Kind::CHUNK)), got).ok());
  const auto chunk = got.body<proto::Chunk>();
  ASSERT_TRUE(chunk.ok());
  EXPECT_EQ(chunk->getFirstStep(), 1024);
  ASSERT_EQ(chunk->getItems().size(), 3u);
  EXPECT_EQ(chunk->getItems()[2].getTable(), "rollout");
  EXPECT_EQ(chunk->getItems()[2].getLane(), -1);
}

TEST(Codec, AStatusTravelsAsAnErrorMessage) {
  Message got;
  ASSERT_TRUE(Codec().decode(encoded(error_message(absl::NotFoundError("no table"))), got).ok());
  EXPECT_EQ(status_of(got), absl::NotFoundError("no table"));
}

TEST(Codec, LargeArraysAreSentAndReceivedWithoutACopy) {
  Message message(proto::Kind::CHUNK, sample_arrays(10000));
  Frames frames = encoded(message);
  ASSERT_EQ(frames.size(), 4u);  // header with small ones, observation, action, reward
  EXPECT_EQ(frames[1].data(), message.arrays.at("observation").data);
  Message got;
  ASSERT_TRUE(Codec().decode(frames, got).ok());
  EXPECT_EQ(got.arrays.at("observation").data, message.arrays.at("observation").data);
}

TEST(Codec, FramesKeepTheArraysAlive) {
  std::weak_ptr<const void> owner;
  Frames frames;
  {
    Message message(proto::Kind::CHUNK, sample_arrays(10000));
    owner = message.arrays.at("observation").owner;
    frames = encoded(message);
  }
  EXPECT_FALSE(owner.expired());
  frames.clear();
  EXPECT_TRUE(owner.expired());
}

TEST(Codec, ArraysAreAlignedToTheirElementsWhereverTheFrameLies) {
  for (size_t shift = 0; shift < 9; ++shift) {
    const Frames frames =
        encoded(Message(proto::Kind::CHUNK, sample_arrays(shift % 2 == 0 ? 600 : 6000)));
    Frames moved;
    for (size_t i = 0; i < frames.size(); ++i) {
      auto buffer = std::make_shared<std::vector<uint8_t>>(frames[i].size() + 16);
      std::copy_n(frames[i].data(), frames[i].size(), buffer->data() + shift);
      moved.emplace_back(std::span<const uint8_t>(buffer->data() + shift, frames[i].size()),
                         buffer);
    }
    Message got;
    ASSERT_TRUE(Codec().decode(std::move(moved), got).ok());
    EXPECT_TRUE(ring::equal(got.arrays, sample_arrays(shift % 2 == 0 ? 600 : 6000)));
    for (const ring::Array& array : got.arrays.arrays())
      EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data) % size_of(array.dtype), 0u)
          << array.name << " at shift " << shift;
  }
}

TEST(Codec, RefusesAnotherSchemaVersionAndNamesBoth) {
  capnp::MallocMessageBuilder builder;
  auto envelope = builder.initRoot<proto::Envelope>();
  envelope.setSchemaVersion(kSchemaVersion + 1);
  envelope.setRequestId(5);
  envelope.setSender("actor-0");
  const auto words = capnp::messageToFlatArray(builder);
  Frames frames;
  frames.emplace_back(std::string_view(reinterpret_cast<const char*>(words.asBytes().begin()),
                                       words.asBytes().size()));
  Message message;
  const Status status = Codec().decode(std::move(frames), message);
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("actor-0 sent version 2"));
  EXPECT_THAT(std::string(status.message()), HasSubstr("speaks version 1"));
  EXPECT_EQ(message.head.request_id, 5u);  // so that it can be answered
}

TEST(Codec, RefusesWhatIsNoMessage) {
  EXPECT_THAT(refusal({}), HasSubstr("0 frames"));
  Frames empty;
  empty.emplace_back(size_t{0});
  refusal(empty);
  Frames text;
  text.emplace_back(std::string_view("hello, is this the replay service?"));
  refusal(text);
}

TEST(Codec, RefusesArraysThatLeaveTheirFrame) {
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setShape({17}); })),
              HasSubstr("68 bytes at offset 0 do not fit 64 bytes of frame 1"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setOffset(64); })), HasSubstr("at offset 64"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setOffset(uint64_t{0} - 64); })),
              HasSubstr("do not fit"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setOffset(4); })), HasSubstr("at offset 4"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setFrame(2); })), HasSubstr("frame 2 of 2"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setFrame(0); })),
              HasSubstr("do not fit 0 bytes of frame 0"));
}

TEST(Codec, RefusesShapesThatOverflow) {
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setShape({-1}); })), HasSubstr("negative"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) {
                d.setShape({int64_t{1} << 62, 8});
              })),
              HasSubstr("larger than a message"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) {
                d.setShape({int64_t{1} << 28, int64_t{1} << 28, 1 << 10});
              })),
              HasSubstr("larger than a message"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) {
                d.setShape({1, 1, 1, 1, 1, 1, 1, 1, 1});
              })),
              HasSubstr("dimensions"));
}

TEST(Codec, RefusesNamesTypesAndBooleansThatAreNone) {
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setName(""); })),
              HasSubstr("a name has 1 to 256 bytes"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setName(std::string(300, 'n')); })),
              HasSubstr("was 300"));
  EXPECT_THAT(refusal(with_descriptor([](auto d) { d.setDtype(77); })),
              HasSubstr("unknown dtype 77"));
  Frames frames = with_descriptor([](auto d) { d.setDtype(static_cast<uint8_t>(DType::kBool)); });
  frames[1].data()[3] = 2;
  EXPECT_THAT(refusal(frames), HasSubstr("neither 0 nor 1"));
}

TEST(Codec, RefusesMoreFramesAndBytesThanTheLimits) {
  const Frames frames = encoded(Message(proto::Kind::CHUNK, sample_arrays(600)));
  Limits limits;
  limits.max_frames = 2;
  EXPECT_THAT(refusal(encoded(Message(proto::Kind::CHUNK, sample_arrays(10000))), limits),
              HasSubstr("4 frames, expected 1 to 2"));
  limits = {};
  limits.max_message_bytes = 1000;
  EXPECT_THAT(refusal(frames, limits), HasSubstr("at most 1000"));
  limits = {};
  limits.max_header_bytes = 64;
  EXPECT_THAT(refusal(frames, limits), HasSubstr("expected 1 to 64"));
  limits = {};
  limits.max_arrays = 1;
  EXPECT_THAT(refusal(frames, limits), HasSubstr("5 arrays, at most 1"));
}

TEST(Codec, RefusesToSendWhatItWouldNotReceive) {
  Limits limits;
  limits.max_message_bytes = 1000;
  const Status status =
      Codec(limits).encode(Message(proto::Kind::CHUNK, sample_arrays(600))).status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("chunk: a message has at most 1000 bytes"));
}

TEST(Codec, ABodyOfAnotherTypeIsRefusedWhenRead) {
  Message got;
  ASSERT_TRUE(Codec().decode(encoded(sample_message(proto::Kind::CHUNK)), got).ok());
  const Status status = got.body<proto::Report>().status();
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("expected Report"));
  EXPECT_THAT(std::string(Message(proto::Kind::CHUNK).body<proto::Chunk>().status().message()),
              HasSubstr("has none"));
}

}  // namespace
}  // namespace oneagent::net
