#include "services/replay/replay.h"

#include <cmath>

#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/log.h"
#include "services/replay/chunk_codec.h"
#include "services/replay/commands.h"
#include "services/replay/epoch_file.h"
#include "services/replay/sealed_file.h"

namespace oneagent {
namespace {

// Recovery writes: two replays in one folder, or an audit beside a replay, would lose chunks.
std::optional<FolderLock> lock_of(const ReplayFolders& folders, Durability durability) {
  if (durability == Durability::kMemory) return std::nullopt;
  return std::optional<FolderLock>(std::in_place, folders.segments, "replay");
}

}  // namespace

Replay::Replay(const ReplayOptions& options, ReplayFolders folders, std::string run,
               std::vector<ring::TableSpec> tables)
    : options_(options),
      folders_(std::move(folders)),
      run_(std::move(run)),
      tables_(std::move(tables)),
      durability_(parse_durability(options.durability)),
      lock_(lock_of(folders_, durability_)),
      log_({folders_.segments, durability_, static_cast<size_t>(options.segment_bytes),
            static_cast<size_t>(options.capacity_bytes)}) {
  state_ = recover();
}

Replay::~Replay() { log_.close(); }

ReplayConfig Replay::config() const {
  return {tables_, options_.ordered_actors, static_cast<uint64_t>(options_.retain_bytes),
          options_.seed};
}

// --- actors

Result<ReplayHello> Replay::hello(uint32_t actor, uint64_t incarnation) {
  const ActorRecord& record = state_->actor(actor);
  const bool known = record.incarnation == incarnation && incarnation != 0;
  if (known && record.era != state_->era())
    return absl::AbortedError(str("replay: the run returned to epoch ", state_->restored_epoch(),
                                  "; actor-", actor, " must begin from there"));
  if (!known) {
    OA_RETURN_IF_ERROR(commit_command(static_cast<uint32_t>(CommandKind::kHello),
                                      encode(HelloCommand{actor, incarnation})));
    state_->hello(actor, incarnation);
  }
  return place_of(actor);
}

Result<ReplayHello> Replay::place_of(uint32_t actor) const {
  const ActorRecord& record = state_->actor(actor);
  ReplayHello hello{record.expected, state_->era(), 0, {}};
  const auto& stamps = state_->stamps(state_->restored_epoch());
  const auto stamp = stamps.find(actor);
  if (!record.restore || stamp == stamps.end()) return hello;
  hello.epoch = state_->restored_epoch();
  const fs::path path = replay_epoch_folder(folders_.checkpoints, hello.epoch) / stamp->second.file;
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return absl::FailedPreconditionError(
        str(path.string(), " is missing; actor-", actor, " cannot be restored"));
  hello.state = read_bytes(path);
  if (sha256(hello.state) != stamp->second.sha256)
    return absl::FailedPreconditionError(
        str(path.string(), " is refused: its hash is not the one that was stamped"));
  return hello;
}

Offer Replay::offer(const ring::Chunk& chunk, const std::vector<ring::ItemSpec>& items) {
  if (chunk.key.sequence < state_->actor(chunk.key.actor).expected) {
    ++duplicates_;
    return {Offer::Verdict::kDuplicate, "", ""};
  }
  if (std::string fault = ring::ingest_fault(chunk); !fault.empty())
    return quarantine(chunk, fault);
  if (std::string fault = item_fault(chunk, items); !fault.empty()) return quarantine(chunk, fault);
  if (auto held = hold_back(chunk, items)) return *held;

  AcceptedChunk accepted{chunk.key, {}, items};
  if (journal_ != nullptr)
    if (Status room = journal_->make_room(64 + 128 * items.size()); !room.ok()) return refuse(room);
  Result<ChunkLocation> location = log_.append(chunk);
  if (!location.ok()) return refuse(location.status());
  accepted.location = *location;
  if (Status status = commit_command(static_cast<uint32_t>(CommandKind::kAccept), encode(accepted));
      !status.ok()) {
    log_.release(*location);
    return refuse(status);
  }
  state_->accept(accepted);
  refusing_.clear();
  return {};
}

Offer Replay::refuse(const Status& status) {
  if (refusing_.empty()) log_warning("replay: takes no chunk: ", status.message());
  refusing_ = std::string(status.message());
  return {Offer::Verdict::kHeld, "replay/disk", refusing_};
}

std::string Replay::item_fault(const ring::Chunk& chunk,
                               const std::vector<ring::ItemSpec>& items) const {
  if (options_.ordered_actors > 0 && chunk.key.actor >= options_.ordered_actors)
    return str("ordered_actors is ", options_.ordered_actors, ", the actor is ", chunk.key.actor);
  for (const ring::ItemSpec& item : items) {
    if (state_->table(item.table) == nullptr)
      return str("no table \"", item.table, "\"", suggestion(item.table, state_->table_names()));
    if (item.begin < 0 || item.length < 1 || item.length > chunk.steps ||
        item.begin > chunk.steps - item.length)
      return str("item of steps ", item.begin, " + ", item.length, " in a chunk of ", chunk.steps);
    if (item.lane < -1 || item.lane >= chunk.lanes)
      return str("item of lane ", item.lane, " in a chunk of ", chunk.lanes, " lanes");
    if (!(item.priority >= 0) || std::isinf(item.priority))
      return str("item with priority ", item.priority);
  }
  return "";
}

// Credits: items per actor and table, staged bytes for all.
std::optional<Offer> Replay::hold_back(const ring::Chunk& chunk,
                                       const std::vector<ring::ItemSpec>& items) const {
  for (const ring::ItemSpec& item : items) {
    const ReplayTable& table = *state_->table(item.table);
    if (table.waiting_of(chunk.key.actor) >= static_cast<size_t>(options_.credit_items))
      return Offer{Offer::Verdict::kHeld, "replay/" + item.table, table.insert_wait()};
  }
  const size_t staged = state_->chunks().staged_bytes();
  if (staged == 0 || staged + chunk.arrays.bytes() <= static_cast<size_t>(options_.staged_bytes))
    return std::nullopt;
  std::string holder = "replay", reason;
  for (const auto& table : state_->tables())
    if (table->waiting() > 0) {
      holder = "replay/" + table->spec().name;
      reason = table->insert_wait();
    }
  return Offer{
      Offer::Verdict::kHeld, holder,
      str(staged, " bytes are staged, staged_bytes is ", options_.staged_bytes, "; ", reason)};
}

Offer Replay::quarantine(const ring::Chunk& chunk, const std::string& fault) {
  if (Status status =
          commit_command(static_cast<uint32_t>(CommandKind::kQuarantine), encode(chunk.key));
      !status.ok())
    return refuse(status);
  state_->quarantine(chunk.key);
  log_warning("replay: chunk ", chunk.key.sequence, " of actor-", chunk.key.actor,
              " is quarantined: ", fault);
  keep_for_inspection(chunk, fault);
  return {Offer::Verdict::kQuarantined, "", fault};
}

void Replay::keep_for_inspection(const ring::Chunk& chunk, const std::string& fault) {
  uint64_t total = 0;
  for (const auto& [actor, record] : state_->actors()) total += record.quarantined;
  if (total > static_cast<uint64_t>(options_.quarantine_files)) return;
  const ChunkEncoding encoding(chunk);
  Bytes bytes(encoding.bytes());
  encoding.write(bytes.data());
  const fs::path path =
      folders_.quarantine / str("actor-", chunk.key.actor, "-", chunk.key.sequence, ".chunk");
  const std::string row =
      Json{{"actor", chunk.key.actor}, {"sequence", chunk.key.sequence}, {"fault", fault}}.dump();
  Status written = try_write(path, bytes);
  if (written.ok())
    written = try_write(fs::path(path).replace_extension("json"),
                        {reinterpret_cast<const uint8_t*>(row.data()), row.size()});
  if (!written.ok()) log_warning("replay: the quarantined chunk is not kept: ", written.message());
}

Offer Replay::offer_stamp(uint32_t actor, int64_t epoch, std::span<const uint8_t> actor_state) {
  const StampCommand command{
      epoch, {actor, state_->actor(actor).expected, stamp_file(actor), sha256(actor_state)}};
  const fs::path file = replay_epoch_folder(folders_.checkpoints, epoch) / command.stamp.file;
  // The manifest of a committed epoch names the stamps that it has; a late one only takes its place
  // in the stream.
  if (epoch > state_->committed_epoch())
    if (Status status = try_write(file, actor_state); !status.ok()) return refuse(status);
  if (Status status = commit_command(static_cast<uint32_t>(CommandKind::kStamp), encode(command));
      !status.ok())
    return refuse(status);
  state_->stamp(epoch, command.stamp);
  return {};
}

// --- learner

Status Replay::check_table(const std::string& table) const {
  if (state_->table(table) != nullptr) return ok();
  return absl::InvalidArgumentError(
      str("replay: no table \"", table, "\"", suggestion(table, state_->table_names())));
}

bool Replay::can_sample(const std::string& table, int64_t n) const {
  const ReplayTable* found = state_->table(table);
  return found != nullptr && found->can_sample(n);
}

Result<ring::SampleBatch> Replay::sample(const SampleTicket& ticket, const std::string& name,
                                         int64_t n) {
  if (const SampleAnswer* kept = state_->answer(ticket)) return batch_of(*kept);
  OA_RETURN_IF_ERROR(check_table(name));
  const ReplayTable& table = *state_->table(name);
  if (std::string fault = table.sample_fault(n); !fault.empty())
    return absl::InvalidArgumentError(str("replay/", name, ": ", fault));
  if (!table.can_sample(n))
    return absl::UnavailableError(str("replay/", name, ": ", table.sample_wait(n)));
  OA_RETURN_IF_ERROR(commit_command(static_cast<uint32_t>(CommandKind::kSample),
                                    encode(SampleCommand{ticket, name, n})));
  return batch_of(state_->sample(ticket, name, n));
}

ring::SampleBatch Replay::batch_of(const SampleAnswer& answer) {
  ring::SampleBatch batch{answer.table, {}};
  for (const TableSample& sample : answer.samples) {
    const TableItem& item = sample.item;
    batch.items.push_back({sample.slot,
                           sample.generation,
                           sample.probability,
                           {answer.table, item.begin, item.length, item.lane, item.priority},
                           state_->chunks().chunk(item.chunk)});
  }
  return batch;
}

Result<uint64_t> Replay::set_priorities(const std::string& table,
                                        std::span<const PriorityUpdate> updates) {
  OA_RETURN_IF_ERROR(check_table(table));
  for (const PriorityUpdate& update : updates)
    if (!(update.priority >= 0) || std::isinf(update.priority))
      return absl::InvalidArgumentError(
          str("replay/", table, ": priority ", update.priority, " for item ", update.key));
  OA_RETURN_IF_ERROR(
      commit_command(static_cast<uint32_t>(CommandKind::kSetPriorities),
                     encode(PrioritiesCommand{table, {updates.begin(), updates.end()}})));
  return state_->set_priorities(table, updates);
}

Result<ReplayCheckpoint> Replay::checkpoint(int64_t epoch) {
  if (journal_ == nullptr)
    return absl::FailedPreconditionError(
        "replay: durability = memory keeps no chunk files, so no epoch can be checkpointed; use "
        "process");
  if (epoch < 1) return absl::InvalidArgumentError(str("replay: epochs start at 1, was ", epoch));
  if (epoch < state_->committed_epoch())
    return absl::FailedPreconditionError(str(
        "replay: epoch ", epoch, " is older than the committed epoch ", state_->committed_epoch()));
  if (state_->mark(epoch) == nullptr) {
    OA_RETURN_IF_ERROR(
        commit_command(static_cast<uint32_t>(CommandKind::kCheckpoint), encode_epoch(epoch)));
    state_->checkpoint(epoch);
  }
  const EpochMark& mark = *state_->mark(epoch);
  log_.sync();
  const EpochFile file{epoch, mark.image, state_->accepted_since(mark, false),
                       state_->stamps(epoch)};
  const Bytes bytes = seal({"replay-epoch", run_, file.save()});
  const fs::path folder = replay_epoch_folder(folders_.checkpoints, epoch);
  OA_RETURN_IF_ERROR(try_write(folder / kEpochFileName, bytes));
  ReplayCheckpoint report{epoch, kEpochFileName, sha256(bytes), {}, {}};
  for (const auto& [actor, stamp] : file.stamps) report.stamps.push_back(stamp);
  for (const auto& [actor, record] : state_->actors())
    if (!file.stamps.contains(actor)) report.missing.push_back(actor);
  return report;
}

Status Replay::commit(int64_t epoch) {
  if (state_->committed_epoch() == epoch) return ok();
  if (state_->mark(epoch) == nullptr)
    return absl::NotFoundError(
        str("replay: epoch ", epoch,
            " was never stamped here, or is superseded; the committed epoch is ",
            state_->committed_epoch()));
  OA_RETURN_IF_ERROR(
      commit_command(static_cast<uint32_t>(CommandKind::kCommit), encode_epoch(epoch)));
  state_->commit(epoch);
  log_.drop_unclaimed();
  return ok();
}

Result<std::unique_ptr<ReplayState>> Replay::state_at(int64_t epoch, RollbackMode mode,
                                                      const std::string& expected_hash,
                                                      ReplayRollback& report) {
  EpochFile file;
  file.epoch = epoch;
  if (epoch != 0) {
    const fs::path path = replay_epoch_folder(folders_.checkpoints, epoch) / kEpochFileName;
    Result<Bytes> content = unseal(path, "replay-epoch", run_);
    if (!content.ok()) return content.status();
    if (!expected_hash.empty() && sha256(read_bytes(path)) != expected_hash)
      return absl::FailedPreconditionError(
          str(path.string(), " is refused: its hash is not the manifest's"));
    file = EpochFile::load(*content, path.string());
    if (file.epoch != epoch)
      return absl::FailedPreconditionError(
          str(path.string(), " is refused: it holds epoch ", file.epoch));
  }
  const EpochMark* mark = state_->mark(epoch);
  std::vector<AcceptedChunk> again = file.late;
  if (mark != nullptr && (mode == RollbackMode::kKeepNewer || file.late.empty()))
    again = state_->accepted_since(*mark, mode == RollbackMode::kKeepNewer);
  auto restored = std::make_unique<ReplayState>(config(), &log_);
  report.consumed_uncommitted = restored->restore(*state_, epoch, file.tables, again, file.stamps,
                                                  mode == RollbackMode::kExact);
  report.reinserted = again.size();
  return restored;
}

Result<ReplayRollback> Replay::rollback(int64_t epoch, RollbackMode mode,
                                        const std::string& expected_hash) {
  ReplayRollback report;
  report.epoch = epoch;
  Result<std::unique_ptr<ReplayState>> restored = [&]() -> Result<std::unique_ptr<ReplayState>> {
    try {
      return state_at(epoch, mode, expected_hash, report);
    } catch (const Error& error) {  // a damaged file must not end the service: the learner is told,
                                    // and everything stays as it was
      return absl::FailedPreconditionError(
          str("replay: epoch ", epoch, " is refused: ", error.what()));
    }
  }();
  if (!restored.ok()) return restored.status();
  std::swap(state_, *restored);
  if (Status status = fold(); !status.ok()) {
    std::swap(state_, *restored);
    return status;
  }
  report.era = state_->era();
  report.chunks = state_->chunks().count();
  log_info("replay: returned to epoch ", epoch,
           mode == RollbackMode::kExact ? ", exactly" : ", keeping newer chunks", "; ",
           report.chunks, " chunks, ", report.reinserted, " of them accepted after it, ",
           report.consumed_uncommitted, " items consumed_uncommitted");
  log_predictions(*state_, &report.predictions);
  return report;
}

void Replay::log_predictions(const ReplayState& state, std::vector<std::string>* into) const {
  for (const auto& table : state.tables()) {
    const LimiterCounts& counts = table->counts();
    const std::string line =
        str("table ", table->spec().name, ": ", counts.inserts, " inserts, ", counts.samples,
            " samples, ", table->size(), " items; ", table->prediction());
    log_info("replay: ", line);
    if (into != nullptr) into->push_back(line);
  }
}

ReplayReport Replay::report() const {
  ReplayReport report;
  for (const auto& table : state_->tables()) {
    const LimiterCounts& counts = table->counts();
    report.tables.push_back({table->spec().name, table->size(), table->spec().max_size,
                             static_cast<int64_t>(table->waiting()), counts.inserts, counts.samples,
                             counts.deletes, table->late_priorities(), table->insert_wait(),
                             table->sample_wait(1)});
  }
  report.accepted = state_->ever_accepted().count();
  report.duplicates = duplicates_;
  for (const auto& [actor, record] : state_->actors()) report.quarantined += record.quarantined;
  report.consumed_uncommitted = state_->consumed_uncommitted();
  report.chunks = state_->chunks().count();
  report.chunk_bytes = state_->chunks().bytes();
  report.staged_bytes = state_->chunks().staged_bytes();
  report.segment_bytes = log_.bytes();
  report.journal_bytes = journal_ == nullptr ? 0 : journal_->bytes();
  report.committed_epoch = state_->committed_epoch();
  report.era = state_->era();
  report.refusing = refusing_;
  return report;
}

}  // namespace oneagent
