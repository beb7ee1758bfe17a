#include "core/dist/signature.h"

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace oneagent::distributed {
namespace {

// Where one factor stands in operands and results.
struct Factor {
  static constexpr int kAbsent = -1;
  std::vector<int> in, out;
  int64_t extent = 1;     // the largest size that it has anywhere
  bool differs = false;   // other sizes than 1 and `extent`: it leads groups of dimensions
  bool repeated = false;  // twice in one operand: a diagonal
  bool divides = true;    // every size other than 1 is a multiple of the number of ranks
};

// The letters of "..." are capitals.
bool is_factor(const Factors& factors, char letter) {
  if (letter >= 'A' && letter <= 'Z' && factors.closed.find("...") != std::string::npos)
    return false;
  return letter != '1' && factors.closed.find(letter) == std::string::npos;
}

void note(Factor& factor, std::vector<int>& places, size_t operand, int dim, int64_t size,
          int64_t ranks) {
  factor.repeated |= places[operand] != Factor::kAbsent;
  places[operand] = dim;
  if (size == 1) return;
  factor.differs |= factor.extent != 1 && factor.extent != size;
  factor.extent = std::max(factor.extent, size);
  factor.divides &= size % ranks == 0;
}

std::map<char, Factor> factors_of(const Factors& factors, Metas inputs, Metas results,
                                  int64_t ranks) {
  std::map<char, Factor> out;
  const auto scan = [&](const std::vector<std::string>& operands, Metas metas,
                        std::vector<int> Factor::*places) {
    for (size_t i = 0; i < operands.size(); ++i)
      for (size_t d = 0; d < operands[i].size(); ++d) {
        const char letter = operands[i][d];
        if (!is_factor(factors, letter)) continue;
        const auto [at, fresh] = out.try_emplace(letter);
        Factor& factor = at->second;
        if (fresh) {
          factor.in.assign(inputs.size(), Factor::kAbsent);
          factor.out.assign(results.size(), Factor::kAbsent);
        }
        note(factor, factor.*places, i, static_cast<int>(d), metas[i]->sizes[d], ranks);
      }
  };
  scan(factors.inputs, inputs, &Factor::in);
  scan(factors.outputs, results, &Factor::out);
  return out;
}

// The dimension is split, unless it is one that is broadcast.
Placement placed(int dim, const TensorMeta* meta, const Factor& factor, Placement otherwise) {
  if (dim == Factor::kAbsent) return otherwise;
  if (meta->sizes[static_cast<size_t>(dim)] == 1 && factor.extent != 1)
    return Placement::broadcast();
  return Placement::split(dim);
}

// What is added to a Partial(sum) result is Partial(sum) too, or every rank would add it.
void share_added(const Op& op, Metas inputs, Signature& signature) {
  if (signature.out.empty() || !signature.out[0].is_partial()) return;
  for (size_t i = 0; i < inputs.size() && i < 31; ++i)
    if (inputs[i] != nullptr && (op.rule.added >> i & 1) != 0)
      signature.in[i] = Placement::partial();
}

// What parts of its result a random op can draw.
enum class Draws { kWhole, kRows, kAll };
Draws draws_of(const Op& op) {
  if (!op.random) return Draws::kAll;
  for (const AttrSpec& spec : op.attrs)
    if (std::string_view(spec.name) == "begins") return Draws::kAll;
  const bool creates = op.rule.factors != nullptr && std::string_view(op.rule.factors) == "->...";
  return creates ? Draws::kRows : Draws::kWhole;
}

// Are the elements of a part along `axis` one run in memory?
bool leads(const Shape& sizes, int axis) {
  return std::all_of(sizes.begin(), sizes.begin() + axis, [](int64_t size) { return size == 1; });
}

bool may_split(const Factor& factor, Metas results, int64_t ranks, bool in_place) {
  if (factor.repeated || (factor.extent < 2 && !in_place)) return false;
  if (factor.differs && !factor.divides) return false;
  for (size_t i = 0; i < results.size(); ++i) {
    if (factor.out[i] != Factor::kAbsent) {
      // A result of size 1 where operands have more is no split one.
      if (results[i]->sizes[static_cast<size_t>(factor.out[i])] == 1 && factor.extent > 1)
        return false;
      continue;
    }
    if (factor.extent < ranks) return false;  // nothing to reduce, of which there is no largest
  }
  return true;
}

}  // namespace

std::vector<Signature> signatures(const Op& op, const Attrs& attrs, Metas inputs, Metas results,
                                  int64_t ranks, bool in_place) {
  const Signature whole{std::vector<Placement>(inputs.size()),
                        std::vector<Placement>(results.size())};
  std::vector<Signature> out = {whole};
  const Draws draws = draws_of(op);
  if (draws == Draws::kWhole) return out;  // every rank draws the same numbers
  const Factors factors = resolve(op.rule, inputs, results, attrs);
  for (const auto& [letter, factor] : factors_of(factors, inputs, results, ranks)) {
    if (!may_split(factor, results, ranks, in_place)) continue;
    if (draws == Draws::kRows && !leads(results[0]->sizes, factor.out[0])) continue;
    Signature signature = whole;
    for (size_t i = 0; i < inputs.size(); ++i)
      signature.in[i] = placed(factor.in[i], inputs[i], factor, Placement::broadcast());
    for (size_t i = 0; i < results.size(); ++i)
      signature.out[i] =
          placed(factor.out[i], results[i], factor, Placement::partial(op.rule.reduce));
    share_added(op, inputs, signature);
    out.push_back(std::move(signature));
  }
  if (op.random) return out;
  const std::vector<Placement> sums(results.size(), Placement::partial());
  const auto linear = [&](size_t i) { return i < 31 && (op.rule.linear >> i & 1) != 0; };
  if ((op.rule.linear & kTogether) != 0) {
    Signature signature{std::vector<Placement>(inputs.size()), sums};
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i] != nullptr && (linear(i) || i >= 31)) signature.in[i] = Placement::partial();
    out.push_back(std::move(signature));
    return out;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr || !linear(i)) continue;
    Signature signature{std::vector<Placement>(inputs.size()), sums};
    signature.in[i] = Placement::partial();
    share_added(op, inputs, signature);
    out.push_back(std::move(signature));
  }
  return out;
}

std::string to_text(const Signature& signature) {
  std::string out;
  for (const Placement& placement : signature.in)
    out += (out.empty() ? "" : ", ") + oneagent::to_text(placement);
  out += " ->";
  for (size_t i = 0; i < signature.out.size(); ++i)
    out += str(i > 0 ? ", " : " ", signature.out[i]);
  return out;
}

Attrs local_attrs(const Op& op, const Attrs& attrs, Metas inputs, Metas results, const Shape& local,
                  const LocalRows& rows) {
  const auto first_of = [](Metas metas) {
    const bool any = !metas.empty() && *metas.begin() != nullptr && !metas[0]->sizes.empty();
    return any ? metas[0]->sizes[0] : 0;
  };
  const auto is_part = [](const AxisRange& range, int64_t size) {
    return range.length >= 0 && range.length < size;
  };
  const bool part_of_input = is_part(rows.input, first_of(inputs));
  if (results.empty() || (local == results[0]->sizes && !part_of_input)) return attrs;
  const bool part_of_result = is_part(rows.result, first_of(results));
  const bool draws = op.random && !rows.ranges.empty();
  Shape begins;
  int64_t first_element = 0;
  if (draws) {
    const Shape strides = contiguous_strides(results[0]->sizes);
    for (size_t i = 0; i < rows.ranges.size(); ++i) {
      begins.push_back(rows.ranges[i].begin);
      first_element += rows.ranges[i].begin * strides[i];
    }
  }
  Attrs out;
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    const AttrSpec& spec = op.attrs[i];
    const std::string_view name = spec.name;
    if (spec.kind != AttrKind::kInts) {
      int64_t value = attrs.integer(i);
      if (name == "num_weights") value = local[0];
      if (draws && name == "offset" && draws_of(op) == Draws::kRows) value += first_element;
      if (part_of_input && name == "begin_of_input") value = rows.input.begin;
      if (part_of_input && name == "size_of_input") value = first_of(inputs);
      if (part_of_result && name == "begin_of_result") value = rows.result.begin;
      if (part_of_result && name == "size_of_result") value = first_of(results);
      out.add(value);
      continue;
    }
    const Shape list = attrs.list(i);
    const bool sizes = name == "sizes" && list == results[0]->sizes;
    if (draws && name == "whole_sizes")
      out.add(results[0]->sizes);
    else if (draws && name == "begins")
      out.add(begins);
    else
      out.add(sizes ? local : list);
  }
  return out;
}

}  // namespace oneagent::distributed
