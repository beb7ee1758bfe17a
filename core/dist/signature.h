// Sharding signatures of one op call along one mesh dimension, generated from the factor rule of
// its record (core/graph/rule.h); none is listed by hand.
#pragma once

#include <string>
#include <vector>

#include "core/graph/op.h"

namespace oneagent::distributed {

// With the operands placed as `in`, the local calls of all ranks give the results placed as `out`.
struct Signature {
  std::vector<Placement> in;  // Broadcast where an operand is absent
  std::vector<Placement> out;
  friend bool operator==(const Signature&, const Signature&) = default;
};

std::string to_text(const Signature& signature);  // "S(0), B -> S(0)"

// For `ranks` ranks: all-Broadcast first, then one for each factor that may be split, then those in
// which a value still to be reduced passes through. `inputs` and `results` are of the logical call.
// Splitting one element or none is worth nothing, but in place the first operand lies as it lies.
std::vector<Signature> signatures(const Op& op, const Attrs& attrs, Metas inputs, Metas results,
                                  int64_t ranks, bool in_place = false);

// What a rank holds of the first dimension of an op's first operand and of its first result.
struct LocalRows {
  AxisRange input{0, -1}, result{0, -1};  // below 0: all of it
  std::vector<AxisRange> ranges;          // of all dimensions of the first result; {}: not known
};

// Attributes of the local call: sizes that an op was given become those of the local result, and
// so does num_weights; where the first dimension of the first operand or result is split,
// begin_of_input, size_of_input, begin_of_result and size_of_result say where this rank's part of
// it begins and what it measures in all. What a random op draws is what its part of the result
// draws in a whole one: whole_sizes and begins say where that lies, or the offset does. `inputs`
// and `results` are of the logical call, `local` are the sizes of this rank's first result.
Attrs local_attrs(const Op& op, const Attrs& attrs, Metas inputs, Metas results, const Shape& local,
                  const LocalRows& rows = {});

}  // namespace oneagent::distributed
