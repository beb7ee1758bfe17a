#include "services/replay/replay_table.h"

#include <algorithm>
#include <limits>

namespace oneagent {

ReplayTable::ReplayTable(ring::TableSpec spec, ChunkStore& chunks, uint64_t seed,
                         int64_t ordered_actors)
    : spec_(std::move(spec)),
      chunks_(chunks),
      ordered_actors_(spec_.sampler == "fifo" ? ordered_actors : 0),
      limiter_(spec_.limiter),
      sampler_(make_selector(spec_.sampler)),
      remover_(make_selector(spec_.remover)),
      rng_(seed, hash_text(spec_.name)) {
  OA_REQUIRE(spec_.max_size > 0, "replay: table ", spec_.name,
             ": max_size must be at least 1, was ", spec_.max_size);
  OA_REQUIRE(spec_.max_times_sampled >= 0, "replay: table ", spec_.name,
             ": max_times_sampled must be at least 0, was ", spec_.max_times_sampled);
  OA_REQUIRE(spec_.limiter.min_size <= spec_.max_size, "replay: table ", spec_.name,
             ": the limiter's min_size ", spec_.limiter.min_size, " is larger than max_size ",
             spec_.max_size);
}

ReplayTable::~ReplayTable() {
  for (const Slot& slot : slots_)
    if (slot.live && slot.item.chunk != 0) chunks_.unuse(slot.item.chunk);
  for (const auto& [actor, queue] : queues_)
    for (const TableItem& item : queue) {
      chunks_.unstage(item.chunk);
      chunks_.unuse(item.chunk);
    }
}

void ReplayTable::enqueue(const TableItem& item) {
  OA_REQUIRE(ordered_actors_ == 0 || item.actor < ordered_actors_, "replay: table ", spec_.name,
             ": ordered_actors is ", ordered_actors_, ", an item came from actor ", item.actor);
  chunks_.use(item.chunk);
  chunks_.stage(item.chunk);
  queues_[ordered_actors_ > 0 ? item.actor : 0].push_back(item);
  ++waiting_by_actor_[item.actor];
  ++waiting_count_;
}

size_t ReplayTable::waiting_of(uint32_t actor) const {
  const auto found = waiting_by_actor_.find(actor);
  return found == waiting_by_actor_.end() ? 0 : found->second;
}

bool ReplayTable::next_waiting(uint32_t& actor) const {
  actor = ordered_actors_ > 0 ? turn_ : 0;
  const auto queue = queues_.find(actor);
  return queue != queues_.end() && !queue->second.empty();
}

void ReplayTable::pump() {
  uint32_t queue = 0;
  while (waiting_count_ > 0 && next_waiting(queue) && limiter_.can_insert(1)) {
    const TableItem item = queues_[queue].front();
    queues_[queue].pop_front();
    --waiting_by_actor_[item.actor];
    --waiting_count_;
    if (ordered_actors_ > 0) turn_ = (turn_ + 1) % static_cast<uint32_t>(ordered_actors_);
    chunks_.unstage(item.chunk);
    insert(item);  // the use that enqueue() took becomes the item's
  }
}

void ReplayTable::insert(const TableItem& item) {
  while (size() >= spec_.max_size) remove(remover_->pick(rng_).slot);
  const uint32_t index = take_slot();
  Slot& slot = slots_[index];
  slot.item = item;
  slot.number = limiter_.counts().inserts;
  slot.times_sampled = 0;
  slot.live = true;
  sampler_->insert(index, item.priority);
  remover_->insert(index, item.priority);
  limiter_.insert(1);
}

uint32_t ReplayTable::take_slot() {
  if (free_slots_.empty()) {
    slots_.emplace_back();
    return static_cast<uint32_t>(slots_.size() - 1);
  }
  const uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void ReplayTable::remove(uint32_t index) {
  Slot& slot = slots_[index];
  sampler_->erase(index);
  remover_->erase(index);
  limiter_.erase(1);
  times_sampled_ -= slot.times_sampled;
  chunks_.unuse(slot.item.chunk);
  slot.live = false;
  ++slot.generation;
  free_slots_.push_back(index);
}

int64_t ReplayTable::samples_left() const {
  if (spec_.max_times_sampled == 0) return size() > 0 ? std::numeric_limits<int64_t>::max() : 0;
  return size() * spec_.max_times_sampled - times_sampled_;
}

bool ReplayTable::can_sample(int64_t n) const {
  return limiter_.can_sample(n) && samples_left() >= n;
}

std::vector<TableSample> ReplayTable::sample(int64_t n) {
  OA_CHECK(can_sample(n), "table ", spec_.name, " cannot give ", n, " items");
  std::vector<TableSample> samples;
  for (int64_t i = 0; i < n; ++i) {
    const Pick pick = sampler_->pick(rng_);
    Slot& slot = slots_[pick.slot];
    chunks_.use(slot.item.chunk);
    samples.push_back({pick.slot, slot.generation, pick.probability, slot.item});
    limiter_.sample(1);
    ++slot.times_sampled;
    ++times_sampled_;
    if (spec_.max_times_sampled > 0 && slot.times_sampled >= spec_.max_times_sampled)
      remove(pick.slot);
  }
  return samples;
}

bool ReplayTable::set_priority(uint32_t index, uint32_t generation, double priority) {
  if (index >= slots_.size() || !slots_[index].live || slots_[index].generation != generation) {
    ++late_priorities_;
    return false;
  }
  slots_[index].item.priority = priority;
  sampler_->update(index, priority);
  remover_->update(index, priority);
  return true;
}

std::string ReplayTable::insert_wait() const {
  uint32_t actor = 0;
  if (waiting_count_ == 0) return "";
  if (!next_waiting(actor)) return str("actor order: the next item must come from actor-", turn_);
  return limiter_.insert_wait(1);
}

std::string ReplayTable::sample_wait(int64_t n) const {
  if (std::string reason = limiter_.sample_wait(n); !reason.empty()) return reason;
  if (samples_left() >= n) return "";
  return str("asks ", n, " samples, the ", size(), " items in it have ", samples_left(),
             " left; actors must insert");
}

std::string ReplayTable::sample_fault(int64_t n) const {
  if (n < 1) return str("asks ", n, " items; at least 1");
  if (!limiter_.can_ever_sample(n))
    return str("a sample of ", n, " items can never be allowed: the limiter's range is ",
               spec_.limiter.max_diff - spec_.limiter.min_diff, " wide; ask fewer or widen it");
  if (spec_.max_times_sampled > 0 && n > spec_.max_size * spec_.max_times_sampled)
    return str("a sample of ", n, " items can never be allowed: at most ", spec_.max_size,
               " items are in it, each sampled ", spec_.max_times_sampled, " times");
  return "";
}

void ReplayTable::save(ByteWriter& out, const SaveChunk& chunk) const {
  const auto put_item = [&](const TableItem& item) {
    out.put(chunk(item.chunk));
    out.put(item.actor);
    out.put(item.begin);
    out.put(item.length);
    out.put(item.lane);
    out.put(item.priority);
  };
  out.put_text(spec_.sampler);
  out.put_text(spec_.remover);
  out.put(limiter_.counts());
  out.put_rng(rng_);
  out.put(turn_);
  out.put(late_priorities_);
  out.put<uint64_t>(slots_.size());
  for (const Slot& slot : slots_) {
    out.put(slot.generation);
    out.put<uint8_t>(slot.live ? 1 : 0);
    if (!slot.live) continue;
    out.put(slot.number);
    out.put(slot.times_sampled);
    put_item(slot.item);
  }
  out.put_vector(free_slots_);
  out.put_vector(sampler_->order());
  out.put_vector(remover_->order());
  out.put<uint64_t>(waiting_count_);
  for (const auto& [actor, queue] : queues_)
    for (const TableItem& item : queue) put_item(item);
}

uint64_t ReplayTable::load(ByteReader& in, const LoadChunk& chunk) {
  const auto get_item = [&] {
    TableItem item;
    item.chunk = chunk(in.get<uint32_t>());
    item.actor = in.get<uint32_t>();
    item.begin = in.get<int64_t>();
    item.length = in.get<int64_t>();
    item.lane = in.get<int64_t>();
    item.priority = in.get<double>();
    return item;
  };
  OA_CHECK(slots_.empty() && waiting_count_ == 0, "table ", spec_.name, " is not empty");
  const std::string sampler = in.get_text(), remover = in.get_text();
  limiter_ = RateLimiter(spec_.limiter, in.get<LimiterCounts>());
  rng_ = in.get_rng();
  turn_ = in.get<uint32_t>();
  late_priorities_ = in.get<uint64_t>();
  const auto slot_count = in.get<uint64_t>();
  OA_REQUIRE(slot_count <= in.left(), "replay: table ", spec_.name, ": ", slot_count,
             " slots announced, ", in.left(), " bytes left");
  slots_.resize(slot_count);
  std::vector<uint32_t> by_number, missing;
  for (uint32_t index = 0; index < slots_.size(); ++index) {
    Slot& slot = slots_[index];
    slot.generation = in.get<uint32_t>();
    if (in.get<uint8_t>() == 0) continue;
    slot.number = in.get<uint64_t>();
    slot.times_sampled = in.get<int32_t>();
    slot.item = get_item();
    times_sampled_ += slot.times_sampled;
    by_number.push_back(index);
    if (slot.item.chunk == 0)
      missing.push_back(index);
    else
      chunks_.use(slot.item.chunk);
    slot.live = true;
  }
  std::sort(by_number.begin(), by_number.end(),
            [&](uint32_t a, uint32_t b) { return slots_[a].number < slots_[b].number; });
  free_slots_ = in.get_vector<uint32_t>();
  const auto sampler_order = in.get_vector<uint32_t>(), remover_order = in.get_vector<uint32_t>();
  fill(*sampler_, sampler == spec_.sampler ? sampler_order : by_number);
  fill(*remover_, remover == spec_.remover ? remover_order : by_number);
  uint64_t dropped = drop(missing);
  const auto waiting = in.get<uint64_t>();  // items carry their actor: the queue follows from this
                                            // run's ordered_actors
  for (uint64_t i = 0; i < waiting; ++i) {
    const TableItem item = get_item();
    if (item.chunk == 0)
      ++dropped;
    else
      enqueue(item);
  }
  if (ordered_actors_ > 0) turn_ %= static_cast<uint32_t>(ordered_actors_);
  while (size() > spec_.max_size) remove(remover_->pick(rng_).slot);
  return dropped;
}

void ReplayTable::fill(Selector& selector, const std::vector<uint32_t>& order) const {
  for (const uint32_t index : order) {
    OA_REQUIRE(index < slots_.size() && slots_[index].live, "replay: table ", spec_.name,
               ": the saved order names slot ", index, ", which holds nothing");
    selector.insert(index, slots_[index].item.priority);
  }
}

// Like remove(), for items whose chunk is gone already.
uint64_t ReplayTable::drop(const std::vector<uint32_t>& slots) {
  for (const uint32_t index : slots) {
    sampler_->erase(index);
    remover_->erase(index);
    limiter_.erase(1);
    times_sampled_ -= slots_[index].times_sampled;
    slots_[index].live = false;
    ++slots_[index].generation;
    free_slots_.push_back(index);
  }
  return slots.size();
}

}  // namespace oneagent
