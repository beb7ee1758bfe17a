#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/net/stream_receiver.h"
#include "core/net/stream_sender.h"
#include "tests/support/message_samples.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

using testing::HasSubstr;

Message item(int64_t value, int64_t rows = 1) {
  ring::ArraySet arrays;
  arrays.add(ring::array_of<int64_t>("value", {rows},
                                     std::vector<int64_t>(static_cast<size_t>(rows), value)));
  return Message(proto::Kind::CHUNK, std::move(arrays));
}

int64_t value_of(const Message& message) { return message.arrays.at("value").as<int64_t>()[0]; }

// A receiver that keeps what it gets and acknowledges when told to.
struct Store {
  std::mutex mutex;
  std::map<std::string, std::vector<int64_t>> values;
  std::map<std::string, uint64_t> accepted;
  std::atomic<bool> durable_at_once{true};
  std::atomic<int> hellos{0};

  StreamReceiver::OnHello on_hello() {
    return [this](const std::string& sender, const Message&) -> Result<Welcome> {
      ++hellos;
      std::lock_guard lock(mutex);
      return Welcome{accepted[sender] + 1, report_message("state of " + sender)};
    };
  }
  StreamReceiver::OnMessage on_message() {
    return [this](Delivery delivery) {
      std::lock_guard lock(mutex);
      accepted[std::string(delivery.sender)] = delivery.sequence;
      values[std::string(delivery.sender)].push_back(value_of(delivery.message));
      return durable_at_once.load();
    };
  }
  std::vector<int64_t> of(const std::string& sender) {
    std::lock_guard lock(mutex);
    return values[sender];
  }
};

std::vector<int64_t> first_numbers(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) numbers[static_cast<size_t>(i)] = i + 1;
  return numbers;
}

class StreamTest : public testing::TestWithParam<std::string> {
 protected:
  StreamReceiver receive(uint32_t window_items = 64, uint64_t window_bytes = 64u << 20) {
    return {context_,
            {.name = "replay",
             .address = test_address(GetParam(), folder_),
             .window_items = window_items,
             .window_bytes = window_bytes},
            store_.on_hello(),
            store_.on_message()};
  }
  // A receiver and its loop, to be ended and started again.
  struct Life {
    StreamReceiver receiver;
    LoopThread loop;
    Life(Context& context, const Address& address, Store& store)
        : receiver(context, {.name = "replay", .address = address}, store.on_hello(),
                   store.on_message()),
          loop({&receiver}) {}
  };
  StreamSender sender_to(const StreamReceiver& receiver, const std::string& name = "actor-0") {
    return {context_,
            board_,
            {.name = name, .peer = "replay", .address = receiver.address(), .probe_ms = 200}};
  }

  TemporaryFolder folder_;
  WaitBoard board_;
  Context context_;
  Store store_;
};

// Inproc is left out: both of its ends live and die in one process.
class StreamRestartTest : public StreamTest {};

TEST_P(StreamTest, DeliversEachMessageOnceInOrder) {
  StreamReceiver receiver = receive();
  LoopThread loop({&receiver});
  StreamSender sender = sender_to(receiver);
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  for (int64_t i = 1; i <= 1000; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
  EXPECT_EQ(store_.of("actor-0"), first_numbers(1000));
  EXPECT_EQ(sender.acknowledged_through(), 1000u);
  EXPECT_EQ(sender.unacknowledged_items(), 0u);
  EXPECT_EQ(sender.counters().resent, 0u);
}

TEST_P(StreamTest, TheHelloBringsTheSavedStateAndTheNextSequence) {
  store_.accepted["actor-0"] = 41;
  StreamReceiver receiver = receive();
  LoopThread loop({&receiver});
  StreamSender sender = sender_to(receiver);
  const Result<Message> welcome = sender.connect(Message(), Deadline::after_ms(5000));
  ASSERT_TRUE(welcome.ok()) << welcome.status();
  EXPECT_EQ(welcome->body<proto::Report>()->getText(), "state of actor-0");
  EXPECT_EQ(sender.next_sequence(), 42u);
  ASSERT_TRUE(sender.send(item(42), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
  EXPECT_EQ(sender.acknowledged_through(), 42u);
}

TEST_P(StreamTest, WithoutCreditASenderWaitsOnTheBoardAndSaysWhoHoldsIt) {
  store_.durable_at_once = false;
  StreamReceiver receiver = receive(4);
  LoopThread loop({&receiver});
  StreamSender sender = sender_to(receiver);
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  for (int64_t i = 1; i <= 4; ++i) ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  std::thread watcher([&] {
    EXPECT_TRUE(eventually([&] { return !board_.snapshot().empty(); }));
    const WaitRow row = board_.snapshot().at(0);
    EXPECT_EQ(row.waiter, "actor-0");
    EXPECT_EQ(row.holder, "replay");
    EXPECT_THAT(row.reason, HasSubstr("no acknowledgement of 4 messages"));
  });
  const Status status = sender.send(item(5), Deadline::after_ms(300));
  watcher.join();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("replay at " + receiver.address().text() +
                                                       ": no acknowledgement of 4 messages"));
  EXPECT_EQ(sender.next_sequence(), 5u);  // nothing was queued
  EXPECT_EQ(store_.of("actor-0"), first_numbers(4));
}

TEST_P(StreamTest, AcknowledgementsMayComeLaterAndGiveCreditBack) {
  store_.durable_at_once = false;
  StreamReceiver receiver = receive(2);
  StreamSender sender = sender_to(receiver);
  std::vector<uint64_t> audit;
  sender.on_acknowledged([&](uint64_t sequence) { audit.push_back(sequence); });
  std::atomic<bool> done{false};
  std::thread owner([&] {
    Poller poller;
    poller.add(receiver);
    while (!done) {
      poller.run_once(Deadline::after_ms(5));
      receiver.acknowledge("actor-0", store_.accepted["actor-0"]);
    }
  });
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  for (int64_t i = 1; i <= 20; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  EXPECT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
  done = true;
  owner.join();
  EXPECT_EQ(std::vector<int64_t>(audit.begin(), audit.end()), first_numbers(20));
}

TEST_P(StreamTest, TheWindowAlsoCountsBytes) {
  store_.durable_at_once = false;
  StreamReceiver receiver = receive(64, 100'000);
  LoopThread loop({&receiver});
  StreamSender sender = sender_to(receiver);
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.send(item(1, 5000), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.send(item(2, 5000), Deadline::after_ms(5000)).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(sender.send(item(3, 5000), Deadline::after_ms(50))));
  const Status status = sender.send(item(3, 50000), Deadline::after_ms(50));
  EXPECT_TRUE(absl::IsInvalidArgument(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("do not fit the window of replay"));
}

TEST_P(StreamTest, ManySendersAreKeptApart) {
  StreamReceiver receiver = receive();
  LoopThread loop({&receiver});
  std::vector<std::thread> actors;
  for (int a = 0; a < 4; ++a)
    actors.emplace_back([&, a] {
      StreamSender sender = sender_to(receiver, str("actor-", a));
      ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(10000)).ok());
      for (int64_t i = 1; i <= 200; ++i)
        ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(10000)).ok());
      ASSERT_TRUE(sender.flush(Deadline::after_ms(10000)).ok());
    });
  for (std::thread& actor : actors) actor.join();
  for (int a = 0; a < 4; ++a) EXPECT_EQ(store_.of(str("actor-", a)), first_numbers(200));
}

TEST_P(StreamRestartTest, ARestartedReceiverGetsWhatIsUnacknowledgedAgainAndDropsDuplicates) {
  auto first = std::make_unique<Life>(context_, test_address(GetParam(), folder_), store_);
  const Address address = first->receiver.address();
  StreamSender sender = sender_to(first->receiver);
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  for (int64_t i = 1; i <= 10; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
  first->loop.stop();  // it stops reading; what is sent now never reaches the store
  for (int64_t i = 11; i <= 20; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  first.reset();
  Life second(context_, address, store_);
  for (int64_t i = 21; i <= 30; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.flush(Deadline::after_ms(10000)).ok());
  EXPECT_EQ(store_.of("actor-0"), first_numbers(30));
}

TEST_P(StreamTest, ALaterProcessTakesTheNameOver) {
  StreamReceiver receiver = receive();
  LoopThread loop({&receiver});
  StreamSender older = sender_to(receiver);
  ASSERT_TRUE(older.connect(Message(), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(older.send(item(1), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(older.flush(Deadline::after_ms(5000)).ok());
  StreamSender newer = sender_to(receiver);
  ASSERT_TRUE(newer.connect(Message(), Deadline::after_ms(5000)).ok());
  EXPECT_EQ(newer.next_sequence(), 2u);
  ASSERT_TRUE(older.send(item(100), Deadline::after_ms(5000)).ok());
  const Status status = older.flush(Deadline::after_ms(5000));
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("a later process took over the name actor-0"));
  ASSERT_TRUE(newer.send(item(2), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(newer.flush(Deadline::after_ms(5000)).ok());
  EXPECT_EQ(store_.of("actor-0"), first_numbers(2));
}

TEST_P(StreamRestartTest, AReceiverThatForgotWhatItAcknowledgedIsAnError) {
  auto first = std::make_unique<Life>(context_, test_address(GetParam(), folder_), store_);
  const Address address = first->receiver.address();
  StreamSender sender = sender_to(first->receiver);
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  for (int64_t i = 1; i <= 10; ++i)
    ASSERT_TRUE(sender.send(item(i), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
  first.reset();
  store_.accepted["actor-0"] = 5;
  Life second(context_, address, store_);
  ASSERT_TRUE(sender.send(item(11), Deadline::after_ms(5000)).ok());
  const Status status = sender.flush(Deadline::after_ms(5000));
  EXPECT_TRUE(absl::IsDataLoss(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("asks for message 6 again"));
}

INSTANTIATE_TEST_SUITE_P(Transports, StreamRestartTest, testing::Values("ipc", "tcp"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Transports, StreamTest, testing::Values("inproc", "ipc", "tcp"),
                         [](const auto& info) { return info.param; });

TEST(Stream, ARefusedHelloBringsItsReason) {
  Context context;
  WaitBoard board;
  StreamReceiver receiver(
      context, {.name = "replay", .address = parse_address("inproc://s")},
      [](const std::string&, const Message&) -> Result<Welcome> {
        return absl::PermissionDeniedError("not one of this run's actors");
      },
      [](Delivery) { return true; });
  LoopThread loop({&receiver});
  StreamSender sender(context, board,
                      {.name = "actor-9", .peer = "replay", .address = receiver.address()});
  EXPECT_EQ(sender.connect(Message(), Deadline::after_ms(5000)).status(),
            absl::PermissionDeniedError("not one of this run's actors"));
}

TEST(Stream, AReceiverThatIsNotReadyIsAskedAgain) {
  Context context;
  WaitBoard board;
  int asked = 0;
  StreamReceiver receiver(
      context, {.name = "replay", .address = parse_address("inproc://s")},
      [&](const std::string&, const Message&) -> Result<Welcome> {
        if (++asked < 3) return absl::UnavailableError("still loading");
        return Welcome{};
      },
      [](Delivery) { return true; });
  LoopThread loop({&receiver});
  StreamSender sender(
      context, board,
      {.name = "actor-0", .peer = "replay", .address = receiver.address(), .probe_ms = 20});
  EXPECT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  loop.stop();
  EXPECT_EQ(asked, 3);
}

TEST(Stream, SaysNotConnectedWhenNobodyListens) {
  Context context;
  WaitBoard board;
  StreamSender sender(context, board,
                      {.name = "actor-0", .peer = "replay", .address = free_tcp_address()});
  const Status status = sender.connect(Message(), Deadline::after_ms(100)).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr(": not connected for 10"));
}

TEST(Stream, MalformedMessagesAreCountedAndTheStreamGoesOn) {
  Context context;
  WaitBoard board;
  Store store;
  StreamReceiver receiver(context, {.name = "replay", .address = parse_address("inproc://s")},
                          store.on_hello(), store.on_message());
  Poller poller;
  poller.add(receiver);
  Socket raw(context, Socket::Kind::kDealer);
  raw.connect(receiver.address());
  Frames garbage;
  garbage.emplace_back(std::string_view("garbage"));
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(raw.try_send(garbage));
  while (poller.run_once(Deadline::after_ms(50))) {
  }
  EXPECT_EQ(receiver.counters().malformed, 10u);
  LoopThread loop({&receiver});
  StreamSender sender(context, board,
                      {.name = "actor-0", .peer = "replay", .address = receiver.address()});
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(5000)).ok());
  ASSERT_TRUE(sender.send(item(1), Deadline::after_ms(5000)).ok());
  EXPECT_TRUE(sender.flush(Deadline::after_ms(5000)).ok());
}

TEST(Stream, AnotherSchemaVersionEndsTheStreamInWords) {
  Context context;
  WaitBoard board;
  Socket raw(context, Socket::Kind::kRouter);
  const Address address = raw.bind(parse_address("inproc://s"));
  std::thread old_receiver([&] {
    Frame peer;
    Frames frames;
    ASSERT_TRUE(eventually([&] { return raw.try_receive_from(peer, frames, 9); }));
    Frames answer;
    answer.emplace_back(
        std::string_view(R"({"schema":9,"kind":"streamWelcome","sender":"replay"})"));
    EXPECT_TRUE(raw.try_send_to(peer, answer));
  });
  StreamSender sender(context, board, {.name = "actor-0", .peer = "replay", .address = address});
  const Status status = sender.connect(Message(), Deadline::after_ms(5000)).status();
  old_receiver.join();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("replay sent version 9"));
}

}  // namespace
}  // namespace oneagent::net
