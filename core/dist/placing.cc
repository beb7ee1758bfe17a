#include "core/dist/placing.h"

#include <limits>

#include "core/base/caller.h"
#include "core/base/text.h"

namespace oneagent::distributed {
namespace {

// The call as the rank with the largest parts sees it, when some mesh dimensions are decided.
struct LocalView {
  std::vector<TensorMeta> inputs, results;
  std::vector<const TensorMeta*> in, out;
  Attrs attrs;

  explicit LocalView(const PlacedCall& call) : attrs(call.attrs) {
    for (const TensorMeta* meta : call.inputs) inputs.push_back(meta ? *meta : TensorMeta());
    for (const TensorMeta* meta : call.results) results.push_back(*meta);
    for (size_t i = 0; i < inputs.size(); ++i) in.push_back(call.inputs[i] ? &inputs[i] : nullptr);
    for (const TensorMeta& meta : results) out.push_back(&meta);
  }
  LocalView(const LocalView& other)
      : inputs(other.inputs), results(other.results), attrs(other.attrs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      in.push_back(other.in[i] != nullptr ? &inputs[i] : nullptr);
    for (const TensorMeta& meta : results) out.push_back(&meta);
  }
  LocalView& operator=(const LocalView&) = delete;

  void apply(const Op& op, const Signature& signature, int64_t ranks) {
    Shape first = results.empty() ? Shape() : results[0].sizes;
    const auto shrink = [&](Shape& sizes, const Placement& placement) {
      if (!placement.is_split()) return;
      int64_t& size = sizes[static_cast<size_t>(placement.axis)];
      size = part_of(size, ranks, 0).length;
    };
    if (!results.empty()) shrink(first, signature.out[0]);
    attrs =
        local_attrs(op, attrs, Metas(in.data(), in.size()), Metas(out.data(), out.size()), first);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (in[i] != nullptr) shrink(inputs[i].sizes, signature.in[i]);
    for (size_t i = 0; i < results.size(); ++i) shrink(results[i].sizes, signature.out[i]);
  }
};

double bytes_of(const TensorMeta& meta) {
  return static_cast<double>(meta.sizes.numel()) * static_cast<double>(size_of(meta.dtype));
}

// Seconds of one step of operand i, by way of B where there is no direct one.
double move_seconds(const CostModel& cost, size_t dim, const Placement& from, const Placement& to,
                    double bytes, int64_t ranks) {
  double direct = step_seconds(cost, dim, from, to, bytes, ranks);
  // What is reduced into parts here will mostly be joined again later.
  if (from.is_partial() && to.is_split())
    direct += step_seconds(cost, dim, to, Placement::broadcast(), bytes, ranks);
  if (direct < std::numeric_limits<double>::infinity()) return direct;
  return step_seconds(cost, dim, from, Placement::broadcast(), bytes, ranks) +
         step_seconds(cost, dim, Placement::broadcast(), to, bytes, ranks);
}

// Does a rank compute a part only?
bool splits(const Signature& signature) {
  const auto is_split = [](const Placement& p) { return p.is_split(); };
  return std::any_of(signature.in.begin(), signature.in.end(), is_split) ||
         std::any_of(signature.out.begin(), signature.out.end(), is_split);
}

double compute_seconds(const CostModel& cost, const PlacedCall& call, const LocalView& view) {
  if (call.op.alias_of >= 0) return 0;
  Inferred inferred(call.op.name);
  for (const TensorMeta& meta : view.results) inferred.add(meta.sizes, meta.dtype);
  const Metas in(view.in.data(), view.in.size());
  return flops_of(call.op, in, view.attrs, inferred) / cost.flops_per_second +
         oneagent::bytes_of(call.op, in, view.attrs, inferred) / cost.bytes_per_second;
}

// Does the op write rows here and there into a table of zeros? Reduced or exchanged that is all of
// the table, however few rows there are; tables are split by rows or as what is written to them.
bool scatters(const Op& op) {
  return std::any_of(op.attrs.begin(), op.attrs.end(), [](const AttrSpec& spec) {
    return std::string_view(spec.name) == "begin_of_result";
  });
}

// In place on what one rank holds: operands of its shape lie there, too, numbers lie everywhere.
Signature owner_signature(const PlacedCall& call, size_t dim) {
  Signature out;
  const Placement owner = call.from[0][dim];
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const bool like_first =
        call.inputs[i] != nullptr && call.inputs[i]->sizes == call.inputs[0]->sizes;
    out.in.push_back(like_first ? owner : Placement::broadcast());
    if (call.inputs[i] != nullptr && !like_first && call.inputs[i]->sizes.numel() != 1) return {};
  }
  out.out.assign(call.results.size(), owner);
  return out;
}

[[noreturn]] void refuse_in_place(const PlacedCall& call, const Mesh& mesh, size_t dim) {
  std::string operands;
  for (size_t i = 0; i < call.from.size(); ++i)
    if (call.inputs[i] != nullptr)
      operands +=
          str(operands.empty() ? "" : " and ", call.inputs[i]->sizes, " placed ", call.from[i]);
  const std::string line = calling_line();
  throw_error(str(call.op.name, ": cannot be done in place along mesh dimension \"", mesh.name(dim),
                  "\" on ", operands,
                  "; use the form that is not in place, or reshard() the first operand",
                  line.empty() ? "" : "; called at ", line));
}

}  // namespace

Placing choose_placing(const PlacedCall& call, const Mesh& mesh, const CostModel& cost) {
  Placing out;
  out.in.resize(call.inputs.size());
  out.out.resize(call.results.size());
  LocalView view(call);
  for (size_t dim = 0; dim < mesh.dims(); ++dim) {
    const int64_t ranks = mesh.size(dim);
    const Metas in(view.in.data(), view.in.size()), results(view.out.data(), view.out.size());
    const double compute = compute_seconds(cost, call, view);
    bool whole = true;
    for (size_t i = 0; i < view.in.size(); ++i)
      whole &= view.in[i] == nullptr || call.from[i][dim].is_broadcast();
    double best = std::numeric_limits<double>::infinity();
    Signature chosen;
    if (call.in_place && call.from[0][dim].is_owner())
      if (Signature owned = owner_signature(call, dim); !owned.in.empty()) {
        best = compute;
        chosen = std::move(owned);
      }
    for (Signature& signature :
         signatures(call.op, view.attrs, in, results, ranks, call.in_place)) {
      if (call.in_place &&
          !(signature.in[0] == call.from[0][dim] && signature.out[0] == call.from[0][dim]))
        continue;
      double seconds = splits(signature) ? compute / static_cast<double>(ranks) : compute;
      for (size_t i = 0; i < view.in.size(); ++i) {
        if (view.in[i] == nullptr) continue;
        // A view of moved data is no view: in-place changes of it would be lost.
        const bool moves_base =
            static_cast<int>(i) == call.op.alias_of && !(signature.in[i] == call.from[i][dim]);
        seconds += move_seconds(cost, dim, call.from[i][dim], signature.in[i],
                                bytes_of(*view.in[i]), ranks) +
                   (moves_base ? cost.link[dim].alpha : 0);
      }
      if (scatters(call.op) &&
          !(signature.in[0] == call.from[0][dim] && signature.out[0].is_split()))
        seconds += move_seconds(cost, dim, signature.out[0], Placement::split(0),
                                bytes_of(*view.out[0]), ranks);
      if (whole)  // what nobody has split is split here only if joining the results is worth it
        for (size_t r = 0; r < view.out.size(); ++r)
          seconds += move_seconds(cost, dim, signature.out[r], Placement::broadcast(),
                                  bytes_of(*view.out[r]), ranks);
      if (!(seconds < best)) continue;
      best = seconds;
      chosen = std::move(signature);
    }
    if (best == std::numeric_limits<double>::infinity()) refuse_in_place(call, mesh, dim);
    out.seconds += best;
    for (size_t i = 0; i < out.in.size(); ++i) out.in[i].push_back(chosen.in[i]);
    for (size_t i = 0; i < out.out.size(); ++i) out.out[i].push_back(chosen.out[i]);
    view.apply(call.op, chosen, ranks);
  }
  return out;
}

std::vector<Placing> all_placings(const PlacedCall& call, const Mesh& mesh, const CostModel& cost,
                                  const Allowed& allowed) {
  std::vector<Placing> out;
  const auto extend = [&](const auto& self, const Placing& so_far, const LocalView& view,
                          size_t dim) -> void {
    if (out.size() >= kMaxPlacings) return;
    if (dim == mesh.dims()) {
      const auto same = [&](const Placing& other) {
        return other.in == so_far.in && other.out == so_far.out;
      };
      if (std::any_of(out.begin(), out.end(), same)) return;
      out.push_back(so_far);
      out.back().seconds = compute_seconds(cost, call, view);
      return;
    }
    for (const Signature& signature :
         signatures(call.op, view.attrs, Metas(view.in.data(), view.in.size()),
                    Metas(view.out.data(), view.out.size()), mesh.size(dim))) {
      if (allowed != nullptr && !allowed(dim, signature)) continue;
      Placing next = so_far;
      for (size_t i = 0; i < next.in.size(); ++i) next.in[i].push_back(signature.in[i]);
      for (size_t i = 0; i < next.out.size(); ++i) next.out[i].push_back(signature.out[i]);
      LocalView local = view;
      local.apply(call.op, signature, mesh.size(dim));
      self(self, next, local, dim + 1);
    }
  };
  Placing first;
  first.in.resize(call.inputs.size());
  first.out.resize(call.results.size());
  extend(extend, first, LocalView(call), 0);
  return out;
}

}  // namespace oneagent::distributed
