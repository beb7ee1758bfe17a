// Batches of matrices for kernels that call LAPACK: the last two dimensions are rows and columns,
// those before are batches, with any strides (zero where a batch is broadcast).
#pragma once

#include <algorithm>

#include "core/tensor/tensor.h"

namespace oneagent {

template <class T>
class Matrices {
 public:
  explicit Matrices(const Tensor& x) : Matrices(x, Shape(batch_of(x))) {}
  // With the batch dimensions broadcast to `batch`.
  Matrices(const Tensor& x, const Shape& batch) : data_(x.data_ptr<T>()), batch_(batch) {
    const TensorMeta& meta = x.impl().meta;
    const size_t at = meta.sizes.size() - 2;
    rows_ = meta.sizes[at];
    columns_ = meta.sizes[at + 1];
    row_stride_ = meta.strides[at];
    column_stride_ = meta.strides[at + 1];
    const size_t missing = batch.size() - at;
    strides_ = batch;
    for (size_t i = 0; i < batch.size(); ++i)
      strides_[i] = i < missing || meta.sizes[i - missing] == 1 ? 0 : meta.strides[i - missing];
  }

  int64_t count() const { return batch_.numel(); }
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  int64_t row_stride() const { return row_stride_; }
  int64_t column_stride() const { return column_stride_; }
  T* at(int64_t i) const {
    T* out = data_;
    for (size_t dim = batch_.size(); dim-- > 0;) {
      out += i % batch_[dim] * strides_[dim];
      i /= batch_[dim];
    }
    return out;
  }

  // Copies of one matrix: row after row, or column after column.
  void load_rows(int64_t i, T* to) const {
    copy(at(i), rows_, columns_, row_stride_, column_stride_, to);
  }
  void load_columns(int64_t i, T* to) const {
    copy(at(i), columns_, rows_, column_stride_, row_stride_, to);
  }
  void load_columns(int64_t i, T* to, int64_t leading) const {
    if (leading == rows_) return load_columns(i, to);
    const T* from = at(i);
    for (int64_t c = 0; c < columns_; ++c)
      for (int64_t r = 0; r < rows_; ++r)
        to[c * leading + r] = from[r * row_stride_ + c * column_stride_];
  }
  // One matrix with contiguous rows that lie leading() elements apart: itself, or a copy in `to`.
  const T* with_rows(int64_t i, T* to) const {
    if (has_rows()) return at(i);
    load_rows(i, to);
    return to;
  }
  int leading() const { return static_cast<int>(has_rows() ? row_stride_ : columns_); }
  // Into a matrix of a contiguous result, from columns that are `leading` elements apart.
  void store_columns(int64_t i, const T* from, int64_t leading) const {
    copy(from, rows_, columns_, 1, leading, at(i));
  }

 private:
  bool has_rows() const { return column_stride_ == 1 && row_stride_ >= columns_; }
  static std::span<const int64_t> batch_of(const Tensor& x) {
    return {x.sizes().data(), x.sizes().size() - 2};
  }

  // to[r * columns + c] = from[r * row + c * column]; tiles stay in the first cache.
  static void copy(const T* from, int64_t rows, int64_t columns, int64_t row, int64_t column,
                   T* to) {
    if (column == 1) {
      for (int64_t r = 0; r < rows; ++r)
        std::copy_n(from + r * row, static_cast<size_t>(columns), to + r * columns);
      return;
    }
    constexpr int64_t kTile = 16;
    for (int64_t r = 0; r < rows; r += kTile)
      for (int64_t c = 0; c < columns; c += kTile) {
        const int64_t last_row = std::min(rows, r + kTile);
        const int64_t last_column = std::min(columns, c + kTile);
        for (int64_t i = r; i < last_row; ++i)
          for (int64_t j = c; j < last_column; ++j)
            to[i * columns + j] = from[i * row + j * column];
      }
  }

  T* data_;
  Shape batch_, strides_;
  int64_t rows_ = 0, columns_ = 0, row_stride_ = 0, column_stride_ = 0;
};

// The last dimension as the only row of matrices.
template <class T>
Matrices<T> vectors(const Tensor& x, const Shape& batch) {
  TensorMeta meta = x.impl().meta;
  const size_t at = meta.sizes.size() - 1;
  meta.sizes.insert(at, 1);
  meta.strides.insert(at, 0);
  return Matrices<T>(alias_of(x, meta), batch);
}

inline Shape batch_sizes(const Tensor& x) {
  return Shape(std::span(x.sizes().data(), x.sizes().size() - 2));
}

// Memory of a kernel for the time of a call.
template <class T>
class Scratch {
 public:
  explicit Scratch(int64_t count)
      : bytes_(static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(T)),
        data_(static_cast<T*>(cpu_allocator().allocate(bytes_, stream_))) {}
  ~Scratch() { cpu_allocator().free(data_, bytes_, stream_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T* data() const { return data_; }
  T& operator[](int64_t i) const { return data_[i]; }

 private:
  Stream stream_;
  size_t bytes_;
  T* data_;
};

// Calls body(begin, end) for parts of 0..count-1; `work` is the number of operations on one matrix.
template <class Body>
void for_matrices(Stream& stream, int64_t count, double work, const Body& body) {
  constexpr double kWorkOfChunk = 1 << 18;
  stream.parallel_for(count, static_cast<int64_t>(kWorkOfChunk / (work + 1)) + 1, body);
}

inline double cube(int64_t n) {
  const auto x = static_cast<double>(n);
  return x * x * x;
}

}  // namespace oneagent
