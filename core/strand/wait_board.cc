#include "core/strand/wait_board.h"

#include <algorithm>
#include <cstdio>

#include "core/base/clock.h"
#include "core/base/text.h"

namespace oneagent {
namespace {

constexpr int64_t kRememberNs = 1'000'000'000;

}  // namespace

std::string to_text(const WaitRow& row) {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.1f", static_cast<double>(row.waited_ms) / 1000.0);
  return str(row.waiter, " waits for ", row.holder, ": ", row.reason, " (for ", seconds, " s)");
}

std::vector<WaitRow> WaitBoard::snapshot() const { return snapshot_longer_than(0); }

std::vector<WaitRow> WaitBoard::snapshot_longer_than(int64_t min_ms) const {
  const int64_t now = steady_ns();
  std::vector<WaitRow> rows;
  {
    std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_) {
      if (entry.expired_ns != 0 && now - entry.expired_ns > kRememberNs) continue;
      const int64_t waited_ms = (now - entry.since_ns) / 1'000'000;
      if (waited_ms >= min_ms)
        rows.push_back({entry.waiter, entry.holder, entry.reason, entry.since_wall_ms, waited_ms});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const WaitRow& a, const WaitRow& b) { return a.waited_ms > b.waited_ms; });
  return rows;
}

WaitBoard::Entries::iterator WaitBoard::begin_wait(std::string_view waiter, std::string_view holder,
                                                   std::string_view reason) {
  const int64_t now = steady_ns();
  std::lock_guard lock(mutex_);
  forget_old(now);
  for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
    if (entry->expired_ns == 0 || entry->waiter != waiter || entry->holder != holder) continue;
    entry->expired_ns = 0;
    entry->reason = reason;
    return entry;
  }
  return entries_.insert(entries_.end(), {std::string(waiter), std::string(holder),
                                          std::string(reason), wall_ms(), now, 0});
}

void WaitBoard::forget_old(int64_t now_ns) {
  entries_.remove_if([&](const Entry& entry) {
    return entry.expired_ns != 0 && now_ns - entry.expired_ns > kRememberNs;
  });
}

WaitScope::WaitScope(WaitBoard& board, std::string_view waiter, std::string_view holder,
                     std::string_view reason)
    : board_(board), entry_(board.begin_wait(waiter, holder, reason)) {}

WaitScope::~WaitScope() {
  std::lock_guard lock(board_.mutex_);
  if (expired_) {
    entry_->expired_ns = steady_ns();
  } else {
    board_.entries_.erase(entry_);
  }
}

void WaitScope::update(std::string_view reason) {
  std::lock_guard lock(board_.mutex_);
  entry_->reason = reason;
}

}  // namespace oneagent
