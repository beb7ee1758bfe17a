// Bare ZeroMQ against the stream alone: acknowledged and deduplicated, with a receiver that only
// counts. usage: stream_bench [MESSAGES [BYTES [ROUNDS [ADDRESS [WINDOW_ITEMS]]]]]
#include <cstdlib>

#include "core/net/stream_receiver.h"
#include "proto/trajectory.capnp.h"
#include "tests/support/wire_race.h"

namespace oneagent::net {
namespace {

void count_messages(const WireRace& race, uint32_t window, const std::function<void()>& ready) {
  Context context;
  int64_t count = 0;
  StreamReceiver receiver(
      context, {.name = "replay", .address = parse_address(race.address), .window_items = window},
      [](const std::string&, const Message&) -> Result<Welcome> { return Welcome{}; },
      [&](Delivery delivery) {
        const auto chunk = delivery.message.body<proto::Chunk>();
        OA_REQUIRE(chunk.ok() && chunk->getSequence() == delivery.sequence,
                   "wire race: wrong body");
        ++count;
        return true;
      });
  ready();
  Poller poller;
  poller.add(receiver);
  while (count < race.messages) poller.run_once(Deadline::after_ms(1000));
  const Deadline last_acknowledgement = Deadline::after_ms(50);
  while (!last_acknowledgement.expired()) poller.run_once(last_acknowledgement);
}

void fill(Message& message, int64_t i) {
  auto chunk = message.init_body<proto::Chunk>();
  chunk.setSequence(static_cast<uint64_t>(i) + 1);
  chunk.setSteps(32);
  auto item = chunk.initItems(1)[0];
  item.setTable("rollout");
  item.setLength(32);
}

int run(int argc, char** argv) {
  WireRace race;
  if (argc > 1) race.messages = std::atoll(argv[1]);
  if (argc > 2) race.bytes = std::atoll(argv[2]);
  if (argc > 3) race.rounds = std::atoi(argv[3]);
  if (argc > 4) race.address = argv[4];
  const auto window = static_cast<uint32_t>(argc > 5 ? std::atoi(argv[5]) : 128);
  race_and_print(race, "stream", [&] {
    return run_stream(
        race, [&](const auto& ready) { count_messages(race, window, ready); }, fill);
  });
  return 0;
}

}  // namespace
}  // namespace oneagent::net

int main(int argc, char** argv) { return oneagent::net::run(argc, argv); }
