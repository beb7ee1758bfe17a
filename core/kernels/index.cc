#include "core/kernels/index.h"

#include <cstring>

#include "core/kernels/copy.h"

namespace oneagent {
namespace {

void check_index(const char* what, int64_t value, int64_t size) {
  OA_REQUIRE(value >= 0 && value < size, what, ": index ", value,
             " is out of range for a dimension of size ", size);
}

// Calls visit(offset_in_index, place) for each element of `index`, where place is the matching
// element offset in `target`.
template <class Visit>
void for_each_place(const char* what, const Tensor& target, int64_t dim, const Tensor& index,
                    const Visit& visit) {
  const int64_t* indices = index.data_ptr<int64_t>();
  if (index.dim() == 0) {
    check_index(what, indices[0], 1);
    return visit(int64_t{0}, int64_t{0});
  }
  if (index.numel() == 0) return;
  const auto last = index.sizes().size() - 1;
  const auto along = static_cast<size_t>(dim);
  const int64_t size = target.sizes()[along], step = target.strides()[along],
                row = index.sizes()[last];
  const int64_t stride = along == last ? 0 : target.strides()[last];
  int64_t at[Shape::kMaxRank] = {};
  for (int64_t i = 0; i < index.numel(); i += row) {
    int64_t base = 0;
    for (size_t d = 0; d < last; ++d) base += d == along ? 0 : at[d] * target.strides()[d];
    for (int64_t j = 0; j < row; ++j) {
      check_index(what, indices[i + j], size);
      visit(i + j, base + indices[i + j] * step + j * stride);
    }
    for (size_t d = last; d-- > 0;) {
      if (++at[d] < index.sizes()[d]) break;
      at[d] = 0;
    }
  }
}

template <class Visit>
void with_type(const char* what, DType dtype, const Visit& visit) {
  const bool known = with_any(dtype, [&]<class T>(Type<T>) { visit(T{}); });
  OA_CHECK(known, what, ": unknown dtype");
}

// [outer, size, inner] around `dim`.
struct Around {
  int64_t outer = 1, size = 1, inner = 1;
};
Around around_dim(const Tensor& x, int64_t dim) {
  Around out;
  for (size_t i = 0; i < x.sizes().size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    (at < dim ? out.outer : at == dim ? out.size : out.inner) *= x.sizes()[i];
  }
  return out;
}

}  // namespace

void run_gather(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                const Tensor& index) {
  const Tensor indices = as_contiguous(stream, index);
  with_type("gather", out.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out.data_ptr<T>();
    const T* from = in.data_ptr<T>();
    for_each_place("gather", in, dim, indices,
                   [&](int64_t i, int64_t place) { to[i] = from[place]; });
  });
}

void run_scatter(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                 const Tensor& source, bool accumulate) {
  const Tensor indices = as_contiguous(stream, index);
  const Tensor values = as_contiguous(
      stream, alias_of(source, {index.sizes(), source.strides(), source.storage_offset(),
                                source.dtype(), source.device()}));
  with_type("scatter", out.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out.data_ptr<T>();
    const T* from = values.data_ptr<T>();
    for_each_place("scatter", out, dim, indices, [&](int64_t i, int64_t place) {
      to[place] = accumulate ? static_cast<T>(to[place] + from[i]) : from[i];
    });
  });
}

void run_index_select(Stream& stream, const Tensor& out, const Tensor& in, int64_t dim,
                      const Tensor& index) {
  const Tensor source = as_contiguous(stream, in), indices = as_contiguous(stream, index);
  const Around shape = around_dim(source, dim);
  const auto row = static_cast<size_t>(shape.inner) * source.element_size();
  const char* from = static_cast<const char*>(source.data_ptr());
  char* to = static_cast<char*>(out.data_ptr());
  const int64_t* at = indices.data_ptr<int64_t>();
  for (int64_t i = 0; i < indices.numel(); ++i) check_index("index_select", at[i], shape.size);
  for (int64_t o = 0; o < shape.outer; ++o)
    for (int64_t i = 0; i < indices.numel(); ++i, to += row)
      std::memcpy(to, from + static_cast<size_t>(o * shape.size + at[i]) * row, row);
}

void run_index_add(Stream& stream, const Tensor& out, int64_t dim, const Tensor& index,
                   const Tensor& source) {
  const Tensor values = as_contiguous(stream, source), indices = as_contiguous(stream, index);
  const Around shape = around_dim(out, dim);
  const int64_t* at = indices.data_ptr<int64_t>();
  for (int64_t i = 0; i < indices.numel(); ++i) check_index("index_add", at[i], shape.size);
  with_type("index_add", out.dtype(), [&](auto type) {
    using T = decltype(type);
    T* to = out.data_ptr<T>();
    const T* from = values.data_ptr<T>();
    for (int64_t o = 0; o < shape.outer; ++o)
      for (int64_t i = 0; i < indices.numel(); ++i, from += shape.inner) {
        T* row = to + (o * shape.size + at[i]) * shape.inner;
        for (int64_t j = 0; j < shape.inner; ++j) row[j] = static_cast<T>(row[j] + from[j]);
      }
  });
}

}  // namespace oneagent
