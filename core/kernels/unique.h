// Runs of equal elements or rows.
#pragma once

#include "core/tensor/tensor.h"

namespace oneagent {

// out[i]: the number of the run that row i of `rows` ([n] or [n, ...]) belongs to, from 0.
void run_number_runs(Stream& stream, const Tensor& out, const Tensor& rows);

// starts[r]: the first row of run r, given the numbers of the runs.
void run_find_starts(Stream& stream, const Tensor& starts, const Tensor& numbers);

// The stable order of the rows of [n, m], compared element by element.
void run_sort_rows(Stream& stream, const Tensor& order, const Tensor& rows);

// The first element of each run of equal neighbours of `flat` [n]; NaN equals nothing.
Tensor distinct_neighbours(Stream& stream, const Tensor& flat);

// Integers whose values lie in least .. least + range - 1, with range <= kSmallRange: the distinct
// ones in order, how often each occurs, and the number of each element's value among them.
inline constexpr int64_t kSmallRange = 1024;
struct CountedValues {
  Tensor values, counts, places;  // places: undefined unless wanted
};
CountedValues count_small_range(Stream& stream, const Tensor& flat, int64_t least, int64_t range,
                                bool wants_places);

// The distinct elements of `x` in the order of a hash set of them.
Tensor in_hash_order(Stream& stream, const Tensor& x, int64_t count);

}  // namespace oneagent
