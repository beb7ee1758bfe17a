// Collective communication between the ranks of a group. Every rank calls the same collectives in
// the same order, from one thread at a time. Memory is contiguous and on the host.
//
// A reduction adds the contributions in the order of ranks, so that every implementation gives the
// same bits, whatever the timing: float16 and bfloat16 are added in float32 and rounded once,
// integers wrap, the sum and maximum of bools is "or", the minimum "and", a NaN wins a maximum or
// minimum; complex numbers have no order and can only be summed.
//
// A wait ends at the group's deadline with an Error that says who waited for whom, and at once when
// a rank aborts, dies or leaves. Ranks that call different collectives, dtypes, counts or roots at
// the same point all get one Error that says who called what. After any Error of a collective the
// group is over: every further call throws the first reason again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/base/dtype.h"
#include "core/tensor/sharding.h"

namespace oneagent {
class WaitBoard;
}

namespace oneagent::comm {

using oneagent::Reduce;
std::string_view name_of(Reduce reduce);  // "sum", "max", "min"

// What left this rank since the group was made, in bytes of payload at the standard cost of each
// collective (core/comm/traffic.h has the formulae); the same on every implementation. send counts
// what send() was given. Parts (split) count for themselves.
struct Traffic {
  struct Count {
    int64_t calls = 0, bytes = 0;
    friend bool operator==(const Count&, const Count&) = default;
  };
  Count all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send;
  friend bool operator==(const Traffic&, const Traffic&) = default;
};

struct GroupOptions {
  int64_t deadline_ms = 60'000;  // the longest that one wait for another rank may last
  WaitBoard* board = nullptr;  // takes a row for each wait that is more than a moment; may be null
  std::string name;            // before "rank 2" on the board: "learner/"
  // For tests: called before a rank joins a collective ("join"), between its steps ("step"), and
  // before send and receive. What it throws is the death of that rank.
  std::function<void(int rank, std::string_view point)> inject;
};

class Communicator {
 public:
  virtual ~Communicator() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;

  // In place; `count` elements.
  virtual void all_reduce(void* data, size_t count, DType dtype, Reduce reduce) = 0;
  // Rank r contributes counts[r] elements (0 is fine); out holds them one behind the other. `in`
  // may be this rank's place in `out`.
  virtual void all_gather(const void* in, void* out, std::span<const size_t> counts,
                          DType dtype) = 0;
  // `in` holds counts[0] + counts[1] + ... elements; this rank receives its counts[rank()] reduced.
  // `out` may be this rank's place in `in`.
  virtual void reduce_scatter(const void* in, void* out, std::span<const size_t> counts,
                              DType dtype, Reduce reduce) = 0;
  // Part r of `in` goes to rank r; part r of `out` comes from rank r. `in` and `out` are apart.
  virtual void all_to_all(const void* in, std::span<const size_t> in_counts, void* out,
                          std::span<const size_t> out_counts, DType dtype) = 0;
  virtual void broadcast(void* data, size_t count, DType dtype, int root) = 0;
  // Point to point between two different ranks, in order for each pair and tag (0 .. 2^20 - 1).
  // send() copies and returns before the other side has received; both name the same bytes.
  virtual void send(const void* data, size_t bytes, int to, int tag) = 0;
  virtual void receive(void* data, size_t bytes, int from, int tag) = 0;
  virtual void barrier() = 0;

  // A group of some of these ranks, in this order; called by exactly these ranks.
  virtual std::unique_ptr<Communicator> split(std::span<const int> ranks) = 0;
  // Every wait of every rank of this group, its parts and its whole ends with an Error that carries
  // `reason`. Any thread; the first reason stays.
  virtual void abort(const std::string& reason) = 0;
  virtual const Traffic& traffic() const = 0;
};

}  // namespace oneagent::comm
