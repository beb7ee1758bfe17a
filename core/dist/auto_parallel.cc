#include "core/dist/auto_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/dist/choice_graph.h"
#include "core/dist/reshard.h"
#include "core/dist/zero.h"

namespace oneagent::distributed {
namespace {

// What may be chosen for one node, or for a value that comes from outside. Calls that are alike
// share them.
struct Choices {
  std::vector<Placing> placings;
  std::vector<double> seconds, bytes;
};

// Mesh dimensions are decided together for programs of up to so many calls, else one after the
// other.
constexpr size_t kJointNodes = 12;

bool is_source(const Program& program, ValueId value) {
  return program.buffer_of(value).kind != BufferKind::kTemporary;
}

double bytes_of(const TensorMeta& meta) {
  return static_cast<double>(meta.sizes.numel()) * static_cast<double>(size_of(meta.dtype));
}

double local_bytes(const TensorMeta& meta, const Mesh& mesh, const Sharding& sharding) {
  TensorMeta local = meta;
  local.sizes = local_sizes(meta.sizes, mesh, sharding, 0);
  return bytes_of(local);
}

class Search {
 public:
  // All mesh dimensions together; or, with `before`, dimension `dim` alone: the ones before it stay
  // as `before` has them, the ones behind it split nothing yet.
  Search(const Program& program, const Mesh& mesh, const AutoOptions& options,
         const ShardingPlan* before = nullptr, size_t dim = 0)
      : program_(program), mesh_(mesh), options_(options), before_(before), dim_(dim) {}

  ShardingPlan run() {
    add_sources();
    for (size_t i = 0; i < program_.nodes.size(); ++i) add_node(i);
    for (const ValueId value : program_.outputs) add_result(value);
    for (const auto& [gradient, parameter] : options_.gradients) tie(gradient, parameter);
    const ChoiceGraph::Solution solution = graph_.solve(options_.memory_bytes);
    if (!solution.found) refuse();
    ShardingPlan plan;
    plan.seconds = solution.cost;
    plan.bytes = solution.space;
    plan.exact = solution.exact;
    for (const auto& [value, member] : sources_)
      plan.sources[value] = choices_[member]->placings[solution.choices[member]].out[0];
    for (const size_t member : node_members_)
      plan.nodes.push_back(choices_[member]->placings[solution.choices[member]]);
    return plan;
  }

 private:
  struct Producer {
    size_t member;
    size_t result;
  };

  // `key` says all that the choices depend on.
  template <class Make>
  size_t add(std::string key, const Make& make) {
    const auto [at, fresh] = known_choices_.try_emplace(std::move(key));
    if (fresh) at->second = make();
    const size_t member = graph_.add_node(at->second.seconds, at->second.bytes);
    choices_.push_back(&at->second);
    return member;
  }

  void add_sources() {
    std::set<ValueId> parameters;
    for (const auto& [gradient, parameter] : options_.gradients) parameters.insert(parameter);
    // Values that no node makes before another reads them.
    std::set<ValueId> made, read;
    for (const ProgramNode& node : program_.nodes) {
      for (const ValueId value : node.in)
        if (value != kNoValue && !made.contains(value)) read.insert(value);
      for (const ValueId value : node.out)
        if (!node.in_place) made.insert(value);
    }
    for (ValueId value = 0; value < static_cast<ValueId>(program_.values.size()); ++value) {
      if (!is_source(program_, value) || (made.contains(value) && !read.contains(value))) continue;
      const double copies = parameters.contains(value) ? options_.parameter_copies : 1;
      // Memory from outside that is no parameter, as running statistics and target networks, is
      // used where it lies: it changes between runs.
      const bool whole = program_.buffer_of(value).kind == BufferKind::kBound &&
                         !parameters.contains(value) && !options_.pins.contains(value);
      sources_[value] = add(source_key(value, copies, whole),
                            [&] { return source_choices(value, copies, whole); });
      producers_[value] = {sources_[value], 0};
    }
  }

  std::string source_key(ValueId value, double copies, bool whole) const {
    const TensorMeta& meta = program_.meta(value);
    std::string key = str("source ", meta.sizes, " ", size_of(meta.dtype), " ", copies, " ", whole);
    if (dim_ > 0) key += str(" before ", before_->sources.at(value));
    if (const auto pinned = options_.pins.find(value); pinned != options_.pins.end())
      for (const std::optional<Placement>& placement : pinned->second)
        key += placement.has_value() ? str(" pin ", *placement) : " free";
    for (size_t dim = 0; dim < mesh_.dims(); ++dim) key += has_to_split(value, dim) ? " s" : " -";
    return key;
  }

  Choices source_choices(ValueId value, double copies, bool whole) const {
    const TensorMeta& meta = program_.meta(value);
    const auto pinned = options_.pins.find(value);
    const Pin* pin = pinned == options_.pins.end() ? nullptr : &pinned->second;
    OA_REQUIRE(pin == nullptr || pin->size() == mesh_.dims(), "auto-parallel: a pin of ",
               pin->size(), " entries, the mesh ", mesh_.text(), " has ", mesh_.dims(),
               " dimensions");
    Choices out;
    std::function<void(Sharding)> extend = [&](const Sharding& so_far) {
      if (so_far.size() == mesh_.dims()) {
        Placing placing;
        placing.out = {so_far};
        out.placings.push_back(std::move(placing));
        out.seconds.push_back(0);
        out.bytes.push_back(copies * local_bytes(meta, mesh_, so_far));
        return;
      }
      Sharding next = so_far;
      next.push_back(Placement::broadcast());
      if (before_ != nullptr && so_far.size() != dim_) {
        if (so_far.size() < dim_) next[so_far.size()] = before_->sources.at(value)[so_far.size()];
        return extend(next);
      }
      if (whole) return extend(next);
      const Shape sizes = local_sizes(meta.sizes, mesh_, so_far, 0);
      if (pin != nullptr && (*pin)[so_far.size()].has_value()) {
        next[so_far.size()] = *(*pin)[so_far.size()];
        return extend(next);
      }
      const bool splits = std::any_of(sizes.begin(), sizes.end(), [&](int64_t size) {
        return size >= mesh_.size(so_far.size());
      });
      if (!splits || !has_to_split(value, so_far.size())) extend(next);
      for (size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] < mesh_.size(so_far.size())) continue;
        next[so_far.size()] = Placement::split(static_cast<int64_t>(axis));
        extend(next);
      }
    };
    extend({});
    for (const Placing& placing : out.placings)
      checked_sharding("auto-parallel", meta.sizes, mesh_, placing.out[0]);
    return out;
  }

  bool has_to_split(ValueId value, size_t dim) const {
    const auto found = options_.splits.find(value);
    return found != options_.splits.end() && mesh_.size(dim) > 1 &&
           std::find(found->second.begin(), found->second.end(), dim) != found->second.end();
  }

  void add_node(size_t index) {
    const ProgramNode& node = program_.nodes[index];
    std::vector<const TensorMeta*> inputs, results;
    for (const ValueId value : node.in)
      inputs.push_back(value == kNoValue ? nullptr : &program_.meta(value));
    for (const ValueId value : node.out) results.push_back(&program_.meta(value));
    const PlacedCall call{*node.op,
                          node.attrs,
                          Metas(inputs.data(), inputs.size()),
                          Metas(results.data(), results.size()),
                          {},
                          false};
    const size_t member = add(node_key(index, call), [&] { return node_choices(index, call); });
    node_members_.push_back(member);
    for (size_t i = 0; i < node.in.size(); ++i)
      if (node.in[i] != kNoValue) consume(node.in[i], member, i, (node.in_place && i == 0));
    if (node.in_place) return;
    for (size_t r = 0; r < node.out.size(); ++r) producers_[node.out[r]] = {member, r};
  }

  std::string node_key(size_t index, const PlacedCall& call) const {
    const ProgramNode& node = program_.nodes[index];
    std::string key = str(call.op.name, " ", node.in_place);
    for (const int64_t word : call.attrs.words()) key += str(" ", word);
    const auto add_metas = [&](Metas metas) {
      for (const TensorMeta* meta : metas)
        key += meta == nullptr ? str(" none") : str(" ", meta->dtype, meta->sizes);
      key += " >";
    };
    add_metas(call.inputs);
    add_metas(call.results);
    if (dim_ > 0) {
      const Placing& before = before_->nodes[index];
      for (size_t dim = 0; dim < dim_; ++dim) {
        for (const Sharding& sharding : before.in) key += str(" ", sharding[dim]);
        for (const Sharding& sharding : before.out) key += str(" ", sharding[dim]);
      }
    }
    return key;
  }

  Choices node_choices(size_t index, const PlacedCall& call) const {
    const bool holds = call.op.alias_of < 0 && !program_.nodes[index].in_place;
    Choices choices;
    choices.placings = all_placings(call, mesh_, options_.cost, allowed(index));
    for (const Placing& placing : choices.placings) {
      choices.seconds.push_back(placing.seconds);
      double bytes = 0;
      for (size_t r = 0; holds && r < call.results.size(); ++r)
        bytes += local_bytes(*call.results[r], mesh_, placing.out[r]);
      choices.bytes.push_back(bytes);
    }
    return choices;
  }

  Allowed allowed(size_t index) const {
    if (before_ == nullptr) return nullptr;
    return [this, index](size_t dim, const Signature& signature) {
      const auto as = [&](const std::vector<Placement>& placements,
                          const std::vector<Sharding>& shardings) {
        for (size_t i = 0; i < placements.size(); ++i)
          if (!(placements[i] == (dim < dim_ ? shardings[i][dim] : Placement::broadcast())))
            return false;
        return true;
      };
      if (dim == dim_) return true;
      static const Placing none;
      const Placing& fixed = dim < dim_ ? before_->nodes[index] : none;
      return as(signature.in, fixed.in) && as(signature.out, fixed.out);
    };
  }

  // The edge from who makes a value to the node that reads it.
  void consume(ValueId value, size_t member, size_t operand, bool fixed) {
    const Producer producer = producers_.at(value);
    if (producer.member == member) return;
    const Choices &from = *choices_[producer.member], &to = *choices_[member];
    const TensorMeta& meta = program_.meta(value);
    graph_.add_edge(
        producer.member, member,
        known_edge(
            {&from, producer.result, &to, operand, fixed, size_of(meta.dtype), str(meta.sizes)},
            [&](const Placing& a, const Placing& b) {
              const Sharding &have = a.out[producer.result], &want = b.in[operand];
              if (!fixed) return move_seconds(value, have, want);
              // In place: the value stays where it is, and so does the result.
              return have == want && b.out[0] == want ? 0 : ChoiceGraph::kForbidden;
            }));
  }

  // What an edge's costs depend on.
  using EdgeKey =
      std::tuple<const Choices*, size_t, const Choices*, size_t, bool, size_t, std::string>;
  template <class Cost>
  const std::vector<double>& known_edge(EdgeKey key, const Cost& cost) {
    const Choices &from = *std::get<0>(key), &to = *std::get<2>(key);
    const auto [at, fresh] = known_edges_.try_emplace(std::move(key));
    if (fresh)
      for (const Placing& a : from.placings)
        for (const Placing& b : to.placings) at->second.push_back(cost(a, b));
    return at->second;
  }

  // Results leave whole.
  void add_result(ValueId value) {
    const size_t member = add("result", [&] {
      Placing whole;
      whole.in = {Sharding::broadcast(mesh_.dims())};
      return Choices{{whole}, {0}, {0}};
    });
    consume(value, member, 0, false);
  }

  void tie(ValueId gradient, ValueId parameter) {
    const Producer made = producers_.at(gradient), source{sources_.at(parameter), 0};
    if (made.member == source.member) return;
    const TensorMeta& meta = program_.meta(gradient);
    // A gradient counts as operand -1 of its parameter.
    graph_.add_edge(
        made.member, source.member,
        known_edge({choices_[made.member], made.result, choices_[source.member],
                    static_cast<size_t>(-1), false, size_of(meta.dtype), str(meta.sizes)},
                   [&](const Placing& a, const Placing& b) {
                     return move_seconds(gradient, a.out[made.result],
                                         options_.gradient_sharding(program_.meta(parameter), mesh_,
                                                                    b.out[source.result]));
                   }));
  }

  double move_seconds(ValueId value, const Sharding& from, const Sharding& to) {
    if (from == to) return 0;
    const TensorMeta& meta = program_.meta(value);
    std::string key = str(meta.sizes, size_of(meta.dtype), from, to);
    const auto [at, fresh] = moves_.try_emplace(std::move(key), 0.0);
    if (fresh)
      at->second = path_seconds(meta.sizes, size_of(meta.dtype), mesh_, from, to, options_.cost);
    return at->second;
  }

  double least_bytes(size_t member) const {
    const std::vector<double>& bytes = choices_[member]->bytes;
    return *std::min_element(bytes.begin(), bytes.end());
  }

  [[noreturn]] void refuse() const {
    // What fits at least: the choice of least space.
    double least = 0;
    std::vector<std::pair<double, ValueId>> largest;
    for (size_t member = 0; member < choices_.size(); ++member) least += least_bytes(member);
    for (const auto& [value, member] : sources_) largest.emplace_back(least_bytes(member), value);
    std::sort(largest.rbegin(), largest.rend());
    std::string text;
    for (size_t i = 0; i < std::min<size_t>(3, largest.size()); ++i)
      text += fmt::format("{}%{} {} {:.1f} MB", i > 0 ? ", " : "", largest[i].second,
                          str(program_.meta(largest[i].second).sizes), largest[i].first / 1e6);
    throw_error(fmt::format(
        "auto-parallel: nothing fits into {:.1f} MB a rank on mesh {}; the least that can be held "
        "is "
        "at least {:.1f} MB, of which most are {}; give more memory or more ranks, or split the "
        "batch into micro-batches",
        options_.memory_bytes / 1e6, mesh_.text(), least / 1e6, text));
  }

  const Program& program_;
  const Mesh& mesh_;
  const AutoOptions& options_;
  const ShardingPlan* before_;
  const size_t dim_;
  ChoiceGraph graph_;
  std::unordered_map<std::string, Choices> known_choices_;
  std::map<EdgeKey, std::vector<double>> known_edges_;
  std::vector<const Choices*> choices_;  // of the graph's nodes
  std::vector<size_t> node_members_;
  std::map<ValueId, size_t> sources_;
  std::map<ValueId, Producer> producers_;
  std::map<std::string, double> moves_;
};

}  // namespace

Sharding AutoOptions::gradient_sharding(const TensorMeta& parameter, const Mesh& mesh,
                                        const Sharding& sharding) const {
  return split_gradients ? split_along(parameter.sizes, mesh, sharding, *split_gradients)
                         : sharding;
}

Pin pin(const Sharding& sharding) { return Pin(sharding.begin(), sharding.end()); }

ShardingPlan choose_shardings(const Program& program, const Mesh& mesh,
                              const AutoOptions& options) {
  if (mesh.dims() == 1 || program.nodes.size() <= kJointNodes)
    return Search(program, mesh, options).run();
  // Only the last dimension has to bring what is held under the limit.
  ShardingPlan plan;
  for (size_t dim = 0; dim < mesh.dims(); ++dim) {
    AutoOptions now = options;
    if (dim + 1 < mesh.dims()) now.memory_bytes = std::numeric_limits<double>::infinity();
    const ShardingPlan before = plan;
    plan = Search(program, mesh, now, &before, dim).run();
  }
  plan.exact = false;
  return plan;
}

}  // namespace oneagent::distributed
