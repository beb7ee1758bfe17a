#include "core/ops/unique.h"

#include "core/graph/context.h"
#include "core/kernels/unique.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/extreme.h"
#include "core/ops/index.h"
#include "core/ops/nonzero.h"
#include "core/ops/number.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_sort.h"
#include "core/ops/scan.h"
#include "core/ops/slice.h"
#include "core/ops/sort.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

// The number of the run of equal neighbours that each slice along dimension 0 belongs to.
void runs_infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(!in[0]->sizes.empty(), "run_numbers: needs at least one dimension");
  out.add({in[0]->sizes[0]}, DType::kInt64);
}
std::string runs_rule(Metas in, const Attrs&) {
  const std::string text = along_rule(in[0]->sizes, 0);
  const std::string letters = text.substr(0, in[0]->sizes.size());
  return letters + "->a;" + letters;
}
void runs_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_number_runs(stream, out[0], in[0]);
}
constinit const Op kRunNumbers = {
    .name = "run_numbers",
    .infer = runs_infer,
    .rule = {.generate = runs_rule},
    .flops = reduce_flops,
    .kernels = {runs_kernel},
    .samples =
        [] {
          return Samples{{{ints({30}, 0, 2)}},
                         {{ints({9, 2}, 0, 2, DType::kInt32)}},
                         {{normal({5})}},
                         {{normal({0, 2})}}};
        },
};

// Where each run starts.
constexpr AttrSpec kCountAttrs[] = {{"count", AttrKind::kInt}};
void starts_infer(Metas in, const Attrs& attrs, Inferred& out) {
  OA_REQUIRE(in[0]->dtype == DType::kInt64 && in[0]->sizes.size() == 1,
             "run_starts: needs the int64 numbers of runs, was ", name_of(in[0]->dtype), " ",
             in[0]->sizes);
  out.add({attrs.integer(0)}, DType::kInt64);
}
void starts_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_find_starts(stream, out[0], in[0]);
}
constinit const Op kRunStarts = {
    .name = "run_starts",
    .attrs = kCountAttrs,
    .infer = starts_infer,
    .rule = {.factors = "a->z", .closed = "az"},
    .kernels = {starts_kernel},
    .samples = [] {
      return Samples{{{ints({7}, 0, 1)}, Attrs().add(1)}, {{ints({0}, 0, 1)}, Attrs().add(0)}};
    }};

// The order of rows of a matrix.
void rows_infer(Metas in, const Attrs&, Inferred& out) {
  OA_REQUIRE(in[0]->sizes.size() == 2, "sort_rows: needs a matrix, was shape ", in[0]->sizes);
  out.add({in[0]->sizes[0]}, DType::kInt64);
}
void rows_kernel(Stream& stream, const Attrs&, Inputs in, std::span<Tensor> out) {
  run_sort_rows(stream, out[0], in[0]);
}
constinit const Op kSortRows = {.name = "sort_rows",
                                .infer = rows_infer,
                                .rule = {.factors = "ab->a", .closed = "ab"},
                                .flops = reduce_flops,
                                .kernels = {rows_kernel},
                                .samples = [] {
                                  return Samples{{{ints({9, 2}, 0, 3)}},
                                                 {{normal({4, 3})}},
                                                 {{ints({5, 1}, 0, 9, DType::kInt32)}}};
                                }};

using Triple = std::tuple<Tensor, Tensor, Tensor>;

Tensor none() { return empty({0}, DType::kInt64); }

int64_t run_count(const Tensor& numbers) {
  return numbers.numel() == 0 ? 0 : select(numbers, 0, -1).item<int64_t>() + 1;
}

// The lengths of runs that start at `starts`.
Tensor lengths(const Tensor& starts, int64_t total) {
  if (starts.numel() == 0) return starts;
  const Tensor ends = cat({narrow(starts, 0, 1, starts.numel() - 1), full({1}, total, kInt64)});
  return sub(ends, starts);
}

Tensor run_starts(const Tensor& numbers) {
  return call_op(kRunStarts, {&numbers}, Attrs().add(run_count(numbers)));
}

// Results of sorted (or consecutive) slices: `order` says where they come from, if they moved.
struct Runs {
  Tensor starts, inverse, counts;
};
Runs runs_of(const Tensor& slices, const Tensor& order, bool inverse, bool counts) {
  const Tensor numbers = call_op(kRunNumbers, {&slices});
  Runs out{run_starts(numbers), none(), none()};
  if (inverse)
    out.inverse = order.defined() ? scatter(empty_like(numbers), 0, order, numbers) : numbers;
  if (counts) out.counts = lengths(out.starts, numbers.numel());
  return out;
}

// The same results with the values in another order, of which `place` says where each value went.
void reorder(Tensor& values, Tensor& inverse, Tensor& counts, const Tensor& self) {
  const Tensor hashed = in_hash_order(context().stream, self, values.numel());
  const Tensor order = argsort(hashed, 0, false);  // hashed[order[i]] is value i
  values = hashed;
  if (counts.numel() > 0) counts = scatter(empty_like(counts), 0, order, counts);
  if (inverse.numel() > 0)
    inverse = view(index_select(order, 0, reshape(inverse, {-1})), inverse.sizes());
}

bool has_plain_order(const Tensor& x) {
  return x.device().is_cpu() && !x.is_complex() && !is_half(x.dtype());
}

// Integers in a small range are counted instead of sorted.
std::optional<Triple> by_counting(const Tensor& flat, bool inverse) {
  if (!is_integral(flat.dtype(), true) || flat.numel() == 0) return std::nullopt;
  const auto [least, most] = aminmax(flat);
  const auto low = least.item<int64_t>();
  const auto range = static_cast<uint64_t>(most.item<int64_t>()) - static_cast<uint64_t>(low);
  if (range >= static_cast<uint64_t>(flat.numel()) + 256) return std::nullopt;
  if (range < kSmallRange && flat.device().is_cpu()) {
    const CountedValues counted =
        count_small_range(context().stream, flat, low, static_cast<int64_t>(range) + 1, inverse);
    return Triple{counted.values, inverse ? counted.places : none(), counted.counts};
  }
  const Tensor counts = count_values(flat, low, static_cast<int64_t>(range) + 1);
  const Tensor present = select(nonzero(counts), 1, 0);
  Tensor places = none();
  if (inverse) {
    const Tensor number = sub(cumsum(ne(counts, 0), 0), 1);
    places = index_select(number, 0, sub(to(flat, kInt64), low));
  }
  return Triple{to(add(present, low), flat.dtype()), places, index_select(counts, 0, present)};
}

}  // namespace

Triple _unique2(const Tensor& self, bool sorted, bool return_inverse, bool return_counts) {
  const Tensor flat = reshape(self.detach(), {-1});
  Tensor values, order;
  if (auto counted = by_counting(flat, return_inverse)) {
    auto& [distinct, places, counts] = *counted;
    if (return_inverse) places = view(places, self.sizes());
    if (!return_counts) counts = none();
    if (!sorted) reorder(distinct, places, counts, flat);
    return *counted;
  }
  if (return_inverse)
    std::tie(values, order) = sort(flat, 0, false);
  else
    values = sort_values(flat, 0);
  Runs runs = runs_of(values, order, return_inverse, return_counts);
  values = index_select(values, 0, runs.starts);
  if (return_inverse) runs.inverse = view(runs.inverse, self.sizes());
  if (!sorted) reorder(values, runs.inverse, runs.counts, flat);
  return {values, runs.inverse, runs.counts};
}
std::tuple<Tensor, Tensor> _unique(const Tensor& self, bool sorted, bool return_inverse) {
  const auto [values, inverse, counts] = _unique2(self, sorted, return_inverse, false);
  return {values, inverse};
}

Triple unique_dim(const Tensor& self, int64_t dim, bool, bool return_inverse, bool return_counts) {
  const Tensor x = self.detach();
  const int64_t at = wrap_dim(dim, x.dim(), "unique_dim");
  if (x.dim() == 0) return _unique2(self, true, return_inverse, return_counts);
  const int64_t count = x.size(at);
  OA_REQUIRE(x.numel() > 0 || count == 0,
             "unique_dim: slices of no elements cannot be told apart, shape ", x.sizes());
  const Tensor rows = reshape(transpose(x, 0, at), {count, count == 0 ? 1 : x.numel() / count});
  const Tensor order = call_op(kSortRows, {&rows});
  const Runs runs = runs_of(index_select(rows, 0, order), order, return_inverse, return_counts);
  const Tensor values = index_select(x, at, index_select(order, 0, runs.starts));
  return {values, runs.inverse, runs.counts};
}

Triple unique_dim_consecutive(const Tensor& self, int64_t dim, bool return_inverse,
                              bool return_counts) {
  const Tensor x = self.detach();
  const int64_t at = wrap_dim(dim, x.dim(), "unique_dim_consecutive");
  if (x.dim() == 0) return unique_consecutive(self, return_inverse, return_counts);
  const Runs runs = runs_of(transpose(x, 0, at), Tensor(), return_inverse, return_counts);
  return {index_select(x, at, runs.starts), runs.inverse, runs.counts};
}

Triple unique_consecutive(const Tensor& self, bool return_inverse, bool return_counts,
                          std::optional<int64_t> dim) {
  if (dim) return unique_dim_consecutive(self, *dim, return_inverse, return_counts);
  const Tensor flat = reshape(self.detach(), {-1});
  if (!return_inverse && !return_counts && has_plain_order(flat))
    return {distinct_neighbours(context().stream, flat), none(), none()};
  const Runs runs = runs_of(flat, Tensor(), return_inverse, return_counts);
  return {index_select(flat, 0, runs.starts),
          return_inverse ? view(runs.inverse, self.sizes()) : runs.inverse, runs.counts};
}

OA_OP(unique, &kRunNumbers, &kRunStarts, &kSortRows)

}  // namespace oneagent
