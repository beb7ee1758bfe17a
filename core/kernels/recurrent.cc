#include "core/kernels/recurrent.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/recurrent.h"
#include "core/kernels/gemm.h"

namespace oneagent {
namespace {

// A row of a contiguous matrix.
char* at(const Tensor& x, int64_t row) {
  return static_cast<char*>(x.data_ptr()) +
         row * x.size(-1) * static_cast<int64_t>(x.element_size());
}
char* at_or_null(const Tensor& x, int64_t row) { return x.defined() ? at(x, row) : nullptr; }

void copy_rows(const Tensor& to, int64_t to_row, const Tensor& from, int64_t from_row,
               int64_t count) {
  std::memcpy(at(to, to_row), at(from, from_row),
              static_cast<size_t>(count * to.size(-1)) * to.element_size());
}

// c [m, n] (rows c_row apart) (+)= a [m, k] b; b [k, n], or [n, k] if transposed.
struct Product {
  const void* a = nullptr;
  const void* b = nullptr;
  void* c = nullptr;
  int64_t m = 0, n = 0, k = 0, c_row = 0;
  bool b_transposed = false, accumulate = false;
  const void* bias = nullptr;
  cpu::Activation activation = cpu::Activation::kNone;
};
void multiply(Stream& stream, DType dtype, const Product& p) {
  cpu::GemmArgs args;
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.a = p.a;
  args.a_row = p.k;
  args.a_col = 1;
  args.b = p.b;
  args.b_row = p.b_transposed ? 1 : p.n;
  args.b_col = p.b_transposed ? p.k : 1;
  args.c = p.c;
  args.c_row = p.c_row == 0 ? p.n : p.c_row;
  args.accumulate = p.accumulate;
  args.bias = p.bias;
  args.activation = p.activation;
  run_gemm(stream, dtype, args);
}

// out [m, n] = a [k, m]^T b [k, n]
void multiply_transposed(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b) {
  if (out.numel() == 0) return;
  cpu::GemmArgs args;
  args.m = out.size(0);
  args.n = out.size(1);
  args.k = a.size(0);
  args.a = a.data_ptr();
  args.a_row = 1;
  args.a_col = args.m;
  args.b = b.data_ptr();
  args.b_row = args.n;
  args.b_col = 1;
  args.c = out.data_ptr();
  args.c_row = args.n;
  run_gemm(stream, out.dtype(), args);
}

Tensor transposed_copy(Stream& stream, const Tensor& x) {
  TensorMeta meta = x.impl().meta;
  std::swap(meta.sizes[0], meta.sizes[1]);
  std::swap(meta.strides[0], meta.strides[1]);
  return contiguous_copy(stream, alias_of(x, meta));
}

class Forward {
 public:
  Forward(Stream& stream, const RecurrentCall& call, const RecurrentResult& out)
      : stream_(stream), call_(call), out_(out), dtype_(call.hidden.dtype()) {
    h_ = call.hidden.size(1);
    gates_ = call.weight.size(0);
    // Several steps read the weight again and again: rows of the product contiguous.
    transposed_ = call.steps.size() <= 1;
    weight_ = transposed_ ? call.weight : transposed_copy(stream, call.weight);
    copy_into(stream, out.hidden, call.hidden);
    if (call.cell.defined()) copy_into(stream, out.cell, call.cell);
    if (call.kind == Recurrence::kGru)
      from_h_ = empty_on(stream, {call.hidden.size(0), gates_}, dtype_);
  }

  void run() {
    for (const SequenceStep& step : call_.steps) {
      if (call_.kind == Recurrence::kLstm)
        lstm(step);
      else if (call_.kind == Recurrence::kGru)
        gru(step);
      else
        plain(step);
    }
  }

 private:
  Product from_state(const SequenceStep& step, void* c, int64_t c_row, bool accumulate) const {
    return {.a = out_.hidden.data_ptr(),
            .b = weight_.data_ptr(),
            .c = c,
            .m = step.count,
            .n = gates_,
            .k = h_,
            .c_row = c_row,
            .b_transposed = transposed_,
            .accumulate = accumulate};
  }
  void lstm(const SequenceStep& step) {
    const size_t bytes = static_cast<size_t>(gates_) * out_.y.element_size();
    for (int64_t i = step.row; i < step.row + step.count; ++i)
      std::memcpy(at(out_.workspace, i), at(call_.gates, i), bytes);
    multiply(stream_, dtype_, from_state(step, at(out_.workspace, step.row), 5 * h_, true));
    cpu::LstmStep part;
    part.rows = step.count;
    part.h = h_;
    part.workspace = at(out_.workspace, step.row);
    part.cell = out_.cell.data_ptr();
    part.hidden = out_.hidden.data_ptr();
    part.y = at(out_.y, step.row);
    cpu::lstm_step(dtype_, part);
  }
  void gru(const SequenceStep& step) {
    Product product = from_state(step, from_h_.data_ptr(), 0, false);
    if (call_.bias.defined()) product.bias = call_.bias.data_ptr();
    multiply(stream_, dtype_, product);
    cpu::GruStep part;
    part.rows = step.count;
    part.h = h_;
    part.from_x = at(call_.gates, step.row);
    part.from_h = from_h_.data_ptr();
    part.workspace = at(out_.workspace, step.row);
    part.hidden = out_.hidden.data_ptr();
    part.y = at(out_.y, step.row);
    cpu::gru_step(dtype_, part);
  }
  void plain(const SequenceStep& step) {
    copy_rows(out_.y, step.row, call_.gates, step.row, step.count);
    Product product = from_state(step, at(out_.y, step.row), 0, true);
    product.activation =
        call_.kind == Recurrence::kRelu ? cpu::Activation::kRelu : cpu::Activation::kTanh;
    multiply(stream_, dtype_, product);
    copy_rows(out_.hidden, 0, out_.y, step.row, step.count);
  }

  Stream& stream_;
  const RecurrentCall& call_;
  const RecurrentResult& out_;
  DType dtype_;
  int64_t h_ = 0, gates_ = 0;
  bool transposed_ = false;
  Tensor weight_, from_h_;
};

class Backward {
 public:
  Backward(Stream& stream, const RecurrentCall& call, const RecurrentResult& from,
           const RecurrentResult& to, const RecurrentCall& out)
      : stream_(stream), call_(call), from_(from), to_(to), out_(out) {
    dtype_ = call.hidden.dtype();
    h_ = call.hidden.size(1);
    gates_ = call.weight.size(0);
    start(out.hidden, to.hidden);
    if (out.cell.defined()) start(out.cell, to.cell);
    to_h_ = call.kind == Recurrence::kGru ? empty_on(stream, out.gates.sizes(), dtype_) : out.gates;
  }

  void run() {
    for (size_t k = call_.steps.size(); k-- > 0;) {
      if (call_.kind == Recurrence::kLstm)
        lstm(k);
      else if (call_.kind == Recurrence::kGru)
        gru(k);
      else
        plain(call_.steps[k]);
      multiply(stream_, dtype_,
               {.a = at(to_h_, call_.steps[k].row),
                .b = call_.weight.data_ptr(),
                .c = out_.hidden.data_ptr(),
                .m = call_.steps[k].count,
                .n = h_,
                .k = gates_,
                .accumulate = call_.kind == Recurrence::kGru});
    }
    weights();
  }

 private:
  void start(const Tensor& state, const Tensor& gradient) {
    if (gradient.defined())
      copy_into(stream_, state, gradient);
    else
      fill(stream_, state, 0.0);
  }
  // Sequences of step k that the step before had, too; the others came from the first state.
  int64_t carried(size_t k) const {
    return k == 0 ? 0 : std::min(call_.steps[k].count, call_.steps[k - 1].count);
  }
  void lstm(size_t k) {
    const SequenceStep& step = call_.steps[k];
    const int64_t size = static_cast<int64_t>(from_.y.element_size());
    const auto part = [&](int64_t begin, int64_t end, const char* before, int64_t cell_step) {
      if (begin == end) return;
      const int64_t row = step.row + begin;
      cpu::LstmStepGradient args;
      args.rows = end - begin;
      args.h = h_;
      args.workspace = at(from_.workspace, row);
      args.cell_before = before;
      args.cell_step = cell_step;
      args.to_hidden = at(out_.hidden, begin);
      args.to_y = at_or_null(to_.y, row);
      args.to_workspace = at_or_null(to_.workspace, row);
      args.to_cell = at(out_.cell, begin);
      args.to_gates = at(out_.gates, row);
      cpu::lstm_step_backward(dtype_, args);
    };
    const int64_t m = carried(k);
    if (m > 0) part(0, m, at(from_.workspace, call_.steps[k - 1].row) + 4 * h_ * size, 5 * h_);
    part(m, step.count, at(call_.cell, m), h_);
  }
  void gru(size_t k) {
    const SequenceStep& step = call_.steps[k];
    const auto part = [&](int64_t begin, int64_t end, const char* before) {
      if (begin == end) return;
      const int64_t row = step.row + begin;
      cpu::GruStepGradient args;
      args.rows = end - begin;
      args.h = h_;
      args.workspace = at(from_.workspace, row);
      args.before = before;
      args.before_step = h_;
      args.to_y = at_or_null(to_.y, row);
      args.to_workspace = at_or_null(to_.workspace, row);
      args.to_hidden = at(out_.hidden, begin);
      args.to_x = at(out_.gates, row);
      args.to_h = at(to_h_, row);
      cpu::gru_step_backward(dtype_, args);
    };
    const int64_t m = carried(k);
    if (m > 0) part(0, m, at(from_.y, call_.steps[k - 1].row));
    part(m, step.count, at(call_.hidden, m));
  }
  void plain(const SequenceStep& step) {
    cpu::PlainStepGradient args;
    args.n = step.count * h_;
    args.relu = call_.kind == Recurrence::kRelu;
    args.y = at(from_.y, step.row);
    args.to_hidden = out_.hidden.data_ptr();
    args.to_y = at_or_null(to_.y, step.row);
    args.to_gates = at(out_.gates, step.row);
    cpu::plain_step_backward(dtype_, args);
  }
  // One product for all steps: gradients of the gates with the states before each step.
  void weights() {
    const Tensor before = empty_on(stream_, from_.y.sizes(), dtype_);
    for (size_t k = 0; k < call_.steps.size(); ++k) {
      const SequenceStep& step = call_.steps[k];
      const int64_t m = carried(k);
      if (m > 0) copy_rows(before, step.row, from_.y, call_.steps[k - 1].row, m);
      if (m < step.count) copy_rows(before, step.row + m, call_.hidden, m, step.count - m);
    }
    multiply_transposed(stream_, out_.weight, to_h_, before);
    if (!out_.bias.defined()) return;
    fill(stream_, out_.bias, 0.0);
    with_floating(dtype_, [&]<class T>(Type<T>) {
      T* sum = out_.bias.data_ptr<T>();
      for (int64_t r = 0; r < to_h_.size(0); ++r) {
        const T* row = to_h_.data_ptr<T>() + r * gates_;
        for (int64_t j = 0; j < gates_; ++j) sum[j] += row[j];
      }
    });
  }

  Stream& stream_;
  const RecurrentCall& call_;
  const RecurrentResult& from_;
  const RecurrentResult& to_;
  const RecurrentCall& out_;
  DType dtype_;
  int64_t h_ = 0, gates_ = 0;
  Tensor to_h_;
};

}  // namespace

std::vector<SequenceStep> sequence_steps(int64_t rows, int64_t n, const Tensor& batch_sizes,
                                         bool reverse) {
  std::vector<SequenceStep> steps;
  int64_t row = 0;
  if (!batch_sizes.defined()) {
    OA_REQUIRE(n > 0 ? rows % n == 0 : rows == 0, "recurrent: ", rows,
               " rows are no whole number of steps of ", n, " sequences");
    for (; row < rows; row += n) steps.push_back({row, n});
  } else {
    const int64_t step = batch_sizes.stride(0);
    for (int64_t i = 0, last = n; i < batch_sizes.size(0); ++i) {
      const int64_t count = batch_sizes.data_ptr<int64_t>()[i * step];
      OA_REQUIRE(count > 0 && count <= last, "recurrent: batch sizes must be positive, at most ",
                 last, ", the number of sequences or the size before, was ", count);
      steps.push_back({row, count});
      row += count;
      last = count;
    }
    OA_REQUIRE(row == rows, "recurrent: the batch sizes add up to ", row, ", the data has ", rows,
               " rows");
  }
  if (reverse) std::reverse(steps.begin(), steps.end());
  return steps;
}

void run_recurrent(Stream& stream, const RecurrentCall& call, const RecurrentResult& out) {
  Forward(stream, call, out).run();
}

void run_recurrent_backward(Stream& stream, const RecurrentCall& call, const RecurrentResult& from,
                            const RecurrentResult& to, const RecurrentCall& out) {
  Backward(stream, call, from, to, out).run();
}

}  // namespace oneagent
