#include "core/dist/auto_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

#include "core/base/text.h"
#include "core/dist/choice_graph.h"
#include "core/dist/reshard.h"
#include "core/dist/zero.h"

namespace oneagent::distributed {
namespace {

// What may be chosen for one node, or for a value that comes from outside.
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
      plan.sources[value] = choices_[member].placings[solution.choices[member]].out[0];
    for (size_t i = 0; i < program_.nodes.size(); ++i)
      plan.nodes.push_back(choices_[node_members_[i]].placings[solution.choices[node_members_[i]]]);
    return plan;
  }

 private:
  struct Producer {
    size_t member;
    size_t result;
  };

  size_t add(Choices choices) {
    const size_t member = graph_.add_node(choices.seconds, choices.bytes);
    choices_.push_back(std::move(choices));
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
      sources_[value] = add(source_choices(value, copies, whole));
      producers_[value] = {sources_[value], 0};
    }
  }

  Choices source_choices(ValueId value, double copies, bool whole) {
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
    Choices choices;
    choices.placings = all_placings({*node.op,
                                     node.attrs,
                                     Metas(inputs.data(), inputs.size()),
                                     Metas(results.data(), results.size()),
                                     {},
                                     false},
                                    mesh_, options_.cost, allowed(index));
    for (Placing& placing : choices.placings) {
      choices.seconds.push_back(placing.seconds);
      double bytes = 0;
      if (node.op->alias_of < 0 && !node.in_place)
        for (size_t r = 0; r < node.out.size(); ++r)
          bytes += local_bytes(*results[r], mesh_, placing.out[r]);
      choices.bytes.push_back(bytes);
    }
    const size_t member = add(std::move(choices));
    node_members_.push_back(member);
    for (size_t i = 0; i < node.in.size(); ++i)
      if (node.in[i] != kNoValue) consume(node.in[i], member, i, (node.in_place && i == 0));
    if (node.in_place) return;
    for (size_t r = 0; r < node.out.size(); ++r) producers_[node.out[r]] = {member, r};
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
    const Choices &from = choices_[producer.member], &to = choices_[member];
    std::vector<double> costs;
    costs.reserve(from.placings.size() * to.placings.size());
    for (const Placing& a : from.placings)
      for (const Placing& b : to.placings) {
        const Sharding &have = a.out[producer.result], &want = b.in[operand];
        if (fixed)  // in place: the value stays where it is, and so does the result
          costs.push_back(have == want && b.out[0] == want ? 0 : ChoiceGraph::kForbidden);
        else
          costs.push_back(move_seconds(value, have, want));
      }
    if (producer.member != member) graph_.add_edge(producer.member, member, std::move(costs));
  }

  // Results leave whole.
  void add_result(ValueId value) {
    Placing whole;
    whole.in = {Sharding::broadcast(mesh_.dims())};
    const size_t member = add({{whole}, {0}, {0}});
    consume(value, member, 0, false);
  }

  void tie(ValueId gradient, ValueId parameter) {
    const Producer made = producers_.at(gradient), source{sources_.at(parameter), 0};
    if (made.member == source.member) return;
    std::vector<double> costs;
    for (const Placing& a : choices_[made.member].placings)
      for (const Placing& b : choices_[source.member].placings)
        costs.push_back(move_seconds(
            gradient, a.out[made.result],
            options_.gradient_sharding(program_.meta(parameter), mesh_, b.out[source.result])));
    graph_.add_edge(made.member, source.member, std::move(costs));
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

  [[noreturn]] void refuse() const {
    // What fits at least: the choice of least space.
    double least = 0;
    std::vector<std::pair<double, ValueId>> largest;
    for (size_t member = 0; member < choices_.size(); ++member)
      least += *std::min_element(choices_[member].bytes.begin(), choices_[member].bytes.end());
    for (const auto& [value, member] : sources_)
      largest.emplace_back(
          *std::min_element(choices_[member].bytes.begin(), choices_[member].bytes.end()), value);
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
  std::vector<Choices> choices_;  // of the graph's nodes
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

std::string explain(const Program& program, const Mesh& mesh, const AutoOptions& options,
                    const ShardingPlan& plan) {
  std::string out =
      fmt::format("mesh {}: {:.3f} ms a run, {:.2f} MB a rank{}\n", mesh.text(), plan.seconds * 1e3,
                  plan.bytes / 1e6, plan.exact ? "" : " (not proven to be the best)");
  std::set<ValueId> parameters;
  for (const auto& [gradient, parameter] : options.gradients) parameters.insert(parameter);
  for (const auto& [value, sharding] : plan.sources) {
    const TensorMeta& meta = program.meta(value);
    if (meta.sizes.numel() <= 1) continue;
    const bool input =
        std::find(program.inputs.begin(), program.inputs.end(), value) != program.inputs.end();
    out += fmt::format("  {:9} %{:<5} {:20} {}\n",
                       input ? "input" : (parameters.contains(value) ? "parameter" : "constant"),
                       value, str(meta.sizes), to_text(sharding));
  }
  std::map<ValueId, Sharding> now = plan.sources;
  double moving = 0;
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const ProgramNode& node = program.nodes[i];
    for (size_t k = 0; k < node.in.size(); ++k) {
      if (node.in[k] == kNoValue || now[node.in[k]] == plan.nodes[i].in[k]) continue;
      const TensorMeta& meta = program.meta(node.in[k]);
      const double seconds = path_seconds(meta.sizes, size_of(meta.dtype), mesh, now[node.in[k]],
                                          plan.nodes[i].in[k], options.cost);
      if (seconds <= 0) continue;
      moving += seconds;
      out += fmt::format("  move      %{:<5} {:20} {} to {} for {}: {:.1f} us\n", node.in[k],
                         str(meta.sizes), to_text(now[node.in[k]]), to_text(plan.nodes[i].in[k]),
                         node.op->name, seconds * 1e6);
    }
    for (size_t r = 0; r < node.out.size(); ++r)
      if (!node.in_place) now[node.out[r]] = plan.nodes[i].out[r];
  }
  for (const auto& [gradient, parameter] : options.gradients) {
    const TensorMeta& meta = program.meta(gradient);
    const Sharding to = options.gradient_sharding(meta, mesh, plan.sources.at(parameter));
    const double seconds =
        path_seconds(meta.sizes, size_of(meta.dtype), mesh, now[gradient], to, options.cost);
    if (seconds <= 0) continue;
    moving += seconds;
    out += fmt::format("  gradient  %{:<5} {:20} {} to {}: {:.1f} us\n", gradient, str(meta.sizes),
                       to_text(now[gradient]), to_text(to), seconds * 1e6);
  }
  out += fmt::format("  moving takes {:.3f} ms, computing {:.3f} ms\n", moving * 1e3,
                     (plan.seconds - moving) * 1e3);
  // The same program with everything that others would fix.
  AutoOptions fixed = options;
  fixed.memory_bytes = std::numeric_limits<double>::infinity();
  const auto alternative = [&](const char* name, const Placement& inputs) {
    fixed.pins.clear();
    for (const auto& [value, sharding] : plan.sources) {
      const bool input =
          std::find(program.inputs.begin(), program.inputs.end(), value) != program.inputs.end();
      Sharding fix = Sharding::broadcast(mesh.dims());
      const Shape& sizes = program.meta(value).sizes;
      if (input && inputs.is_split() && !sizes.empty() && sizes[0] >= mesh.ranks())
        for (size_t dim = 0; dim < mesh.dims(); ++dim) fix[dim] = inputs;
      fixed.pins[value] = pin(fix);
    }
    const ShardingPlan other = choose_shardings(program, mesh, fixed);
    out += fmt::format("  {}: {:.3f} ms a run, {:.2f} MB a rank\n", name, other.seconds * 1e3,
                       other.bytes / 1e6);
  };
  alternative("whole parameters, split batch", Placement::split(0));
  alternative("everything whole", Placement::broadcast());
  return out;
}

}  // namespace oneagent::distributed
