#include "core/kernels/gemm.h"

#include "core/tensor/allocator.h"

namespace oneagent {
namespace {

constexpr int64_t kRowsOfChunk = 48;
constexpr double kWorkOfChunk = 1 << 20;  // multiply-adds that are worth another thread

cpu::GemmArgs rows_of(const cpu::GemmArgs& args, DType dtype, int64_t begin, int64_t end) {
  const auto size = static_cast<int64_t>(size_of(dtype));
  cpu::GemmArgs part = args;
  part.m = end - begin;
  part.a = static_cast<const char*>(args.a) + begin * args.a_row * size;
  part.c = static_cast<char*>(args.c) + begin * args.c_row * size;
  return part;
}

void run_part(Stream& stream, DType dtype, cpu::GemmArgs args) {
  const size_t bytes = cpu::gemm_workspace(dtype, args);
  alignas(64) char small[16384];
  if (bytes <= sizeof small) {
    args.workspace = small;
    return cpu::gemm(dtype, args);
  }
  args.workspace = cpu_allocator().allocate(bytes, stream);
  cpu::gemm(dtype, args);
  cpu_allocator().free(args.workspace, bytes, stream);
}

}  // namespace

void run_gemm(Stream& stream, DType dtype, cpu::GemmArgs args) {
  if (args.m == 0 || args.n == 0) return;
  const double work_of_row = static_cast<double>(args.n) * static_cast<double>(args.k);
  if (!stream.is_parallel() || work_of_row * static_cast<double>(args.m) < 2 * kWorkOfChunk)
    return run_part(stream, dtype, args);
  const int64_t rows =
      std::max<int64_t>(kRowsOfChunk, static_cast<int64_t>(kWorkOfChunk / (work_of_row + 1)) /
                                          kRowsOfChunk * kRowsOfChunk);
  stream.parallel_for(args.m, rows, [&](int64_t begin, int64_t end) {
    run_part(stream, dtype, rows_of(args, dtype, begin, end));
  });
}

void run_gemm(Stream& stream, const Tensor& out, const Tensor& a, const Tensor& b,
              const Tensor& bias, cpu::Activation activation) {
  cpu::GemmArgs args;
  args.m = out.sizes()[0];
  args.n = out.sizes()[1];
  args.k = a.sizes()[1];
  args.a = a.data_ptr();
  args.a_row = a.strides()[0];
  args.a_col = a.strides()[1];
  args.b = b.data_ptr();
  args.b_row = b.strides()[0];
  args.b_col = b.strides()[1];
  args.c = out.data_ptr();
  args.c_row = out.strides()[0];
  args.bias = bias.defined() ? bias.data_ptr() : nullptr;
  args.activation = activation;
  run_gemm(stream, out.dtype(), args);
}

}  // namespace oneagent
