// ReplayState as bytes. A chunk is written once, with its location; everything else refers to it by
// its number in that list.
#include "services/replay/replay_state.h"

namespace oneagent {
namespace {

constexpr uint32_t kNoChunk = UINT32_MAX;

void put_stamp(ByteWriter& out, const StampReport& stamp) {
  out.put(stamp.actor);
  out.put(stamp.sequence_after);
  out.put_text(stamp.file);
  out.put_text(stamp.sha256);
}

StampReport get_stamp(ByteReader& in) {
  StampReport stamp;
  stamp.actor = in.get<uint32_t>();
  stamp.sequence_after = in.get<uint64_t>();
  stamp.file = in.get_text();
  stamp.sha256 = in.get_text();
  return stamp;
}

// The part of `in` that put_vector wrote, as a reader of its own.
Bytes get_part(ByteReader& in) { return in.get_vector<uint8_t>(); }

}  // namespace

// Chunks in the order in which they were first named.
class ReplayState::SavedChunks final {
 public:
  explicit SavedChunks(const ChunkStore& chunks) : chunks_(chunks) {}

  uint32_t number(ChunkId id) {
    if (!chunks_.contains(id)) return kNoChunk;
    const auto [found, is_new] = numbers_.try_emplace(id, static_cast<uint32_t>(ids_.size()));
    if (is_new) ids_.push_back(id);
    return found->second;
  }
  const std::vector<ChunkId>& ids() const { return ids_; }
  Bytes list() const {
    ByteWriter out;
    out.put<uint64_t>(ids_.size());
    for (const ChunkId id : ids_) {
      out.put(chunks_.key(id).actor);
      out.put(chunks_.key(id).sequence);
      out.put(chunks_.location(id));
    }
    return out.take();
  }

 private:
  const ChunkStore& chunks_;
  std::unordered_map<ChunkId, uint32_t> numbers_;
  std::vector<ChunkId> ids_;
};

void ReplayConfig::save(ByteWriter& out) const {
  out.put(ordered_actors);
  out.put(retain_bytes);
  out.put(seed);
  out.put<uint64_t>(tables.size());
  for (const ring::TableSpec& table : tables) {
    out.put_text(table.name);
    out.put_text(table.sampler);
    out.put_text(table.remover);
    out.put(table.max_size);
    out.put(table.max_times_sampled);
    out.put(table.limiter);
  }
}

ReplayConfig ReplayConfig::load(ByteReader& in) {
  ReplayConfig config;
  config.ordered_actors = in.get<int64_t>();
  config.retain_bytes = in.get<uint64_t>();
  config.seed = in.get<uint64_t>();
  const auto count = in.get<uint64_t>();
  for (uint64_t i = 0; i < count; ++i) {
    ring::TableSpec& table = config.tables.emplace_back();
    table.name = in.get_text();
    table.sampler = in.get_text();
    table.remover = in.get_text();
    table.max_size = in.get<int64_t>();
    table.max_times_sampled = in.get<int64_t>();
    table.limiter = in.get<ring::LimiterSpec>();
  }
  return config;
}

void AcceptedChunk::save(ByteWriter& out) const {
  out.put(key.actor);
  out.put(key.sequence);
  out.put(location);
  out.put<uint64_t>(items.size());
  for (const ring::ItemSpec& item : items) {
    out.put_text(item.table);
    out.put(item.begin);
    out.put(item.length);
    out.put(item.lane);
    out.put(item.priority);
  }
}

AcceptedChunk AcceptedChunk::load(ByteReader& in) {
  AcceptedChunk chunk;
  chunk.key.actor = in.get<uint32_t>();
  chunk.key.sequence = in.get<uint64_t>();
  chunk.location = in.get<ChunkLocation>();
  const auto count = in.get<uint64_t>();
  for (uint64_t i = 0; i < count; ++i) {
    ring::ItemSpec& item = chunk.items.emplace_back();
    item.table = in.get_text();
    item.begin = in.get<int64_t>();
    item.length = in.get<int64_t>();
    item.lane = in.get<int64_t>();
    item.priority = in.get<double>();
  }
  return chunk;
}

void ReplayState::write_tables(ByteWriter& out, SavedChunks& chunks) const {
  accepted_.save(out);
  out.put<uint64_t>(actors_.size());
  for (const auto& [actor, record] : actors_) {
    out.put(actor);
    out.put(record.expected);
    out.put(record.stream);
    out.put<uint8_t>(record.restore ? 1 : 0);
    out.put(record.quarantined);
    out.put(record.incarnation);
    out.put(record.era);
  }
  out.put<uint64_t>(tables_.size());
  for (const auto& table : tables_) {
    ByteWriter part;
    table->save(part, [&](ChunkId id) { return chunks.number(id); });
    out.put_text(table->spec().name);
    out.put_vector(part.bytes());
  }
}

uint64_t ReplayState::read_tables(ByteReader& in, const std::vector<ChunkId>& chunks) {
  accepted_ = Ledger::load(in);
  const auto actors = in.get<uint64_t>();
  for (uint64_t i = 0; i < actors; ++i) {
    ActorRecord& record = actors_[in.get<uint32_t>()];
    record.expected = in.get<uint64_t>();
    record.stream = in.get<uint64_t>();
    record.restore = in.get<uint8_t>() != 0;
    record.quarantined = in.get<uint64_t>();
    record.incarnation = in.get<uint64_t>();
    record.era = in.get<uint64_t>();
  }
  uint64_t dropped = 0;
  const auto tables = in.get<uint64_t>();
  for (uint64_t i = 0; i < tables; ++i) {
    const std::string name = in.get_text();
    const Bytes part = get_part(in);
    ReplayTable* into = table(name);
    if (into == nullptr) continue;  // this run has no such table
    ByteReader part_in(part, str("replay table ", name));
    dropped += into->load(part_in, [&](uint32_t number) {
      OA_REQUIRE(number < chunks.size(), "replay: table ", name, " names chunk ", number, " of ",
                 chunks.size());
      return chunks[number];
    });
    part_in.finish();
  }
  return dropped;
}

Status ReplayState::adopt(const ring::ChunkKey& key, const ChunkLocation& location) {
  return log_ == nullptr ? ok() : log_->adopt(key, location);
}

// Ids by number; 0 for chunks that are gone and may be.
std::vector<ChunkId> ReplayState::read_chunks(ByteReader& in, const Ledger* may_be_missing) {
  const Bytes part = get_part(in);
  ByteReader list(part, "replay chunk list");
  std::vector<ChunkId> ids;
  const auto count = list.get<uint64_t>();
  for (uint64_t i = 0; i < count; ++i) {
    ring::ChunkKey key;
    key.actor = list.get<uint32_t>();
    key.sequence = list.get<uint64_t>();
    const auto location = list.get<ChunkLocation>();
    const Status status = adopt(key, location);
    OA_REQUIRE(status.ok() ||
                   (may_be_missing != nullptr && may_be_missing->contains(key.actor, key.sequence)),
               status.message());
    ids.push_back(status.ok() ? chunks_.add(key, location) : 0);
  }
  list.finish();
  return ids;
}

Bytes ReplayState::save_tables(std::vector<ChunkId>* held) const {
  SavedChunks chunks(chunks_);
  ByteWriter body;
  write_tables(body, chunks);
  ByteWriter out;
  out.put_vector(chunks.list());
  out.put_vector(body.bytes());
  if (held != nullptr) *held = chunks.ids();
  return out.take();
}

Bytes ReplayState::save() const {
  SavedChunks chunks(chunks_);
  ByteWriter body;
  write_tables(body, chunks);
  ever_.save(body);
  forgotten_.save(body);
  body.put<uint64_t>(answers_.size());
  for (const auto& [client, answer] : answers_) {
    body.put_text(client);
    body.put(answer.ticket.incarnation);
    body.put(answer.ticket.request);
    body.put_text(answer.table);
    body.put(answer.number);
    body.put<uint64_t>(answer.samples.size());
    for (const TableSample& sample : answer.samples) {
      body.put(chunks.number(sample.item.chunk));
      body.put(sample);
    }
  }
  body.put(next_answer_);
  body.put<uint64_t>(stamps_.size());
  for (const auto& [epoch, stamps] : stamps_) {
    body.put(epoch);
    body.put<uint64_t>(stamps.size());
    for (const auto& [actor, stamp] : stamps) put_stamp(body, stamp);
  }
  const auto put_mark = [&](const EpochMark& mark) {
    body.put(mark.epoch);
    body.put_vector(mark.image);
    body.put(mark.since);
    std::vector<uint32_t> held;
    for (const ChunkId id : mark.held)
      if (chunks_.contains(id)) held.push_back(chunks.number(id));
    body.put_vector(held);
  };
  put_mark(base_);
  body.put<uint64_t>(marks_.size());
  for (const auto& [epoch, mark] : marks_) put_mark(mark);
  body.put(since_begin_);
  body.put<uint64_t>(since_.size());
  for (const Since& since : since_) {
    body.put(chunks.number(since.id));
    since.chunk.save(body);
  }
  body.put(restored_epoch_);
  body.put(era_);
  body.put(consumed_uncommitted_);

  ByteWriter out;
  config_.save(out);
  out.put_vector(chunks.list());
  out.put_vector(body.bytes());
  return out.take();
}

void ReplayState::load(std::span<const uint8_t> image, std::string_view what) {
  ByteReader file(image, what);
  ReplayConfig::load(file);
  const std::vector<ChunkId> chunks = read_chunks(file, nullptr);
  const Bytes part = get_part(file);
  file.finish();
  ByteReader in(part, what);
  const auto chunk_of = [&](uint32_t number) {
    OA_REQUIRE(number == kNoChunk || number < chunks.size(), what, ": names chunk ", number, " of ",
               chunks.size());
    return number == kNoChunk ? 0 : chunks[number];
  };
  read_tables(in, chunks);
  ever_ = Ledger::load(in);
  forgotten_ = Ledger::load(in);
  const auto answers = in.get<uint64_t>();
  for (uint64_t i = 0; i < answers; ++i) {
    const std::string client = in.get_text();
    SampleAnswer& answer = answers_[client];
    answer.ticket.client = client;
    answer.ticket.incarnation = in.get<uint64_t>();
    answer.ticket.request = in.get<uint64_t>();
    answer.table = in.get_text();
    answer.number = in.get<uint64_t>();
    const auto samples = in.get<uint64_t>();
    for (uint64_t k = 0; k < samples; ++k) {
      const ChunkId id = chunk_of(in.get<uint32_t>());
      auto sample = in.get<TableSample>();
      OA_REQUIRE(id != 0, what, ": a kept answer names no chunk");
      sample.item.chunk = id;
      chunks_.use(id);
      answer.samples.push_back(sample);
    }
  }
  next_answer_ = in.get<uint64_t>();
  const auto epochs = in.get<uint64_t>();
  for (uint64_t i = 0; i < epochs; ++i) {
    auto& stamps = stamps_[in.get<int64_t>()];
    const auto count = in.get<uint64_t>();
    for (uint64_t k = 0; k < count; ++k) {
      const StampReport stamp = get_stamp(in);
      stamps[stamp.actor] = stamp;
    }
  }
  const auto get_mark = [&] {
    EpochMark mark;
    mark.epoch = in.get<int64_t>();
    mark.image = in.get_vector<uint8_t>();
    mark.since = in.get<uint64_t>();
    for (const uint32_t number : in.get_vector<uint32_t>()) {
      mark.held.push_back(chunk_of(number));
      chunks_.hold(mark.held.back());
    }
    return mark;
  };
  base_ = get_mark();
  const auto marks = in.get<uint64_t>();
  for (uint64_t i = 0; i < marks; ++i) {
    EpochMark mark = get_mark();
    marks_[mark.epoch] = std::move(mark);
  }
  since_begin_ = in.get<uint64_t>();
  const auto since = in.get<uint64_t>();
  for (uint64_t i = 0; i < since; ++i) {
    const ChunkId id = chunk_of(in.get<uint32_t>());
    since_.push_back({AcceptedChunk::load(in), id});
    if (id != 0) chunks_.hold(id);
  }
  restored_epoch_ = in.get<int64_t>();
  era_ = in.get<uint64_t>();
  consumed_uncommitted_ = in.get<uint64_t>();
  in.finish();
  for (const ChunkId id : chunks) chunks_.settle(id);
  after_command();
}

uint64_t ReplayState::restore(const ReplayState& before, int64_t epoch,
                              std::span<const uint8_t> tables_image,
                              const std::vector<AcceptedChunk>& again,
                              const std::map<uint32_t, StampReport>& stamps, bool new_era) {
  ever_ = before.ever_;
  forgotten_ = before.forgotten_;
  era_ = before.era_ + (new_era ? 1 : 0);
  consumed_uncommitted_ = before.consumed_uncommitted_;
  restored_epoch_ = epoch;
  stamps_[epoch] = stamps;
  base_.epoch = epoch;
  base_.image.assign(tables_image.begin(), tables_image.end());
  uint64_t dropped = 0;
  if (!tables_image.empty()) {
    ByteReader in(tables_image, "replay epoch image");
    const std::vector<ChunkId> chunks = read_chunks(in, &forgotten_);
    const Bytes part = get_part(in);
    in.finish();
    ByteReader tables(part, "replay epoch image");
    dropped = read_tables(tables, chunks);
    tables.finish();
    for (const ChunkId id : chunks) {
      if (id == 0) continue;
      base_.held.push_back(id);
      chunks_.hold(id);
      chunks_.settle(id);
    }
  }
  for (const AcceptedChunk& chunk : again) {
    const Status status = adopt(chunk.key, chunk.location);
    OA_REQUIRE(status.ok() || forgotten_.contains(chunk.key.actor, chunk.key.sequence),
               status.message());
    if (status.ok())
      accept(chunk);
    else
      dropped += chunk.items.size();
  }
  for (const auto& [actor, record] :
       before.actors_) {  // streams are not rolled back; their senders learn of it by their era
    actors_[actor].stream = record.stream;
    actors_[actor].incarnation = record.incarnation;
    actors_[actor].era = record.era;
  }
  for (const auto& [actor, stamp] : stamps) {
    actors_[actor].expected = std::max(actors_[actor].expected, stamp.sequence_after);
    actors_[actor].restore = true;
  }
  after_command();
  return dropped;
}

}  // namespace oneagent
