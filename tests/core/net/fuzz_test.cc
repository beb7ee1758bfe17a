// Mutated messages of every kind: whatever comes, decoding says yes or no, reading what it accepted
// cannot fail, and memory stays bounded. OA_FUZZ_COUNT sets the mutations per kind; the slow test
// runs a million.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <list>
#include <thread>

#include "core/base/rng.h"
#include "core/net/broadcast_publisher.h"
#include "core/net/request_client.h"
#include "core/net/request_server.h"
#include "core/net/stream_receiver.h"
#include "tests/support/message_samples.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

int64_t mutations() {
  const char* text = std::getenv("OA_FUZZ_COUNT");
  return text == nullptr ? 10'000 : std::atoll(text);
}

long peak_memory_kb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

using RawFrames = std::vector<std::vector<uint8_t>>;

RawFrames raw_frames(const Message& message) {
  RawFrames raw;
  const Result<Frames> frames = Codec().encode(message);
  for (const Frame& frame : *frames) raw.emplace_back(frame.data(), frame.data() + frame.size());
  return raw;
}

Frames to_frames(const RawFrames& raw) {
  Frames frames;
  for (const auto& bytes : raw)
    frames.emplace_back(
        std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  return frames;
}

// Mostly values that break bounds: ends of ranges, small numbers, single bits.
uint64_t nasty_number(Rng& rng, uint64_t old) {
  switch (rng.below(6)) {
    case 0:
      return rng.next_u64();
    case 1:
      return ~uint64_t{0} >> rng.below(64);
    case 2:
      return old + rng.below(17) - 8;
    case 3:
      return old ^ (uint64_t{1} << rng.below(64));
    case 4:
      return rng.below(300);
    default:
      return uint64_t{1} << rng.below(64);
  }
}

void mutate_word(std::vector<uint8_t>& bytes, Rng& rng) {
  if (bytes.size() < 8) return;
  const size_t at = rng.below(static_cast<uint32_t>(bytes.size() / 8)) * 8;
  uint64_t word;
  std::memcpy(&word, bytes.data() + at, 8);
  word = nasty_number(rng, word);
  std::memcpy(bytes.data() + at, &word, 8);
}

void mutate_once(RawFrames& raw, Rng& rng) {
  if (raw.empty()) return;
  std::vector<uint8_t>& bytes =
      raw[rng.below(4) == 0 ? rng.below(static_cast<uint32_t>(raw.size())) : 0];
  const auto size = static_cast<uint32_t>(bytes.size());
  switch (rng.below(16)) {
    case 0:
      bytes.resize(rng.below(size + 1));
      break;
    case 1:
      bytes.resize(size + rng.below(64));
      break;
    case 2:
      raw.erase(raw.begin() + rng.below(static_cast<uint32_t>(raw.size())));
      break;
    case 3:
      raw.push_back(raw[rng.below(static_cast<uint32_t>(raw.size()))]);
      break;
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
      if (size > 0) bytes[rng.below(size)] = static_cast<uint8_t>(rng.next_u32());
      break;
    default:
      mutate_word(bytes, rng);
  }
}

RawFrames mutated(const RawFrames& good, Rng& rng) {
  RawFrames raw = good;
  const uint32_t times = 1 + rng.below(4);
  for (uint32_t i = 0; i < times; ++i) mutate_once(raw, rng);
  return raw;
}

// Reads everything that a service could read.
uint64_t read_all(const Message& message) {
  uint64_t sum = message.head.sender.size();
  for (const ring::Array& array : message.arrays.arrays())
    if (const size_t bytes = array.bytes(); bytes > 0)
      sum += array.data[0] + array.data[bytes - 1] + array.data[bytes / 2];
  (void)status_of(message);
  if (message.has_json())
    return sum + message.json().dump(-1, ' ', false, Json::error_handler_t::replace).size();
  if (!read_body(message).ok()) return sum;
  if (const auto chunk = message.body<proto::Chunk>(); chunk.ok())
    for (const auto item : chunk->getItems())
      sum += item.getTable().size() + static_cast<uint64_t>(item.getLength());
  if (const auto report = message.body<proto::Report>(); report.ok())
    sum += report->getText().size();
  return sum;
}

Message small_sample(proto::Kind kind) {
  Message message = sample_message(kind);
  if (!message.arrays.empty())
    message.arrays = sample_arrays(kind == proto::Kind::BATCH ? 600 : 12);
  return message;
}

void fuzz(const RawFrames& good, uint64_t seed) {
  Rng rng(seed);
  uint64_t accepted = 0, sum = 0;
  const long before_kb = peak_memory_kb();
  const int64_t count = mutations();
  for (int64_t i = 0; i < count; ++i) {
    Message message;
    if (!Codec().decode(to_frames(mutated(good, rng)), message).ok()) continue;
    ++accepted;
    sum += read_all(message);
  }
  EXPECT_GT(accepted, 0u) << sum;
  EXPECT_LT(accepted, static_cast<uint64_t>(count));
  EXPECT_LT(peak_memory_kb() - before_kb, 256 * 1024);
}

class FuzzTest : public testing::TestWithParam<proto::Kind> {};

TEST_P(FuzzTest, MutatedMessagesAreRefusedOrRead) {
  fuzz(raw_frames(small_sample(GetParam())), 1 + static_cast<uint64_t>(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Kinds, FuzzTest, testing::ValuesIn(all_kinds()),
                         [](const auto& info) { return name_of(info.param); });

TEST(Fuzz, MutatedJsonHeadersAreRefusedOrRead) {
  Message message = small_sample(proto::Kind::ACT);
  message.set_json({{"episode", 4}, {"names", {"a", "b"}}, {"nested", {{"x", 1.5}}}});
  fuzz(raw_frames(message), 1000);
}

// The same through the sockets: the patterns drop it all and go on.
TEST(Fuzz, TheServicesGoOnAfterMutatedMessages) {
  Context context;
  WaitBoard board;
  RequestServer server(context, {.name = "replay", .address = parse_address("inproc://r")},
                       [](Request request) { request.reply(ok()); });
  StreamReceiver receiver(
      context, {.name = "replay", .address = parse_address("inproc://s")},
      [](const std::string&, const Message&) -> Result<Welcome> { return Welcome{}; },
      [](Delivery) { return true; });
  BroadcastPublisher publisher(context,
                               {.name = "learner", .address = parse_address("inproc://w")});
  std::list<Socket> peers;  // a socket that closes takes with it what was not read yet
  {
    LoopThread loop({&server, &receiver});
    for (const Address& address : {server.address(), receiver.address(), publisher.address()}) {
      Socket& raw = peers.emplace_back(context, Socket::Kind::kDealer);
      raw.connect(address);
      Rng rng(hash_text(address.text()));
      Frames ignored;
      for (const proto::Kind kind : all_kinds()) {
        const RawFrames good = raw_frames(small_sample(kind));
        for (int i = 0; i < 100; ++i) {
          RawFrames bad = mutated(good, rng);
          if (bad.empty()) continue;
          ASSERT_TRUE(eventually([&] { return raw.try_send(to_frames(bad)); }));
          while (raw.try_receive(ignored, 100)) {
          }
        }
      }
    }
    RequestClient client(context, board,
                         {.name = "learner", .peer = "replay", .address = server.address()});
    EXPECT_TRUE(client.call(Message(proto::Kind::STATUS), Deadline::after_ms(10000)).ok());
  }
  const auto all_read = [&] {
    return server.counters().malformed > 100 && receiver.counters().malformed > 100;
  };
  for (int i = 0; i < 500 && !all_read(); ++i) {
    LoopThread loop({&server, &receiver});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_GT(server.counters().malformed, 100u);
  EXPECT_GT(receiver.counters().malformed, 100u);
}

}  // namespace
}  // namespace oneagent::net
