#include "core/kernels/attention.h"

#include <cmath>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/attention.h"
#include "core/kernels/cpu/gemm.h"
#include "core/tensor/allocator.h"

namespace oneagent {
namespace {

constexpr int64_t kQueries = 128, kKeys = 256;  // of one block

// A matrix of each element of the batch: rows `step` apart, columns contiguous.
struct Matrices {
  Matrices() = default;
  Matrices(const Tensor& tensor, int64_t matrix_rank) : x(tensor) {
    if (!x.defined()) return;
    size = static_cast<int64_t>(x.element_size());
    leading = x.sizes().size() - static_cast<size_t>(matrix_rank);
    step = matrix_rank == 2 ? x.stride(-2) : 0;
  }
  // Matrix `index` of a batch with the leading dimensions `batch`.
  char* of(const Shape& batch, int64_t index) const {
    int64_t offset = 0;
    const size_t missing = batch.size() - leading;
    for (size_t i = batch.size(); i-- > 0;) {
      const int64_t at = index % batch[i];
      index /= batch[i];
      if (i >= missing && x.sizes()[i - missing] != 1) offset += at * x.strides()[i - missing];
    }
    return static_cast<char*>(x.data_ptr()) + offset * size;
  }
  Tensor x;
  int64_t size = 0, step = 0;
  size_t leading = 0;
};

Tensor with_whole_rows(Stream& stream, const Tensor& x) {
  return x.stride(-1) == 1 || x.size(-1) == 1 ? x : contiguous_copy(stream, x);
}

// Memory of one thread's blocks.
class Scratch {
 public:
  Scratch(Stream& stream, size_t bytes)
      : stream_(stream), bytes_(bytes), data_(cpu_allocator().allocate(bytes, stream)) {}
  ~Scratch() { cpu_allocator().free(data_, bytes_, stream_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  char* take(size_t bytes) {
    char* out = static_cast<char*>(data_) + used_;
    used_ += (bytes + 63) / 64 * 64;
    return out;
  }

 private:
  Stream& stream_;
  size_t bytes_, used_ = 0;
  void* data_;
};

struct Product {  // c (+)= a b, each with row and column steps
  const char* a;
  int64_t a_row, a_col;
  const char* b;
  int64_t b_row, b_col;
  char* c;
  int64_t c_row;
  int64_t m, n, k;
  bool accumulate = false;
};

class Blocks {
 public:
  Blocks(Stream& stream, const Attention& call)
      : stream_(stream),
        call_(call),
        dtype_(call.q.dtype()),
        size_(static_cast<int64_t>(call.q.element_size())),
        q_(with_whole_rows(stream, call.q), 2),
        k_(with_whole_rows(stream, call.k), 2),
        v_(with_whole_rows(stream, call.v), 2),
        mask_(call.mask, 2),
        l_(call.q.size(-2)),
        s_(call.k.size(-2)),
        e_(call.q.size(-1)),
        d_(call.v.size(-1)) {
    const Shape& sizes = call.q.sizes();
    batch_ = Shape(sizes.data(), sizes.size() - 2);
    if (call.mask.defined()) {
      mask_row_ = call.mask.size(-2) == 1 ? 0 : call.mask.stride(-2);
      mask_col_ = call.mask.size(-1) == 1 ? 0 : call.mask.stride(-1);
    }
  }

  void forward(const Tensor& out, const Tensor& low);
  void backward(const AttentionGradient& to);

 private:
  size_t bytes(int64_t elements) const { return static_cast<size_t>(elements * size_) + 64; }
  size_t workspace_bytes() const {
    const int64_t widest = std::max({kKeys, e_, d_});
    cpu::GemmArgs args;  // no product is larger
    args.m = args.n = args.k = widest;
    return cpu::gemm_workspace(dtype_, args) + 64;
  }
  void multiply(const Product& p, char* workspace) const {
    cpu::GemmArgs args;
    args.m = p.m;
    args.n = p.n;
    args.k = p.k;
    args.a = p.a;
    args.a_row = p.a_row;
    args.a_col = p.a_col;
    args.b = p.b;
    args.b_row = p.b_row;
    args.b_col = p.b_col;
    args.c = p.c;
    args.c_row = p.c_row;
    args.accumulate = p.accumulate;
    args.workspace = workspace;
    cpu::gemm(dtype_, args);
  }
  // The block of scores that begins at query `row` and key `col`.
  cpu::AttentionBlock block(int64_t index, int64_t row, int64_t col, char* scores) const {
    cpu::AttentionBlock out;
    out.scores = scores;
    out.rows = std::min(kQueries, l_ - row);
    out.cols = std::min(kKeys, s_ - col);
    out.step = kKeys;
    out.scale = call_.scale;
    out.causal = call_.causal && col + out.cols > row + 1;
    out.visible = row + 1 - col;
    out.mask_row = mask_row_;
    out.mask_col = mask_col_;
    if (call_.mask.defined()) {
      out.mask_is_bool = call_.mask.dtype() == DType::kBool;
      out.mask = mask_.of(batch_, index) + (row * mask_row_ + col * mask_col_) * mask_.size;
    }
    out.keep = 1 - call_.dropout;
    out.seed = call_.at.seed;
    out.stream = call_.at.stream;
    out.counter = call_.at.position + static_cast<uint64_t>((index * l_ + row) * s_ + col);
    out.counter_row = static_cast<uint64_t>(s_);
    return out;
  }
  // Keys that some query of the block sees.
  int64_t last_key(int64_t row) const { return call_.causal ? std::min(s_, row + kQueries) : s_; }
  void scores(int64_t index, int64_t row, int64_t col, const cpu::AttentionBlock& block,
              char* workspace) const {
    multiply({.a = q_.of(batch_, index) + row * q_.step * size_,
              .a_row = q_.step,
              .a_col = 1,
              .b = k_.of(batch_, index) + col * k_.step * size_,
              .b_row = 1,
              .b_col = k_.step,
              .c = static_cast<char*>(block.scores),
              .c_row = kKeys,
              .m = block.rows,
              .n = block.cols,
              .k = e_},
             workspace);
  }
  void forward_block(int64_t index, int64_t row, char* out, char* low) const;
  void backward_matrix(int64_t index, const AttentionGradient& to) const;

  Stream& stream_;
  const Attention& call_;
  DType dtype_;
  int64_t size_;
  Matrices q_, k_, v_, mask_;
  int64_t l_, s_, e_, d_;
  Shape batch_;
  int64_t mask_row_ = 0, mask_col_ = 0;
};

void fill_rows(DType dtype, void* to, int64_t n, double value) {
  with_floating(
      dtype, [&]<class T>(Type<T>) { std::fill_n(static_cast<T*>(to), n, static_cast<T>(value)); });
}

// out and low point at the rows of this block.
void Blocks::forward_block(int64_t index, int64_t row, char* out, char* low) const {
  Scratch scratch(stream_, bytes(kQueries * kKeys) + 3 * bytes(kQueries) + workspace_bytes());
  char* scores_at = scratch.take(bytes(kQueries * kKeys));
  char *top = scratch.take(bytes(kQueries)), *sum = scratch.take(bytes(kQueries)),
       *factor = scratch.take(bytes(kQueries));
  char* workspace = scratch.take(workspace_bytes());
  const int64_t rows = std::min(kQueries, l_ - row);
  fill_rows(dtype_, top, rows, -INFINITY);
  fill_rows(dtype_, sum, rows, 0);
  std::fill_n(out, rows * d_ * size_, char{0});
  for (int64_t col = 0; col < last_key(row); col += kKeys) {
    const cpu::AttentionBlock now = block(index, row, col, scores_at);
    scores(index, row, col, now, workspace);
    cpu::attention_online(dtype_, now, top, sum, factor);
    if (col > 0) cpu::attention_rescale(dtype_, out, d_, rows, d_, factor, false);
    multiply({.a = scores_at,
              .a_row = kKeys,
              .a_col = 1,
              .b = v_.of(batch_, index) + col * v_.step * size_,
              .b_row = v_.step,
              .b_col = 1,
              .c = out,
              .c_row = d_,
              .m = rows,
              .n = d_,
              .k = now.cols,
              .accumulate = col > 0},
             workspace);
  }
  cpu::attention_rescale(dtype_, out, d_, rows, d_, sum, true);
  cpu::attention_logarithm(dtype_, rows, top, sum, low);
}

void Blocks::forward(const Tensor& out, const Tensor& low) {
  const int64_t blocks = (l_ + kQueries - 1) / kQueries;
  stream_.parallel_for(batch_.numel() * blocks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = i / blocks, row = i % blocks * kQueries, at = index * l_ + row;
      forward_block(index, row, static_cast<char*>(out.data_ptr()) + at * d_ * size_,
                    static_cast<char*>(low.data_ptr()) + at * size_);
    }
  });
}

void Blocks::backward_matrix(int64_t index, const AttentionGradient& to) const {
  const int64_t block_bytes = kQueries * kKeys;
  Scratch scratch(stream_, 3 * bytes(block_bytes) + bytes(l_) + workspace_bytes());
  char* p = scratch.take(bytes(block_bytes));
  char* dropped = call_.dropout > 0 ? scratch.take(bytes(block_bytes)) : p;
  char* gradient = scratch.take(bytes(block_bytes));
  char* shift = scratch.take(bytes(l_));
  char* workspace = scratch.take(workspace_bytes());
  const auto rows_at = [&](const Tensor& x, int64_t row, int64_t n) {
    return static_cast<char*>(x.data_ptr()) + row * n * size_;
  };
  // A row's gradient reaches its scores less the mean of it: sum(dO O), less that of low.
  cpu::row_products(dtype_, rows_at(to.g, index * l_, d_), d_, rows_at(to.out, index * l_, d_), d_,
                    l_, d_, shift);
  if (to.g_low.defined())
    with_floating(dtype_, [&]<class T>(Type<T>) {
      const T* low = to.g_low.data_ptr<T>() + index * l_;
      for (int64_t i = 0; i < l_; ++i) reinterpret_cast<T*>(shift)[i] -= low[i];
    });
  const Matrices to_mask(to.mask, 2);
  for (int64_t row = 0; row < l_; row += kQueries)
    for (int64_t col = 0; col < last_key(row); col += kKeys) {
      const cpu::AttentionBlock now = block(index, row, col, p);
      const char* g = rows_at(to.g, index * l_ + row, d_);
      const char* q = q_.of(batch_, index) + row * q_.step * size_;
      const char* k = k_.of(batch_, index) + col * k_.step * size_;
      const char* v = v_.of(batch_, index) + col * v_.step * size_;
      scores(index, row, col, now, workspace);
      cpu::attention_probabilities(dtype_, now, rows_at(to.low, index * l_ + row, 1), dropped);
      multiply({.a = dropped,
                .a_row = 1,
                .a_col = kKeys,
                .b = g,
                .b_row = d_,
                .b_col = 1,
                .c = rows_at(to.v, index * s_ + col, d_),
                .c_row = d_,
                .m = now.cols,
                .n = d_,
                .k = now.rows,
                .accumulate = true},
               workspace);
      multiply({.a = g,
                .a_row = d_,
                .a_col = 1,
                .b = v,
                .b_row = 1,
                .b_col = v_.step,
                .c = gradient,
                .c_row = kKeys,
                .m = now.rows,
                .n = now.cols,
                .k = d_},
               workspace);
      cpu::AttentionBlock masked = now;
      char* mask = nullptr;
      if (to.mask.defined()) {
        masked.mask_row = to.mask.size(-2) == 1 ? 0 : to.mask.stride(-2);
        masked.mask_col = to.mask.size(-1) == 1 ? 0 : to.mask.stride(-1);
        mask = to_mask.of(batch_, index) + (row * masked.mask_row + col * masked.mask_col) * size_;
      }
      cpu::attention_gradient(dtype_, masked, gradient, shift + row * size_, mask);
      multiply({.a = gradient,
                .a_row = kKeys,
                .a_col = 1,
                .b = k,
                .b_row = k_.step,
                .b_col = 1,
                .c = rows_at(to.q, index * l_ + row, e_),
                .c_row = e_,
                .m = now.rows,
                .n = e_,
                .k = now.cols,
                .accumulate = true},
               workspace);
      multiply({.a = gradient,
                .a_row = 1,
                .a_col = kKeys,
                .b = q,
                .b_row = q_.step,
                .b_col = 1,
                .c = rows_at(to.k, index * s_ + col, e_),
                .c_row = e_,
                .m = now.cols,
                .n = e_,
                .k = now.rows,
                .accumulate = true},
               workspace);
    }
}

void Blocks::backward(const AttentionGradient& to) {
  // A mask that is shared by the batch gathers from all of it, in order.
  if (to.mask.defined()) {
    for (int64_t i = 0; i < batch_.numel(); ++i) backward_matrix(i, to);
    return;
  }
  stream_.parallel_for(batch_.numel(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) backward_matrix(i, to);
  });
}

}  // namespace

void run_attention(Stream& stream, const Attention& call, const Tensor& out, const Tensor& low) {
  if (call.k.size(-2) == 0) {
    fill(stream, out, NAN);
    return fill(stream, low, -INFINITY);
  }
  if (low.numel() > 0) Blocks(stream, call).forward(out, low);
}

void run_attention_backward(Stream& stream, const Attention& call, const AttentionGradient& to) {
  for (const Tensor* result : {&to.q, &to.k, &to.v, &to.mask})
    if (result->defined()) fill(stream, *result, 0.0);
  if (to.low.numel() == 0 || call.k.size(-2) == 0) return;
  AttentionGradient operands = to;
  if (to.g.defined()) {
    operands.g = as_contiguous(stream, to.g);
  } else {
    operands.g = empty_on(stream, to.out.sizes(), to.out.dtype());
    fill(stream, operands.g, 0.0);
  }
  operands.out = as_contiguous(stream, to.out);
  operands.low = as_contiguous(stream, to.low);
  if (to.g_low.defined()) operands.g_low = as_contiguous(stream, to.g_low);
  Blocks(stream, call).backward(operands);
}

}  // namespace oneagent
