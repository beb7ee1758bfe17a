#include "core/kernels/product.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/matvec.h"
#include "core/kernels/elementwise.h"
#include "core/kernels/gemm.h"

namespace oneagent {
namespace {

constexpr double kWorkOfChunk = 1 << 20;  // multiply-adds that are worth another thread

struct Matrix {
  const char* data;
  int64_t rows, columns, row, column;  // the last two are strides
};

Matrix matrix_of(const Tensor& x) {
  const TensorMeta& meta = x.impl().meta;
  const size_t at = meta.sizes.size() - 2;
  return {x.impl().data(), meta.sizes[at], meta.sizes[at + 1], meta.strides[at],
          meta.strides[at + 1]};
}

void multiply_floats(Stream& stream, DType dtype, const Matrix& out, const Matrix& a,
                     const Matrix& b, bool accumulate) {
  cpu::GemmArgs args;
  args.m = out.rows;
  args.n = out.columns;
  args.k = a.columns;
  args.a = a.data;
  args.a_row = a.row;
  args.a_col = a.column;
  args.b = b.data;
  args.b_row = b.row;
  args.b_col = b.column;
  args.c = const_cast<char*>(out.data);
  args.c_row = out.row;
  args.accumulate = accumulate;
  run_gemm(stream, dtype, args);
}

void multiply_integers(Stream& stream, DType dtype, const Matrix& out, const Matrix& a,
                       const Matrix& b, bool accumulate) {
  cpu::IntegerProduct args;
  args.m = out.rows;
  args.n = out.columns;
  args.k = a.columns;
  args.a = a.data;
  args.a_row = a.row;
  args.a_col = a.column;
  args.b = b.data;
  args.b_row = b.row;
  args.c = const_cast<char*>(out.data);
  args.c_row = out.row;
  args.accumulate = accumulate;
  const double work_of_row = static_cast<double>(args.n) * static_cast<double>(args.k);
  const auto size = static_cast<int64_t>(size_of(dtype));
  stream.parallel_for(args.m, static_cast<int64_t>(kWorkOfChunk / (work_of_row + 1)) + 1,
                      [&](int64_t begin, int64_t end) {
                        cpu::IntegerProduct part = args;
                        part.m = end - begin;
                        part.a = a.data + begin * a.row * size;
                        part.c = static_cast<char*>(args.c) + begin * out.row * size;
                        OA_REQUIRE(cpu::integer_product(dtype, part), "matmul: has no meaning for ",
                                   name_of(dtype));
                      });
}

void matvec_any(Stream& stream, DType dtype, cpu::MatvecArgs args) {
  const auto size = static_cast<int64_t>(size_of(dtype));
  stream.parallel_for(
      args.m, static_cast<int64_t>(kWorkOfChunk / static_cast<double>(args.k + 1)) + 1,
      [&](int64_t begin, int64_t end) {
        cpu::MatvecArgs part = args;
        part.m = end - begin;
        part.a =
            static_cast<const char*>(args.a) + begin * (args.by_columns ? 1 : args.stride) * size;
        part.y = static_cast<char*>(args.y) + begin * size;
        OA_REQUIRE(cpu::matvec(dtype, part), "mv: has no meaning for ", name_of(dtype));
      });
}

// A matrix with one contiguous dimension times a contiguous vector, to a contiguous one.
void multiply_column(Stream& stream, DType dtype, const char* out, const Matrix& a, const char* x) {
  cpu::MatvecArgs args;
  args.m = a.rows;
  args.k = a.columns;
  args.a = a.data;
  args.by_columns = a.column != 1 && a.columns != 1;
  args.stride = args.by_columns ? a.column : a.row;
  args.x = x;
  args.y = const_cast<char*>(out);
  matvec_any(stream, dtype, args);
}

void multiply_any(Stream& stream, DType dtype, const Matrix& out, const Matrix& a, const Matrix& b,
                  bool accumulate) {
  if (is_floating(dtype) && b.columns == 1 && !accumulate && (out.row == 1 || out.rows == 1))
    return multiply_column(stream, dtype, out.data, a, b.data);
  if (is_floating(dtype))
    multiply_floats(stream, dtype, out, a, b, accumulate);
  else
    multiply_integers(stream, dtype, out, a, b, accumulate);
}

// Matrices with contiguous rows, or for floating types columns: themselves, or a copy, which `held`
// keeps.
const Tensor& either_contiguous(Stream& stream, const Tensor& x, Tensor& held) {
  const TensorMeta& meta = x.impl().meta;
  const size_t rank = meta.sizes.size();
  const bool rows = meta.strides[rank - 1] == 1 || meta.sizes[rank - 1] == 1;
  const bool columns = meta.strides[rank - 2] == 1 && is_floating(meta.dtype);
  return rows || columns ? x : held = contiguous_copy(stream, x);
}
const Tensor& readable_left(Stream& stream, const Tensor& x, Tensor& held) {
  return is_floating(x.impl().meta.dtype) ? either_contiguous(stream, x, held) : x;
}
const Tensor& readable_right(Stream& stream, const Tensor& x, Tensor& held) {
  const TensorMeta& meta = x.impl().meta;
  const size_t rank = meta.sizes.size();
  const bool vector = meta.sizes[rank - 1] == 1;
  if (vector && meta.strides[rank - 2] != 1) return held = contiguous_copy(stream, x);
  return either_contiguous(stream, x, held);
}

}  // namespace

void multiply_vector(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& x) {
  Tensor held;
  const Tensor& matrix = either_contiguous(stream, a, held);
  const Tensor vector = as_contiguous(stream, x);
  multiply_column(stream, out.dtype(), static_cast<const char*>(out.data_ptr()), matrix_of(matrix),
                  static_cast<const char*>(vector.data_ptr()));
}

void multiply(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
              bool accumulate) {
  if (out.numel() == 0) return;
  Tensor held[2];
  const Tensor& left = readable_left(stream, a, held[0]);
  const Tensor& right = readable_right(stream, b, held[1]);
  multiply_any(stream, out.dtype(), matrix_of(out), matrix_of(left), matrix_of(right), accumulate);
}

void multiply_batches(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
                      bool accumulate) {
  const int64_t batches = a.sizes()[0];
  const bool summed = out.dim() == 2;
  if (out.numel() == 0) return;
  Tensor held[2];
  const Tensor& left = readable_left(stream, a, held[0]);
  const Tensor& right = readable_right(stream, b, held[1]);
  const Matrix c = matrix_of(out), x = matrix_of(left), y = matrix_of(right);
  const auto size = static_cast<int64_t>(size_of(out.dtype()));
  const int64_t c_step = summed ? 0 : out.strides()[0] * size;
  const int64_t x_step = left.strides()[0] * size, y_step = right.strides()[0] * size;
  const auto one = [&](Stream& inner, int64_t i) {
    Matrix to = c, from = x, by = y;
    to.data += i * c_step;
    from.data += i * x_step;
    by.data += i * y_step;
    multiply_any(inner, out.dtype(), to, from, by, accumulate || (summed && i > 0));
  };
  const double work =
      static_cast<double>(c.rows) * static_cast<double>(c.columns) * static_cast<double>(x.columns);
  if (summed || work >= kWorkOfChunk) {  // threads share each product
    for (int64_t i = 0; i < batches; ++i) one(stream, i);
    return;
  }
  stream.parallel_for(batches, static_cast<int64_t>(kWorkOfChunk / (work + 1)) + 1,
                      [&](int64_t begin, int64_t end) {
                        Stream serial(stream.device());
                        for (int64_t i = begin; i < end; ++i) one(serial, i);
                      });
}

void scale(Stream& stream, const Tensor& out, const Tensor& x, Scalar factor) {
  if (factor.number() == 1) return copy_into(stream, out, x);
  cpu::Params params;
  params.number[0] = factor.number();
  params.integer[0] = factor.integer();
  run_unary(stream, cpu::Unary::kMulNumber, out, x, params);
}

void add_scaled(Stream& stream, const Tensor& out, const Tensor& product, Scalar alpha,
                const Tensor& y, Scalar beta) {
  if (beta.number() == 0) return scale(stream, out, product, alpha);
  cpu::Params params;
  params.number[0] = alpha.number();
  params.number[1] = beta.number();
  params.integer[0] = alpha.integer();
  params.integer[1] = beta.integer();
  const Tensor* operands[] = {&out, &product, &y};
  run_loop(stream, "addmm", cpu::scaled_sum(out.dtype()), operands, params);
}

}  // namespace oneagent
