// The connections of one process to all others of a world, over gloo's TCP transport, and what
// watches them. Gloo moves bytes between named slots; this adds that every wait ends: at the
// deadline, when a rank aborts (it tells the others why), leaves (it says goodbye) or is lost (its
// connections close). Internal to gloo_communicator.cc.
#pragma once

#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/comm/rendezvous.h"
#include "core/comm/world.h"
#include "gloo/transport/context.h"
#include "gloo/transport/device.h"
#include "gloo/transport/unbound_buffer.h"

namespace oneagent::comm {

// Throws Error if the others do not come within the deadline.
class GlooMesh {
 public:
  using Buffer = std::unique_ptr<gloo::transport::UnboundBuffer>;
  struct Place {
    std::string run_id;
    int64_t incarnation = 0;
    std::string group;
    std::string address;  // of this process' network interface
    int64_t connect_ms = 60'000;
  };

  GlooMesh(int rank, int size, Rendezvous& rendezvous, const Place& place, GroupOptions options);
  ~GlooMesh();
  GlooMesh(const GlooMesh&) = delete;
  GlooMesh& operator=(const GlooMesh&) = delete;

  World& world() { return *world_; }
  int rank() const { return rank_; }

  // Memory that messages go from or to; its destruction waits until gloo has let go of it.
  Buffer buffer(const void* data, size_t bytes);
  // Start a transfer of `bytes`; a receive may get fewer. In order for each peer and slot.
  void send(gloo::transport::UnboundBuffer& buffer, int to, uint64_t slot, size_t bytes,
            const Where& where);
  void receive(gloo::transport::UnboundBuffer& buffer, int from, uint64_t slot, size_t bytes,
               const Where& where);
  // Starts a receive unless the connection is closed, which whoever waits for it will find out.
  bool try_receive(gloo::transport::UnboundBuffer& buffer, int from, uint64_t slot, size_t bytes);
  // Wait for one transfer of the buffer; throw Error when it cannot end any more.
  void wait_sent(gloo::transport::UnboundBuffer& buffer, int to, const Where& where);
  void wait_received(gloo::transport::UnboundBuffer& buffer, int from, const Where& where);
  // Sends a copy, and keeps it until it is gone. What cannot be sent is dropped with the world.
  void send_later(std::unique_ptr<std::byte[]> data, size_t bytes, int to, uint64_t slot,
                  const Where& where);
  // The number of the nth part of these ranks (of the world) of group `parent`: the same on all of
  // them, another one than that of any group that this process is in.
  uint64_t number_of_part(uint64_t parent, const std::vector<int>& ranks, int nth);

 private:
  static constexpr size_t kControlBytes = 1024;
  struct Control {
    std::vector<std::byte> memory;
    Buffer buffer;
    bool closed = false;
  };
  struct Pending {  // a wait of a thread of this process
    gloo::transport::UnboundBuffer* buffer = nullptr;
    bool sends = false;
    int64_t expires_ns = 0;
    bool is_last_word = false;  // goes on when the world is over
    bool expired = false;
  };
  struct Later {
    std::unique_ptr<std::byte[]> data;
    Buffer buffer;
    int to = 0;
  };
  enum class Word : uint8_t { kNone, kAbort, kGoodbye };

  void connect(Rendezvous& rendezvous, const Place& place);
  // True when the transfer is done; else `how` says what gloo said, or it was woken.
  bool wait(Pending& pending, std::string& how);
  void settle(World::Wait& wait, int peer, const Pending& pending, const std::string& how);
  void watch();
  void hear();  // reads what the others have said last
  void say(Word word, const std::string& text);
  void wake();
  void drop_sent();

  const int rank_;
  const std::unique_ptr<World> world_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;

  std::mutex hear_mutex_;
  std::map<int, Control> controls_;
  std::mutex say_mutex_;
  bool said_ = false;
  std::vector<std::byte> last_word_;
  Buffer last_word_buffer_;
  size_t told_ = 0;  // ranks that the last word is on its way to

  std::mutex pending_mutex_;
  std::list<Pending*> pending_;
  int64_t later_expires_ns_ = 0;  // 0: no end

  std::mutex later_mutex_;
  std::condition_variable later_changed_;
  std::list<Later> later_;
  bool finishing_ = false;
  std::thread later_thread_;

  std::mutex parts_mutex_;
  std::map<uint64_t, std::string> parts_;

  std::mutex watch_mutex_;
  std::condition_variable watch_changed_;
  bool stopping_ = false;
  std::thread watcher_;
  std::unique_ptr<World::Wake> wake_;
};

}  // namespace oneagent::comm
