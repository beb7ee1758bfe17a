#include "core/comm/call.h"

#include <algorithm>

#include "core/base/check.h"
#include "core/comm/reduction.h"
#include "core/comm/traffic.h"

namespace oneagent::comm {
namespace {

std::string listed(std::span<const size_t> counts) {
  constexpr size_t kShown = 8;
  std::string text;
  for (size_t i = 0; i < counts.size() && i < kShown; ++i)
    text += str(i == 0 ? "" : ", ", counts[i]);
  return counts.size() > kShown ? text + ", ..." : text;
}

bool same(const Call& a, const Call& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == CallKind::kBarrier) return true;
  if (a.dtype != b.dtype) return false;
  if (a.kind == CallKind::kAllToAll) return true;  // counts are compared in pairs
  return a.reduce == b.reduce && a.root == b.root && a.count == b.count && a.counts == b.counts;
}

std::string unequal_pairs(std::span<const Call* const> calls, std::span<const int> ranks,
                          int64_t number) {
  const size_t n = calls.size();
  for (size_t from = 0; from < n; ++from) {
    for (size_t to = 0; to < n; ++to) {
      const size_t sent = calls[from]->counts[to], expected = calls[to]->counts[n + from];
      if (sent != expected)
        return str("the ranks disagree at call #", number, ": in all_to_all rank ", ranks[from],
                   " sends ", sent, " elements to rank ", ranks[to], ", which expects ", expected);
    }
  }
  return "";
}

}  // namespace

void Call::set(CallKind new_kind, DType new_dtype, size_t new_count) {
  kind = new_kind;
  dtype = new_dtype;
  reduce = Reduce::kSum;
  root = 0;
  count = new_count;
  counts.clear();
}

std::string_view name_of(CallKind kind) {
  switch (kind) {
    case CallKind::kBarrier:
      return "barrier";
    case CallKind::kAllReduce:
      return "all_reduce";
    case CallKind::kAllGather:
      return "all_gather";
    case CallKind::kReduceScatter:
      return "reduce_scatter";
    case CallKind::kAllToAll:
      return "all_to_all";
    case CallKind::kBroadcast:
      return "broadcast";
  }
  return "unknown collective";
}

std::string to_text(const Call& call) {
  const std::string_view dtype = name_of(call.dtype);
  switch (call.kind) {
    case CallKind::kBarrier:
      return "barrier()";
    case CallKind::kAllReduce:
      return str("all_reduce(", call.count, " ", dtype, ", ", name_of(call.reduce), ")");
    case CallKind::kAllGather:
      return str("all_gather(", listed(call.counts), " ", dtype, ")");
    case CallKind::kReduceScatter:
      return str("reduce_scatter(", listed(call.counts), " ", dtype, ", ", name_of(call.reduce),
                 ")");
    case CallKind::kAllToAll:
      return str("all_to_all(", call.count, " ", dtype, ")");
    case CallKind::kBroadcast:
      return str("broadcast(", call.count, " ", dtype, " from rank ", call.root, ")");
  }
  return "unknown collective";
}

void require_valid(const Call& call, int size) {
  const size_t n = static_cast<size_t>(size);
  switch (call.kind) {
    case CallKind::kBarrier:
      return;
    case CallKind::kAllReduce:
      return require_reducible(call.dtype, call.reduce);
    case CallKind::kReduceScatter:
      require_reducible(call.dtype, call.reduce);
      [[fallthrough]];
    case CallKind::kAllGather:
      OA_REQUIRE(call.counts.size() == n, name_of(call.kind), ": needs one count for each of ",
                 size, " ranks, was given ", call.counts.size());
      return;
    case CallKind::kAllToAll:
      OA_REQUIRE(call.counts.size() == 2 * n, "all_to_all: needs ", size, " counts to send and ",
                 size, " to receive, was given ", call.counts.size(), " in all");
      return;
    case CallKind::kBroadcast:
      OA_REQUIRE(call.root >= 0 && call.root < size, "broadcast: root must be a rank of 0 .. ",
                 size - 1, ", was ", call.root);
  }
}

void add_cost(Traffic& traffic, const Call& call, int rank, int size) {
  const size_t width = size_of(call.dtype);
  const std::span<const size_t> counts(call.counts);
  const auto add = [](Traffic::Count& count, int64_t bytes) {
    ++count.calls;
    count.bytes += bytes;
  };
  switch (call.kind) {
    case CallKind::kBarrier:
      return;
    case CallKind::kAllReduce:
      return add(traffic.all_reduce, all_reduce_cost(call.count, width, rank, size));
    case CallKind::kAllGather:
      return add(traffic.all_gather, all_gather_cost(counts, width, rank));
    case CallKind::kReduceScatter:
      return add(traffic.reduce_scatter, scatter_cost(counts, width, rank));
    case CallKind::kAllToAll:
      return add(traffic.all_to_all,
                 scatter_cost(counts.first(static_cast<size_t>(size)), width, rank));
    case CallKind::kBroadcast:
      return add(traffic.broadcast, broadcast_cost(call.count, width, rank, size, call.root));
  }
}

int place_in_part(std::span<const int> ranks, int rank, int size) {
  int place = -1;
  for (size_t i = 0; i < ranks.size(); ++i) {
    OA_REQUIRE(ranks[i] >= 0 && ranks[i] < size, "split: ranks are 0 .. ", size - 1, ", was ",
               ranks[i]);
    OA_REQUIRE(std::count(ranks.begin(), ranks.end(), ranks[i]) == 1, "split: rank ", ranks[i],
               " is named twice");
    if (ranks[i] == rank) place = static_cast<int>(i);
  }
  OA_REQUIRE(place >= 0, "split: is called by the ranks that it names, and rank ", rank,
             " is not among them");
  return place;
}

void require_peer(std::string_view what, int rank, int size, int other, int tag) {
  OA_REQUIRE(other >= 0 && other < size && other != rank, what, ": needs another rank of 0 .. ",
             size - 1, ", was ", other, " on rank ", rank);
  OA_REQUIRE(tag >= 0 && tag < (1 << 20), what, ": tag must be 0 .. 2^20 - 1, was ", tag);
}

std::string unequal_sizes(int from, int to, int tag, size_t sent, size_t expected) {
  return str("rank ", from, " sent ", sent, " bytes with tag ", tag, " to rank ", to,
             ", which expected ", expected);
}

std::string disagreement(std::span<const Call* const> calls, std::span<const int> ranks,
                         int64_t number) {
  bool agree = true;
  for (const Call* call : calls) agree = agree && same(*calls[0], *call);
  if (agree)
    return calls[0]->kind == CallKind::kAllToAll ? unequal_pairs(calls, ranks, number) : "";
  std::string text = str("the ranks disagree at call #", number, ":");
  for (size_t i = 0; i < calls.size(); ++i)
    text += str(i == 0 ? " " : ", ", "rank ", ranks[i], " called ", to_text(*calls[i]));
  return text;
}

}  // namespace oneagent::comm
