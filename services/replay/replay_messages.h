// What goes between a replay and its clients, as wire messages and back. Readers answer
// InvalidArgument for what is not well formed.
#pragma once

#include <utility>
#include <vector>

#include "core/data/batch.h"
#include "core/net/address.h"
#include "core/net/message.h"
#include "proto/replay.capnp.h"
#include "services/replay/replay_reports.h"

namespace oneagent {

// Where the chunk stream of a replay at this address is: the next port, or the name with "-stream".
net::Address stream_address(const net::Address& requests);

struct ChunkMessage {
  ring::Chunk chunk;
  std::vector<ring::ItemSpec> items;
};

net::Message chunk_message(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items);
Result<ChunkMessage> read_chunk(const net::Message& message);

net::Message batch_message(const ring::SampleBatch& batch);
Result<ring::SampleBatch> read_batch(const net::Message& message);

net::Message priorities_message(const std::string& table, std::span<const PriorityUpdate> updates);
Result<std::pair<std::string, std::vector<PriorityUpdate>>> read_priorities(
    const net::Message& message);

net::Message stamp_message(uint32_t actor, int64_t epoch, std::span<const uint8_t> state);
net::Message place_message(const ReplayHello& hello);
Result<ReplayHello> read_place(const net::Message& message);
// The array "state" as bytes; empty when there is none.
std::span<const uint8_t> state_of(const net::Message& message);

net::Message epoch_message(proto::Kind kind, int64_t epoch);

// Reports travel as JSON.
net::Message to_message(const ReplayCheckpoint& report);
net::Message to_message(const ReplayRollback& report);
net::Message to_message(const ReplayReport& report);
template <class Report>
Result<Report> read_report(const net::Message& message);

}  // namespace oneagent
