#include "core/comm/thread_communicator.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <map>
#include <thread>
#include <utility>

#include "core/base/check.h"
#include "core/comm/reduction.h"
#include "core/comm/thread_group_state.h"
#include "core/comm/traffic.h"

namespace oneagent::comm {
namespace {

// While it lives, this rank may read memory of others: they stay in their calls, even those that
// fail. Nothing in it waits.
class Reading {
 public:
  Reading(const World& world, Slot& slot) : slot_(slot) {
    slot_.reads.store(true, std::memory_order_seq_cst);
    if (!world.ended()) return;
    slot_.reads.store(false, std::memory_order_seq_cst);
    world.throw_reason();
  }
  ~Reading() { slot_.reads.store(false, std::memory_order_seq_cst); }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

 private:
  Slot& slot_;
};

void copy(void* to, const void* from, size_t bytes) {
  if (bytes > 0 && to != from) std::memcpy(to, from, bytes);
}
void* at(void* data, size_t bytes) { return static_cast<std::byte*>(data) + bytes; }
const void* at(const void* data, size_t bytes) {
  return static_cast<const std::byte*>(data) + bytes;
}

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<ThreadGroupState> state, int rank)
      : state_(std::move(state)), rank_(rank), mine_(state_->slots[rank]), parts_(size()) {}

  int rank() const override { return rank_; }
  int size() const override { return state_->size(); }

  void all_reduce(void* data, size_t count, DType dtype, Reduce reduce) override {
    const size_t width = size_of(dtype);
    const bool direct = count * width <= kDirectBytes;
    Call& call = next(CallKind::kAllReduce, dtype, count);
    call.reduce = reduce;
    run(data, count * width, [&] {
      if (direct) {
        reduce_parts(data, 0, count, dtype, reduce);
        return;
      }
      const Chunk own = chunk_of(count, rank_, size());
      {
        Reading reading(world(), mine_);
        reduce_parts(at(data, own.begin * width), own.begin * width, own.count, dtype, reduce);
      }
      inject("step");
      state_->advance(rank_, phase_of(calls_, Step::kReduced));
      for (int r = others_first(); r != rank_; r = after(r)) {
        wait_for(r, Step::kReduced);
        Reading reading(world(), mine_);
        const Chunk chunk = chunk_of(count, r, size());
        copy(at(data, chunk.begin * width), at(in_of(r), chunk.begin * width), chunk.count * width);
      }
    });
  }

  void all_gather(const void* in, void* out, std::span<const size_t> counts, DType dtype) override {
    const size_t width = size_of(dtype);
    Call& call = next(CallKind::kAllGather, dtype, total_of(counts));
    call.counts.assign(counts.begin(), counts.end());
    run(in, counts.size() > static_cast<size_t>(rank_) ? counts[rank_] * width : 0, [&] {
      Reading reading(world(), mine_);
      size_t offset = 0;
      for (int r = 0; r < size(); offset += counts[r] * width, ++r)
        copy(at(out, offset), r == rank_ ? in : in_of(r), counts[r] * width);
    });
  }

  void reduce_scatter(const void* in, void* out, std::span<const size_t> counts, DType dtype,
                      Reduce reduce) override {
    const size_t width = size_of(dtype);
    Call& call = next(CallKind::kReduceScatter, dtype, total_of(counts));
    call.counts.assign(counts.begin(), counts.end());
    call.reduce = reduce;
    run(in, call.count * width, [&] {
      Reading reading(world(), mine_);
      reduce_parts(out, offset_of(counts, rank_) * width, counts[rank_], dtype, reduce);
    });
  }

  void all_to_all(const void* in, std::span<const size_t> in_counts, void* out,
                  std::span<const size_t> out_counts, DType dtype) override {
    const size_t width = size_of(dtype);
    Call& call = next(CallKind::kAllToAll, dtype, total_of(in_counts));
    call.counts.assign(in_counts.begin(), in_counts.end());
    call.counts.insert(call.counts.end(), out_counts.begin(), out_counts.end());
    run(in, call.count * width, [&] {
      Reading reading(world(), mine_);
      size_t offset = 0;
      for (int r = 0; r < size(); offset += out_counts[r] * width, ++r) {
        const std::span<const size_t> theirs(publication(r).call.counts);
        copy(at(out, offset), at(in_of(r), offset_of(theirs, rank_) * width),
             out_counts[r] * width);
      }
    });
  }

  void broadcast(void* data, size_t count, DType dtype, int root) override {
    const size_t width = size_of(dtype);
    Call& call = next(CallKind::kBroadcast, dtype, count);
    call.root = root;
    run(data, rank_ == root ? count * width : 0, [&] {
      if (rank_ == root) return;
      Reading reading(world(), mine_);
      copy(data, in_of(root), count * width);
    });
  }

  void barrier() override {
    next(CallKind::kBarrier, DType::kFloat32, 0);
    run(nullptr, 0, [] {});
  }

  void send(const void* data, size_t bytes, int to, int tag) override;
  void receive(void* data, size_t bytes, int from, int tag) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks) override;
  void abort(const std::string& reason) override { world().end(reason); }
  const Traffic& traffic() const override { return traffic_; }

 private:
  World& world() const { return *state_->world; }
  int others_first() const { return after(rank_); }
  int after(int r) const { return r + 1 == size() ? 0 : r + 1; }
  const Publication& publication(int r) const { return state_->slots[r].publications[calls_ & 1]; }
  const void* in_of(int r) const { return publication(r).in; }
  void inject(std::string_view point) const {
    if (world().options().inject) world().options().inject(state_->ranks[rank_], point);
  }
  // The call that this rank is about to publish.
  Call& next(CallKind kind, DType dtype, size_t count) {
    world().require_running();
    ++calls_;
    Call& call = mine_.publications[calls_ & 1].call;
    call.set(kind, dtype, count);
    return call;
  }

  void wait_for(int other, Step step) {
    state_->wait_for(rank_, other, phase_of(calls_, step), publication(rank_).call.kind, calls_);
  }

  // One collective: publish `bytes` of `in`, wait for the others' calls, compare, do `body`. Small
  // input is copied, so that this rank may go on before the others have read it. Whatever is thrown
  // ends the world.
  template <class Body>
  void run(const void* in, size_t bytes, const Body& body) {
    Publication& own = mine_.publications[calls_ & 1];
    try {
      require_valid(own.call, size());
      inject("join");
      own.in = in;
      const bool copied = bytes <= kDirectBytes;
      if (copied && bytes > 0) {
        if (!own.copy) own.copy = std::make_unique_for_overwrite<std::byte[]>(kDirectBytes);
        copy(own.copy.get(), in, bytes);
        own.in = own.copy.get();
      }
      state_->advance(rank_, phase_of(calls_, Step::kJoined));
      for (int r = others_first(); r != rank_; r = after(r)) wait_for(r, Step::kJoined);
      compare();
      body();
      add_cost(traffic_, own.call, rank_, size());
      state_->advance(rank_, phase_of(calls_, Step::kDone));
      if (copied) return;
      for (int r = others_first(); r != rank_; r = after(r)) wait_for(r, Step::kDone);
    } catch (...) {
      fail(std::string(comm::name_of(own.call.kind)));
    }
  }

  // In a handler: ends the world with what is being handled, waits until nobody reads this rank's
  // memory, and throws on.
  [[noreturn]] void fail(const std::string& where) {
    try {
      throw;
    } catch (const std::exception& error) {
      world().end(str("rank ", state_->ranks[rank_], " failed in ", where, ": ", error.what()));
    } catch (...) {
      world().end(str("rank ", state_->ranks[rank_], " failed in ", where));
    }
    state_->wait_for_readers(rank_);
    throw;
  }

  void compare() {
    calls_of_all_.resize(parts_.size());
    for (int r = 0; r < size(); ++r) calls_of_all_[r] = &publication(r).call;
    const std::string text = disagreement(calls_of_all_, state_->ranks, calls_);
    if (text.empty()) return;
    world().end(text);
    throw Error(text);
  }

  void reduce_parts(void* out, size_t offset, size_t count, DType dtype, Reduce reduce) {
    for (int r = 0; r < size(); ++r) parts_[r] = at(in_of(r), offset);
    reduce_in_order(out, parts_, count, dtype, reduce);
  }

  [[noreturn]] void refuse_size(size_t sent, size_t expected, int from, int to, int tag);

  const std::shared_ptr<ThreadGroupState> state_;
  const int rank_;
  Slot& mine_;
  int64_t calls_ = 0;
  std::vector<const void*> parts_;         // of reduce_parts, kept for its memory
  std::vector<const Call*> calls_of_all_;  // of compare, likewise
  std::map<std::vector<int>, int> splits_;
  Traffic traffic_;
};

void ThreadCommunicator::refuse_size(size_t sent, size_t expected, int from, int to, int tag) {
  world().end(unequal_sizes(state_->ranks[from], state_->ranks[to], tag, sent, expected));
  world().throw_reason();
}

void ThreadCommunicator::send(const void* data, size_t bytes, int to, int tag) {
  require_peer("send", rank_, size(), to, tag);
  world().require_running();
  inject("send");
  Inbox& inbox = state_->inboxes[to];
  Channel::Message message;
  PostedReceive* posted = nullptr;
  while (true) {
    std::unique_lock lock(inbox.mutex);
    Channel& channel = inbox.channels[{rank_, tag}];
    if (channel.posted) {
      posted = std::exchange(channel.posted, nullptr);
      posted->state.store(PostedReceive::kFilling, std::memory_order_seq_cst);
      break;
    }
    if (message.data) {
      channel.messages.push_back(std::move(message));
      break;
    }
    lock.unlock();
    message = {std::make_unique_for_overwrite<std::byte[]>(bytes), bytes};
    copy(message.data.get(), data, bytes);
  }
  ++traffic_.send.calls;
  traffic_.send.bytes += static_cast<int64_t>(bytes);
  if (!posted) return;
  const size_t expected = posted->bytes;
  posted->sent_bytes = bytes;
  if (bytes == expected) copy(posted->data, data, bytes);
  posted->state.store(PostedReceive::kFilled, std::memory_order_seq_cst);  // the last touch of it
  if (inbox.waiters.load(std::memory_order_seq_cst) > 0) {
    { std::lock_guard lock(inbox.mutex); }
    inbox.condition.notify_all();
  }
  if (bytes != expected) refuse_size(bytes, expected, rank_, to, tag);
}

void ThreadCommunicator::receive(void* data, size_t bytes, int from, int tag) {
  require_peer("receive", rank_, size(), from, tag);
  world().require_running();
  inject("receive");
  Inbox& inbox = state_->inboxes[rank_];
  PostedReceive posted{data, bytes};
  std::unique_lock lock(inbox.mutex);
  Channel& channel = inbox.channels[{from, tag}];
  if (!channel.messages.empty()) {
    const Channel::Message message = std::move(channel.messages.front());
    channel.messages.pop_front();
    lock.unlock();
    if (message.bytes != bytes) refuse_size(message.bytes, bytes, from, rank_, tag);
    return copy(data, message.data.get(), bytes);
  }
  channel.posted = &posted;
  lock.unlock();
  const auto filled = [&] {
    return posted.state.load(std::memory_order_seq_cst) == PostedReceive::kFilled;
  };
  const auto hopeless = [&] { return world().ended() || world().has_left(state_->ranks[from]); };
  const auto ready = [&] {
    return filled() ||
           (posted.state.load(std::memory_order_seq_cst) == PostedReceive::kOpen && hopeless());
  };
  if (!(world().may_spin() && spin_until(ready) && filled())) {
    World::Wait wait(world(), state_->ranks[rank_], state_->ranks[from],
                     {"receive", 0, tag, state_->part_ranks()});
    lock.lock();
    inbox.waiters.fetch_add(1, std::memory_order_seq_cst);
    const bool in_time =
        inbox.condition.wait_until(lock, Deadline::after_ms(world().options().deadline_ms), ready);
    inbox.waiters.fetch_sub(1, std::memory_order_seq_cst);
    if (!filled() && channel.posted == &posted) channel.posted = nullptr;  // nobody fills it now
    lock.unlock();
    while (posted.state.load(std::memory_order_seq_cst) == PostedReceive::kFilling)
      std::this_thread::yield();
    if (!in_time && !filled()) wait.fail_at_deadline();
    if (!filled() && !world().ended()) wait.fail_as_left();
  }
  if (!filled()) world().throw_reason();
  if (posted.sent_bytes != bytes) refuse_size(posted.sent_bytes, bytes, from, rank_, tag);
}

std::unique_ptr<Communicator> ThreadCommunicator::split(std::span<const int> ranks) {
  world().require_running();
  const int place = place_in_part(ranks, rank_, size());
  const std::vector<int> members(ranks.begin(), ranks.end());
  return std::make_unique<ThreadCommunicator>(state_->part(members, splits_[members]++), place);
}

}  // namespace

ThreadGroup::ThreadGroup(int size, GroupOptions options)
    : world_(std::make_shared<World>(size, std::move(options), true)) {
  std::vector<int> ranks(static_cast<size_t>(size));
  for (int r = 0; r < size; ++r) ranks[r] = r;
  const auto state = std::make_shared<ThreadGroupState>(world_, std::move(ranks));
  for (int r = 0; r < size; ++r)
    communicators_.push_back(std::make_unique<ThreadCommunicator>(state, r));
}

ThreadGroup::~ThreadGroup() = default;

void ThreadGroup::leave(int rank) { world_->leave(rank); }
void ThreadGroup::abort(const std::string& reason) { world_->end(reason); }

void run_ranks(int n, const std::function<void(Communicator&)>& body, GroupOptions options) {
  ThreadGroup group(n, std::move(options));
  std::mutex mutex;
  std::string first;
  const auto fail = [&](int rank, const std::string& text) {
    const std::string named = str("rank ", rank, ": ", text);
    {
      std::lock_guard lock(mutex);
      if (first.empty()) first = named;
    }
    group.abort(named);
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < n; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(group.communicator(rank));
      } catch (const std::exception& error) {
        fail(rank, error.what());
      } catch (...) {
        fail(rank, "threw something that is no std::exception");
      }
      group.leave(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (!first.empty()) throw Error(first);
}

}  // namespace oneagent::comm
