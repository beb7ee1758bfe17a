#include "core/kernels/cpu/gemm.h"

#include OA_ISA_VEC
#include "core/kernels/cpu/math.h"

namespace oneagent::cpu::OA_ISA {
namespace {

constexpr int kRows = 6;  // of one register block

template <class T>
struct Block {  // one block of C: rows x (kPanel * kWidth), from a packed or plain panel of B
  const T* a;
  int64_t a_row, a_col;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int64_t depth;
  bool load_c;
};

template <class T, int Rows, int Regs>
void multiply(const Block<T>& block) {
  using V = Vec<T>;
  typename V::Reg sum[Rows][Regs];
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int j = 0; j < Regs; ++j)
      sum[r][j] = block.load_c ? V::load(block.c + r * block.c_row + j * V::kWidth) : V::zero();
  const T* a = block.a;
  const T* b = block.b;
  for (int64_t k = 0; k < block.depth; ++k) {
    typename V::Reg row[Regs];
#pragma GCC unroll 8
    for (int j = 0; j < Regs; ++j) row[j] = V::load(b + j * V::kWidth);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const typename V::Reg value = V::broadcast(a + r * block.a_row);
#pragma GCC unroll 8
      for (int j = 0; j < Regs; ++j) sum[r][j] = V::fma(value, row[j], sum[r][j]);
    }
    a += block.a_col;
    b += block.b_row;
  }
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int j = 0; j < Regs; ++j) V::store(block.c + r * block.c_row + j * V::kWidth, sum[r][j]);
}

template <class T, int Regs>
void multiply_rows(int rows, const Block<T>& block) {
  switch (rows) {
    case 1:
      return multiply<T, 1, Regs>(block);
    case 2:
      return multiply<T, 2, Regs>(block);
    case 3:
      return multiply<T, 3, Regs>(block);
    case 4:
      return multiply<T, 4, Regs>(block);
    case 5:
      return multiply<T, 5, Regs>(block);
    default:
      return multiply<T, 6, Regs>(block);
  }
}

template <class T>
void multiply_block(int rows, int regs, const Block<T>& block) {
  if constexpr (Vec<T>::kPanel == 4) {
    if (regs == 4) return multiply_rows<T, 4>(rows, block);
    if (regs == 3) return multiply_rows<T, 3>(rows, block);
  }
  if (regs == 2) return multiply_rows<T, 2>(rows, block);
  return multiply_rows<T, 1>(rows, block);
}

// Eight columns that are contiguous along k become eight contiguous along n.
inline void transpose8(const float* from, int64_t ld, float* to, int64_t to_ld) {
  __m256 r[8], t[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) r[i] = _mm256_loadu_ps(from + i * ld);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    t[2 * i] = _mm256_unpacklo_ps(r[2 * i], r[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_ps(r[2 * i], r[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    r[4 * i] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0x44);
    r[4 * i + 1] = _mm256_shuffle_ps(t[4 * i], t[4 * i + 2], 0xee);
    r[4 * i + 2] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0x44);
    r[4 * i + 3] = _mm256_shuffle_ps(t[4 * i + 1], t[4 * i + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    _mm256_storeu_ps(to + i * to_ld, _mm256_permute2f128_ps(r[i], r[i + 4], 0x20));
    _mm256_storeu_ps(to + (i + 4) * to_ld, _mm256_permute2f128_ps(r[i], r[i + 4], 0x31));
  }
}

template <class T>
void pack_plain(const T* b, int64_t b_row, int64_t b_col, int64_t depth, int64_t columns,
                int64_t width, T* to) {
  for (int64_t k = 0; k < depth; ++k) {
    for (int64_t j = 0; j < columns; ++j) to[k * width + j] = b[k * b_row + j * b_col];
    for (int64_t j = columns; j < width; ++j) to[k * width + j] = T(0);
  }
}

// One panel [depth, width] of B, zero beyond `columns`.
template <class T>
void pack_panel(const T* b, int64_t b_row, int64_t b_col, int64_t depth, int64_t columns,
                int64_t width, T* to) {
  if constexpr (sizeof(T) == 4) {
    if (b_row == 1 && columns == width && depth >= 8) {
      const int64_t whole = depth / 8 * 8;
      for (int64_t j = 0; j < width; j += 8)
        for (int64_t k = 0; k < whole; k += 8)
          transpose8(b + j * b_col + k, b_col, to + k * width + j, width);
      return pack_plain(b + whole, b_row, b_col, depth - whole, columns, width, to + whole * width);
    }
  }
  pack_plain(b, b_row, b_col, depth, columns, width, to);
}

template <class T>
void activate(T* row, int64_t n, Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      for (int64_t i = 0; i < n; ++i) row[i] = row[i] < T(0) ? T(0) : row[i];
      return;
    case Activation::kTanh:
      for (int64_t i = 0; i < n; ++i) row[i] = tanh_(row[i]);
      return;
    case Activation::kSigmoid:
      for (int64_t i = 0; i < n; ++i) row[i] = sigmoid_(row[i]);
      return;
  }
}

template <class T>
void finish_rows(const GemmArgs& args, int64_t begin, int64_t rows) {
  for (int64_t i = begin; i < begin + rows; ++i) {
    T* row = static_cast<T*>(args.c) + i * args.c_row;
    if (args.bias != nullptr) {
      const T* bias = static_cast<const T*>(args.bias);
#pragma GCC ivdep
      for (int64_t j = 0; j < args.n; ++j) row[j] += bias[j];
    }
    activate(row, args.n, args.activation);
  }
}

// The last panel may be narrower than its registers: it goes through a small buffer.
template <class T>
void multiply_edge(int rows, int regs, int64_t columns, Block<T> block) {
  constexpr int kWidth = Vec<T>::kWidth;
  T buffer[kRows * 4 * kWidth];
  T* c = block.c;
  const int64_t c_row = block.c_row;
  const int64_t width = regs * kWidth;
  if (block.load_c)
    for (int r = 0; r < rows; ++r)
      for (int64_t j = 0; j < columns; ++j) buffer[r * width + j] = c[r * c_row + j];
  block.c = buffer;
  block.c_row = width;
  multiply_block(rows, regs, block);
  for (int r = 0; r < rows; ++r)
    for (int64_t j = 0; j < columns; ++j) c[r * c_row + j] = buffer[r * width + j];
}

template <class T>
struct Panels {  // where the panels of the current block of B are
  static constexpr int64_t kWidth = Vec<T>::kWidth * Vec<T>::kPanel;
  T* packed;
  int64_t depth;
  int64_t n;
  const T* plain;  // B itself for whole panels that need no packing, or null
  int64_t plain_row;
};

template <class T>
void multiply_strip(const GemmArgs& args, const Panels<T>& panels, int64_t row, int rows,
                    int64_t k) {
  constexpr int64_t kWidth = Panels<T>::kWidth;
  Block<T> block;
  block.a = static_cast<const T*>(args.a) + row * args.a_row + k * args.a_col;
  block.a_row = args.a_row;
  block.a_col = args.a_col;
  block.c_row = args.c_row;
  block.depth = panels.depth;
  block.load_c = args.accumulate || k > 0;
  for (int64_t j = 0; j < args.n; j += kWidth) {
    const int64_t columns = args.n - j < kWidth ? args.n - j : kWidth;
    const int regs = static_cast<int>((columns + Vec<T>::kWidth - 1) / Vec<T>::kWidth);
    const bool whole = columns == regs * Vec<T>::kWidth;
    const bool plain = panels.plain != nullptr && whole;
    block.b = plain ? panels.plain + j : panels.packed + j * panels.depth;
    block.b_row = plain ? panels.plain_row : regs * Vec<T>::kWidth;
    block.c = static_cast<T*>(args.c) + row * args.c_row + j;
    if (whole)
      multiply_block(rows, regs, block);
    else
      multiply_edge(rows, regs, columns, block);
  }
}

template <class T>
Panels<T> pack_block(const GemmArgs& args, int64_t k, int64_t depth) {
  constexpr int64_t kWidth = Panels<T>::kWidth;
  Panels<T> panels{static_cast<T*>(args.workspace), depth, args.n, nullptr, args.b_row};
  const T* b = static_cast<const T*>(args.b) + k * args.b_row;
  // Packing pays when the block is read often or its rows lie far apart.
  if (args.b_col == 1 && (args.m <= 8 * kRows || args.n <= 2 * kWidth)) panels.plain = b;
  for (int64_t j = 0; j < args.n; j += kWidth) {
    const int64_t columns = args.n - j < kWidth ? args.n - j : kWidth;
    const int64_t width = (columns + Vec<T>::kWidth - 1) / Vec<T>::kWidth * Vec<T>::kWidth;
    if (panels.plain != nullptr && columns == width) continue;
    pack_panel(b + j * args.b_col, args.b_row, args.b_col, depth, columns, width,
               panels.packed + j * depth);
  }
  return panels;
}

template <class T>
void gemm_typed(const GemmArgs& args) {
  if (args.k == 0 && !args.accumulate)
    for (int64_t i = 0; i < args.m; ++i)
      for (int64_t j = 0; j < args.n; ++j) static_cast<T*>(args.c)[i * args.c_row + j] = T(0);
  for (int64_t k = 0; k < args.k; k += kGemmDepth) {
    const int64_t depth = args.k - k < kGemmDepth ? args.k - k : kGemmDepth;
    const Panels<T> panels = pack_block<T>(args, k, depth);
    for (int64_t row = 0; row < args.m; row += kRows) {
      const int rows = static_cast<int>(args.m - row < kRows ? args.m - row : kRows);
      multiply_strip(args, panels, row, rows, k);
      if (k + depth == args.k) finish_rows<T>(args, row, rows);
    }
  }
  if (args.k == 0) finish_rows<T>(args, 0, args.m);
}

}  // namespace

void gemm(DType dtype, const GemmArgs& args) {
  if (dtype == DType::kFloat32)
    gemm_typed<float>(args);
  else
    gemm_typed<double>(args);
}

}  // namespace oneagent::cpu::OA_ISA
