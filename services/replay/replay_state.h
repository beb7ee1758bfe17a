// Everything that a replay knows, as a machine that commands drive: the same commands give the same
// state. No sockets, clock or disk; chunks are known by their location. Replay (replay.h) writes
// each command to the journal before it comes here; a restarted replay runs them again.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "services/replay/chunk_store.h"
#include "services/replay/ledger.h"
#include "services/replay/replay_reports.h"
#include "services/replay/replay_table.h"

namespace oneagent {

struct ReplayConfig {
  std::vector<ring::TableSpec> tables;
  int64_t ordered_actors = 0;
  uint64_t retain_bytes = 0;
  uint64_t seed = 0;

  void save(ByteWriter& out) const;
  static ReplayConfig load(ByteReader& in);
};

// A request of one client; repeated after a lost answer.
struct SampleTicket {
  std::string client;
  uint64_t incarnation = 0;
  uint64_t request = 0;
  bool same_request(const SampleTicket& other) const {
    return client == other.client && incarnation == other.incarnation && request == other.request;
  }
};

struct SampleAnswer {
  SampleTicket ticket;
  std::string table;
  std::vector<TableSample> samples;  // use their chunks
  uint64_t number = 0;               // grows with each answer
};

// A chunk with its items, as it was accepted.
struct AcceptedChunk {
  ring::ChunkKey key;
  ChunkLocation location;
  std::vector<ring::ItemSpec> items;

  void save(ByteWriter& out) const;
  static AcceptedChunk load(ByteReader& in);
};

// What an actor is allowed and told.
struct ActorRecord {
  uint64_t expected = 0;  // sequence of its next chunk
  uint64_t stream = 1;    // number of its next message: chunks and stamps
  bool restore = false;   // restored, and no chunk sent since: it is handed its stamp
  uint64_t quarantined = 0;
  uint64_t incarnation = 0;  // of the process that said hello last, and the era in which it did
  uint64_t era = 0;
};

// An epoch that the replay has stamped. Its chunks are held until a later epoch is committed.
struct EpochMark {
  int64_t epoch = 0;
  Bytes image;  // tables, ledger and actors at the stamp; empty: the empty beginning
  std::vector<ChunkId> held;
  uint64_t since = 0;  // number of the first chunk accepted afterwards
};

class ReplayState final {
 public:
  // Without a log, chunks are only counted (recovery).
  ReplayState(ReplayConfig config, SegmentLog* log);
  ~ReplayState();
  ReplayState(const ReplayState&) = delete;
  ReplayState& operator=(const ReplayState&) = delete;

  // Commands.
  void accept(const AcceptedChunk& chunk);     // takes over one live count of the log
  void quarantine(const ring::ChunkKey& key);  // accepted, never inserted
  // Needs can_sample.
  const SampleAnswer& sample(const SampleTicket& ticket, const std::string& table, int64_t n);
  // Answers how many were late.
  uint64_t set_priorities(const std::string& table, std::span<const PriorityUpdate> updates);
  void hello(uint32_t actor, uint64_t incarnation);
  void stamp(int64_t epoch, const StampReport& stamp);
  void checkpoint(int64_t epoch);  // does nothing for an epoch that is stamped already
  void commit(int64_t epoch);      // does nothing for an epoch that is not stamped

  // Questions.
  ReplayTable* table(const std::string& name);  // nullptr when there is none
  const ReplayTable* table(const std::string& name) const;
  const std::vector<std::unique_ptr<ReplayTable>>& tables() const { return tables_; }
  std::vector<std::string> table_names() const;
  // Kept until the client's next sample.
  const SampleAnswer* answer(const SampleTicket& ticket) const;
  ChunkStore& chunks() { return chunks_; }
  const ChunkStore& chunks() const { return chunks_; }
  const ActorRecord& actor(uint32_t actor) const;
  const std::map<uint32_t, ActorRecord>& actors() const { return actors_; }
  const std::map<uint32_t, StampReport>& stamps(int64_t epoch) const;
  const EpochMark* mark(int64_t epoch) const;  // stamped and not yet superseded; nullptr otherwise
  int64_t committed_epoch() const { return base_.epoch; }
  int64_t restored_epoch() const { return restored_epoch_; }
  uint64_t era() const { return era_; }
  const Ledger& accepted() const {
    return accepted_;
  }  // since the start or the last rollback's epoch
  const Ledger& ever_accepted() const { return ever_; }  // rollbacks do not shrink it
  uint64_t consumed_uncommitted() const { return consumed_uncommitted_; }
  const ReplayConfig& config() const { return config_; }
  // Chunks accepted after the mark that are still here: all, or those that the actors' stamps of
  // its epoch come after.
  std::vector<AcceptedChunk> accepted_since(const EpochMark& mark, bool all) const;

  // Whole state, and back into a new one; configuration comes from this one's constructor. Error
  // when a chunk is missing.
  Bytes save() const;
  void load(std::span<const uint8_t> image, std::string_view what);
  // Tables, ledger, actors: what an epoch file holds (the image of a mark).
  Bytes save_tables(std::vector<ChunkId>* held) const;

  // Into a new state: `before` as it was at the epoch, then `again` accepted again. Chunks that
  // `before` forgot are counted, others that are missing are an Error.
  uint64_t restore(const ReplayState& before, int64_t epoch, std::span<const uint8_t> tables_image,
                   const std::vector<AcceptedChunk>& again,
                   const std::map<uint32_t, StampReport>& stamps, bool new_era);

 private:
  struct Since {
    AcceptedChunk chunk;
    ChunkId id = 0;
  };
  class SavedChunks;

  void enter(const ring::ChunkKey& key);
  void after_command();
  void release(EpochMark& mark);
  void forget_beyond_bound();
  void drop_answer(SampleAnswer& answer);
  void write_tables(ByteWriter& out, SavedChunks& chunks) const;
  uint64_t read_tables(ByteReader& in, const std::vector<ChunkId>& chunks);
  std::vector<ChunkId> read_chunks(ByteReader& in, const Ledger* may_be_missing);
  Status adopt(const ring::ChunkKey& key, const ChunkLocation& location);

  ReplayConfig config_;
  SegmentLog* log_;
  ChunkStore chunks_;
  std::vector<std::unique_ptr<ReplayTable>> tables_;
  std::map<uint32_t, ActorRecord> actors_;
  Ledger accepted_, ever_, forgotten_;
  std::map<std::string, SampleAnswer> answers_;
  uint64_t next_answer_ = 1;
  std::map<int64_t, std::map<uint32_t, StampReport>> stamps_;
  EpochMark base_;  // the committed epoch; 0: the empty beginning
  std::map<int64_t, EpochMark> marks_;
  std::deque<Since> since_;   // accepted since the committed epoch
  uint64_t since_begin_ = 0;  // number of the first of them
  int64_t restored_epoch_ = 0;
  uint64_t era_ = 1;
  uint64_t consumed_uncommitted_ = 0;
};

}  // namespace oneagent
