#include "services/replay/chunk_store.h"

namespace oneagent {

ChunkStore::~ChunkStore() {
  if (log_ == nullptr) return;
  for (const auto& [id, record] : records_) log_->release(record.location);
}

ChunkId ChunkStore::add(const ring::ChunkKey& key, const ChunkLocation& location) {
  const ChunkId id = next_id_++;
  records_[id] = {key, location, 0, 0, 0, false, std::nullopt};
  bytes_ += location.bytes;
  return id;
}

void ChunkStore::settle(ChunkId id) { check_idle(records_.find(id)); }

void ChunkStore::use(ChunkId id) {
  Record& record = records_.at(id);
  ++record.uses;
  if (!record.idle) return;
  record.idle = false;
  idle_bytes_ -= record.location.bytes;
}

void ChunkStore::unuse(ChunkId id) {
  const auto record = records_.find(id);
  OA_CHECK(record != records_.end() && record->second.uses > 0, "chunk ", id, " is not used");
  --record->second.uses;
  check_idle(record);
}

void ChunkStore::hold(ChunkId id) { ++records_.at(id).holds; }

void ChunkStore::unhold(ChunkId id) {
  const auto record = records_.find(id);
  if (record == records_.end()) return;
  OA_CHECK(record->second.holds > 0, "chunk ", id, " is not held");
  --record->second.holds;
  check_idle(record);
}

// Without a use: idle when held, gone when not.
void ChunkStore::check_idle(Records::iterator found) {
  Record& record = found->second;
  if (record.uses > 0 || (record.idle && record.holds > 0)) return;
  if (record.holds > 0) {
    record.idle = true;
    record.view.reset();
    idle_bytes_ += record.location.bytes;
    while (!idle_.empty() && !contains(idle_.front())) idle_.pop_front();
    idle_.push_back(found->first);
    return;
  }
  const ChunkLocation location = record.location;
  if (record.idle) idle_bytes_ -= location.bytes;
  bytes_ -= location.bytes;
  records_.erase(found);
  if (log_ != nullptr) log_->release(location);
}

void ChunkStore::stage(ChunkId id) {
  Record& record = records_.at(id);
  if (record.staged++ == 0) staged_bytes_ += record.location.bytes;
}

void ChunkStore::unstage(ChunkId id) {
  Record& record = records_.at(id);
  if (--record.staged == 0) staged_bytes_ -= record.location.bytes;
}

const ring::Chunk& ChunkStore::chunk(ChunkId id) {
  Record& record = records_.at(id);
  OA_CHECK(log_ != nullptr, "a chunk store without a log has no bytes");
  if (!record.view) record.view = log_->read(record.location);
  return *record.view;
}

std::optional<ring::ChunkKey> ChunkStore::forget_oldest() {
  while (!idle_.empty()) {
    const auto found = records_.find(idle_.front());
    idle_.pop_front();
    if (found == records_.end() || !found->second.idle) continue;
    const ring::ChunkKey key = found->second.key;
    found->second.holds = 0;
    check_idle(found);
    return key;
  }
  return std::nullopt;
}

}  // namespace oneagent
