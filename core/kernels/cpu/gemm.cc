#include "core/kernels/cpu/gemm.h"

#include "core/kernels/cpu/gemm_pack.h"
#include "core/kernels/cpu/gemm_tile.h"
#include "core/kernels/cpu/math.h"
#include "core/kernels/cpu/tanh_row.h"

namespace oneagent::cpu::OA_ISA {
namespace {

template <class T>
void activate(T* row, int64_t n, Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return;
    case Activation::kRelu:
      for (int64_t i = 0; i < n; ++i) row[i] = row[i] < T(0) ? T(0) : row[i];
      return;
    case Activation::kTanh:
      if constexpr (sizeof(T) == 4) return tanh_row(row, row, n);
      for (int64_t i = 0; i < n; ++i) row[i] = tanh_(row[i]);
      return;
    case Activation::kSigmoid:
      for (int64_t i = 0; i < n; ++i) row[i] = sigmoid_(row[i]);
      return;
  }
}

int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

// Tiles of one height below each other.
struct Strips {
  int64_t row;
  int height;
  int64_t count;
};

constexpr int64_t kSmallBlock = 16384;  // bytes of B that the first cache keeps as they are

// Blocks of columns hold blocks of k, these hold blocks of rows, these hold panels of columns,
// these hold tiles.
template <class T>
class Product {
 public:
  explicit Product(const GemmArgs& args) : args_(args) {
    const int64_t depth = least(args.k, kGemmDepth), columns = least(args.n, kGemmColumns);
    packs_b_ = args.b_col != 1 || (args.m > 8 * kTileRows && args.n > 2 * kPanel &&
                                   static_cast<int64_t>(sizeof(T)) * depth * columns > kSmallBlock);
    packs_a_ = gemm_packs_rows(args);
    packed_b_ = static_cast<T*>(args.workspace);
    packed_a_ = packed_b_ + (columns + 63) / 64 * 64 * depth;
    tile_.c_row = args.c_row;
    tile_.a_row = packs_a_ ? 1 : args.a_row;
    tile_.a_col = args.a_col;
  }

  void run() {
    for (int64_t column = 0; column < args_.n; column += kGemmColumns) {
      begin_ = column;
      end_ = least(args_.n, column + kGemmColumns);
      for (k_ = 0; k_ < args_.k; k_ += kGemmDepth) {
        tile_.depth = least(args_.k - k_, kGemmDepth);
        tile_.a_strip = kTileRows * (packs_a_ ? tile_.depth : args_.a_row);
        tile_.load_c = args_.accumulate || k_ > 0;
        for (row_ = 0; row_ < args_.m; row_ += kGemmRows) {
          cut(least(args_.m - row_, kGemmRows));
          multiply_block();
        }
      }
    }
  }

 private:
  static constexpr int64_t kWidth = Vec<T>::kWidth;
  static constexpr int64_t kPanel = Vec<T>::kWidth * Vec<T>::kPanel;

  // A rest of one or two rows takes some from the tile before it, because low tiles are slow.
  void cut(int64_t rows) {
    rows_ = rows;
    parts_ = 0;
    int64_t whole = rows / kTileRows, rest = rows % kTileRows;
    const bool uneven = whole > 0 && (rest == 1 || rest == 2);
    if (uneven) --whole;
    if (whole > 0) strips_[parts_++] = {0, kTileRows, whole};
    const int64_t row = whole * kTileRows;
    if (uneven) strips_[parts_++] = {row, 4, 1};
    if (uneven) strips_[parts_++] = {row + 4, static_cast<int>(rest + 2), 1};
    if (!uneven && rest > 0) strips_[parts_++] = {row, static_cast<int>(rest), 1};
  }

  void multiply_block() {
    const bool last = k_ + tile_.depth == args_.k;
    if (packs_a_) pack_rows_of_block();
    for (int64_t column = begin_; column < end_; column += kPanel) {
      tile_.bias =
          last && args_.bias != nullptr ? static_cast<const T*>(args_.bias) + column : nullptr;
      multiply_panel(column);
    }
    if (last && args_.activation != Activation::kNone)
      for (int64_t i = row_; i < row_ + rows_; ++i)
        activate(static_cast<T*>(args_.c) + i * args_.c_row + begin_, end_ - begin_,
                 args_.activation);
  }

  void pack_rows_of_block() {
    const T* a = static_cast<const T*>(args_.a) + row_ * args_.a_row + k_ * args_.a_col;
    for (int part = 0; part < parts_; ++part) {
      const Strips& strips = strips_[part];
      pack_strips(a + strips.row * args_.a_row, args_.a_row, args_.a_col, tile_.depth,
                  strips.height, strips.count, packed_a_ + strips.row * tile_.depth);
    }
  }

  void multiply_panel(int64_t column) {
    const int64_t columns = least(end_ - column, kPanel);
    const int regs = static_cast<int>((columns + kWidth - 1) / kWidth);
    const int64_t width = regs * kWidth;
    tile_.b = static_cast<const T*>(args_.b) + k_ * args_.b_row + column * args_.b_col;
    tile_.b_row = args_.b_row;
    if (packs_b_ || columns < width) {
      T* panel = packed_b_ + (column - begin_) * tile_.depth;
      if (row_ == 0)
        pack_panel(tile_.b, args_.b_row, args_.b_col, tile_.depth, columns, width, panel);
      tile_.b = panel;
      tile_.b_row = width;
    }
    T* c = static_cast<T*>(args_.c) + row_ * args_.c_row + column;
    const T* a = packs_a_ ? packed_a_
                          : static_cast<const T*>(args_.a) + row_ * args_.a_row + k_ * args_.a_col;
    if (tile_.depth <= kShallow && columns == kPanel && !packs_a_) {
      tile_.a = a;
      tile_.c = c;
      return multiply_shallow(tile_, rows_);
    }
    for (int part = 0; part < parts_; ++part) {
      const Strips& strips = strips_[part];
      tile_.c = c + strips.row * args_.c_row;
      tile_.a = a + strips.row * (packs_a_ ? tile_.depth : args_.a_row);
      if (packs_a_) tile_.a_col = strips.height;
      tile_.strips = strips.count;
      if (columns == width)
        multiply_tiles(strips.height, regs, tile_);
      else
        multiply_edge(strips.height, regs, columns, tile_);
    }
  }

  const GemmArgs& args_;
  bool packs_a_, packs_b_;
  T *packed_b_, *packed_a_;
  int64_t begin_ = 0, end_ = 0;  // columns of the current block
  int64_t k_ = 0, row_ = 0, rows_ = 0;
  Strips strips_[3];
  int parts_ = 0;
  Tile<T> tile_;
};

// A few columns: rows of C^T = B^T A^T, with A's rows across the registers.
template <class T>
void multiply_narrow(const GemmArgs& args) {
  constexpr int64_t kBlock = 128;
  T across[kTileRows * kBlock];
  GemmArgs turned = args;
  turned.m = args.n;
  turned.a = args.b;
  turned.a_row = args.b_col;
  turned.a_col = args.b_row;
  turned.b_row = args.a_col;
  turned.b_col = args.a_row;
  turned.c = across;
  turned.c_row = kBlock;
  turned.bias = nullptr;
  turned.activation = Activation::kNone;
  for (int64_t row = 0; row < args.m; row += kBlock) {
    T* c = static_cast<T*>(args.c) + row * args.c_row;
    turned.n = least(args.m - row, kBlock);
    turned.b = static_cast<const T*>(args.a) + row * args.a_row;
    for (int64_t j = 0; args.accumulate && j < args.n; ++j)
      for (int64_t i = 0; i < turned.n; ++i) across[j * kBlock + i] = c[i * args.c_row + j];
    Product<T>(turned).run();
    for (int64_t j = 0; j < args.n; ++j) {
      T* sums = across + j * kBlock;
      if (args.bias != nullptr) {
        const T bias = static_cast<const T*>(args.bias)[j];
        for (int64_t i = 0; i < turned.n; ++i) sums[i] += bias;
      }
      activate(sums, turned.n, args.activation);
      for (int64_t i = 0; i < turned.n; ++i) c[i * args.c_row + j] = sums[i];
    }
  }
}

// to[i * to_row + j] = from[j * width + i] for i < rows, j < columns.
template <class T>
void turn_back(const T* from, int64_t width, int64_t columns, int64_t rows, T* to, int64_t to_row) {
  constexpr int64_t kSide = kTransposed<T>;
  const int64_t down = rows / kSide * kSide, along = columns / kSide * kSide;
  for (int64_t i = 0; i < down; i += kSide)
    for (int64_t j = 0; j < along; j += kSide)
      transpose_block(from + j * width + i, width, to + i * to_row + j, to_row);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = i < down ? along : 0; j < columns; ++j)
      to[i * to_row + j] = from[j * width + i];
}

// A few rows, and B lies across: A^T is packed, B's columns are the rows of C^T.
template <class T>
void multiply_turned(const GemmArgs& args) {
  constexpr int64_t kWidth = Vec<T>::kWidth;
  const int64_t width = (args.m + kWidth - 1) / kWidth * kWidth;
  T* packed = static_cast<T*>(args.workspace);
  T* across = packed + width * args.k;
  pack_panel(static_cast<const T*>(args.a), args.a_col, args.a_row, args.k, args.m, width, packed);
  GemmArgs turned = args;
  turned.n = width;
  turned.a_row = args.b_col;
  turned.a_col = args.b_row;
  turned.b = packed;
  turned.b_row = width;
  turned.b_col = 1;
  turned.c = across;
  turned.c_row = width;
  turned.workspace = across + 64 * kGemmRows;
  turned.bias = nullptr;
  turned.activation = Activation::kNone;
  for (int64_t column = 0; column < args.n; column += kGemmRows) {
    T* c = static_cast<T*>(args.c) + column;
    turned.m = least(args.n - column, kGemmRows);
    turned.a = static_cast<const T*>(args.b) + column * args.b_col;
    if (args.accumulate)
      for (int64_t j = 0; j < turned.m; ++j)
        for (int64_t i = 0; i < width; ++i)
          across[j * width + i] = i < args.m ? c[i * args.c_row + j] : T(0);
    Product<T>(turned).run();
    turn_back(across, width, turned.m, args.m, c, args.c_row);
    if (args.bias == nullptr && args.activation == Activation::kNone) continue;
    for (int64_t i = 0; i < args.m; ++i) {
      T* row = c + i * args.c_row;
      for (int64_t j = 0; args.bias != nullptr && j < turned.m; ++j)
        row[j] += static_cast<const T*>(args.bias)[column + j];
      activate(row, turned.m, args.activation);
    }
  }
}

// A sum over nothing.
template <class T>
void fill_rows(const GemmArgs& args) {
  for (int64_t i = 0; i < args.m; ++i) {
    T* row = static_cast<T*>(args.c) + i * args.c_row;
    for (int64_t j = 0; j < args.n; ++j) {
      if (!args.accumulate) row[j] = T(0);
      if (args.bias != nullptr) row[j] += static_cast<const T*>(args.bias)[j];
    }
    activate(row, args.n, args.activation);
  }
}

template <class T>
void gemm_typed(const GemmArgs& args) {
  if (args.k == 0) return fill_rows<T>(args);
  if (args.n <= kTileRows && args.m >= 8) return multiply_narrow<T>(args);
  if (gemm_turns(args)) return multiply_turned<T>(args);
  Product<T>(args).run();
}

}  // namespace

void gemm(DType dtype, const GemmArgs& args) {
  if (dtype == DType::kFloat32)
    gemm_typed<float>(args);
  else
    gemm_typed<double>(args);
}

}  // namespace oneagent::cpu::OA_ISA
