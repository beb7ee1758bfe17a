#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "core/net/broadcast_publisher.h"
#include "core/net/broadcast_subscriber.h"
#include "tests/support/message_samples.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

using testing::HasSubstr;

Message weights(float value, int64_t size = 4000) {
  ring::ArraySet arrays;
  arrays.add(ring::array_of<float>("layer.weight", {size},
                                   std::vector<float>(static_cast<size_t>(size), value)));
  return Message(proto::Kind::WEIGHTS, std::move(arrays));
}

float value_of(const Message& message) { return message.arrays.at("layer.weight").as<float>()[0]; }

class BroadcastTest : public testing::TestWithParam<std::string> {
 protected:
  Address address() { return test_address(GetParam(), folder_); }
  BroadcastSubscriber subscribe(const BroadcastPublisher& publisher,
                                const std::string& name = "actor-0") {
    return {context_, board_, {.name = name, .peer = "learner", .address = publisher.address()}};
  }

  TemporaryFolder folder_;
  WaitBoard board_;
  Context context_;
};

TEST_P(BroadcastTest, ASubscriberGetsEachVersionThatItWaitsFor) {
  BroadcastPublisher publisher(context_, {.name = "learner", .address = address()});
  BroadcastSubscriber subscriber = subscribe(publisher);
  for (int64_t version = 1; version <= 50; ++version) {
    ASSERT_TRUE(publisher.publish(version, weights(static_cast<float>(version))).ok());
    const auto got = subscriber.wait_for(version, Deadline::after_ms(5000));
    ASSERT_TRUE(got.ok()) << got.status();
    EXPECT_EQ((*got)->head.version, version);
    EXPECT_EQ(value_of(**got), static_cast<float>(version));
  }
  EXPECT_EQ(subscriber.newest_version(), 50);
}

TEST_P(BroadcastTest, ALateJoinerGetsTheNewestAtOnce) {
  BroadcastPublisher publisher(context_, {.name = "learner", .address = address()});
  for (int64_t version = 1; version <= 7; ++version)
    ASSERT_TRUE(publisher.publish(version, weights(static_cast<float>(version))).ok());
  BroadcastSubscriber subscriber = subscribe(publisher);
  const auto got = subscriber.wait_for(0, Deadline::after_ms(5000));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ((*got)->head.version, 7);
}

TEST_P(BroadcastTest, ASlowSubscriberSkipsToTheNewest) {
  BroadcastPublisher publisher(context_, {.name = "learner", .address = address()});
  ASSERT_TRUE(publisher.publish(1, weights(1)).ok());
  BroadcastSubscriber subscriber = subscribe(publisher);
  ASSERT_TRUE(subscriber.wait_for(1, Deadline::after_ms(5000)).ok());
  for (int64_t version = 2; version <= 300; ++version)
    ASSERT_TRUE(publisher.publish(version, weights(static_cast<float>(version))).ok());
  ASSERT_TRUE(subscriber.wait_for(300, Deadline::after_ms(5000)).ok());
  EXPECT_LE(subscriber.counters().messages, 20u);
}

TEST_P(BroadcastTest, AWaitNamesThePublisherAndWhatIsAtHand) {
  BroadcastPublisher publisher(context_, {.name = "learner", .address = address()});
  ASSERT_TRUE(publisher.publish(3, weights(3)).ok());
  BroadcastSubscriber subscriber = subscribe(publisher);
  ASSERT_TRUE(subscriber.wait_for(3, Deadline::after_ms(5000)).ok());
  std::thread watcher([&] {
    EXPECT_TRUE(eventually([&] { return !board_.snapshot().empty(); }));
    EXPECT_EQ(to_text(board_.snapshot().at(0)).substr(0, 63),
              "actor-0 waits for learner: needs version 4, has 3 (for 0.0 s)");
  });
  const Status status = subscriber.wait_for(4, Deadline::after_ms(100)).status();
  watcher.join();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("learner at " + publisher.address().text() + ": needs version 4, has 3"));
}

TEST_P(BroadcastTest, ThePublisherKnowsItsSubscribers) {
  BroadcastPublisher publisher(context_,
                               {.name = "learner", .address = address(), .heartbeat_ms = 20});
  BroadcastSubscriber one = subscribe(publisher, "actor-0"), two = subscribe(publisher, "actor-1");
  EXPECT_TRUE(eventually([&] { return one.poll(), two.poll(), publisher.subscribers() == 2; }));
}

TEST_P(BroadcastTest, HeartbeatsTellTheNewestVersionAndKeepAnIdlePublisherFromLookingSilent) {
  BroadcastPublisher publisher(context_,
                               {.name = "learner", .address = address(), .heartbeat_ms = 50});
  BroadcastSubscriber subscriber(context_, board_,
                                 {.name = "actor-0",
                                  .peer = "learner",
                                  .address = publisher.address(),
                                  .silent_after_ms = 400});
  const Deadline until = Deadline::after_ms(1200);
  while (!until.expired()) {
    subscriber.poll();
    EXPECT_FALSE(subscriber.silent());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, BroadcastTest, testing::Values("inproc", "ipc", "tcp"),
                         [](const auto& info) { return info.param; });

TEST(Broadcast, ASilentPublisherIsNoticedWithinTwoSecondsAndARestartedOneIsFollowed) {
  TemporaryFolder folder;
  const Address address = test_address("ipc", folder);
  const auto publisher_life = [&](int64_t version) {
    Context context;
    BroadcastPublisher publisher(context, {.name = "learner", .address = address});
    (void)publisher.publish(version, weights(static_cast<float>(version)));
    ::pause();
  };
  std::optional<ChildProcess> publisher;
  publisher.emplace([&] { publisher_life(9); });
  Context context;
  WaitBoard board;
  BroadcastSubscriber subscriber(context, board,
                                 {.name = "actor-0", .peer = "learner", .address = address});
  ASSERT_TRUE(subscriber.wait_for(9, Deadline::after_ms(10000)).ok());
  ::kill(publisher->pid(), SIGSTOP);  // stalled, not gone: the connection stays open
  const int64_t start = steady_ns();
  std::thread watcher([&] {
    EXPECT_TRUE(eventually([&] {
      const auto rows = board.snapshot();
      return !rows.empty() &&
             rows[0].reason.find("learner has been silent for 1 s") != std::string::npos;
    }));
    EXPECT_LT(seconds_since(start), 2.2);
  });
  const Status status = subscriber.wait_for(10, Deadline::after_ms(2500)).status();
  watcher.join();
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("needs version 10, has 9; learner has been silent for 2 s"));
  publisher->kill();
  publisher.emplace([&] { publisher_life(4); });  // went back to a checkpoint
  EXPECT_TRUE(eventually([&] { return subscriber.poll(), subscriber.version() == 4; }));
  EXPECT_FALSE(subscriber.silent());
}

TEST(Broadcast, MalformedWantsDoNotHarmTheOthers) {
  Context context;
  WaitBoard board;
  BroadcastPublisher publisher(context,
                               {.name = "learner", .address = parse_address("inproc://w")});
  Socket raw(context, Socket::Kind::kDealer);
  raw.connect(publisher.address());
  Frames garbage;
  garbage.emplace_back(std::string_view("garbage"));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(raw.try_send(garbage));
  ASSERT_TRUE(publisher.publish(1, weights(1)).ok());
  BroadcastSubscriber subscriber(
      context, board, {.name = "actor-0", .peer = "learner", .address = publisher.address()});
  EXPECT_TRUE(subscriber.wait_for(1, Deadline::after_ms(5000)).ok());
}

}  // namespace
}  // namespace oneagent::net
