#include "services/replay/replay_messages.h"

#include <algorithm>

#include "proto/batch.capnp.h"
#include "proto/control.capnp.h"
#include "proto/trajectory.capnp.h"

namespace oneagent {
namespace {

kj::StringPtr text(const std::string& value) { return {value.c_str(), value.size()}; }
std::string text(capnp::Text::Reader value) { return {value.begin(), value.size()}; }

void write_item(const ring::ItemSpec& item, proto::Item::Builder into) {
  into.setTable(text(item.table));
  into.setBegin(item.begin);
  into.setLength(item.length);
  into.setLane(item.lane);
  into.setPriority(item.priority);
}

ring::ItemSpec read_item(proto::Item::Reader item) {
  return {text(item.getTable()), item.getBegin(), item.getLength(), item.getLane(),
          item.getPriority()};
}

// Without its arrays and items.
void write_chunk(const ring::Chunk& chunk, proto::Chunk::Builder into) {
  into.setActor(chunk.key.actor);
  into.setSequence(chunk.key.sequence);
  into.setSteps(chunk.steps);
  into.setLanes(chunk.lanes);
  into.setFirstStep(chunk.first_step);
  into.setWeightsVersion(chunk.weights_version);
}

ring::Chunk read_chunk_head(proto::Chunk::Reader from) {
  ring::Chunk chunk;
  chunk.key = {from.getActor(), from.getSequence()};
  chunk.steps = from.getSteps();
  chunk.lanes = from.getLanes();
  chunk.first_step = from.getFirstStep();
  chunk.weights_version = from.getWeightsVersion();
  return chunk;
}

// "3/observation" -> chunk 3, "observation".
Result<std::pair<size_t, std::string>> split_name(const std::string& name, size_t chunks) {
  const size_t slash = name.find('/');
  size_t index = 0;
  for (size_t i = 0; i < std::min(slash, name.size()) && index <= chunks; ++i) {
    if (name[i] < '0' || name[i] > '9')
      return absl::InvalidArgumentError(str("batch: array \"", name, "\" names no chunk"));
    index = index * 10 + static_cast<size_t>(name[i] - '0');
  }
  if (slash == std::string::npos || slash == 0 || index >= chunks)
    return absl::InvalidArgumentError(
        str("batch: array \"", name, "\" names no chunk of ", chunks));
  return std::pair{index, name.substr(slash + 1)};
}

net::Message report_of(const Json& json) { return net::report_message(json.dump()); }

Result<Json> json_of(const net::Message& message) {
  auto body = message.body<proto::Report>();
  if (!body.ok()) return body.status();
  Json json = Json::parse(text(body->getText()), nullptr, false);
  if (json.is_discarded()) return absl::InvalidArgumentError("report: not JSON");
  return json;
}

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(StampReport, actor, sequence_after, file, sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayCheckpoint, epoch, file, sha256, stamps, missing)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayRollback, epoch, era, chunks, reinserted,
                                   consumed_uncommitted, predictions)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TableReport, name, size, max_size, waiting_inserts, inserts,
                                   samples, deletes, late_priorities, insert_wait, sample_wait)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReplayReport, tables, accepted, duplicates, quarantined,
                                   consumed_uncommitted, chunks, chunk_bytes, staged_bytes,
                                   segment_bytes, journal_bytes, committed_epoch, era, refusing)

net::Address stream_address(const net::Address& requests) {
  net::Address stream = requests;
  if (stream.transport == net::Transport::kTcp)
    ++stream.port;
  else
    stream.host += "-stream";
  return stream;
}

net::Message chunk_message(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items) {
  net::Message message(proto::Kind::CHUNK, chunk.arrays);
  auto body = message.init_body<proto::Chunk>();
  write_chunk(chunk, body);
  auto list = body.initItems(static_cast<unsigned>(items.size()));
  for (unsigned i = 0; i < list.size(); ++i) write_item(items[i], list[i]);
  return message;
}

Result<ChunkMessage> read_chunk(const net::Message& message) {
  auto body = message.body<proto::Chunk>();
  if (!body.ok()) return body.status();
  ChunkMessage out{read_chunk_head(*body), {}};
  out.chunk.arrays = message.arrays;
  for (const auto item : body->getItems()) out.items.push_back(read_item(item));
  return out;
}

net::Message batch_message(const ring::SampleBatch& batch) {
  std::vector<const ring::Chunk*> chunks;
  std::vector<uint32_t> chunk_of;
  for (const ring::SampledItem& item : batch.items) {
    const auto same = std::find_if(chunks.begin(), chunks.end(), [&](const ring::Chunk* chunk) {
      return chunk->key == item.chunk.key;
    });
    chunk_of.push_back(static_cast<uint32_t>(same - chunks.begin()));
    if (same == chunks.end()) chunks.push_back(&item.chunk);
  }
  ring::ArraySet arrays;
  for (size_t i = 0; i < chunks.size(); ++i)
    for (ring::Array array : chunks[i]->arrays.arrays()) {
      array.name = str(i, '/', array.name);
      arrays.add(std::move(array));
    }
  net::Message message(proto::Kind::BATCH, std::move(arrays));
  auto body = message.init_body<proto::Batch>();
  body.setTable(text(batch.table));
  auto heads = body.initChunks(static_cast<unsigned>(chunks.size()));
  for (unsigned i = 0; i < heads.size(); ++i) write_chunk(*chunks[i], heads[i]);
  auto items = body.initItems(static_cast<unsigned>(batch.items.size()));
  for (unsigned i = 0; i < items.size(); ++i) {
    const ring::SampledItem& item = batch.items[i];
    items[i].setKey(item.key);
    items[i].setGeneration(item.generation);
    items[i].setProbability(item.probability);
    items[i].setChunk(chunk_of[i]);
    write_item(item.spec, items[i].initItem());
  }
  return message;
}

Result<ring::SampleBatch> read_batch(const net::Message& message) {
  auto body = message.body<proto::Batch>();
  if (!body.ok()) return body.status();
  std::vector<ring::Chunk> chunks;
  for (const auto head : body->getChunks()) chunks.push_back(read_chunk_head(head));
  for (const ring::Array& array : message.arrays.arrays()) {
    auto place = split_name(array.name, chunks.size());
    if (!place.ok()) return place.status();
    ring::Array renamed = array;
    renamed.name = std::move(place->second);
    chunks[place->first].arrays.add(std::move(renamed));
  }
  ring::SampleBatch batch{text(body->getTable()), {}};
  for (const auto item : body->getItems()) {
    if (item.getChunk() >= chunks.size())
      return absl::InvalidArgumentError(
          str("batch: an item names chunk ", item.getChunk(), " of ", chunks.size()));
    batch.items.push_back({item.getKey(), item.getGeneration(), item.getProbability(),
                           read_item(item.getItem()), chunks[item.getChunk()]});
  }
  return batch;
}

net::Message priorities_message(const std::string& table, std::span<const PriorityUpdate> updates) {
  net::Message message(proto::Kind::SET_PRIORITIES);
  auto body = message.init_body<proto::Priorities>();
  body.setTable(text(table));
  const auto count = static_cast<unsigned>(updates.size());
  auto keys = body.initKeys(count);
  auto generations = body.initGenerations(count);
  auto priorities = body.initPriorities(count);
  for (unsigned i = 0; i < count; ++i) {
    keys.set(i, updates[i].key);
    generations.set(i, updates[i].generation);
    priorities.set(i, updates[i].priority);
  }
  return message;
}

Result<std::pair<std::string, std::vector<PriorityUpdate>>> read_priorities(
    const net::Message& message) {
  auto body = message.body<proto::Priorities>();
  if (!body.ok()) return body.status();
  const auto keys = body->getKeys();
  const auto generations = body->getGenerations();
  const auto priorities = body->getPriorities();
  if (keys.size() != generations.size() || keys.size() != priorities.size())
    return absl::InvalidArgumentError("priorities: lists of different lengths");
  std::vector<PriorityUpdate> updates;
  for (unsigned i = 0; i < keys.size(); ++i)
    updates.push_back({keys[i], generations[i], priorities[i]});
  return std::pair{text(body->getTable()), std::move(updates)};
}

namespace {

ring::ArraySet state_array(std::span<const uint8_t> state) {
  ring::ArraySet arrays;
  arrays.add(ring::array_of<uint8_t>("state", {static_cast<int64_t>(state.size())}, state));
  return arrays;
}

}  // namespace

net::Message stamp_message(uint32_t actor, int64_t epoch, std::span<const uint8_t> state) {
  net::Message message(proto::Kind::STAMP, state_array(state));
  auto body = message.init_body<proto::Stamp>();
  body.setActor(actor);
  body.setEpoch(epoch);
  return message;
}

net::Message place_message(const ReplayHello& hello) {
  net::Message message(proto::Kind::NONE,
                       hello.state.empty() ? ring::ArraySet() : state_array(hello.state));
  auto body = message.init_body<proto::Place>();
  body.setEra(hello.era);
  body.setEpoch(hello.epoch);
  body.setNextChunk(hello.next_sequence);
  return message;
}

Result<ReplayHello> read_place(const net::Message& message) {
  auto body = message.body<proto::Place>();
  if (!body.ok()) return body.status();
  const auto state = state_of(message);
  return ReplayHello{
      body->getNextChunk(), body->getEra(), body->getEpoch(), {state.begin(), state.end()}};
}

std::span<const uint8_t> state_of(const net::Message& message) {
  const ring::Array* state = message.arrays.find("state");
  if (state == nullptr || state->dtype != DType::kUInt8) return {};
  return state->as<uint8_t>();
}

net::Message epoch_message(proto::Kind kind, int64_t epoch) {
  net::Message message(kind);
  message.init_body<proto::Epoch>().setEpoch(epoch);
  return message;
}

net::Message to_message(const ReplayCheckpoint& report) { return report_of(Json(report)); }
net::Message to_message(const ReplayRollback& report) { return report_of(Json(report)); }
net::Message to_message(const ReplayReport& report) { return report_of(Json(report)); }

template <class Report>
Result<Report> read_report(const net::Message& message) {
  const Result<Json> json = json_of(message);
  if (!json.ok()) return json.status();
  try {
    return json->get<Report>();
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(str("report: ", error.what()));
  }
}
template Result<ReplayCheckpoint> read_report(const net::Message& message);
template Result<ReplayRollback> read_report(const net::Message& message);
template Result<ReplayReport> read_report(const net::Message& message);

}  // namespace oneagent
