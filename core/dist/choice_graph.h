// Choosing one of several possibilities for each node of a graph, so that the sum of what nodes and
// edges cost is least and what nodes occupy stays under a limit. Nodes are eliminated one by one:
// the best choice of a node is tabulated for all choices of its neighbours (bucket elimination,
// Dechter 1999), which is exact as long as the tables fit. With a limit that binds a table entry is
// the front of what cannot be improved in both cost and space; in large graphs, space is given a
// price instead, which need not find the best.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace oneagent::distributed {

class ChoiceGraph {
 public:
  static constexpr double kForbidden = 1e30;

  // Of a node with costs.size() choices. `space` is what each occupies, {} for nothing.
  size_t add_node(std::vector<double> costs, std::vector<double> space = {});
  // costs[i * choices(b) + j] for choice i of a and j of b; edges between the same nodes add up.
  void add_edge(size_t a, size_t b, std::vector<double> costs);

  size_t nodes() const { return nodes_.size(); }
  size_t choices(size_t node) const { return nodes_[node].costs.size(); }

  struct Solution {
    std::vector<size_t> choices;
    double cost = 0;
    double space = 0;
    bool found = false;  // does anything fit under the limit
    bool exact = true;   // were all tables small enough; else some choices are guesses, improved
                         // one by one
  };
  Solution solve(double space_limit = std::numeric_limits<double>::infinity(),
                 size_t max_entries = size_t{1} << 22) const;

  // What a set of choices costs and occupies.
  double cost_of(const std::vector<size_t>& choices) const;
  double space_of(const std::vector<size_t>& choices) const;

 private:
  void improve(std::vector<size_t>& choices,
               double space_limit = std::numeric_limits<double>::infinity()) const;
  Solution solve_priced(double price, size_t max_entries) const;
  Solution solve_fronts(double space_limit, size_t max_entries) const;
  Solution solve_by_price(Solution above, double space_limit, size_t max_entries) const;
  std::vector<size_t> domains() const;

  struct Node {
    std::vector<double> costs, space;
  };
  struct Edge {
    size_t a, b;
    std::vector<double> costs;
  };
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
};

}  // namespace oneagent::distributed
