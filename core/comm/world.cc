#include "core/comm/world.h"

#include <sched.h>

#include "core/base/check.h"

namespace oneagent::comm {
namespace {

// Those that this process may use, which in a container are fewer than the machine has.
int usable_cores() {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 ? CPU_COUNT(&cores) : 1;
}

}  // namespace

World::World(int size, GroupOptions options, bool of_one_process)
    : options_(std::move(options)),
      left_(static_cast<size_t>(size)),
      of_one_process_(of_one_process) {
  OA_REQUIRE(size > 0, "communicator: a group needs at least one rank, was ", size);
  OA_REQUIRE(options_.deadline_ms > 0, "communicator: deadline_ms must be positive, was ",
             options_.deadline_ms);
  may_spin_ = of_one_process && size <= usable_cores();
}

void World::end(const std::string& reason) {
  {
    std::lock_guard lock(mutex_);
    if (ended()) return;
    reason_ = reason;
    ended_.store(true, std::memory_order_seq_cst);
  }
  wake_all();
}

std::string World::reason() const {
  std::lock_guard lock(mutex_);
  return reason_;
}

void World::throw_reason() const { throw Error(reason()); }

void World::leave(int rank) {
  left_[rank].store(true, std::memory_order_seq_cst);
  wake_all();
}

void World::wake_all() {
  std::lock_guard lock(wakes_mutex_);
  for (const auto& wake : wakes_) wake();
}

World::Wake::Wake(World& world, std::function<void()> wake) : world_(world) {
  std::lock_guard lock(world.wakes_mutex_);
  entry_ = world.wakes_.insert(world.wakes_.end(), std::move(wake));
}

World::Wake::~Wake() {
  std::lock_guard lock(world_.wakes_mutex_);
  world_.wakes_.erase(entry_);
}

std::string to_text(const Where& where) {
  std::string text(where.what);
  if (where.call > 0) text += str(" #", where.call);
  if (where.tag >= 0) text += str(" (tag ", where.tag, ")");
  if (!where.part) return text;
  for (size_t i = 0; i < where.part->size(); ++i)
    text += str(i == 0 ? " of ranks " : ", ", (*where.part)[i]);
  return text;
}

World::Wait::Wait(World& world, int rank, int holder, const Where& where) : world_(world) {
  {
    std::lock_guard lock(world.mutex_);
    note_ = world.waits_.insert(world.waits_.end(), {rank, holder, where});
  }
  const GroupOptions& options = world.options();
  if (options.board)
    row_.emplace(*options.board, str(options.name, "rank ", rank),
                 str(options.name, "rank ", holder), to_text(where));
}

World::Wait::~Wait() {
  std::lock_guard lock(world_.mutex_);
  world_.waits_.erase(note_);
}

void World::Wait::fail_at_deadline(int64_t ms) {
  if (row_) row_->expired();
  fail(str(" for more than ", ms > 0 ? ms : world_.options_.deadline_ms, " ms"));
}

void World::Wait::fail_as_left() { fail(", which has left the group"); }

void World::Wait::fail_as_lost(const std::string& how) { fail(", which was lost: " + how); }

void World::Wait::fail(const std::string& how) {
  std::string text;
  {
    std::lock_guard lock(world_.mutex_);
    text = text_of(*note_) + how;
    bool holder_waits = false;
    std::string others;
    for (auto note = world_.waits_.begin(); note != world_.waits_.end(); ++note) {
      holder_waits = holder_waits || note->rank == note_->holder;
      if (note != note_) others += "; " + text_of(*note);
    }
    if (!holder_waits && world_.of_one_process_ && !world_.has_left(note_->holder))
      text += str("; rank ", note_->holder, " waits for nobody");
    text += others;
  }
  world_.end(text);
}

std::string World::waits_text() const {
  std::lock_guard lock(mutex_);
  std::string text;
  for (const Note& note : waits_) text += "; " + text_of(note);
  return text;
}

std::string World::text_of(const Note& note) {
  return str("rank ", note.rank, " waits in ", to_text(note.where), " for rank ", note.holder);
}

}  // namespace oneagent::comm
