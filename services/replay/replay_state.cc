#include "services/replay/replay_state.h"

#include <algorithm>

namespace oneagent {
namespace {

constexpr size_t kMaxClients = 64;
constexpr size_t kMaxMarks = 4;
constexpr size_t kMaxStampedEpochs = 8;

}  // namespace

ReplayState::ReplayState(ReplayConfig config, SegmentLog* log)
    : config_(std::move(config)), log_(log), chunks_(log) {
  for (const ring::TableSpec& spec : config_.tables) {
    OA_REQUIRE(table(spec.name) == nullptr, "replay: two tables are named \"", spec.name, "\"");
    tables_.push_back(
        std::make_unique<ReplayTable>(spec, chunks_, config_.seed, config_.ordered_actors));
  }
}

ReplayState::~ReplayState() = default;

ReplayTable* ReplayState::table(const std::string& name) {
  for (const auto& table : tables_)
    if (table->spec().name == name) return table.get();
  return nullptr;
}

const ReplayTable* ReplayState::table(const std::string& name) const {
  return const_cast<ReplayState*>(this)->table(name);
}

std::vector<std::string> ReplayState::table_names() const {
  std::vector<std::string> names;
  for (const auto& table : tables_) names.push_back(table->spec().name);
  return names;
}

void ReplayState::enter(const ring::ChunkKey& key) {
  accepted_.add(key.actor, key.sequence);
  ever_.add(key.actor, key.sequence);
  ActorRecord& actor = actors_[key.actor];
  actor.expected = std::max(actor.expected, key.sequence + 1);
  actor.restore = false;
  ++actor.stream;
}

void ReplayState::hello(uint32_t actor, uint64_t incarnation) {
  actors_[actor].incarnation = incarnation;
  actors_[actor].era = era_;
}

void ReplayState::accept(const AcceptedChunk& chunk) {
  enter(chunk.key);
  const ChunkId id = chunks_.add(chunk.key, chunk.location);
  for (const ring::ItemSpec& item : chunk.items)
    if (ReplayTable* into = table(item.table))
      into->enqueue({id, chunk.key.actor, item.begin, item.length, item.lane, item.priority});
  chunks_.hold(id);
  since_.push_back({chunk, id});
  chunks_.settle(id);
  after_command();
}

void ReplayState::quarantine(const ring::ChunkKey& key) {
  enter(key);
  ++actors_[key.actor].quarantined;
}

void ReplayState::after_command() {
  for (const auto& table : tables_) table->pump();
  forget_beyond_bound();
}

void ReplayState::forget_beyond_bound() {
  while (chunks_.idle_bytes() > config_.retain_bytes) {
    const auto key = chunks_.forget_oldest();
    if (!key) return;
    forgotten_.add(key->actor, key->sequence);
    ++consumed_uncommitted_;
  }
  for (; !since_.empty() && !chunks_.contains(since_.front().id); ++since_begin_)
    since_.pop_front();
}

const SampleAnswer& ReplayState::sample(const SampleTicket& ticket, const std::string& name,
                                        int64_t n) {
  SampleAnswer& answer = answers_[ticket.client];
  drop_answer(answer);
  answer = {ticket, name, table(name)->sample(n), next_answer_++};
  if (answers_.size() > kMaxClients) {
    const auto oldest = std::min_element(
        answers_.begin(), answers_.end(),
        [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
    drop_answer(oldest->second);
    answers_.erase(oldest);
  }
  after_command();
  return answer;
}

void ReplayState::drop_answer(SampleAnswer& answer) {
  for (const TableSample& sample : answer.samples) chunks_.unuse(sample.item.chunk);
  answer.samples.clear();
}

const SampleAnswer* ReplayState::answer(const SampleTicket& ticket) const {
  const auto found = answers_.find(ticket.client);
  return found != answers_.end() && found->second.ticket.same_request(ticket) ? &found->second
                                                                              : nullptr;
}

uint64_t ReplayState::set_priorities(const std::string& name,
                                     std::span<const PriorityUpdate> updates) {
  uint64_t late = 0;
  ReplayTable& into = *table(name);
  for (const PriorityUpdate& update : updates)
    if (!into.set_priority(static_cast<uint32_t>(update.key),
                           static_cast<uint32_t>(update.generation), update.priority))
      ++late;
  return late;
}

void ReplayState::stamp(int64_t epoch, const StampReport& stamp) {
  ++actors_[stamp.actor].stream;
  if (epoch <= base_.epoch) return;
  stamps_[epoch][stamp.actor] = stamp;
  while (stamps_.size() > kMaxStampedEpochs) {
    const auto oldest =
        stamps_.begin()->first == base_.epoch ? std::next(stamps_.begin()) : stamps_.begin();
    stamps_.erase(oldest);
  }
}

void ReplayState::checkpoint(int64_t epoch) {
  if (mark(epoch) != nullptr) return;
  EpochMark made;
  made.epoch = epoch;
  made.image = save_tables(&made.held);
  made.since = since_begin_ + since_.size();
  for (const ChunkId id : made.held) chunks_.hold(id);
  marks_[epoch] = std::move(made);
  if (marks_.size() > kMaxMarks) {
    release(marks_.begin()->second);
    marks_.erase(marks_.begin());
  }
}

void ReplayState::release(EpochMark& mark) {
  for (const ChunkId id : mark.held) chunks_.unhold(id);
  mark.held.clear();
}

void ReplayState::commit(int64_t epoch) {
  const auto found = marks_.find(epoch);
  if (found == marks_.end()) return;
  release(base_);
  base_ = std::move(found->second);
  while (!marks_.empty() && marks_.begin()->first <= epoch) {
    release(marks_.begin()->second);
    marks_.erase(marks_.begin());
  }
  for (; !since_.empty() && since_begin_ < base_.since; ++since_begin_) {
    chunks_.unhold(since_.front().id);
    since_.pop_front();
  }
  stamps_.erase(stamps_.begin(), stamps_.lower_bound(epoch));
}

const ActorRecord& ReplayState::actor(uint32_t actor) const {
  static const ActorRecord fresh;
  const auto found = actors_.find(actor);
  return found == actors_.end() ? fresh : found->second;
}

const std::map<uint32_t, StampReport>& ReplayState::stamps(int64_t epoch) const {
  static const std::map<uint32_t, StampReport> none;
  const auto found = stamps_.find(epoch);
  return found == stamps_.end() ? none : found->second;
}

const EpochMark* ReplayState::mark(int64_t epoch) const {
  if (const auto found = marks_.find(epoch); found != marks_.end()) return &found->second;
  return base_.epoch == epoch ? &base_ : nullptr;
}

std::vector<AcceptedChunk> ReplayState::accepted_since(const EpochMark& mark, bool all) const {
  std::vector<AcceptedChunk> chunks;
  const auto& stamped = stamps(mark.epoch);
  uint64_t number = since_begin_;
  for (const Since& since : since_) {
    if (number++ < mark.since) continue;
    const auto stamp = stamped.find(since.chunk.key.actor);
    const bool before_stamp =
        stamp != stamped.end() && since.chunk.key.sequence < stamp->second.sequence_after;
    if (all || before_stamp) chunks.push_back(since.chunk);
  }
  return chunks;
}

}  // namespace oneagent
