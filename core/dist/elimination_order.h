// The order in which nodes are eliminated: always the one whose table would have the fewest
// entries. What tables join is counted pair by pair, so that an elimination touches its neighbours
// alone and a graph takes time in proportion to its size.
#pragma once

#include <cmath>
#include <cstdint>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace oneagent::distributed {

class EliminationOrder {
 public:
  explicit EliminationOrder(const std::vector<size_t>& domains) : closed_(domains.size(), false) {
    for (const size_t domain : domains) {
      // Logarithms in fixed point add and subtract without a rest.
      own_.push_back(std::llround(std::log2(static_cast<double>(domain)) * kUnit));
      weights_.push_back(own_.back());
    }
  }

  void add_table(const std::vector<size_t>& scope) { count(scope, 1); }
  void drop_table(const std::vector<size_t>& scope) { count(scope, -1); }

  // The open node of least weight, the first one of equals, which is closed by this.
  size_t next() {
    if (!started_)
      for (size_t node = 0; node < own_.size(); ++node) queue_.emplace(weights_[node], node);
    started_ = true;
    while (true) {
      const auto [weight, node] = queue_.top();
      queue_.pop();
      if (closed_[node] || weight != weights_[node]) continue;
      closed_[node] = true;
      return node;
    }
  }

 private:
  static constexpr double kUnit = 1 << 20;

  void count(const std::vector<size_t>& scope, int by) {
    for (const size_t a : scope) {
      const int64_t before = weights_[a];
      for (const size_t b : scope) {
        if (a == b) continue;
        const auto [pair, fresh] = joined_.try_emplace((static_cast<uint64_t>(a) << 32) | b, 0);
        pair->second += by;
        if (fresh) weights_[a] += own_[b];
        if (pair->second > 0) continue;
        weights_[a] -= own_[b];
        joined_.erase(pair);
      }
      if (started_ && !closed_[a] && weights_[a] != before) queue_.emplace(weights_[a], a);
    }
  }

  using Entry = std::pair<int64_t, size_t>;
  std::vector<int64_t> own_, weights_;        // log2 of a node's choices; of its table
  std::unordered_map<uint64_t, int> joined_;  // tables that hold both nodes of a pair
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue_;
  std::vector<bool> closed_;
  bool started_ = false;
};

}  // namespace oneagent::distributed
