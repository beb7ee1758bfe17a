// What a rank calls, in a form that can be compared with what the others call at the same point.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/comm/communicator.h"

namespace oneagent::comm {

enum class CallKind : uint8_t {
  kBarrier,
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast
};
std::string_view name_of(CallKind kind);  // "barrier", "all_reduce", ...

struct Call {
  CallKind kind = CallKind::kBarrier;
  DType dtype = DType::kFloat32;
  Reduce reduce = Reduce::kSum;
  int root = 0;
  size_t count = 0;  // elements; where there are counts, their total
  // For each rank; of all_to_all what goes to each rank, then what comes from each.
  std::vector<size_t> counts;

  void set(CallKind new_kind, DType new_dtype, size_t new_count);  // the rest as above
};

// "all_reduce(1024 float32, sum)", "all_gather(3, 0, 5 int64)", "broadcast(8 float32 from rank 1)"
std::string to_text(const Call& call);

// Throws Error when a rank of a group of `size` may not call this: wrong number of counts, root out
// of range, a reduction that does not exist.
void require_valid(const Call& call, int size);

// Counts the call of one rank of a group of `size` at its standard cost.
void add_cost(Traffic& traffic, const Call& call, int rank, int size);

// The place of `rank` in a part of these ranks. Throws Error when it is not one of them, a rank
// does not exist or is named twice.
int place_in_part(std::span<const int> ranks, int rank, int size);
// Throws Error when `rank` of a group of `size` may not send to or receive from `other` with `tag`.
void require_peer(std::string_view what, int rank, int size, int other, int tag);
// "rank 0 sent 8 bytes with tag 3 to rank 1, which expected 16"
std::string unequal_sizes(int from, int to, int tag, size_t sent, size_t expected);

// calls[i] is what ranks[i] called as call number `number` of the group. "" when they agree, or one
// sentence that is the same on every rank.
std::string disagreement(std::span<const Call* const> calls, std::span<const int> ranks,
                         int64_t number);

}  // namespace oneagent::comm
