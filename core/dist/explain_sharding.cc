// What choose_shardings() chose, and why, in words.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/dist/auto_parallel.h"
#include "core/dist/reshard.h"

namespace oneagent::distributed {

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
