#include "core/kernels/copy.h"

#include <cstring>

#include "core/kernels/copy_run.h"
#include "core/kernels/cpu/binary.h"
#include "core/kernels/cpu/move.h"
#include "core/kernels/loop.h"

namespace oneagent {
namespace {

constexpr int64_t kGrain = 32768;       // elements of a chunk
constexpr int64_t kByteGrain = 524288;  // of a copy of contiguous memory
constexpr int64_t kColumns = 64;        // of a transposed plane that are one piece of work

// A copy between two layouts of one element size: dimension 0 has the smallest stride in the
// result. Strides in bytes.
struct Layouts {
  size_t rank = 0;
  int64_t width = 0;
  int64_t sizes[Shape::kMaxRank];
  int64_t out[Shape::kMaxRank];
  int64_t in[Shape::kMaxRank];
  char* to = nullptr;
  const char* from = nullptr;

  void swap(size_t a, size_t b) {
    std::swap(sizes[a], sizes[b]);
    std::swap(out[a], out[b]);
    std::swap(in[a], in[b]);
  }
  int64_t count(size_t first) const {
    int64_t n = 1;
    for (size_t d = first; d < rank; ++d) n *= sizes[d];
    return n;
  }
};

Layouts layouts_of(const Tensor& out, const Tensor& in) {
  const TensorMeta &target = out.impl().meta, &source = in.impl().meta;
  Layouts all;
  all.width = static_cast<int64_t>(size_of(target.dtype));
  all.to = out.impl().data();
  all.from = in.impl().data();
  const size_t missing = target.sizes.size() - source.sizes.size();
  for (size_t d = target.sizes.size(); d-- > 0;) {
    if (target.sizes[d] == 1) continue;
    all.sizes[all.rank] = target.sizes[d];
    all.out[all.rank] = target.strides[d] * all.width;
    all.in[all.rank] =
        d < missing || source.sizes[d - missing] == 1 ? 0 : source.strides[d - missing] * all.width;
    for (size_t at = all.rank++; at > 0 && all.out[at] < all.out[at - 1]; --at)
      all.swap(at, at - 1);
  }
  size_t last = 0;
  for (size_t d = 1; d < all.rank; ++d) {
    if (all.out[d] == all.out[last] * all.sizes[last] &&
        all.in[d] == all.in[last] * all.sizes[last])
      all.sizes[last] *= all.sizes[d];
    else
      all.swap(++last, d);
  }
  all.rank = std::min(all.rank, last + 1);
  if (all.rank == 0) {
    all.sizes[0] = 1;
    all.out[0] = all.in[0] = all.width;
    all.rank = 1;
  }
  return all;
}

// Calls visit(to, from) for the items begin..end of the dimensions from `first` on.
template <class Visit>
void walk(const Layouts& all, size_t first, int64_t begin, int64_t end, const Visit& visit) {
  int64_t index[Shape::kMaxRank] = {};
  char* to = all.to;
  const char* from = all.from;
  int64_t rest = begin;
  for (size_t d = first; d < all.rank; ++d) {
    index[d] = rest % all.sizes[d];
    rest /= all.sizes[d];
    to += index[d] * all.out[d];
    from += index[d] * all.in[d];
  }
  for (int64_t i = begin; i < end; ++i) {
    visit(to, from);
    for (size_t d = first; d < all.rank; ++d) {
      to += all.out[d];
      from += all.in[d];
      if (++index[d] < all.sizes[d]) break;
      to -= all.out[d] * all.sizes[d];
      from -= all.in[d] * all.sizes[d];
      index[d] = 0;
    }
  }
}

// n times the element at `from`.
void fill_run(char* to, const char* from, int64_t n, int64_t width) {
  const auto fill_with = [&]<class T>(T value) {
    std::memcpy(&value, from, sizeof(T));
    std::fill_n(reinterpret_cast<T*>(to), n, value);
  };
  if (width == 1) fill_with(uint8_t{});
  if (width == 2) fill_with(uint16_t{});
  if (width == 4) fill_with(uint32_t{});
  if (width == 8) fill_with(uint64_t{});
}

// Rows along dimension 0, a plane of dimensions 0 and 1 at a time.
template <class Row>
void run_rows(Stream& stream, const Layouts& all, const Row& row) {
  const int64_t rows = all.rank > 1 ? all.sizes[1] : 1;
  const int64_t to_step = all.rank > 1 ? all.out[1] : 0, from_step = all.rank > 1 ? all.in[1] : 0;
  const int64_t planes = all.count(2);
  if (planes == 1) {
    stream.parallel_for(rows, std::max<int64_t>(kGrain / all.sizes[0], 1),
                        [&](int64_t begin, int64_t end) {
                          for (int64_t r = begin; r < end; ++r)
                            row(all.to + r * to_step, all.from + r * from_step);
                        });
    return;
  }
  stream.parallel_for(planes, std::max<int64_t>(kGrain / (all.sizes[0] * rows), 1),
                      [&](int64_t begin, int64_t end) {
                        walk(all, 2, begin, end, [&](char* to, const char* from) {
                          for (int64_t r = 0; r < rows; ++r)
                            row(to + r * to_step, from + r * from_step);
                        });
                      });
}

// The dimension along which the source is contiguous, where that is not dimension 0.
size_t transposed_dim(const Layouts& all) {
  if (all.out[0] != all.width || all.in[0] == 0 || std::abs(all.in[0]) == all.width) return 0;
  for (size_t d = 1; d < all.rank; ++d)
    if (all.in[d] == all.width) return d;
  return 0;
}

void run_planes(Stream& stream, Layouts all, size_t dim) {
  all.swap(1, dim);
  const int64_t parts = (all.sizes[1] + kColumns - 1) / kColumns;
  const int64_t rows = all.sizes[0], columns = all.sizes[1];
  const auto move = [&](char* to, const char* from, int64_t first, int64_t last) {
    cpu::transpose_plane(to + first * all.out[1], from + first * all.width, rows, last - first,
                         all.out[1], all.in[0], static_cast<size_t>(all.width));
  };
  const int64_t planes = all.count(2);
  if (planes == 1) {
    stream.parallel_for(
        parts, std::max<int64_t>(kGrain / (rows * kColumns), 1), [&](int64_t begin, int64_t end) {
          move(all.to, all.from, begin * kColumns, std::min(end * kColumns, columns));
        });
    return;
  }
  stream.parallel_for(
      planes, std::max<int64_t>(kGrain / (rows * columns), 1), [&](int64_t begin, int64_t end) {
        walk(all, 2, begin, end, [&](char* to, const char* from) { move(to, from, 0, columns); });
      });
}

// n elements, steps in bytes. Every second element, the usual case, vectorises.
template <class T>
void copy_steps(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) {
  constexpr int64_t kWidth = sizeof(T);
  if (to_step == kWidth && from_step == 2 * kWidth) {
    T* out = reinterpret_cast<T*>(to);
    const T* in = reinterpret_cast<const T*>(from);
#pragma GCC ivdep
    for (int64_t i = 0; i + 1 < n; ++i) out[i] = in[2 * i];
    if (n > 0) out[n - 1] = in[2 * (n - 1)];
    return;
  }
#pragma GCC unroll 4
  for (int64_t i = 0; i < n; ++i)
    *reinterpret_cast<T*>(to + i * to_step) = *reinterpret_cast<const T*>(from + i * from_step);
}

void copy_layouts(Stream& stream, const Tensor& out, const Tensor& in) {
  const Layouts all = layouts_of(out, in);
  const int64_t n = all.sizes[0];
  if (all.out[0] == all.width && all.in[0] == all.width) {
    const auto bytes = static_cast<size_t>(n * all.width);
    if (all.rank == 1) return copy_bytes(stream, all.to, all.from, bytes);
    if (bytes > 32)
      return run_rows(stream, all, [&](char* to, const char* from) { copy_run(to, from, bytes); });
  }
  if (all.out[0] == all.width && all.in[0] == 0 && n >= 32) {
    if (all.rank > 1)
      return run_rows(stream, all,
                      [&](char* to, const char* from) { fill_run(to, from, n, all.width); });
    return stream.parallel_for(n, kByteGrain, [&](int64_t begin, int64_t end) {
      fill_run(all.to + begin * all.width, all.from, end - begin, all.width);
    });
  }
  if (all.out[0] == all.width && all.in[0] == -all.width)
    return run_rows(stream, all, [&](char* to, const char* from) {
      cpu::reverse_row(to, from, n, static_cast<size_t>(all.width));
    });
  if (const size_t dim = transposed_dim(all); dim > 0) return run_planes(stream, all, dim);
  with_width_of(out.dtype(), [&]<class T>(Type<T>) {
    const int64_t to_step = all.out[0], from_step = all.in[0];
    if (all.rank == 1) {
      stream.parallel_for(n, kGrain, [&](int64_t begin, int64_t end) {
        copy_steps<T>(all.to + begin * to_step, to_step, all.from + begin * from_step, from_step,
                      end - begin);
      });
      return;
    }
    run_rows(stream, all,
             [&](char* to, const char* from) { copy_steps<T>(to, to_step, from, from_step, n); });
  });
}

// The parts of complex numbers as a last dimension of two: elements that the kernels can move.
Tensor parts_view(const Tensor& x) {
  TensorMeta meta = x.impl().meta;
  for (int64_t& stride : meta.strides) stride *= 2;
  meta.sizes.push_back(2);
  meta.strides.push_back(1);
  meta.offset *= 2;
  meta.dtype = real_type_of(meta.dtype);
  return alias_of(x, meta);
}

bool same_place(const Tensor& a, const Tensor& b) {
  return a.data_ptr() == b.data_ptr() && a.sizes() == b.sizes() && a.strides() == b.strides();
}

template <size_t kBytes>
void fixed_rows(char* to, size_t step, const char* from, int64_t rows) {
  for (int64_t r = 0; r < rows; ++r)
    std::memcpy(to + r * static_cast<int64_t>(step), from + r * static_cast<int64_t>(kBytes),
                kBytes);
}

}  // namespace

void copy_rows(char* to, size_t step, const char* from, int64_t rows, size_t bytes) {
  switch (bytes) {
    case 0:
      return;
    case 1:
      return fixed_rows<1>(to, step, from, rows);
    case 2:
      return fixed_rows<2>(to, step, from, rows);
    case 4:
      return fixed_rows<4>(to, step, from, rows);
    case 8:
      return fixed_rows<8>(to, step, from, rows);
    case 12:
      return fixed_rows<12>(to, step, from, rows);
    case 16:
      return fixed_rows<16>(to, step, from, rows);
    case 24:
      return fixed_rows<24>(to, step, from, rows);
    case 32:
      return fixed_rows<32>(to, step, from, rows);
    case 64:
      return fixed_rows<64>(to, step, from, rows);
    default:
      for (int64_t r = 0; r < rows; ++r)
        copy_run(to + static_cast<size_t>(r) * step, from + static_cast<size_t>(r) * bytes, bytes);
  }
}

void copy_bytes(Stream& stream, void* to, const void* from, size_t bytes) {
  stream.parallel_for(static_cast<int64_t>(bytes), kByteGrain, [&](int64_t begin, int64_t end) {
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin,
                static_cast<size_t>(end - begin));
  });
}

void copy_into(Stream& stream, const Tensor& out, const Tensor& in) {
  if (out.dtype() != in.dtype()) {
    const Tensor* operands[] = {&out, &in};
    return run_loop(stream, "copy", cpu::cast(out.dtype(), in.dtype()), operands);
  }
  if (out.numel() == 0 || same_place(out, in)) return;
  if (out.dtype() == DType::kComplex128 && !(out.is_contiguous() && in.is_contiguous()))
      [[unlikely]]
    return copy_into(stream, parts_view(out), parts_view(in));
  if (out.is_contiguous() && in.is_contiguous() && out.sizes() == in.sizes())
    return copy_bytes(stream, out.data_ptr(), in.data_ptr(), out.nbytes());
  if (out.dtype() == DType::kComplex128) [[unlikely]]
    return copy_layouts(stream, parts_view(out), parts_view(in));
  copy_layouts(stream, out, in);
}

Tensor contiguous_copy(Stream& stream, const Tensor& in) {
  Tensor out = empty_on(stream, in.sizes(), in.dtype());
  copy_into(stream, out, in);
  return out;
}

Tensor as_contiguous(Stream& stream, const Tensor& in) {
  return in.is_contiguous() ? in : contiguous_copy(stream, in);
}

void fill(Stream& stream, const Tensor& out, Scalar value) {
  if (!out.is_contiguous()) {
    const Tensor one = empty_on(stream, {}, out.dtype());
    fill(stream, one, value);
    return copy_into(stream, out, one);
  }
  const auto write = [&]<class T>(T* to, T constant) {
    stream.parallel_for(
        out.numel(), kByteGrain / static_cast<int64_t>(sizeof(T)),
        [&](int64_t begin, int64_t end) { std::fill_n(to + begin, end - begin, constant); });
  };
  if (is_complex(out.dtype())) [[unlikely]]
    with_complex(out.dtype(), [&]<class T>(Type<T>) {
      write(out.data_ptr<Complex<T>>(), value.wrapped_to<Complex<T>>());
    });
  else
    with_any(out.dtype(),
             [&]<class T>(Type<T>) { write(out.data_ptr<T>(), value.wrapped_to<T>()); });
}

}  // namespace oneagent
