#include "core/comm/gloo_communicator.h"

#include <map>
#include <vector>

#include "core/base/check.h"
#include "core/comm/call.h"
#include "core/comm/gloo_mesh.h"
#include "core/comm/gloo_wire.h"
#include "core/comm/reduction.h"
#include "core/comm/traffic.h"

namespace oneagent::comm {
namespace {

class GlooCommunicator final : public Communicator {
 public:
  GlooCommunicator(std::shared_ptr<GlooMesh> mesh, std::vector<int> ranks, int rank,
                   uint64_t number);

  int rank() const override { return rank_; }
  int size() const override { return static_cast<int>(ranks_.size()); }

  void all_reduce(void* data, size_t count, DType dtype, Reduce reduce) override;
  void all_gather(const void* in, void* out, std::span<const size_t> counts, DType dtype) override;
  void reduce_scatter(const void* in, void* out, std::span<const size_t> counts, DType dtype,
                      Reduce reduce) override;
  void all_to_all(const void* in, std::span<const size_t> in_counts, void* out,
                  std::span<const size_t> out_counts, DType dtype) override;
  void broadcast(void* data, size_t count, DType dtype, int root) override;
  void barrier() override;
  void send(const void* data, size_t bytes, int to, int tag) override;
  void receive(void* data, size_t bytes, int from, int tag) override;
  std::unique_ptr<Communicator> split(std::span<const int> ranks) override;
  void abort(const std::string& reason) override { world().end(reason); }
  const Traffic& traffic() const override { return traffic_; }

 private:
  struct Peer {
    std::vector<std::byte> in, out;  // header, counts, small part
    GlooMesh::Buffer in_buffer, out_buffer;
    // Kept until the next one: letting go of a buffer that is just done waits for gloo's thread.
    GlooMesh::Buffer large_in, large_out, gathered_in, gathered_out;
    bool takes_large = false, gives_large = false;
    bool expected = false;            // its next header has a place
    Call call;                        // what it called
    const std::byte* part = nullptr;  // what it gave
  };

  World& world() const { return mesh_->world(); }
  void inject(std::string_view point) const {
    if (world().options().inject) world().options().inject(mesh_->rank(), point);
  }
  Where where() const {
    return {comm::name_of(own_.kind), calls_, -1, size() == world().size() ? nullptr : &ranks_};
  }
  Where where(std::string_view what, int tag) const {
    return {what, 0, tag, size() == world().size() ? nullptr : &ranks_};
  }
  template <class Body>
  void for_peers(const Body& body) {
    for (int r = 0; r < size(); ++r) {
      if (r != rank_) body(r, peers_[r]);
    }
  }

  Call& next(CallKind kind, DType dtype, size_t count);
  // One collective: tells every peer r of the call and gives it give(r), takes what r gives, of
  // take_bytes(r) bytes, in land(r) if it is large; compares the calls; then body() finds the parts
  // in Peer::part. Whatever is thrown ends the world.
  template <class Give, class TakeBytes, class Land, class Body>
  void run(const Give& give, const TakeBytes& take_bytes, const Land& land, const Body& body);
  void tell(int r, Peer& peer, Bytes part);
  void hear(int r, Peer& peer);
  void expect(int r, Peer& peer);  // the header of the next call
  void compare();
  // Room for `bytes` from each of the peers, one behind the other.
  std::byte* room(int r, size_t bytes);
  // out = the parts of all ranks, this one's being `own`.
  void reduce_parts(void* out, const void* own, size_t count, DType dtype, Reduce reduce);
  void gather_chunks(void* data, size_t count, size_t width);
  [[noreturn]] void refuse_size(size_t sent, size_t expected, int from, int tag);

  const std::shared_ptr<GlooMesh> mesh_;
  const std::vector<int> ranks_;  // of the world
  const int rank_;
  const uint64_t number_;
  std::vector<std::byte> room_;
  std::vector<Peer> peers_;                  // after what their buffers point to
  GlooMesh::Buffer last_first_, last_rest_;  // of receive(), kept for the same reason
  int64_t calls_ = 0;
  Call own_;
  std::vector<const void*> parts_;
  std::vector<const Call*> calls_of_all_;
  std::map<std::vector<int>, int> splits_;
  Traffic traffic_;
};

GlooCommunicator::GlooCommunicator(std::shared_ptr<GlooMesh> mesh, std::vector<int> ranks, int rank,
                                   uint64_t number)
    : mesh_(std::move(mesh)),
      ranks_(std::move(ranks)),
      rank_(rank),
      number_(number),
      peers_(ranks_.size()),
      parts_(ranks_.size()),
      calls_of_all_(ranks_.size()) {
  for_peers([&](int r, Peer& peer) {
    const size_t bytes = sizeof(Header) + 2 * ranks_.size() * sizeof(size_t) + kDirectBytes;
    peer.in.resize(bytes);
    peer.out.resize(bytes);
    peer.in_buffer = mesh_->buffer(peer.in.data(), bytes);
    peer.out_buffer = mesh_->buffer(peer.out.data(), bytes);
    expect(r, peer);
  });
}

Call& GlooCommunicator::next(CallKind kind, DType dtype, size_t count) {
  world().require_running();
  ++calls_;
  own_.set(kind, dtype, count);
  return own_;
}

void GlooCommunicator::expect(int r, Peer& peer) {
  peer.expected = mesh_->try_receive(*peer.in_buffer, ranks_[r], slot_of(number_, Topic::kHeader),
                                     peer.in.size());
}

void GlooCommunicator::tell(int r, Peer& peer, Bytes part) {
  const Header header{static_cast<uint8_t>(own_.kind),
                      static_cast<uint8_t>(own_.dtype),
                      static_cast<uint8_t>(own_.reduce),
                      own_.root,
                      own_.count,
                      own_.counts.size(),
                      part.size()};
  const size_t counts_bytes = own_.counts.size() * sizeof(size_t);
  std::byte* to = peer.out.data();
  copy(to, &header, sizeof header);
  copy(to + sizeof header, own_.counts.data(), counts_bytes);
  size_t bytes = sizeof header + counts_bytes;
  if (is_small(part.size())) {
    copy(to + bytes, part.data(), part.size());
    bytes += part.size();
  }
  mesh_->send(*peer.out_buffer, ranks_[r], slot_of(number_, Topic::kHeader), bytes, where());
  peer.gives_large = !is_small(part.size());
  if (!peer.gives_large) return;
  peer.large_out = mesh_->buffer(part.data(), part.size());
  mesh_->send(*peer.large_out, ranks_[r], slot_of(number_, Topic::kPart), part.size(), where());
}

void GlooCommunicator::hear(int r, Peer& peer) {
  if (!peer.expected)  // throws: it has left, or was lost
    mesh_->receive(*peer.in_buffer, ranks_[r], slot_of(number_, Topic::kHeader), peer.in.size(),
                   where());
  mesh_->wait_received(*peer.in_buffer, ranks_[r], where());
  Header header;
  copy(&header, peer.in.data(), sizeof header);
  OA_REQUIRE(header.counts <= 2 * ranks_.size(), "gloo: rank ", ranks_[r],
             " speaks another version of this protocol");
  peer.call.set(static_cast<CallKind>(header.kind), static_cast<DType>(header.dtype), header.count);
  peer.call.reduce = static_cast<Reduce>(header.reduce);
  peer.call.root = header.root;
  peer.call.counts.resize(header.counts);
  const size_t counts_bytes = header.counts * sizeof(size_t);
  copy(peer.call.counts.data(), peer.in.data() + sizeof header, counts_bytes);
  peer.part = peer.in.data() + sizeof header + counts_bytes;
}

void GlooCommunicator::compare() {
  for (int r = 0; r < size(); ++r) calls_of_all_[r] = r == rank_ ? &own_ : &peers_[r].call;
  const std::string text = disagreement(calls_of_all_, ranks_, calls_);
  if (text.empty()) return;
  world().end(text);
  throw Error(text);
}

template <class Give, class TakeBytes, class Land, class Body>
void GlooCommunicator::run(const Give& give, const TakeBytes& take_bytes, const Land& land,
                           const Body& body) {
  try {
    require_valid(own_, size());
    inject("join");
    for_peers([&](int r, Peer& peer) { tell(r, peer, give(r)); });
    for_peers([&](int r, Peer& peer) { hear(r, peer); });
    compare();
    for_peers([&](int r, Peer& peer) {
      const size_t bytes = take_bytes(r);
      peer.takes_large = !is_small(bytes);
      if (!peer.takes_large) return;
      std::byte* to = land(r);
      peer.part = to;
      peer.large_in = mesh_->buffer(to, bytes);
      mesh_->receive(*peer.large_in, ranks_[r], slot_of(number_, Topic::kPart), bytes, where());
    });
    for_peers([&](int r, Peer& peer) {
      if (peer.takes_large) mesh_->wait_received(*peer.large_in, ranks_[r], where());
    });
    for_peers([&](int r, Peer& peer) {
      mesh_->wait_sent(*peer.out_buffer, ranks_[r], where());
      if (peer.gives_large) mesh_->wait_sent(*peer.large_out, ranks_[r], where());
    });
    body();
    for_peers([&](int r, Peer& peer) { expect(r, peer); });
    add_cost(traffic_, own_, rank_, size());
  } catch (const std::exception& error) {
    world().end(
        str("rank ", mesh_->rank(), " failed in ", comm::name_of(own_.kind), ": ", error.what()));
    for_peers([](int, Peer& peer) {  // gloo lets go of the caller's memory
      for (GlooMesh::Buffer* buffer :
           {&peer.large_in, &peer.large_out, &peer.gathered_in, &peer.gathered_out})
        buffer->reset();
    });
    throw;
  }
}

std::byte* GlooCommunicator::room(int r, size_t bytes) {
  if (room_.size() < bytes * peers_.size()) room_.resize(bytes * peers_.size());
  return room_.data() + static_cast<size_t>(r) * bytes;
}

void GlooCommunicator::reduce_parts(void* out, const void* own, size_t count, DType dtype,
                                    Reduce reduce) {
  for (int r = 0; r < size(); ++r) parts_[r] = r == rank_ ? own : peers_[r].part;
  reduce_in_order(out, parts_, count, dtype, reduce);
}

void GlooCommunicator::all_reduce(void* data, size_t count, DType dtype, Reduce reduce) {
  const size_t width = size_of(dtype);
  const bool direct = is_small(count * width);
  next(CallKind::kAllReduce, dtype, count).reduce = reduce;
  const Chunk own = direct ? Chunk{0, count} : chunk_of(count, rank_, size());
  run(
      [&](int r) {
        const Chunk chunk = direct ? own : chunk_of(count, r, size());
        return bytes_at(data, chunk.begin * width, chunk.count * width);
      },
      [&](int) { return own.count * width; }, [&](int r) { return room(r, own.count * width); },
      [&] {
        std::byte* mine = at(data, own.begin * width);
        reduce_parts(mine, mine, own.count, dtype, reduce);
        if (direct) return;
        inject("step");
        gather_chunks(data, count, width);
      });
}

void GlooCommunicator::gather_chunks(void* data, size_t count, size_t width) {
  const uint64_t slot = slot_of(number_, Topic::kGathered);
  const Chunk own = chunk_of(count, rank_, size());
  for_peers([&](int r, Peer& peer) {
    const Chunk chunk = chunk_of(count, r, size());
    peer.gathered_in = mesh_->buffer(at(data, chunk.begin * width), chunk.count * width);
    mesh_->receive(*peer.gathered_in, ranks_[r], slot, chunk.count * width, where());
  });
  for_peers([&](int r, Peer& peer) {
    peer.gathered_out = mesh_->buffer(at(data, own.begin * width), own.count * width);
    mesh_->send(*peer.gathered_out, ranks_[r], slot, own.count * width, where());
  });
  for_peers(
      [&](int r, Peer& peer) { mesh_->wait_received(*peer.gathered_in, ranks_[r], where()); });
  for_peers([&](int r, Peer& peer) { mesh_->wait_sent(*peer.gathered_out, ranks_[r], where()); });
}

void GlooCommunicator::all_gather(const void* in, void* out, std::span<const size_t> counts,
                                  DType dtype) {
  const size_t width = size_of(dtype);
  Call& call = next(CallKind::kAllGather, dtype, total_of(counts));
  call.counts.assign(counts.begin(), counts.end());
  const auto bytes_of = [&](int r) { return counts[r] * width; };
  const auto place = [&](int r) { return at(out, offset_of(counts, r) * width); };
  run([&](int) { return bytes_at(in, 0, bytes_of(rank_)); }, bytes_of, place,
      [&] {
        for (int r = 0; r < size(); ++r)
          copy(place(r), r == rank_ ? in : peers_[r].part, bytes_of(r));
      });
}

void GlooCommunicator::reduce_scatter(const void* in, void* out, std::span<const size_t> counts,
                                      DType dtype, Reduce reduce) {
  const size_t width = size_of(dtype);
  Call& call = next(CallKind::kReduceScatter, dtype, total_of(counts));
  call.counts.assign(counts.begin(), counts.end());
  call.reduce = reduce;
  const auto part = [&](int r) {
    return bytes_at(in, offset_of(counts, r) * width, counts[r] * width);
  };
  const auto own_bytes = [&](int) { return counts[rank_] * width; };
  run(
      part, own_bytes, [&](int r) { return room(r, own_bytes(r)); },
      [&] { reduce_parts(out, part(rank_).data(), counts[rank_], dtype, reduce); });
}

void GlooCommunicator::all_to_all(const void* in, std::span<const size_t> in_counts, void* out,
                                  std::span<const size_t> out_counts, DType dtype) {
  const size_t width = size_of(dtype);
  Call& call = next(CallKind::kAllToAll, dtype, total_of(in_counts));
  call.counts.assign(in_counts.begin(), in_counts.end());
  call.counts.insert(call.counts.end(), out_counts.begin(), out_counts.end());
  const auto part = [&](int r) {
    return bytes_at(in, offset_of(in_counts, r) * width, in_counts[r] * width);
  };
  const auto bytes_of = [&](int r) { return out_counts[r] * width; };
  const auto place = [&](int r) { return at(out, offset_of(out_counts, r) * width); };
  run(part, bytes_of, place, [&] {
    for (int r = 0; r < size(); ++r)
      copy(place(r), r == rank_ ? part(r).data() : peers_[r].part, bytes_of(r));
  });
}

void GlooCommunicator::broadcast(void* data, size_t count, DType dtype, int root) {
  const size_t bytes = count * size_of(dtype);
  next(CallKind::kBroadcast, dtype, count).root = root;
  run([&](int) { return bytes_at(data, 0, rank_ == root ? bytes : 0); },
      [&](int r) { return r == root ? bytes : 0; }, [&](int) { return at(data, 0); },
      [&] {
        if (rank_ != root) copy(data, peers_[root].part, bytes);
      });
}

void GlooCommunicator::barrier() {
  next(CallKind::kBarrier, DType::kFloat32, 0);
  run([](int) { return Bytes(); }, [](int) { return size_t{0}; },
      [](int) -> std::byte* { return nullptr; }, [] {});
}

void GlooCommunicator::refuse_size(size_t sent, size_t expected, int from, int tag) {
  world().end(unequal_sizes(from, ranks_[rank_], tag, sent, expected));
  world().throw_reason();
}

void GlooCommunicator::send(const void* data, size_t bytes, int to, int tag) {
  require_peer("send", rank_, size(), to, tag);
  world().require_running();
  inject("send");
  const uint64_t slot = slot_of(number_, Topic::kMessage, tag);
  const MessageHeader header{bytes};
  const size_t with = is_small(bytes) ? bytes : 0;
  auto first = std::make_unique_for_overwrite<std::byte[]>(sizeof header + with);
  copy(first.get(), &header, sizeof header);
  copy(first.get() + sizeof header, data, with);
  mesh_->send_later(std::move(first), sizeof header + with, ranks_[to], slot, where("send", tag));
  ++traffic_.send.calls;
  traffic_.send.bytes += static_cast<int64_t>(bytes);
  if (is_small(bytes)) return;
  auto rest = std::make_unique_for_overwrite<std::byte[]>(bytes);
  copy(rest.get(), data, bytes);
  mesh_->send_later(std::move(rest), bytes, ranks_[to], slot, where("send", tag));
}

void GlooCommunicator::receive(void* data, size_t bytes, int from, int tag) {
  require_peer("receive", rank_, size(), from, tag);
  world().require_running();
  inject("receive");
  const uint64_t slot = slot_of(number_, Topic::kMessage, tag);
  const Where here = where("receive", tag);
  std::array<std::byte, sizeof(MessageHeader) + kDirectBytes> first;
  const auto take = [&](GlooMesh::Buffer& last, void* to, size_t most) {
    GlooMesh::Buffer buffer = mesh_->buffer(to, most);
    mesh_->receive(*buffer, ranks_[from], slot, most, here);
    mesh_->wait_received(*buffer, ranks_[from], here);
    last = std::move(buffer);
  };
  take(last_first_, first.data(), first.size());
  MessageHeader header;
  copy(&header, first.data(), sizeof header);
  if (header.bytes != bytes) refuse_size(header.bytes, bytes, ranks_[from], tag);
  if (is_small(bytes)) return copy(data, first.data() + sizeof header, bytes);
  take(last_rest_, data, bytes);
}

std::unique_ptr<Communicator> GlooCommunicator::split(std::span<const int> ranks) {
  world().require_running();
  const int place = place_in_part(ranks, rank_, size());
  const std::vector<int> members(ranks.begin(), ranks.end());
  std::vector<int> of_world;
  for (const int member : members) of_world.push_back(ranks_[member]);
  const uint64_t number = mesh_->number_of_part(number_, of_world, splits_[members]++);
  return std::make_unique<GlooCommunicator>(mesh_, of_world, place, number);
}

}  // namespace

std::unique_ptr<Communicator> make_gloo_communicator(int rank, int size, Rendezvous& rendezvous,
                                                     const GlooOptions& options) {
  const GlooMesh::Place place{
      options.run_id, options.incarnation, options.group, options.address,
      options.connect_ms > 0 ? options.connect_ms : options.options.deadline_ms};
  auto mesh = std::make_shared<GlooMesh>(rank, size, rendezvous, place, options.options);
  std::vector<int> ranks(static_cast<size_t>(size));
  for (int r = 0; r < size; ++r) ranks[r] = r;
  return std::make_unique<GlooCommunicator>(std::move(mesh), std::move(ranks), rank, 1);
}

}  // namespace oneagent::comm
