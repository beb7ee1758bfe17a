// Work along one dimension of contiguous tensors, cut into parts that do not depend on the number
// of threads.
#pragma once

#include "core/kernels/cpu/lines.h"
#include "core/tensor/tensor.h"

namespace oneagent {

// Around dimension `dim`; a 0-d tensor is one line of one element.
inline cpu::Lines lines_of(const Shape& sizes, int64_t dim) {
  cpu::Lines lines;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    (at < dim ? lines.outer : at == dim ? lines.count : lines.inner) *= sizes[i];
  }
  lines.step = lines.inner;
  lines.jump = lines.count * lines.inner;
  return lines;
}

// Calls body(part, offset, line): a part of the lines, its first element and its first line (for
// results of one element a line).
template <class Body>
void for_each_part(Stream& stream, const cpu::Lines& lines, const Body& body) {
  constexpr int64_t kGrain = 16384, kColumns = 64;
  const int64_t count = std::max<int64_t>(lines.count, 1);
  if (lines.outer * lines.inner == 0) return;
  if (lines.outer == 1) {
    const int64_t grain = std::max(kGrain / count / kColumns * kColumns, kColumns);
    return stream.parallel_for(lines.inner, grain, [&](int64_t begin, int64_t end) {
      cpu::Lines part = lines;
      part.inner = end - begin;
      body(part, begin, begin);
    });
  }
  const int64_t grain = std::max<int64_t>(kGrain / (count * lines.inner), 1);
  stream.parallel_for(lines.outer, grain, [&](int64_t begin, int64_t end) {
    cpu::Lines part = lines;
    part.outer = end - begin;
    body(part, begin * lines.jump, begin * lines.inner);
  });
}

}  // namespace oneagent
