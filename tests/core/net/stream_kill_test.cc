// The receiver is a process of its own, killed at random moments; its durable state is a file of
// (sequence, value) lines.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "core/net/stream_receiver.h"
#include "core/net/stream_sender.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

std::vector<std::pair<uint64_t, int64_t>> read_ledger(const fs::path& path) {
  std::vector<std::pair<uint64_t, int64_t>> lines;
  std::ifstream in(path);
  uint64_t sequence = 0;
  int64_t value = 0;
  while (in >> sequence >> value) lines.emplace_back(sequence, value);
  return lines;
}

void run_receiver(const Address& address, const fs::path& ledger) {
  Context context;
  StreamReceiver receiver(
      context, {.name = "replay", .address = address, .window_items = 16},
      [&](const std::string&, const Message&) -> Result<Welcome> {
        const auto lines = read_ledger(ledger);
        return Welcome{lines.empty() ? 1 : lines.back().first + 1, Message()};
      },
      [&](Delivery delivery) {
        append_line(ledger, str(delivery.sequence, " ",
                                delivery.message.arrays.at("value").as<int64_t>()[0]));
        return true;
      });
  Poller poller;
  poller.add(receiver);
  while (true) poller.run_once(Deadline::after_ms(1000));
}

class StreamKillTest : public testing::TestWithParam<std::string> {};

TEST_P(StreamKillTest, NoAcknowledgedMessageIsLostAndNoneIsThereTwice) {
  TemporaryFolder folder;
  const Address address = GetParam() == "tcp" ? free_tcp_address() : test_address("ipc", folder);
  const fs::path ledger = folder.path() / "ledger";
  std::optional<ChildProcess> receiver;
  receiver.emplace([&] { run_receiver(address, ledger); });
  Context context;
  WaitBoard board;
  StreamSender sender(context, board,
                      {.name = "actor-0", .peer = "replay", .address = address, .probe_ms = 100});
  uint64_t acknowledged = 0;
  sender.on_acknowledged([&](uint64_t sequence) { EXPECT_EQ(sequence, ++acknowledged); });
  ASSERT_TRUE(sender.connect(Message(), Deadline::after_ms(10000)).ok());
  int64_t sent = 0;
  for (int kill = 0; kill < 5; ++kill) {
    for (int i = 0; i < 100 + 37 * kill; ++i) {
      ring::ArraySet arrays;
      arrays.add(ring::array_of<int64_t>("value", {1}, std::vector<int64_t>{++sent * 10}));
      ASSERT_TRUE(
          sender.send(Message(proto::Kind::CHUNK, std::move(arrays)), Deadline::after_ms(20000))
              .ok());
    }
    receiver->kill();
    EXPECT_GE(read_ledger(ledger).size(), acknowledged);
    receiver.emplace([&] { run_receiver(address, ledger); });
  }
  ASSERT_TRUE(sender.flush(Deadline::after_ms(20000)).ok());
  EXPECT_EQ(acknowledged, static_cast<uint64_t>(sent));
  const auto lines = read_ledger(ledger);
  ASSERT_EQ(lines.size(), static_cast<size_t>(sent));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].first, i + 1);
    EXPECT_EQ(lines[i].second, static_cast<int64_t>(i + 1) * 10);
  }
}

INSTANTIATE_TEST_SUITE_P(Transports, StreamKillTest, testing::Values("ipc", "tcp"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace oneagent::net
