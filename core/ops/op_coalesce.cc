// Order, sums and products of sparse tensors.
#include <algorithm>
#include <utility>

#include "core/ops/op_sparse.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

int64_t sparse_rank(const SparseParts& parts) { return parts.indices.size(0); }

// New places of `keys`: equal keys share one; `places` of them in all.
struct Groups {
  Tensor place;                // [n] int64: where element k goes
  std::vector<int64_t> first;  // element k of each place
};

struct Element {
  int64_t key, at;
};

// By keys, elements of one key as they come: digit by digit from the lowest one, because
// coordinates are small numbers.
std::vector<Element> in_order(const int64_t* key, int64_t n) {
  std::vector<Element> order(static_cast<size_t>(n));
  int64_t all = 0;
  for (int64_t i = 0; i < n; ++i) {
    order[static_cast<size_t>(i)] = {key[i], i};
    all |= key[i];
  }
  constexpr int kBits = 11;
  constexpr int64_t kDigits = 1 << kBits, kFew = 512;
  if (n < kFew || all < 0 || all >> (4 * kBits) > 0) {
    std::sort(order.begin(), order.end(), [](const Element& a, const Element& b) {
      return a.key != b.key ? a.key < b.key : a.at < b.at;
    });
    return order;
  }
  std::vector<Element> other(order.size());
  for (int shift = 0; all >> shift > 0; shift += kBits) {
    int64_t places[kDigits] = {};
    const auto digit = [&](const Element& e) { return (e.key >> shift) & (kDigits - 1); };
    for (const Element& element : order) ++places[digit(element)];
    int64_t before = 0;
    for (int64_t& place : places) before += std::exchange(place, before);
    for (const Element& element : order)
      other[static_cast<size_t>(places[digit(element)]++)] = element;
    order.swap(other);
  }
  return order;
}

Groups sorted_groups(const Tensor& keys) {
  const int64_t n = keys.numel();
  const std::vector<Element> order = in_order(keys.data_ptr<int64_t>(), n);
  Groups out;
  out.place = empty({n}, kInt64);
  int64_t* place = out.place.data_ptr<int64_t>();
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].key != order[i - 1].key) out.first.push_back(order[i].at);
    place[order[i].at] = static_cast<int64_t>(out.first.size()) - 1;
  }
  return out;
}

Tensor chosen_columns(const Tensor& indices, const std::vector<int64_t>& columns) {
  return index_select(indices, 1, tensor(columns, kInt64));
}

Shape with_rows(const Tensor& values, int64_t rows) {
  Shape sizes = values.sizes();
  sizes[0] = rows;
  return sizes;
}

// Two lists of coordinates walked as if both were in order, as libtorch does: where heads are equal
// they share a place.
struct Merged {
  Tensor first, second;                          // places of the elements of either list
  std::vector<int64_t> from_first, from_second;  // per place: an element of one list, or -1
};

Merged merged(const Tensor& a, const Tensor& b) {
  const int64_t n = a.numel(), m = b.numel();
  const int64_t *x = a.data_ptr<int64_t>(), *y = b.data_ptr<int64_t>();
  Merged out{empty({n}, kInt64), empty({m}, kInt64), {}, {}};
  for (int64_t i = 0, k = 0; i < n || k < m;) {
    const auto place = static_cast<int64_t>(out.from_first.size());
    const bool left = k == m || (i < n && x[i] <= y[k]), right = i == n || (k < m && y[k] <= x[i]);
    out.from_first.push_back(left ? i : -1);
    out.from_second.push_back(left ? -1 : k);
    if (left) out.first.data_ptr<int64_t>()[i++] = place;
    if (right) out.second.data_ptr<int64_t>()[k++] = place;
  }
  return out;
}

}  // namespace

Tensor sparse_keys(const Tensor& indices, const Shape& sizes) {
  const int64_t rank = indices.size(0), n = indices.size(1);
  const Tensor rows = indices.contiguous();
  if (rank == 1) return rows.view({n});
  Tensor keys = zeros({n}, kInt64);
  int64_t* key = keys.data_ptr<int64_t>();
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t* row = rows.data_ptr<int64_t>() + d * n;
    for (int64_t i = 0; i < n; ++i) key[i] = key[i] * sizes[static_cast<size_t>(d)] + row[i];
  }
  return keys;
}

Tensor coalesced(const Tensor& x) {
  const SparseParts& parts = sparse_parts(x);
  if (parts.coalesced) return x;
  const int64_t n = parts.indices.size(1);
  if (n < 2) return make_sparse(parts.indices, parts.values, x.sizes(), true);
  const Groups groups = sorted_groups(sparse_keys(parts.indices, x.sizes()));
  const auto places = static_cast<int64_t>(groups.first.size());
  const Tensor sums = index_add(zeros(with_rows(parts.values, places), parts.values.dtype()), 0,
                                groups.place, parts.values);
  return make_sparse(chosen_columns(parts.indices, groups.first), sums, x.sizes(), true);
}

Tensor dense_of(const Tensor& x) {
  const Tensor out = zeros(x.sizes(), x.dtype());
  const SparseParts& parts = sparse_parts(x);
  if (!parts.values.requires_grad()) return add_to_dense(out, x, 1), out;
  std::vector<std::optional<Tensor>> index;
  for (int64_t d = 0; d < sparse_rank(parts); ++d) index.push_back(parts.indices[d]);
  return index_put(out, index, parts.values, true);
}

Tensor transposed(const Tensor& x, int64_t a, int64_t b) {
  const SparseParts& parts = sparse_parts(x);
  const int64_t rank = sparse_rank(parts);
  OA_REQUIRE(a < rank && b < rank, "transpose: of a sparse tensor only its ", rank,
             " sparse dimensions can be exchanged, were ", a, " and ", b);
  std::vector<Tensor> rows = unbind(parts.indices, 0);
  Shape sizes = x.sizes();
  std::swap(rows[static_cast<size_t>(a)], rows[static_cast<size_t>(b)]);
  std::swap(sizes[static_cast<size_t>(a)], sizes[static_cast<size_t>(b)]);
  return make_sparse(stack(rows), parts.values, sizes, parts.coalesced && a == b);
}

Tensor sparse_product(const Tensor& sparse, const Tensor& dense) {
  const SparseParts& parts = sparse_parts(sparse);
  OA_REQUIRE(sparse_rank(parts) == 2 && sparse.dim() == 2 && dense.dim() == 2 &&
                 sparse.size(1) == dense.size(0),
             "mm: expected a sparse [m, k] and a dense [k, n], was ", sparse.sizes(), " and ",
             dense.sizes());
  const Tensor read = index_select(dense, 0, parts.indices[1]);
  const Tensor none = zeros({sparse.size(0), dense.size(1)}, dense.dtype());
  return index_add(none, 0, parts.indices[0], mul(read, unsqueeze(parts.values, 1)));
}

Tensor values_at(const Tensor& self, const Tensor& mask) {
  const SparseParts& wanted = sparse_parts(mask);
  OA_REQUIRE(self.sizes() == mask.sizes(), "sparse_mask: the mask of shape ", mask.sizes(),
             " does not fit a tensor of shape ", self.sizes());
  if (!self.is_sparse()) {
    if (sparse_rank(wanted) == 1) return index_select(self, 0, wanted.indices[0]);
    std::vector<std::optional<Tensor>> index;
    for (int64_t d = 0; d < sparse_rank(wanted); ++d) index.push_back(wanted.indices[d]);
    return oneagent::index(self, index);
  }
  const Tensor held = coalesced(self);
  const SparseParts& parts = sparse_parts(held);
  OA_REQUIRE(sparse_rank(parts) == sparse_rank(wanted), "sparse: operands have ",
             sparse_rank(parts), " and ", sparse_rank(wanted), " sparse dimensions");
  const Tensor keys = sparse_keys(parts.indices, self.sizes());
  const Tensor asked = sparse_keys(wanted.indices, self.sizes());
  const int64_t *key = keys.data_ptr<int64_t>(), n = keys.numel();
  const Tensor place = empty({asked.numel()}, kInt64);  // n stands for a row of zeros
  for (int64_t i = 0; i < asked.numel(); ++i) {
    const int64_t* at = std::lower_bound(key, key + n, asked.data_ptr<int64_t>()[i]);
    place.data_ptr<int64_t>()[i] =
        at != key + n && *at == asked.data_ptr<int64_t>()[i] ? at - key : n;
  }
  const Tensor zero = zeros(with_rows(parts.values, 1), parts.values.dtype());
  return index_select(cat({parts.values, zero}, 0), 0, place);
}

void add_to_dense(const Tensor& dense, const Tensor& sparse, Scalar alpha) {
  OA_REQUIRE(dense.sizes() == sparse.sizes(), "add: a dense tensor of shape ", dense.sizes(),
             " and a sparse one of shape ", sparse.sizes());
  const SparseParts& parts = sparse_parts(sparse);
  const Tensor values = to(parts.values, dense.dtype());
  if (sparse_rank(parts) == 1) {
    index_add_(dense, 0, parts.indices[0], values, alpha);
    return;
  }
  std::vector<std::optional<Tensor>> index;
  for (int64_t d = 0; d < sparse_rank(parts); ++d) index.push_back(parts.indices[d]);
  if (index.empty()) {
    add_(dense, sum(values, Shape{0}), alpha);
    return;
  }
  index_put_(dense, index, alpha.equal(1) ? values : mul(values, alpha), true);
}

Tensor sparse_sum_of(const Tensor& a, const Tensor& b, Scalar alpha) {
  const SparseParts &x = sparse_parts(a), &y = sparse_parts(b);
  OA_REQUIRE(a.sizes() == b.sizes() && sparse_rank(x) == sparse_rank(y),
             "add: expected sparse tensors of one shape, was ", a.sizes(), " with ", sparse_rank(x),
             " sparse dimensions and ", b.sizes(), " with ", sparse_rank(y));
  const Merged places =
      merged(sparse_keys(x.indices, a.sizes()), sparse_keys(y.indices, a.sizes()));
  const auto n = static_cast<int64_t>(places.from_first.size());
  // One list of both coordinates, of which each place takes a column.
  std::vector<int64_t> columns(static_cast<size_t>(n));
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i] = places.from_first[i] >= 0 ? places.from_first[i]
                                           : x.indices.size(1) + places.from_second[i];
  const Tensor indices = chosen_columns(cat({x.indices, y.indices}, 1), columns);
  const DType dtype = result_type(x.values, y.values);
  const Tensor left =
      index_add(zeros(with_rows(x.values, n), dtype), 0, places.first, to(x.values, dtype));
  return make_sparse(indices, index_add(left, 0, places.second, to(y.values, dtype), alpha),
                     a.sizes(), x.coalesced && y.coalesced);
}

}  // namespace oneagent
