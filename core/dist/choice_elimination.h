// Bucket elimination without a limit of space: a table entry is one number and the choice that
// gives it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/dist/elimination_order.h"

namespace oneagent::distributed {

// Ascending, each once.
inline std::vector<size_t> as_set(std::vector<size_t> nodes) {
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

// How many combinations of choices the nodes of `scope` have.
inline double combinations(const std::vector<size_t>& domains, const std::vector<size_t>& scope) {
  double size = 1;
  for (const size_t node : scope) size *= static_cast<double>(domains[node]);
  return size;
}

class PlainElimination {
 public:
  PlainElimination(const std::vector<size_t>& domains, size_t max_entries)
      : domains_(domains), max_entries_(max_entries), order_(domains), around_(domains.size()) {}

  // A cost for each combination of choices of `scope`, which is ascending.
  void add(std::vector<size_t> scope, std::vector<double> costs) {
    for (const size_t node : scope) around_[node].push_back(tables_.size());
    order_.add_table(scope);
    tables_.push_back({std::move(scope), std::move(costs), true});
  }

  // The best choices; `exact` becomes false where some had to be guessed.
  std::vector<size_t> run(bool& exact) {
    choices_.assign(domains_.size(), 0);
    for (size_t step = 0; step < domains_.size(); ++step) {
      const size_t node = order_.next();
      const std::vector<size_t> scope = neighbours(node);
      if (size_of(scope) * static_cast<double>(domains_[node]) >
          static_cast<double>(max_entries_)) {
        guess(node);
        exact = false;
      } else {
        eliminate(node, scope);
      }
    }
    for (size_t i = eliminated_.size(); i-- > 0;) {
      const Eliminated& last = eliminated_[i];
      size_t index = 0;
      for (const size_t member : last.scope) index = index * domains_[member] + choices_[member];
      choices_[last.node] = last.choice[index];
    }
    return choices_;
  }

 private:
  struct Table {
    std::vector<size_t> scope;
    std::vector<double> costs;
    bool alive;
  };
  struct Eliminated {
    size_t node;
    std::vector<size_t> scope;
    std::vector<uint16_t> choice;
  };

  std::vector<size_t> neighbours(size_t node) const {
    std::vector<size_t> out;
    for (const size_t number : around_[node]) {
      if (!tables_[number].alive) continue;
      for (const size_t other : tables_[number].scope)
        if (other != node) out.push_back(other);
    }
    return as_set(std::move(out));
  }

  double size_of(const std::vector<size_t>& scope) const { return combinations(domains_, scope); }

  // The strides of the scope's members in each table that holds the node, and of the node itself.
  struct View {
    const double* costs;
    std::vector<size_t> strides;
    size_t own;
  };
  std::vector<View> views_of(size_t node, const std::vector<size_t>& scope) const {
    std::vector<View> out;
    for (const size_t number : around_[node]) {
      const Table& table = tables_[number];
      if (!table.alive) continue;
      View view{table.costs.data(), std::vector<size_t>(scope.size(), 0), 0};
      size_t stride = 1;
      for (size_t i = table.scope.size(); i-- > 0;) {
        const size_t member = table.scope[i];
        if (member == node)
          view.own = stride;
        else
          view.strides[static_cast<size_t>(std::lower_bound(scope.begin(), scope.end(), member) -
                                           scope.begin())] = stride;
        stride *= domains_[member];
      }
      out.push_back(std::move(view));
    }
    return out;
  }

  void eliminate(size_t node, const std::vector<size_t>& scope) {
    const std::vector<View> views = views_of(node, scope);
    const auto size = static_cast<size_t>(size_of(scope));
    std::vector<double> costs(size);
    std::vector<uint16_t> choice(size);
    std::vector<size_t> at(scope.size(), 0), first(views.size(), 0);
    std::vector<double> sums(domains_[node]);
    for (size_t entry = 0; entry < size; ++entry) {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (size_t v = 0; v < views.size(); ++v) {
        const double* costs_of = views[v].costs + first[v];
        for (size_t c = 0; c < sums.size(); ++c) sums[c] += costs_of[c * views[v].own];
      }
      const auto best = std::min_element(sums.begin(), sums.end());
      costs[entry] = *best;
      choice[entry] = static_cast<uint16_t>(best - sums.begin());
      for (size_t i = at.size(); i-- > 0;) {
        const bool turns = ++at[i] == domains_[scope[i]];
        for (size_t v = 0; v < views.size(); ++v)
          first[v] = turns ? first[v] - (domains_[scope[i]] - 1) * views[v].strides[i]
                           : first[v] + views[v].strides[i];
        if (!turns) break;
        at[i] = 0;
      }
    }
    drop(node);
    eliminated_.push_back({node, scope, std::move(choice)});
    if (!scope.empty()) add(scope, std::move(costs));
  }

  // Takes the choice that could be best for the node's tables, each seen for itself.
  void guess(size_t node) {
    std::vector<double> costs(domains_[node], 0);
    for (const size_t number : around_[node]) {
      const Table& table = tables_[number];
      if (!table.alive) continue;
      std::vector<double> least(domains_[node], 1e300);
      each_entry(table, node, [&](size_t choice, double cost) {
        least[choice] = std::min(least[choice], cost);
      });
      for (size_t c = 0; c < costs.size(); ++c) costs[c] += least[c];
    }
    const auto chosen =
        static_cast<size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
    choices_[node] = chosen;
    const std::vector<size_t> numbers = around_[node];
    std::vector<Table> sliced;
    for (const size_t number : numbers) {
      const Table& table = tables_[number];
      if (!table.alive) continue;
      Table part{{}, {}, true};
      for (const size_t member : table.scope)
        if (member != node) part.scope.push_back(member);
      each_entry(table, node, [&](size_t choice, double cost) {
        if (choice == chosen) part.costs.push_back(cost);
      });
      if (!part.scope.empty()) sliced.push_back(std::move(part));
    }
    drop(node);
    for (Table& part : sliced) add(std::move(part.scope), std::move(part.costs));
  }

  template <class Visit>
  void each_entry(const Table& table, size_t node, const Visit& visit) const {
    size_t stride = 1;
    for (size_t i = table.scope.size(); i-- > 0 && table.scope[i] != node;)
      stride *= domains_[table.scope[i]];
    for (size_t i = 0; i < table.costs.size(); ++i)
      visit(i / stride % domains_[node], table.costs[i]);
  }

  void drop(size_t node) {
    for (const size_t number : around_[node]) {
      Table& table = tables_[number];
      if (!table.alive) continue;
      order_.drop_table(table.scope);
      table.alive = false;
      table.costs = {};
    }
    around_[node].clear();
  }

  const std::vector<size_t>& domains_;
  const size_t max_entries_;
  EliminationOrder order_;
  std::vector<Table> tables_;
  std::vector<std::vector<size_t>> around_;  // tables of a node, dead ones included
  std::vector<size_t> choices_;
  std::vector<Eliminated> eliminated_;
};

}  // namespace oneagent::distributed
