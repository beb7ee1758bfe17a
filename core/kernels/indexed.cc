#include "core/kernels/indexed.h"

#include <cstring>

#include "core/kernels/copy.h"
#include "core/kernels/copy_run.h"

namespace oneagent {
namespace {

constexpr int64_t kChunk = 1024;   // indices whose places are computed at a time
constexpr int64_t kGrain = 32768;  // elements of a chunk of work
constexpr int64_t kAhead = 8;      // rows that are fetched into the cache early

// Dimensions of the operand that are not addressed, merged where possible; 0 is the innermost. The
// second strides are those of the other tensor (result or values).
struct Dims {
  size_t rank = 0;
  int64_t sizes[Shape::kMaxRank];
  int64_t inside[Shape::kMaxRank];
  int64_t outside[Shape::kMaxRank];

  void add_outer(int64_t size, int64_t in, int64_t out) {
    if (size == 1) return;
    if (rank > 0 && in == inside[rank - 1] * sizes[rank - 1] &&
        out == outside[rank - 1] * sizes[rank - 1]) {
      sizes[rank - 1] *= size;
      return;
    }
    sizes[rank] = size;
    inside[rank] = in;
    outside[rank++] = out;
  }
  int64_t count(size_t first = 0) const {
    int64_t n = 1;
    for (size_t d = first; d < rank; ++d) n *= sizes[d];
    return n;
  }
  // Calls visit(inside, outside offset) for items begin..end of the dimensions from `first` on.
  template <class Visit>
  void walk(size_t first, int64_t begin, int64_t end, const Visit& visit) const {
    int64_t at[Shape::kMaxRank] = {}, in = 0, out = 0, rest = begin;
    for (size_t d = first; d < rank; ++d) {
      at[d] = rest % sizes[d];
      rest /= sizes[d];
      in += at[d] * inside[d];
      out += at[d] * outside[d];
    }
    for (int64_t i = begin; i < end; ++i) {
      visit(in, out);
      for (size_t d = first; d < rank; ++d) {
        in += inside[d];
        out += outside[d];
        if (++at[d] < sizes[d]) break;
        in -= inside[d] * sizes[d];
        out -= outside[d] * sizes[d];
        at[d] = 0;
      }
    }
  }
};

// The index tensors as offsets into the operand.
class Offsets {
 public:
  Offsets(Stream& stream, const Indexed& indexed) : indexed_(indexed) {
    const Shape sizes = operand_sizes(indexed.operand), strides = operand_strides(indexed.operand);
    for (size_t d = 0; d < sizes.size(); ++d) {
      const Tensor& index = indexed.index[d];
      if (!index.defined()) continue;
      TensorMeta meta = index.impl().meta;
      const size_t missing = indexed.index_sizes.size() - meta.sizes.size();
      const Shape own = meta.strides, from = meta.sizes;
      meta.sizes = meta.strides = indexed.index_sizes;
      for (size_t i = 0; i < meta.sizes.size(); ++i)
        meta.strides[i] = i < missing || from[i - missing] == 1 ? 0 : own[i - missing];
      parts_[count_++] = {as_contiguous(stream, alias_of(index, meta)), d, sizes[d], strides[d]};
    }
  }

  static Shape operand_sizes(const Tensor& x) { return x.dim() == 0 ? Shape{1} : x.sizes(); }
  static Shape operand_strides(const Tensor& x) { return x.dim() == 0 ? Shape{1} : x.strides(); }

  // The offsets of indices begin..begin + n.
  void fill(int64_t begin, int64_t n, int64_t* out) const {
    for (size_t i = 0; i < count_; ++i) {
      const Part& part = parts_[i];
      if (part.index.dtype() == DType::kInt64)
        add(part, part.index.data_ptr<int64_t>() + begin, n, out, i == 0);
      else
        add(part, part.index.data_ptr<int32_t>() + begin, n, out, i == 0);
    }
  }

 private:
  struct Part {
    Tensor index;
    size_t dim = 0;
    int64_t size = 0, stride = 0;
  };

  template <class I>
  void add(const Part& part, const I* index, int64_t n, int64_t* out, bool first) const {
    const int64_t size = part.size, stride = part.stride, shift = indexed_.wraps ? size : 0;
    int64_t bad = 0;
    for (int64_t i = 0; i < n; ++i) {
      const int64_t value = index[i], wrapped = value + ((value >> 63) & shift);
      bad |= wrapped | (size - 1 - wrapped);
      out[i] = (first ? 0 : out[i]) + wrapped * stride;
    }
    if (bad >= 0) [[likely]]
      return;
    for (int64_t i = 0; i < n; ++i)
      if (index[i] < -shift || index[i] >= size) {
        const std::string text =
            str(indexed_.op, ": index ", int64_t{index[i]}, " is out of bounds for dimension ",
                part.dim, " with size ", size);
        // libtorch selects along dimension 1 in another loop, with another type of error.
        if (part.dim == 1 && indexed_.op == std::string_view("index_select")) throw Error(text);
        throw IndexError(text);
      }
  }

  const Indexed& indexed_;
  std::array<Part, Shape::kMaxRank> parts_;
  size_t count_ = 0;
};

// The operand as [before, indices, after] beside another tensor of the result's shape.
struct Placement {
  Dims before, after;
  int64_t indices = 1;
  bool indices_are_even = true;  // one stride leads from index to index in the other tensor
  int64_t index_step = 0;
};

// `strides` are the other tensor's, one for each dimension of the result.
Placement placement_of(const Indexed& indexed, const Shape& strides) {
  Placement all;
  const Shape sizes = Offsets::operand_sizes(indexed.operand);
  const Shape inside = Offsets::operand_strides(indexed.operand);
  const size_t index_rank = indexed.index_sizes.size();
  size_t at = strides.size();
  std::array<size_t, Shape::kMaxRank> rest;
  size_t count = 0;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (!indexed.index[d].defined()) rest[count++] = d;
  for (size_t i = count; i-- > indexed.before;)
    all.after.add_outer(sizes[rest[i]], inside[rest[i]], strides[--at]);
  all.indices = indexed.index_sizes.numel();
  // One step leads through the other tensor if its strides there are those of a contiguous block,
  // or all 0.
  int64_t reach = 0;
  for (size_t i = index_rank; i-- > 0;) {
    --at;
    if (indexed.index_sizes[i] == 1) continue;
    if (reach == 0) {
      all.index_step = strides[at];
      reach = strides[at] * indexed.index_sizes[i];
      if (strides[at] == 0) reach = -1;
    } else if (strides[at] == (reach < 0 ? 0 : reach)) {
      reach = reach < 0 ? -1 : reach * indexed.index_sizes[i];
    } else {
      all.indices_are_even = false;
    }
  }
  for (size_t i = indexed.before; i-- > 0;)
    all.before.add_outer(sizes[rest[i]], inside[rest[i]], strides[--at]);
  return all;
}

// Apart, so that its few pointers stay in registers; elements of 4 bytes are stored four at a time.
template <class T>
[[gnu::noinline]] void read_elements(const int64_t* offsets, int64_t n, T* to, const T* from) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    typedef T Four __attribute__((vector_size(16), aligned(4), may_alias));
    for (; i + 4 <= n; i += 4)
      *reinterpret_cast<Four*>(to + i) =
          Four{from[offsets[i]], from[offsets[i + 1]], from[offsets[i + 2]], from[offsets[i + 3]]};
  }
  for (; i < n; ++i) to[i] = from[offsets[i]];
}

template <class T>
void read_rows(const Placement& all, const int64_t* offsets, int64_t n, T* to, const T* from) {
  const Dims& after = all.after;
  if (after.rank == 0) return read_elements(offsets, n, to, from);
  const int64_t width = after.sizes[0], step = after.inside[0], row = after.count();
  if (after.rank == 1 && step == 1) {
    const size_t bytes = static_cast<size_t>(width) * sizeof(T);
    for (int64_t i = 0; i < n; ++i) {
      if (i + kAhead < n) __builtin_prefetch(from + offsets[i + kAhead]);
      copy_run(reinterpret_cast<char*>(to + i * row),
               reinterpret_cast<const char*>(from + offsets[i]), bytes);
    }
    return;
  }
  const int64_t rows = after.count(1);
  for (int64_t i = 0; i < n; ++i)
    after.walk(1, 0, rows, [&](int64_t inside, int64_t outside) {
      const T* source = from + offsets[i] + inside;
      T* result = to + i * row + outside;
      for (int64_t j = 0; j < width; ++j) result[j] = source[j * step];
    });
}

template <class T, Combine how>
struct Write {
  T alpha;
  void operator()(T& place, T value) const {
    if constexpr (how == Combine::kAdd)
      place = static_cast<T>(place + (alpha == T(1) ? value : static_cast<T>(alpha * value)));
    else
      place = combined<how>(place, value);
  }
  // place[j] for j < n, with one value or one for each.
  void row(T* place, const T* values, int64_t n, int64_t step, int64_t value_step) const {
    if (step == 1 && value_step == 1 && alpha == T(1)) {
      for (int64_t j = 0; j < n; ++j) place[j] = combined<how>(place[j], values[j]);
    } else if (step == 1 && value_step == 0 && how == Combine::kAssign) {
      std::fill_n(place, n, *values);
    } else {
      for (int64_t j = 0; j < n; ++j) (*this)(place[j * step], values[j * value_step]);
    }
  }
};

template <class T, Combine how>
void write_rows(const Placement& all, const int64_t* offsets, int64_t n, T* to, const T* values,
                T alpha) {
  const Write<T, how> write{alpha};
  const Dims& after = all.after;
  if (after.rank == 0) {
    for (int64_t i = 0; i < n; ++i) write(to[offsets[i]], values[i * all.index_step]);
    return;
  }
  const int64_t width = after.sizes[0], step = after.inside[0], value_step = after.outside[0];
  const int64_t rows = after.count(1);
  for (int64_t i = 0; i < n; ++i) {
    if (i + kAhead < n) __builtin_prefetch(to + offsets[i + kAhead], 1);
    after.walk(1, 0, rows, [&](int64_t inside, int64_t outside) {
      write.row(to + offsets[i] + inside, values + i * all.index_step + outside, width, step,
                value_step);
    });
  }
}

template <class T, Combine how>
void put(Stream& stream, const Indexed& indexed, const Placement& all, const Tensor& values,
         Scalar alpha) {
  const Offsets places(stream, indexed);
  T* to = static_cast<T*>(indexed.operand.data_ptr());
  const T* from = static_cast<const T*>(values.data_ptr());
  T factor = T(1);
  if constexpr (how == Combine::kAdd) factor = alpha.wrapped_to<T>();
  const int64_t row = all.indices * all.after.count();
  stream.parallel_for(all.before.count(), std::max<int64_t>(kGrain / std::max<int64_t>(row, 1), 1),
                      [&](int64_t begin, int64_t end) {
                        int64_t offsets[kChunk];
                        for (int64_t first = 0; first < all.indices; first += kChunk) {
                          const int64_t n = std::min(kChunk, all.indices - first);
                          places.fill(first, n, offsets);
                          all.before.walk(0, begin, end, [&](int64_t inside, int64_t outside) {
                            write_rows<T, how>(all, offsets, n, to + inside,
                                               from + outside + first * all.index_step, factor);
                          });
                        }
                      });
}

// Strides of `values` as if they had the result's shape.
Shape broadcast_strides(const Indexed& indexed, const Tensor& values) {
  const Shape sizes = indexed.result_sizes();
  OA_REQUIRE(values.sizes().size() <= sizes.size(), indexed.op, ": values of shape ",
             values.sizes(), " cannot be broadcast to the indexed shape ", sizes);
  Shape strides = sizes;
  const size_t missing = sizes.size() - values.sizes().size();
  for (size_t i = 0; i < sizes.size(); ++i) {
    const int64_t size = i < missing ? 1 : values.sizes()[i - missing];
    OA_REQUIRE(size == sizes[i] || size == 1, indexed.op, ": values of shape ", values.sizes(),
               " cannot be broadcast to the indexed shape ", sizes, ": sizes ", size, " and ",
               sizes[i], " at dimension ", i);
    strides[i] = size == 1 ? 0 : values.strides()[i - missing];
  }
  return strides;
}

}  // namespace

Shape Indexed::result_sizes() const {
  Shape out;
  size_t passed = 0;
  const auto add_indices = [&] {
    for (const int64_t size : index_sizes) out.push_back(size);
  };
  const Shape sizes = Offsets::operand_sizes(operand);
  for (size_t d = 0; d < sizes.size(); ++d) {
    if (index[d].defined()) continue;
    if (passed++ == before) add_indices();
    out.push_back(sizes[d]);
  }
  if (passed <= before) add_indices();
  return out;
}

Indexed indexed_along(const char* op, const Tensor& operand, int64_t dim, const Tensor& index,
                      bool wraps) {
  Indexed out;
  out.op = op;
  out.operand = operand;
  out.wraps = wraps;
  out.before = static_cast<size_t>(dim);
  out.index_sizes = {index.numel()};
  out.index[static_cast<size_t>(dim)] = index;
  return out;
}

void run_index(Stream& stream, const Tensor& out, const Indexed& indexed) {
  if (out.numel() == 0) return;
  const Placement all = placement_of(indexed, contiguous_strides(indexed.result_sizes()));
  const Offsets places(stream, indexed);
  const int64_t row = all.after.count();
  const int64_t chunk = std::clamp<int64_t>(kGrain / row, 1, kChunk);
  const int64_t chunks = (all.indices + chunk - 1) / chunk;
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    T* to = static_cast<T*>(out.data_ptr());
    const T* from = static_cast<const T*>(indexed.operand.data_ptr());
    const auto work = [&](int64_t first_chunk, int64_t last_chunk, int64_t begin, int64_t end) {
      int64_t offsets[kChunk];
      for (int64_t c = first_chunk; c < last_chunk; ++c) {
        const int64_t first = c * chunk, n = std::min(chunk, all.indices - first);
        places.fill(first, n, offsets);
        all.before.walk(0, begin, end, [&](int64_t inside, int64_t outside) {
          read_rows<T>(all, offsets, n, to + outside + first * row, from + inside);
        });
      }
    };
    const int64_t before = all.before.count();
    if (before > chunks)
      stream.parallel_for(before, std::max<int64_t>(kGrain / (all.indices * row), 1),
                          [&](int64_t begin, int64_t end) { work(0, chunks, begin, end); });
    else
      stream.parallel_for(chunks, std::max<int64_t>(kGrain / (chunk * row * before), 1),
                          [&](int64_t begin, int64_t end) { work(begin, end, 0, before); });
  });
}

void run_index_put(Stream& stream, const Indexed& indexed, const Tensor& values, Combine how,
                   Scalar alpha) {
  const Shape strides = broadcast_strides(indexed, values);
  if (indexed.result_sizes().numel() == 0) return;
  const Placement all = placement_of(indexed, strides);
  if (!all.indices_are_even) {  // values that are broadcast over some dimensions of the indices
    TensorMeta meta = values.impl().meta;
    meta.sizes = indexed.result_sizes();
    meta.strides = strides;
    return run_index_put(stream, indexed, contiguous_copy(stream, alias_of(values, meta)), how,
                         alpha);
  }
  const DType dtype = indexed.operand.dtype();
  if (how == Combine::kAssign) {
    with_width_of(dtype, [&]<class T>(Type<T>) {
      put<T, Combine::kAssign>(stream, indexed, all, values, 1);
    });
    return;
  }
  const bool known = with_number(dtype, [&]<class T>(Type<T>) {
    with_combine(how,
                 [&](auto chosen) { put<T, chosen.value>(stream, indexed, all, values, alpha); });
  });
  if (known) return;
  OA_REQUIRE(dtype == DType::kBool, indexed.op, ": has no meaning for ", name_of(dtype));
  with_combine(how,
               [&](auto chosen) { put<bool, chosen.value>(stream, indexed, all, values, alpha); });
}

}  // namespace oneagent
