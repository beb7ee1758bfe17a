// float32 matrix products of one thread beside OpenBLAS, oneDNN and libxsmm, in turns in one
// process: microseconds of a call (least of many windows of CPU time), and the fastest peer's time
// over ours. C[m, n] = A[m, k] B[k, n] (NN), dB = A^T dC (TN), dA = dC B^T (NT), row-major, C
// given.
//
//   gemm_peers [SECONDS a shape [SHAPE as m,k,n]...]
#include <cblas.h>
#include <libxsmm.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <dnnl.hpp>
#include <functional>
#include <string>
#include <vector>

#include "core/kernels/gemm.h"
#include "core/tensor/allocator.h"

namespace {

double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// C[m, n] = A B; A is stored [k, m] where `a_transposed`, B as [n, k] where `b_transposed`.
struct Product {
  int64_t m, k, n;
  bool a_transposed, b_transposed;
  std::vector<float> a, b, c;
  Product(int64_t rows, int64_t depth, int64_t columns, bool a_across, bool b_across)
      : m(rows),
        k(depth),
        n(columns),
        a_transposed(a_across),
        b_transposed(b_across),
        a(static_cast<size_t>(m * k)),
        b(static_cast<size_t>(k * n)),
        c(static_cast<size_t>(m * n)) {
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 31) / 31 - 0.5f;
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 37) / 37 - 0.5f;
  }
  int64_t a_stride() const { return a_transposed ? m : k; }
  int64_t b_stride() const { return b_transposed ? k : n; }
};

using Call = std::function<void()>;

Call ours(Product& p) {
  oneagent::cpu::GemmArgs args;
  args.m = p.m;
  args.n = p.n;
  args.k = p.k;
  args.a = p.a.data();
  args.a_row = p.a_transposed ? 1 : p.k;
  args.a_col = p.a_transposed ? p.m : 1;
  args.b = p.b.data();
  args.b_row = p.b_transposed ? 1 : p.n;
  args.b_col = p.b_transposed ? p.k : 1;
  args.c = p.c.data();
  args.c_row = p.n;
  return [args] {
    static oneagent::Stream stream;
    oneagent::run_gemm(stream, oneagent::DType::kFloat32, args);
  };
}

Call openblas(Product& p) {
  return [&p] {
    cblas_sgemm(CblasRowMajor, p.a_transposed ? CblasTrans : CblasNoTrans,
                p.b_transposed ? CblasTrans : CblasNoTrans, static_cast<int>(p.m),
                static_cast<int>(p.n), static_cast<int>(p.k), 1, p.a.data(),
                static_cast<int>(p.a_stride()), p.b.data(), static_cast<int>(p.b_stride()), 0,
                p.c.data(), static_cast<int>(p.n));
  };
}

Call dnnl_product(Product& p) {
  return [&p] {
    dnnl_sgemm(p.a_transposed ? 'T' : 'N', p.b_transposed ? 'T' : 'N', p.m, p.n, p.k, 1, p.a.data(),
               p.a_stride(), p.b.data(), p.b_stride(), 0, p.c.data(), p.n);
  };
}

Call dnnl_matmul(Product& p) {
  using Desc = dnnl::memory::desc;
  const auto f32 = dnnl::memory::data_type::f32;
  const auto strides = [](int64_t rows, int64_t columns, bool across) {
    return across ? dnnl::memory::dims{1, rows} : dnnl::memory::dims{columns, 1};
  };
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  static dnnl::stream stream(engine);
  const Desc a({p.m, p.k}, f32, strides(p.m, p.k, p.a_transposed));
  const Desc b({p.k, p.n}, f32, strides(p.k, p.n, p.b_transposed));
  const Desc c({p.m, p.n}, f32, strides(p.m, p.n, false));
  const dnnl::matmul matmul(dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), engine));
  const std::unordered_map<int, dnnl::memory> memory = {
      {DNNL_ARG_SRC, dnnl::memory(a, engine, p.a.data())},
      {DNNL_ARG_WEIGHTS, dnnl::memory(b, engine, p.b.data())},
      {DNNL_ARG_DST, dnnl::memory(c, engine, p.c.data())}};
  return [=] {
    matmul.execute(stream, memory);
    stream.wait();
  };
}

// Column-major, so C^T = B^T A^T; a kernel that the library does not have is left out.
Call xsmm(Product& p) {
  const int lda = static_cast<int>(p.b_stride()), ldb = static_cast<int>(p.a_stride()),
            ldc = static_cast<int>(p.n);
  const float one = 1, zero = 0;
  const int flags = (p.b_transposed ? LIBXSMM_GEMM_FLAG_TRANS_A : 0) |
                    (p.a_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : 0);
  const libxsmm_smmfunction kernel =
      libxsmm_smmdispatch(static_cast<int>(p.n), static_cast<int>(p.m), static_cast<int>(p.k), &lda,
                          &ldb, &ldc, &one, &zero, &flags, nullptr);
  if (kernel == nullptr) return nullptr;
  return [&p, kernel] { kernel(p.b.data(), p.a.data(), p.c.data()); };
}

double window(const Call& call, int calls) {
  const double start = cpu_seconds();
  for (int i = 0; i < calls; ++i) call();
  return (cpu_seconds() - start) / calls;
}

void measure(const char* kind, Product& p, double limit) {
  const char* names[] = {"ours", "OpenBLAS", "dnnl_sgemm", "oneDNN matmul", "libxsmm"};
  const Call calls[] = {ours(p), openblas(p), dnnl_product(p), dnnl_matmul(p), xsmm(p)};
  constexpr size_t kCalls = std::size(calls);
  double least[kCalls];
  std::vector<float> first;
  for (size_t i = 0; i < kCalls; ++i) {
    least[i] = 1e9;
    if (!calls[i]) continue;
    std::fill(p.c.begin(), p.c.end(), 0.0f);
    calls[i]();
    if (i == 0) first = p.c;
    for (size_t e = 0; e < first.size(); ++e)
      if (std::abs(first[e] - p.c[e]) > 1e-4f * std::sqrt(static_cast<float>(p.k))) {
        std::printf("%s differs from ours at %zu: %g, %g\n", names[i], e, p.c[e], first[e]);
        std::exit(1);
      }
  }
  window(calls[0], 1);
  const int repeats = std::max(1, static_cast<int>(1e-3 / window(calls[0], 1)));
  const double end = cpu_seconds() + limit;
  for (int turn = 0; turn < 5 || cpu_seconds() < end; ++turn)
    for (size_t i = 0; i < kCalls; ++i)
      if (calls[i]) least[i] = std::min(least[i], window(calls[i], repeats));
  std::printf("%s %5ld,%4ld,%4ld", kind, p.m, p.k, p.n);
  for (const double time : least)
    time < 1e8 ? std::printf(" %10.2f", 1e6 * time) : std::printf(" %10s", "-");
  const double best = *std::min_element(least + 1, least + kCalls);
  std::printf("  %5.2f  %6.1f GF/s\n", best / least[0],
              2e-9 * static_cast<double>(p.m * p.k * p.n) / least[0]);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** words) {
  const double limit = count > 1 ? std::atof(words[1]) : 0.3;
  struct Shape {
    long m, k, n;
  };
  std::vector<Shape> shapes;
  for (int i = 2; i < count; ++i) {
    Shape shape{};
    if (std::sscanf(words[i], "%ld,%ld,%ld", &shape.m, &shape.k, &shape.n) != 3) return 2;
    shapes.push_back(shape);
  }
  if (shapes.empty())
    shapes = {{64, 4, 64},     {64, 64, 64},    {64, 64, 2},       {256, 64, 64},
              {2048, 64, 64},  {256, 256, 256}, {12800, 256, 32},  {2592, 512, 64},
              {1568, 576, 64}, {32, 3136, 512}, {1024, 1024, 1024}};
  std::printf("     m,   k,   n       ours   OpenBLAS dnnl_sgemm     matmul    libxsmm  ratio\n");
  for (const Shape& s : shapes) {
    Product nn(s.m, s.k, s.n, false, false), tn(s.k, s.m, s.n, true, false),
        nt(s.m, s.n, s.k, false, true);
    measure("NN", nn, limit);
    measure("TN", tn, limit);
    measure("NT", nt, limit);
  }
}
