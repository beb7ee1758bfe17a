// A peer in any language needs ZeroMQ and JSON: these are the frames that it writes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/net/codec.h"
#include "tests/support/message_samples.h"

namespace oneagent::net {
namespace {

using testing::HasSubstr;

Status decode(const std::string& header, Message& message,
              const std::string& data = std::string(64, '\0')) {
  Frames frames;
  frames.emplace_back(std::string_view(header));
  frames.emplace_back(std::string_view(data));
  return Codec().decode(std::move(frames), message);
}

std::string refusal(const std::string& header) {
  Message message;
  const Status status = decode(header, message);
  EXPECT_FALSE(status.ok()) << header;
  return std::string(status.message());
}

TEST(JsonHeader, CarriesHeadBodyAndArrays) {
  Message message;
  const Status status =
      decode(R"({"schema":1,"kind":"act","request":5,"sender":"game","body":{"episode":3},
      "arrays":[{"name":"observation","dtype":"float32","shape":[2,3],"frame":1,"offset":0}]})",
             message);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(message.kind(), proto::Kind::ACT);
  EXPECT_EQ(message.head.request_id, 5u);
  EXPECT_EQ(message.head.sender, "game");
  EXPECT_EQ(message.json()["episode"], 3);
  EXPECT_EQ(message.arrays.at("observation").shape, (Shape{2, 3}));
}

TEST(JsonHeader, IsWrittenForMessagesWithAJsonBody) {
  Message sent(proto::Kind::ACT, sample_arrays(600));
  sent.set_json({{"episode", 4}});
  sent.head.request_id = 6;
  const Result<Frames> frames = Codec().encode(sent);
  ASSERT_TRUE(frames.ok());
  EXPECT_EQ((*frames)[0].data()[0], '{');
  Message got;
  ASSERT_TRUE(Codec().decode(*frames, got).ok());
  EXPECT_EQ(got.json(), sent.json());
  EXPECT_EQ(got.head.request_id, 6u);
  EXPECT_TRUE(ring::equal(got.arrays, sent.arrays));
}

TEST(JsonHeader, NamesWhatIsWrong) {
  EXPECT_THAT(refusal("{"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal(R"({"schema":"one"})"), HasSubstr("\"schema\" must be an integer"));
  EXPECT_THAT(refusal(R"({"schema":7,"kind":"act","sender":"game"})"),
              HasSubstr("game sent version 7"));
  EXPECT_THAT(refusal(R"({"schema":1,"kind":"fly"})"), HasSubstr("unknown \"kind\""));
  EXPECT_THAT(refusal(R"({"schema":1,"kind":"act","request":-4})"), HasSubstr("wrong type"));
  EXPECT_THAT(refusal(R"({"schema":1,"kind":"act","arrays":7})"), HasSubstr("must be a list"));
  EXPECT_THAT(refusal(R"({"schema":1,"kind":"act","arrays":[{"name":"a"}]})"),
              HasSubstr("an array needs"));
  EXPECT_THAT(
      refusal(
          R"({"schema":1,"kind":"act","arrays":[{"name":"a","dtype":"float8","shape":[1],"frame":1}]})"),
      HasSubstr("unknown dtype"));
  EXPECT_THAT(
      refusal(
          R"({"schema":1,"kind":"act","arrays":[{"name":"a","dtype":"int64","shape":[9],"frame":1}]})"),
      HasSubstr("72 bytes"));
  EXPECT_THAT(
      refusal(
          R"({"schema":1,"kind":"act","arrays":[{"name":"a","dtype":"int64","shape":[1e3],"frame":1}]})"),
      HasSubstr("an array needs"));
}

TEST(JsonHeader, RefusesNestingBeforeItParses) {
  EXPECT_THAT(refusal(R"({"schema":1,"kind":"act","body":)" + std::string(100000, '[')),
              HasSubstr("nested deeper than 64"));
}

}  // namespace
}  // namespace oneagent::net
