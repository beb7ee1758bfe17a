#include "core/dist/choice_graph.h"

#include <algorithm>
#include <cstdint>
#include <memory>

#include "core/base/check.h"
#include "core/dist/choice_elimination.h"

namespace oneagent::distributed {
namespace {

constexpr size_t kFrontNodes = 1000;  // graphs of more are searched by the price of space
constexpr int kPrices = 12;
constexpr size_t kMaxFront = 48;  // points of one entry; more are thinned out, which is not exact

// One way to reach an entry, and how: the choice of the eliminated node and the point taken of each
// table that was joined.
struct Point {
  double cost = 0, space = 0;
  uint32_t choice = 0;
  std::vector<uint32_t> from;
};
using Front = std::vector<Point>;

struct Table {
  std::vector<size_t> scope;  // nodes, ascending
  std::vector<Front> entries;
  bool alive = true;
  // How the entries were made: the node that was eliminated, from these tables.
  size_t node = 0;
  std::vector<size_t> joined;
};

class Elimination {
 public:
  Elimination(const std::vector<size_t>& domains, double limit, size_t max_entries)
      : domains_(domains),
        limit_(limit),
        max_entries_(max_entries),
        order_(domains),
        around_(domains.size()) {}

  void add(std::vector<size_t> scope, const std::vector<double>& costs,
           const std::vector<double>& space) {
    Table table;
    table.scope = std::move(scope);
    table.entries.resize(costs.size());
    for (size_t i = 0; i < costs.size(); ++i)
      table.entries[i] = {Point{costs[i], space.empty() ? 0 : space[i], 0, {}}};
    add(std::move(table));
  }

  ChoiceGraph::Solution run(size_t nodes) {
    std::vector<size_t> made;  // tables by elimination, in order
    for (size_t step = 0; step < nodes; ++step) made.push_back(eliminate(order_.next()));
    return solution(nodes, made);
  }

 private:
  // Without a limit an entry is one point, made of the one point of each table.
  bool limited() const { return limit_ < std::numeric_limits<double>::infinity(); }

  void add(Table table) {
    for (const size_t node : table.scope) around_[node].push_back(tables_.size());
    order_.add_table(table.scope);
    tables_.push_back(std::move(table));
  }

  std::vector<size_t> tables_with(size_t node) const {
    std::vector<size_t> out;
    for (const size_t i : around_[node])
      if (tables_[i].alive) out.push_back(i);
    return out;
  }

  std::vector<size_t> joint_scope(const std::vector<size_t>& tables, size_t without) const {
    std::vector<size_t> out;
    for (const size_t table : tables)
      for (const size_t node : tables_[table].scope)
        if (node != without) out.push_back(node);
    return as_set(std::move(out));
  }

  double size_of(const std::vector<size_t>& scope) const { return combinations(domains_, scope); }

  size_t eliminate(size_t node) {
    const std::vector<size_t> joined = tables_with(node);
    Table table;
    table.node = node;
    table.joined = joined;
    table.scope = joint_scope(joined, node);
    const double size = size_of(table.scope);
    OA_REQUIRE(size * static_cast<double>(domains_[node]) <= static_cast<double>(max_entries_),
               "auto-parallel: the graph is too entangled, a table of ", size,
               " entries would be needed");
    table.entries.resize(static_cast<size_t>(size));
    std::vector<size_t> at(table.scope.size(), 0);
    for (Front& entry : table.entries) {
      for (size_t choice = 0; choice < domains_[node]; ++choice)
        extend(entry, joined, table.scope, at, node, choice);
      prune(entry);
      for (size_t i = at.size(); i-- > 0;) {
        if (++at[i] < domains_[table.scope[i]]) break;
        at[i] = 0;
      }
    }
    for (const size_t i : joined) {
      order_.drop_table(tables_[i].scope);
      tables_[i].alive = false;
    }
    around_[node].clear();
    add(std::move(table));
    return tables_.size() - 1;
  }

  const Front& entry_of(size_t number, const std::vector<size_t>& scope,
                        const std::vector<size_t>& at, size_t node, size_t choice) const {
    const Table& table = tables_[number];
    size_t index = 0;
    for (const size_t member : table.scope) {
      const size_t value =
          member == node
              ? choice
              : at[static_cast<size_t>(std::lower_bound(scope.begin(), scope.end(), member) -
                                       scope.begin())];
      index = index * domains_[member] + value;
    }
    return table.entries[index];
  }

  // Adds the ways to reach an entry with this choice of the node.
  void extend(Front& entry, const std::vector<size_t>& joined, const std::vector<size_t>& scope,
              const std::vector<size_t>& at, size_t node, size_t choice) const {
    Front sums = {Point{0, 0, static_cast<uint32_t>(choice), {}}};
    for (const size_t number : joined) {
      const Front& other = entry_of(number, scope, at, node, choice);
      Front next;
      next.reserve(sums.size() * other.size());
      for (const Point& sum : sums)
        for (size_t p = 0; p < other.size(); ++p) {
          const double cost = sum.cost + other[p].cost, space = sum.space + other[p].space;
          if (cost >= ChoiceGraph::kForbidden || space > limit_) continue;
          Point point{cost, space, sum.choice, sum.from};
          if (limited()) point.from.push_back(static_cast<uint32_t>(p));
          next.push_back(std::move(point));
        }
      prune(next);
      sums = std::move(next);
      if (sums.empty()) return;
    }
    entry.insert(entry.end(), std::make_move_iterator(sums.begin()),
                 std::make_move_iterator(sums.end()));
  }

  // Keeps what is best in cost for its space.
  void prune(Front& front) const {
    if (front.size() < 2) return;
    std::stable_sort(front.begin(), front.end(), [](const Point& a, const Point& b) {
      return a.cost != b.cost ? a.cost < b.cost : a.space < b.space;
    });
    if (!limited()) {
      front.resize(1);
      return;
    }
    Front kept;
    for (Point& point : front)
      if (kept.empty() || point.space < kept.back().space) kept.push_back(std::move(point));
    if (kept.size() > kMaxFront) {
      thinned_ = true;
      Front few;
      for (size_t i = 0; i < kMaxFront; ++i)
        few.push_back(std::move(kept[i * (kept.size() - 1) / (kMaxFront - 1)]));
      kept = std::move(few);
    }
    front = std::move(kept);
  }

  ChoiceGraph::Solution solution(size_t nodes, const std::vector<size_t>& made) const {
    ChoiceGraph::Solution out;
    out.choices.assign(nodes, 0);
    out.exact = !thinned_;
    // Parts of the graph that have nothing to do with each other end in tables without a scope.
    std::vector<size_t> roots;
    Front total = {Point{}};
    for (size_t i = 0; i < tables_.size(); ++i) {
      if (!tables_[i].alive) continue;
      roots.push_back(i);
      Front next;
      for (const Point& sum : total)
        for (size_t p = 0; p < tables_[i].entries[0].size(); ++p) {
          const Point& part = tables_[i].entries[0][p];
          if (sum.space + part.space > limit_) continue;
          Point point{sum.cost + part.cost, sum.space + part.space, 0, sum.from};
          point.from.push_back(static_cast<uint32_t>(p));
          next.push_back(std::move(point));
        }
      prune(next);
      total = std::move(next);
    }
    if (total.empty()) return out;
    out.found = true;
    std::vector<uint32_t> chosen(tables_.size(), 0);  // the point taken of each table
    for (size_t i = 0; i < roots.size(); ++i) chosen[roots[i]] = total[0].from[i];
    for (size_t i = made.size(); i-- > 0;) {
      const Table& table = tables_[made[i]];
      size_t index = 0;
      for (const size_t member : table.scope)
        index = index * domains_[member] + out.choices[member];
      const Point& point = table.entries[index][chosen[made[i]]];
      out.choices[table.node] = point.choice;
      for (size_t j = 0; j < table.joined.size(); ++j)
        chosen[table.joined[j]] = limited() ? point.from[j] : 0;
    }
    return out;
  }

  const std::vector<size_t>& domains_;
  const double limit_;
  const size_t max_entries_;
  EliminationOrder order_;
  std::vector<Table> tables_;
  std::vector<std::vector<size_t>> around_;  // tables of a node, dead ones included
  mutable bool thinned_ = false;
};

}  // namespace

size_t ChoiceGraph::add_node(std::vector<double> costs, std::vector<double> space) {
  OA_CHECK(!costs.empty() && (space.empty() || space.size() == costs.size()),
           "choice graph: a node needs choices");
  nodes_.push_back({std::move(costs), std::move(space)});
  return nodes_.size() - 1;
}

void ChoiceGraph::add_edge(size_t a, size_t b, std::vector<double> costs) {
  OA_CHECK(a != b && costs.size() == choices(a) * choices(b), "choice graph: an edge of ",
           costs.size(), " costs between ", choices(a), " and ", choices(b), " choices");
  if (a < b) {
    edges_.push_back({a, b, std::move(costs)});
    return;
  }
  std::vector<double> turned(costs.size());
  for (size_t i = 0; i < choices(a); ++i)
    for (size_t j = 0; j < choices(b); ++j) turned[j * choices(a) + i] = costs[i * choices(b) + j];
  edges_.push_back({b, a, std::move(turned)});
}

// Guesses are improved one by one, as far as there is space, until none gets better.
void ChoiceGraph::improve(std::vector<size_t>& choices, double space_limit) const {
  std::vector<std::vector<size_t>> edges(nodes_.size());
  for (size_t e = 0; e < edges_.size(); ++e) {
    edges[edges_[e].a].push_back(e);
    edges[edges_[e].b].push_back(e);
  }
  const auto cost_at = [&](size_t node, size_t choice) {
    double cost = nodes_[node].costs[choice];
    for (const size_t e : edges[node]) {
      const Edge& edge = edges_[e];
      const size_t a = edge.a == node ? choice : choices[edge.a];
      const size_t b = edge.b == node ? choice : choices[edge.b];
      cost += edge.costs[a * nodes_[edge.b].costs.size() + b];
    }
    return cost;
  };
  const auto space_at = [&](size_t node, size_t choice) {
    return nodes_[node].space.empty() ? 0 : nodes_[node].space[choice];
  };
  double space = space_of(choices);
  for (bool better = true; better;) {
    better = false;
    for (size_t node = 0; node < nodes_.size(); ++node) {
      double least = cost_at(node, choices[node]);
      for (size_t c = 0; c < nodes_[node].costs.size(); ++c) {
        const double cost = cost_at(node, c);
        const double other = space - space_at(node, choices[node]) + space_at(node, c);
        if (!(cost < least * (1 - 1e-12)) || other > space_limit) continue;
        least = cost;
        space = other;
        choices[node] = c;
        better = true;
      }
    }
  }
}

ChoiceGraph::Solution ChoiceGraph::solve(double space_limit, size_t max_entries) const {
  Solution free = solve_priced(0, max_entries);
  if (!free.found || free.space <= space_limit) return free;
  return nodes_.size() <= kFrontNodes ? solve_fronts(space_limit, max_entries)
                                      : solve_by_price(std::move(free), space_limit, max_entries);
}

// Without a limit, where space costs `price` a unit.
ChoiceGraph::Solution ChoiceGraph::solve_priced(double price, size_t max_entries) const {
  const std::vector<size_t> domains = this->domains();
  Solution out;
  PlainElimination elimination(domains, max_entries);
  for (size_t i = 0; i < nodes_.size(); ++i) {
    std::vector<double> costs = nodes_[i].costs;
    for (size_t c = 0; price > 0 && c < nodes_[i].space.size(); ++c)
      costs[c] += price * nodes_[i].space[c];
    elimination.add({i}, std::move(costs));
  }
  for (const Edge& edge : edges_) elimination.add({edge.a, edge.b}, edge.costs);
  out.choices = elimination.run(out.exact);
  if (!out.exact && price == 0) improve(out.choices);
  out.cost = cost_of(out.choices);
  out.space = space_of(out.choices);
  out.found = out.cost < kForbidden;
  return out;
}

ChoiceGraph::Solution ChoiceGraph::solve_fronts(double space_limit, size_t max_entries) const {
  const std::vector<size_t> domains = this->domains();
  Elimination elimination(domains, space_limit, max_entries);
  for (size_t i = 0; i < nodes_.size(); ++i) elimination.add({i}, nodes_[i].costs, nodes_[i].space);
  for (const Edge& edge : edges_) elimination.add({edge.a, edge.b}, edge.costs, {});
  Solution out = elimination.run(nodes_.size());
  if (!out.found) return out;
  out.cost = cost_of(out.choices);
  out.space = space_of(out.choices);
  return out;
}

// Lagrangian relaxation (Everett 1963): each price of space gives the best of all choices that
// take as little space as its own, and the price is drawn in between the dearest that does not fit
// and the cheapest that does.
ChoiceGraph::Solution ChoiceGraph::solve_by_price(Solution above, double space_limit,
                                                  size_t max_entries) const {
  // So dear that only space counts.
  Solution fits = solve_priced(std::max(above.cost, 1e-12), max_entries);
  fits.exact = false;
  if (!fits.found || fits.space > space_limit) {
    fits.found = false;
    return fits;
  }
  Solution below = fits;
  for (int round = 0; round < kPrices && below.space < above.space; ++round) {
    const double price = (below.cost - above.cost) / (above.space - below.space);
    if (!(price > 0)) break;
    Solution now = solve_priced(price, max_entries);
    const double value = now.cost + price * now.space;
    if (!(value < (above.cost + price * above.space) * (1 - 1e-12))) break;
    now.exact = false;
    if (now.space > space_limit) {
      above = std::move(now);
      continue;
    }
    below = std::move(now);
    if (below.cost < fits.cost) fits = below;
  }
  improve(fits.choices, space_limit);
  fits.cost = cost_of(fits.choices);
  fits.space = space_of(fits.choices);
  return fits;
}

std::vector<size_t> ChoiceGraph::domains() const {
  std::vector<size_t> out;
  for (const Node& node : nodes_) out.push_back(node.costs.size());
  return out;
}

double ChoiceGraph::cost_of(const std::vector<size_t>& choices) const {
  double cost = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) cost += nodes_[i].costs[choices[i]];
  for (const Edge& edge : edges_)
    cost += edge.costs[choices[edge.a] * nodes_[edge.b].costs.size() + choices[edge.b]];
  return cost;
}

double ChoiceGraph::space_of(const std::vector<size_t>& choices) const {
  double space = 0;
  for (size_t i = 0; i < nodes_.size(); ++i)
    if (!nodes_[i].space.empty()) space += nodes_[i].space[choices[i]];
  return space;
}

}  // namespace oneagent::distributed
