#include "core/kernels/index.h"

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 32768;  // elements of a chunk

// The index, and the tensors that it connects: `target` is read or written at the indexed places,
// `other` element by element. All have at least one dimension; strides in elements.
struct Places {
  const char* what;
  const int64_t* index;
  Shape sizes;  // of the index
  size_t along;
  Shape target;  // strides
  Shape other;
  int64_t size;  // of the target along the indexed dimension

  int64_t row() const { return sizes.back(); }
};

Shape one_dim_if_none(const Shape& shape, int64_t value) {
  return shape.empty() ? Shape{value} : shape;
}

Places places_of(const char* what, const Tensor& index, const Tensor& target, const Shape& other,
                 int64_t dim) {
  Places all;
  all.what = what;
  all.index = index.data_ptr<int64_t>();
  all.sizes = one_dim_if_none(index.sizes(), 1);
  all.along = static_cast<size_t>(dim);
  all.target = one_dim_if_none(target.strides(), 1);
  all.other = one_dim_if_none(other, 1);
  all.size = one_dim_if_none(target.sizes(), 1)[all.along];
  return all;
}

[[noreturn]] void bad_index(const Places& all, const int64_t* row) {
  int64_t i = 0;
  while (row[i] >= 0 && row[i] < all.size) ++i;
  throw_error(str(all.what, ": index ", row[i], " is out of bounds for dimension ", all.along,
                  " with size ", all.size));
}

// Calls visit(indices of a row, target offset without the indexed dimension, other offset) for
// rows begin..end of the index.
template <class Visit>
void each_row(const Places& all, int64_t begin, int64_t end, const Visit& visit) {
  const size_t last = all.sizes.size() - 1;
  const int64_t n = all.row();
  int64_t at[Shape::kMaxRank] = {}, target = 0, other = 0, rest = begin;
  const auto step = [&](size_t d) { return d == all.along ? 0 : all.target[d]; };
  for (size_t d = last; d-- > 0;) {
    at[d] = rest % all.sizes[d];
    rest /= all.sizes[d];
    target += at[d] * step(d);
    other += at[d] * all.other[d];
  }
  for (int64_t r = begin; r < end; ++r) {
    const int64_t* row = all.index + r * n;
    uint64_t bad = 0;
    for (int64_t j = 0; j < n; ++j)
      bad |= static_cast<uint64_t>(row[j]) | static_cast<uint64_t>(all.size - 1 - row[j]);
    if (static_cast<int64_t>(bad) < 0) [[unlikely]]
      bad_index(all, row);
    visit(row, target, other);
    for (size_t d = last; d-- > 0;) {
      target += step(d);
      other += all.other[d];
      if (++at[d] < all.sizes[d]) break;
      target -= all.sizes[d] * step(d);
      other -= all.sizes[d] * all.other[d];
      at[d] = 0;
    }
  }
}

// Strides along a row: of the indexed dimension, of the last one (0 if that is indexed), of other.
struct Steps {
  int64_t indexed, target, other;
  explicit Steps(const Places& all)
      : indexed(all.target[all.along]),
        target(all.along + 1 == all.sizes.size() ? 0 : all.target.back()),
        other(all.other.back()) {}
};

}  // namespace

void run_gather(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                const Tensor& index) {
  if (index.numel() == 0) return;
  const Tensor indices = as_contiguous(stream, index);
  const Places all = places_of("gather", indices, in, out.strides(), dim);
  const Steps steps(all);
  const int64_t n = all.row();
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    T* to = static_cast<T*>(out.data_ptr());
    const T* from = static_cast<const T*>(in.data_ptr());
    stream.parallel_for(
        indices.numel() / n, std::max<int64_t>(kGrain / n, 1), [&](int64_t begin, int64_t end) {
          each_row(all, begin, end, [&](const int64_t* row, int64_t target, int64_t other) {
            const T* base = from + target;
            T* result = to + other;
            if (steps.target == 0 && steps.indexed == 1)
              for (int64_t j = 0; j < n; ++j) result[j] = base[row[j]];
            else if (steps.target == 1)
              for (int64_t j = 0; j < n; ++j) result[j] = base[row[j] * steps.indexed + j];
            else
              for (int64_t j = 0; j < n; ++j)
                result[j] = base[row[j] * steps.indexed + j * steps.target];
          });
        });
  });
}

namespace {

template <class T, Combine how>
void scatter(Stream& stream, const Tensor& out, const Tensor& source, const Places& all,
             int64_t rows, int64_t grain) {
  const Steps steps(all);
  const int64_t n = all.row();
  const bool plain = steps.indexed == 1 && steps.target == 0 && steps.other == 1;
  T* to = static_cast<T*>(out.data_ptr());
  const T* from = static_cast<const T*>(source.data_ptr());
  stream.parallel_for(rows, grain, [&](int64_t begin, int64_t end) {
    each_row(all, begin, end, [&](const int64_t* row, int64_t target, int64_t other) {
      T* base = to + target;
      const T* values = from + other;
      if (plain) {
        for (int64_t j = 0; j < n; ++j) base[row[j]] = combined<how>(base[row[j]], values[j]);
        return;
      }
      for (int64_t j = 0; j < n; ++j) {
        T& place = base[row[j] * steps.indexed + j * steps.target];
        place = combined<how>(place, values[j * steps.other]);
      }
    });
  });
}

}  // namespace

void run_scatter(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                 const Tensor& source, Combine how) {
  if (index.numel() == 0) return;
  const Tensor indices = as_contiguous(stream, index);
  Shape strides = source.strides();
  if (source.numel() == 1 && index.numel() != 1) {  // one value for all
    strides = indices.strides();
    for (int64_t& stride : strides) stride = 0;
  }
  const Places all = places_of("scatter", indices, out, strides, dim);
  // Rows that may meet in one place follow each other in one thread.
  int64_t outer = 1;
  for (size_t d = 0; d < all.along; ++d) outer *= all.sizes[d];
  const int64_t rows = indices.numel() / all.row();
  const bool row_is_whole = all.along + 1 == all.sizes.size();
  const int64_t together = row_is_whole ? 1 : rows / outer;
  const int64_t grain = std::max<int64_t>(kGrain / (together * all.row()), 1) * together;
  if (how == Combine::kAssign) {
    with_width_of(out.dtype(), [&]<class T>(Type<T>) {
      scatter<T, Combine::kAssign>(stream, out, source, all, rows, grain);
    });
    return;
  }
  const bool known = with_number(out.dtype(), [&]<class T>(Type<T>) {
    with_combine(
        how, [&](auto chosen) { scatter<T, chosen.value>(stream, out, source, all, rows, grain); });
  });
  if (known) return;
  OA_REQUIRE(out.dtype() == DType::kBool, "scatter: has no meaning for ", name_of(out.dtype()));
  with_combine(how, [&](auto chosen) {
    scatter<bool, chosen.value>(stream, out, source, all, rows, grain);
  });
}

}  // namespace oneagent
