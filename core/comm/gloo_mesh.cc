#include "core/comm/gloo_mesh.h"

#include <signal.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <utility>

#include "core/base/check.h"
#include "core/comm/own_address.h"
#include "gloo/transport/tcp/device.h"

namespace oneagent::comm {
namespace {

constexpr auto kTick = std::chrono::milliseconds(20);  // of the watcher
// Gloo's own deadline closes every connection, so that the reason could not be told any more; the
// watcher has its own.
constexpr auto kForever = std::chrono::milliseconds(std::chrono::hours(24 * 365));
constexpr uint64_t kControlSlot = 0;

// Writing to a rank that is gone must be an error, not the end of the process.
void ignore_broken_pipes() {
  struct sigaction action {};
  if (sigaction(SIGPIPE, nullptr, &action) == 0 && action.sa_handler == SIG_DFL)
    signal(SIGPIPE, SIG_IGN);
}

// gloo says "[FILE:LINE] What happened"; the place is of no use here.
std::string told(const std::exception& error) {
  const std::string text = error.what();
  const size_t end = text.starts_with('[') ? text.find("] ") : std::string::npos;
  return end == std::string::npos ? text : text.substr(end + 2);
}

}  // namespace

GlooMesh::GlooMesh(int rank, int size, Rendezvous& rendezvous, const Place& place,
                   GroupOptions options)
    : rank_(rank), world_(std::make_unique<World>(size, std::move(options), false)) {
  OA_REQUIRE(rank >= 0 && rank < size, "gloo: rank must be 0 .. ", size - 1, ", was ", rank);
  ignore_broken_pipes();
  try {
    connect(rendezvous, place);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& error) {
    throw Error(str("gloo: rank ", rank, " cannot connect: ", told(error)));
  }
  last_word_.resize(kControlBytes);
  last_word_buffer_ = buffer(last_word_.data(), kControlBytes);
  for (int r = 0; r < size; ++r) {
    if (r == rank) continue;
    Control& control = controls_[r];
    control.memory.resize(kControlBytes);
    control.buffer = buffer(control.memory.data(), kControlBytes);
    receive(*control.buffer, r, kControlSlot, kControlBytes, {"connect"});
  }
  wake_ = std::make_unique<World::Wake>(*world_, [this] { wake(); });
  watcher_ = std::thread([this] { watch(); });
}

void GlooMesh::connect(Rendezvous& rendezvous, const Place& place) {
  const int size = world_->size();
  if (const std::string problem = own_address_problem(place.address); !problem.empty())
    throw Error(str("gloo: rank ", rank_, " cannot listen at \"", place.address, "\": ", problem));
  gloo::transport::tcp::attr attributes;
  attributes.hostname = place.address;
  attributes.ai_family = AF_UNSPEC;
  device_ = gloo::transport::tcp::CreateDevice(attributes);
  context_ = device_->createContext(rank_, size);
  context_->setTimeout(std::chrono::milliseconds(std::max<int64_t>(place.connect_ms / 5, 1)));
  const auto key = [&](int r) {
    return rendezvous_key(place.run_id, place.incarnation, place.group, r);
  };
  // One listening address for each peer, all of the same length, in the order of ranks.
  std::string addresses;
  for (int r = 0; r < size; ++r) {
    if (r == rank_) continue;
    const std::vector<char> address = context_->createPair(r)->address().bytes();
    addresses.append(address.data(), address.size());
  }
  const Status status = rendezvous.put(key(rank_), addresses);
  OA_REQUIRE(status.ok(), "gloo: rank ", rank_, " cannot give its address: ", status.message());
  const Deadline deadline = Deadline::after_ms(place.connect_ms);
  for (int r = 0; r < size; ++r) {
    if (r == rank_) continue;
    World::Wait wait(*world_, rank_, r, {"connect"});
    const Result<std::string> theirs = rendezvous.wait(key(r), deadline);
    if (!theirs.ok()) {
      wait.fail_at_deadline(place.connect_ms);
      world_->throw_reason();
    }
    const size_t bytes = theirs->size() / static_cast<size_t>(size - 1);
    const size_t place_of_mine = static_cast<size_t>(rank_ < r ? rank_ : rank_ - 1) * bytes;
    const auto begin = theirs->begin() + static_cast<int64_t>(place_of_mine);
    try {
      context_->getPair(r)->connect(std::vector<char>(begin, begin + static_cast<int64_t>(bytes)));
    } catch (const std::exception& error) {
      wait.fail_as_lost(told(error));
      world_->throw_reason();
    }
  }
}

GlooMesh::~GlooMesh() {
  {
    std::lock_guard lock(pending_mutex_);
    later_expires_ns_ = Deadline::after_ms(world_->options().deadline_ms).at_ns();
  }
  {
    std::lock_guard lock(later_mutex_);
    finishing_ = true;
  }
  later_changed_.notify_all();
  if (later_thread_.joinable()) later_thread_.join();
  if (!world_->ended()) say(Word::kGoodbye, "");
  size_t told = 0;
  {
    std::lock_guard lock(say_mutex_);
    told = told_;
  }
  const int64_t patience_ns = Deadline::after_ms(500).at_ns();  // for the last word to leave
  for (size_t i = 0; i < told; ++i) {
    Pending pending{last_word_buffer_.get(), true, patience_ns, true};
    std::string how;
    if (!wait(pending, how)) break;
  }
  {
    std::lock_guard lock(watch_mutex_);
    stopping_ = true;
  }
  watch_changed_.notify_all();
  watcher_.join();
  wake_.reset();
}

GlooMesh::Buffer GlooMesh::buffer(const void* data, size_t bytes) {
  return context_->createUnboundBuffer(const_cast<void*>(data), bytes);
}

void GlooMesh::send(gloo::transport::UnboundBuffer& buffer, int to, uint64_t slot, size_t bytes,
                    const Where& where) {
  world_->require_running();
  try {
    buffer.send(to, slot, 0, bytes);
  } catch (const std::exception& error) {
    World::Wait wait(*world_, rank_, to, where);
    settle(wait, to, {}, told(error));
  }
}

void GlooMesh::receive(gloo::transport::UnboundBuffer& buffer, int from, uint64_t slot,
                       size_t bytes, const Where& where) {
  world_->require_running();
  try {
    buffer.recv(from, slot, 0, bytes);
  } catch (const std::exception& error) {
    World::Wait wait(*world_, rank_, from, where);
    settle(wait, from, {}, told(error));
  }
}

bool GlooMesh::try_receive(gloo::transport::UnboundBuffer& buffer, int from, uint64_t slot,
                           size_t bytes) {
  try {
    buffer.recv(from, slot, 0, bytes);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void GlooMesh::wait_sent(gloo::transport::UnboundBuffer& buffer, int to, const Where& where) {
  World::Wait waiting(*world_, rank_, to, where);
  Pending pending{&buffer, true, Deadline::after_ms(world_->options().deadline_ms).at_ns()};
  std::string how;
  if (!wait(pending, how)) settle(waiting, to, pending, how);
}

void GlooMesh::wait_received(gloo::transport::UnboundBuffer& buffer, int from, const Where& where) {
  World::Wait waiting(*world_, rank_, from, where);
  Pending pending{&buffer, false, Deadline::after_ms(world_->options().deadline_ms).at_ns()};
  std::string how;
  if (!wait(pending, how)) settle(waiting, from, pending, how);
}

bool GlooMesh::wait(Pending& pending, std::string& how) {
  std::list<Pending*>::iterator entry;
  {
    std::lock_guard lock(pending_mutex_);
    entry = pending_.insert(pending_.end(), &pending);
  }
  bool done = false;
  // wake() aborts what is in the list; what comes after it is seen here.
  if (!world_->ended() || pending.is_last_word) {
    try {
      done = pending.sends ? pending.buffer->waitSend(nullptr, kForever)
                           : pending.buffer->waitRecv(nullptr, kForever);
    } catch (const std::exception& error) {
      how = told(error);
    }
  }
  std::lock_guard lock(pending_mutex_);
  pending_.erase(entry);
  return done;
}

void GlooMesh::settle(World::Wait& wait, int peer, const Pending& pending, const std::string& how) {
  if (!how.empty()) hear();  // the peer's last words, if there are any
  if (world_->has_left(peer)) wait.fail_as_left();
  if (pending.expired) wait.fail_at_deadline();
  wait.fail_as_lost(how.empty() ? "its connection is closed" : how);
  world_->throw_reason();
}

void GlooMesh::watch() {
  std::unique_lock lock(watch_mutex_);
  while (!stopping_) {
    watch_changed_.wait_for(lock, kTick);
    lock.unlock();
    if (!world_->ended()) hear();
    {
      const int64_t now = steady_ns();
      std::lock_guard pending_lock(pending_mutex_);
      for (Pending* pending : pending_) {
        const int64_t expires = pending->expires_ns != 0 ? pending->expires_ns : later_expires_ns_;
        if (pending->expired || expires == 0 || now < expires) continue;
        pending->expired = true;
        pending->sends ? pending->buffer->abortWaitSend() : pending->buffer->abortWaitRecv();
      }
    }
    lock.lock();
  }
}

void GlooMesh::hear() {
  std::lock_guard lock(hear_mutex_);
  for (auto& [peer, control] : controls_) {
    if (control.closed) continue;
    std::string lost;
    try {
      control.buffer->abortWaitRecv();  // so that the next line returns at once
      control.buffer->waitRecv(nullptr, kForever);
    } catch (const std::exception& error) {
      lost = told(error);
    }
    // The word is the last byte: when it is there, so is the text.
    std::atomic_ref<std::byte> last(control.memory.back());
    const auto word = static_cast<Word>(last.load(std::memory_order_acquire));
    if (word == Word::kNone && lost.empty()) continue;
    control.closed = true;
    if (word == Word::kGoodbye) {
      world_->leave(peer);
    } else if (word == Word::kAbort) {
      world_->end(reinterpret_cast<const char*>(control.memory.data()));
    } else {
      world_->end(str("rank ", peer, " was lost: ", lost, world_->waits_text()));
    }
  }
}

void GlooMesh::say(Word word, const std::string& text) {
  std::lock_guard lock(say_mutex_);
  if (std::exchange(said_, true)) return;
  const size_t bytes = std::min(text.size(), kControlBytes - 2);
  std::memcpy(last_word_.data(), text.data(), bytes);
  last_word_.back() = static_cast<std::byte>(word);
  for (int r = 0; r < world_->size(); ++r) {
    if (r == rank_ || world_->has_left(r)) continue;
    try {
      last_word_buffer_->send(r, kControlSlot, 0, kControlBytes);
      ++told_;
    } catch (const std::exception&) {  // that one is gone: it needs no telling
    }
  }
}

void GlooMesh::wake() {
  if (!world_->ended()) return;
  {
    std::lock_guard lock(pending_mutex_);
    for (Pending* pending : pending_) {
      if (pending->is_last_word) continue;
      pending->sends ? pending->buffer->abortWaitSend() : pending->buffer->abortWaitRecv();
    }
  }
  say(Word::kAbort, world_->reason());
}

void GlooMesh::send_later(std::unique_ptr<std::byte[]> data, size_t bytes, int to, uint64_t slot,
                          const Where& where) {
  Later later{std::move(data), nullptr, to};
  later.buffer = buffer(later.data.get(), bytes);
  send(*later.buffer, to, slot, bytes, where);
  {
    std::lock_guard lock(later_mutex_);
    later_.push_back(std::move(later));
    if (!later_thread_.joinable()) later_thread_ = std::thread([this] { drop_sent(); });
  }
  later_changed_.notify_all();
}

void GlooMesh::drop_sent() {
  Later last;  // kept until the next one is done: gloo's thread may be in it for a moment
  while (true) {
    Later later;
    {
      std::unique_lock lock(later_mutex_);
      later_changed_.wait(lock, [&] { return finishing_ || !later_.empty(); });
      if (later_.empty()) return;
      later = std::move(later_.front());
      later_.pop_front();
    }
    Pending pending{later.buffer.get(), true, 0};
    std::string how;
    wait(pending, how);  // when it fails, the receiver learns why by itself
    last = std::move(later);
  }
}

uint64_t GlooMesh::number_of_part(uint64_t parent, const std::vector<int>& ranks, int nth) {
  std::string name = str(parent, "/", nth);
  for (const int rank : ranks) name += str(",", rank);
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 1099511628211ULL;
  const uint64_t number = 2 + (hash ^ (hash >> 32)) % 0xfffffff0ULL;
  std::lock_guard lock(parts_mutex_);
  const auto [it, fresh] = parts_.try_emplace(number, name);
  OA_REQUIRE(fresh, "split: the parts ", it->second, " and ", name,
             " have the same number; name the ranks of one in another order");
  return number;
}

}  // namespace oneagent::comm
