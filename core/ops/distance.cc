#include "core/ops/distance.h"

#include <cmath>
#include <limits>

#include "core/kernels/copy.h"
#include "core/kernels/cpu/distance.h"
#include "core/kernels/gemm.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_composition.h"
#include "core/ops/op_support.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {
namespace {

constexpr AttrSpec kCdistAttrs[] = {{"p", AttrKind::kNumber}, {"products", AttrKind::kBool}};
constexpr AttrSpec kPdistAttrs[] = {{"p", AttrKind::kNumber}};
Attrs cdist_attrs(double p, bool products) { return Attrs().add(p).add(products); }
Attrs pdist_attrs(double p) { return Attrs().add(p); }

Shape rows_by_rows(const Shape& a, const Shape& b) {
  Shape out = a;
  out[out.size() - 1] = b[b.size() - 2];
  return out;
}

void infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("cdist", *in[0]);
  require_same_dtype("cdist", in);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes;
  const size_t rank = a.size();
  OA_REQUIRE(rank >= 2 && rank == b.size() && a.back() == b.back() &&
                 std::equal(a.begin(), a.end() - 2, b.begin()),
             "cdist: expected x1 [..., n, d] and x2 [..., r, d], was ", a, " and ", b);
  out.add(rows_by_rows(a, b), in[0]->dtype);
}

// One pair of matrices of a batch.
cpu::DistanceArgs matrices(const Tensor& a, const Tensor& b, double p) {
  cpu::DistanceArgs args;
  args.rows_a = a.size(-2);
  args.rows_b = b.size(-2);
  args.m = a.size(-1);
  args.p = p;
  return args;
}
int64_t batch_of(const Tensor& x) {
  const int64_t matrix = x.size(-1) * x.size(-2);
  return matrix == 0 ? 0 : x.numel() / matrix;
}

// |a|^2 + |b|^2 - 2 a b^T
template <class T>
void by_products(Stream& stream, const cpu::DistanceArgs& args) {
  cpu::GemmArgs gemm;
  gemm.m = args.rows_a;
  gemm.n = args.rows_b;
  gemm.k = args.m;
  gemm.a = args.a;
  gemm.a_row = args.m;
  gemm.a_col = 1;
  gemm.b = args.b;
  gemm.b_row = 1;
  gemm.b_col = args.m;
  gemm.c = args.out;
  gemm.c_row = args.rows_b;
  run_gemm(stream, dtype_of<T>, gemm);
  const Tensor squares = empty_on(stream, {args.rows_a + args.rows_b}, dtype_of<T>);
  T* square = squares.data_ptr<T>();
  for (int64_t i = 0; i < args.rows_a + args.rows_b; ++i) {
    const T* row = i < args.rows_a ? static_cast<const T*>(args.a) + i * args.m
                                   : static_cast<const T*>(args.b) + (i - args.rows_a) * args.m;
    T sum = 0;
    for (int64_t k = 0; k < args.m; ++k) sum += row[k] * row[k];
    square[i] = sum;
  }
  T* out = static_cast<T*>(args.out);
  const T* of_b = square + args.rows_a;
  for (int64_t i = 0; i < args.rows_a; ++i, out += args.rows_b) {
    const T own = square[i];
    for (int64_t j = 0; j < args.rows_b; ++j) {
      const T sum = own + of_b[j] - T(2) * out[j];
      out[j] = std::sqrt(sum < T(0) ? T(0) : sum);
    }
  }
}

void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor a = as_contiguous(stream, in[0]), b = as_contiguous(stream, in[1]);
  if (out[0].numel() == 0) return;
  if (a.numel() == 0) return fill(stream, out[0], 0.0);
  const auto size = static_cast<int64_t>(a.element_size());
  const cpu::DistanceArgs whole = matrices(a, b, attrs.number(0));
  for (int64_t i = 0; i < batch_of(a); ++i) {
    cpu::DistanceArgs args = whole;
    args.a = static_cast<const char*>(a.data_ptr()) + i * whole.rows_a * whole.m * size;
    args.b = static_cast<const char*>(b.data_ptr()) + i * whole.rows_b * whole.m * size;
    args.out = static_cast<char*>(out[0].data_ptr()) + i * whole.rows_a * whole.rows_b * size;
    if (attrs.flag(1)) {
      with_floating(a.dtype(), [&]<class T>(Type<T>) { by_products<T>(stream, args); });
      continue;
    }
    stream.parallel_for(args.rows_a, std::max<int64_t>(32768 / (args.rows_b * args.m + 1), 1),
                        [&](int64_t begin, int64_t end) {
                          cpu::DistanceArgs part = args;
                          part.a = static_cast<const char*>(args.a) + begin * args.m * size;
                          part.out = static_cast<char*>(args.out) + begin * args.rows_b * size;
                          part.rows_a = end - begin;
                          cpu::distances(a.dtype(), part);
                        });
  }
}

// Inputs: gradient, x1, x2, distances.
void backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("cdist_backward", in);
  for (const TensorMeta* each : {in[0], in[3]})
    OA_REQUIRE(each->sizes == rows_by_rows(in[1]->sizes, in[2]->sizes),
               "cdist_backward: expected gradient and distances of shape ",
               rows_by_rows(in[1]->sizes, in[2]->sizes), ", was ", each->sizes);
  out.add(in[1]->sizes, in[1]->dtype);
  out.add(in[2]->sizes, in[2]->dtype);
}

// x_i (sum_j w_ij) - (w y)_i with w = gradient / distance, for both sides.
template <class T>
void backward_by_products(Stream& stream, const cpu::DistanceArgs& args) {
  const int64_t n = args.rows_a * args.rows_b;
  const Tensor ratios = empty_on(stream, {args.rows_a, args.rows_b}, dtype_of<T>);
  const Tensor sums = empty_on(stream, {args.rows_a + args.rows_b}, dtype_of<T>);
  fill(stream, sums, 0.0);
  T *w = ratios.data_ptr<T>(), *sum_a = sums.data_ptr<T>(), *sum_b = sum_a + args.rows_a;
  for (int64_t i = 0; i < n; ++i) {
    const T d = static_cast<const T*>(args.distance)[i];
    w[i] = d == T(0) ? T(0) : -static_cast<const T*>(args.gradient)[i] / d;
  }
  for (int64_t i = 0; i < args.rows_a; ++i)
    for (int64_t j = 0; j < args.rows_b; ++j) {
      sum_a[i] -= w[i * args.rows_b + j];
      sum_b[j] -= w[i * args.rows_b + j];
    }
  const auto side = [&](const void* own, const void* other, int64_t rows, int64_t others,
                        int64_t row_step, int64_t col_step, const T* sum, void* out) {
    T* to = static_cast<T*>(out);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t k = 0; k < args.m; ++k)
        to[i * args.m + k] = sum[i] * static_cast<const T*>(own)[i * args.m + k];
    cpu::GemmArgs gemm;
    gemm.m = rows;
    gemm.n = args.m;
    gemm.k = others;
    gemm.a = w;
    gemm.a_row = row_step;
    gemm.a_col = col_step;
    gemm.b = other;
    gemm.b_row = args.m;
    gemm.b_col = 1;
    gemm.c = out;
    gemm.c_row = args.m;
    gemm.accumulate = true;
    run_gemm(stream, dtype_of<T>, gemm);
  };
  side(args.a, args.b, args.rows_a, args.rows_b, args.rows_b, 1, sum_a, args.out_a);
  side(args.b, args.a, args.rows_b, args.rows_a, 1, args.rows_b, sum_b, args.out_b);
}

void backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), a = as_contiguous(stream, in[1]),
               b = as_contiguous(stream, in[2]), distance = as_contiguous(stream, in[3]);
  for (const Tensor& each : out) fill(stream, each, 0.0);
  if (g.numel() == 0 || a.numel() == 0) return;
  const auto size = static_cast<int64_t>(a.element_size());
  const cpu::DistanceArgs whole = matrices(a, b, attrs.number(0));
  for (int64_t i = 0; i < batch_of(a); ++i) {
    cpu::DistanceArgs args = whole;
    const int64_t skip_a = i * whole.rows_a * whole.m * size;
    const int64_t skip_b = i * whole.rows_b * whole.m * size;
    const int64_t skip = i * whole.rows_a * whole.rows_b * size;
    args.a = static_cast<const char*>(a.data_ptr()) + skip_a;
    args.b = static_cast<const char*>(b.data_ptr()) + skip_b;
    args.gradient = static_cast<const char*>(g.data_ptr()) + skip;
    args.distance = static_cast<const char*>(distance.data_ptr()) + skip;
    args.out_a = static_cast<char*>(out[0].data_ptr()) + skip_a;
    args.out_b = static_cast<char*>(out[1].data_ptr()) + skip_b;
    if (attrs.flag(1))
      with_floating(a.dtype(), [&]<class T>(Type<T>) { backward_by_products<T>(stream, args); });
    else
      cpu::distances_backward(a.dtype(), args);
  }
}

void pdist_infer(Metas in, const Attrs&, Inferred& out) {
  require_floating("pdist", *in[0]);
  const Shape& x = in[0]->sizes;
  OA_REQUIRE(x.size() == 2, "pdist: expected a matrix, was ", x);
  out.add({x[0] < 2 ? 0 : x[0] * (x[0] - 1) / 2}, in[0]->dtype);
}
// Calls run(row, its distances to the later rows) with the parts that both directions share.
template <class Run>
void each_row(const Tensor& x, double p, const Run& run) {
  const auto size = static_cast<int64_t>(x.element_size());
  const int64_t n = x.size(0), m = x.size(1);
  int64_t at = 0;
  for (int64_t i = 0; i + 1 < n; ++i) {
    cpu::DistanceArgs args;
    args.rows_a = 1;
    args.rows_b = n - i - 1;
    args.m = m;
    args.p = p;
    args.a = static_cast<const char*>(x.data_ptr()) + i * m * size;
    args.b = static_cast<const char*>(x.data_ptr()) + (i + 1) * m * size;
    run(args, i * m * size, at * size);
    at += n - i - 1;
  }
}
void pdist_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  each_row(x, attrs.number(0), [&](cpu::DistanceArgs& args, int64_t, int64_t at) {
    args.out = static_cast<char*>(out[0].data_ptr()) + at;
    cpu::distances(x.dtype(), args);
  });
}
void pdist_backward_infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("pdist_backward", in);
  out.add(in[1]->sizes, in[1]->dtype);
}
void pdist_backward_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor g = as_contiguous(stream, in[0]), x = as_contiguous(stream, in[1]),
               distance = as_contiguous(stream, in[2]);
  fill(stream, out[0], 0.0);
  each_row(x, attrs.number(0), [&](cpu::DistanceArgs& args, int64_t row, int64_t at) {
    args.gradient = static_cast<const char*>(g.data_ptr()) + at;
    args.distance = static_cast<const char*>(distance.data_ptr()) + at;
    args.out_a = static_cast<char*>(out[0].data_ptr()) + row;
    args.out_b = static_cast<char*>(args.out_a) + args.m * static_cast<int64_t>(x.element_size());
    cpu::distances_backward(x.dtype(), args);
  });
}

// The gradients by each difference, from other ops: differences [..., d], g and distance [...].
Tensor slopes(const Tensor& difference, const Tensor& g, const Tensor& distance, double p) {
  const Tensor zero = unsqueeze(eq(distance, 0.0), -1), d = unsqueeze(distance, -1);
  const Tensor scale = where(zero, 0.0, unsqueeze(g, -1));
  if (p == 0) return mul(difference, mul(scale, 0.0));
  if (p == 1) return mul(sign(difference), scale);
  if (std::isinf(p))
    return mul(mul(sign(difference), to(eq(abs(difference), d), difference.dtype())), scale);
  const Tensor safe = where(zero, 1.0, d);
  if (p == 2) return mul(difference, div(scale, safe));
  const Tensor part = mul(sign(difference), pow(abs(difference), p - 1));
  return mul(part, mul(scale, pow(safe, 1 - p)));
}

std::vector<Tensor> composed_backward(const std::vector<Tensor>& in, double p) {
  const Tensor difference = sub(unsqueeze(in[1], -2), unsqueeze(in[2], -3));
  const Tensor slope = slopes(difference, in[0], in[3], p);
  return {sum(slope, Shape{-2}), neg(sum(slope, Shape{-3}))};
}
std::vector<Tensor> pdist_composed_backward(const std::vector<Tensor>& in, double p) {
  std::vector<int64_t> first, second;
  for (int64_t i = 0; i < in[1].size(0); ++i)
    for (int64_t j = i + 1; j < in[1].size(0); ++j) {
      first.push_back(i);
      second.push_back(j);
    }
  const Tensor a = tensor(first, kInt64), b = tensor(second, kInt64);
  const Tensor difference = sub(index_select(in[1], 0, a), index_select(in[1], 0, b));
  const Tensor slope = slopes(difference, in[0], in[2], p);
  return {sub(index_add(zeros(in[1].sizes(), in[1].dtype()), 0, a, slope),
              index_add(zeros(in[1].sizes(), in[1].dtype()), 0, b, slope))};
}

constinit const Op kCdistBackward = {
    .name = "cdist_backward",
    .attrs = kCdistAttrs,
    .infer = backward_infer,
    .rule = {.factors = "...nr,...nd,...rd,...nr->...nd,...rd", .closed = "d", .linear = 1},
    .saves = kSavesAllInputs,
    .vjp =
        [](VjpCall& call) {
          const double p = call.attrs().number(0);
          vjp_by_composition(
              call, [p](const std::vector<Tensor>& in) { return composed_backward(in, p); });
        },
    .kernels = {backward_kernel},
    .samples =
        [] {
          const auto inputs = [] {
            return std::vector<SampleInput>{normal({3, 4}), normal({3, 5}), normal({4, 5}),
                                            positive({3, 4})};
          };
          return Samples{{inputs(), cdist_attrs(2, false)},   {inputs(), cdist_attrs(2, true)},
                         {inputs(), cdist_attrs(1, false)},   {inputs(), cdist_attrs(3, false)},
                         {inputs(), cdist_attrs(1.5, false)}, {inputs(), cdist_attrs(0, false)}};
        }};
void vjp(VjpCall& call) {
  const Tensor a = call.input(0), b = call.input(1), distance = call.output();
  Tensor out[2];
  call_op(kCdistBackward, {&call.grad(), &a, &b, &distance}, call.attrs(), out);
  call.set(0, out[0]);
  call.set(1, out[1]);
}
constinit const Op kCdist = {
    .name = "cdist",
    .attrs = kCdistAttrs,
    .infer = infer,
    .rule = {.factors = "...nd,...rd->...nr", .closed = "d"},
    .saves = saves_input(0) | saves_input(1) | saves_output(),
    .vjp = vjp,
    .kernels = {kernel},
    .samples = [] {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      return Samples{{{normal({3, 5}), normal({4, 5})}, cdist_attrs(2, false)},
                     {{normal({2, 3, 17}), normal({2, 4, 17})}, cdist_attrs(2, true)},
                     {{normal({2, 3, 4}), normal({2, 2, 4})}, cdist_attrs(1, false)},
                     {{normal({3, 4}), normal({2, 4})}, cdist_attrs(3, false)},
                     {{normal({3, 4}), normal({2, 4})}, cdist_attrs(1.5, false)},
                     {{normal({3, 4}), normal({2, 4})}, cdist_attrs(kInfinity, false)},
                     {{normal({3, 4}), normal({2, 4})}, cdist_attrs(0, false)},
                     {{normal({0, 4}), normal({2, 4})}, cdist_attrs(2, false)}};
    }};

constinit const Op kPdistBackward = {
    .name = "pdist_backward",
    .attrs = kPdistAttrs,
    .infer = pdist_backward_infer,
    .rule = {.factors = "q,nd,q->nd", .closed = "qnd", .linear = 1},
    .saves = kSavesAllInputs,
    .vjp =
        [](VjpCall& call) {
          const double p = call.attrs().number(0);
          vjp_by_composition(
              call, [p](const std::vector<Tensor>& in) { return pdist_composed_backward(in, p); });
        },
    .kernels = {pdist_backward_kernel},
    .samples =
        [] {
          return Samples{{{normal({6}), normal({4, 5}), positive({6})}, pdist_attrs(2)},
                         {{normal({3}), normal({3, 4}), positive({3})}, pdist_attrs(3)}};
        }};
constinit const Op kPdist = {
    .name = "pdist",
    .attrs = kPdistAttrs,
    .infer = pdist_infer,
    .rule = {.factors = "nd->q", .closed = "qnd"},
    .saves = saves_input(0) | saves_output(),
    .vjp =
        [](VjpCall& call) {
          const Tensor x = call.input(0), distance = call.output();
          call.set(0, call_op(kPdistBackward, {&call.grad(), &x, &distance}, call.attrs()));
        },
    .kernels = {pdist_kernel},
    .samples =
        [] {
          return Samples{{{normal({4, 5})}, pdist_attrs(2)},
                         {{normal({3, 17})}, pdist_attrs(1)},
                         {{normal({4, 3})}, pdist_attrs(3)},
                         {{normal({1, 3})}, pdist_attrs(2)}};
        }};

Shape with_batch(const Shape& batch, const Shape& x) {
  Shape out = batch;
  out.push_back(x[x.size() - 2]);
  out.push_back(x.back());
  return out;
}
Shape batch_sizes(const Shape& x) { return Shape(std::span(x.data(), x.size() - 2)); }

}  // namespace

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> compute_mode) {
  OA_REQUIRE(p >= 0, "cdist: p must not be negative, was ", p);
  OA_REQUIRE(x1.dim() >= 2 && x2.dim() >= 2,
             "cdist: expected operands of at least two dimensions, was ", x1.sizes(), " and ",
             x2.sizes());
  const int64_t mode = compute_mode.value_or(0);
  OA_REQUIRE(mode >= 0 && mode <= 2, "cdist: compute_mode must be 0, 1 or 2, was ", mode);
  const Shape batch = broadcast_sizes("cdist", batch_sizes(x1.sizes()), batch_sizes(x2.sizes()));
  const Shape first = with_batch(batch, x1.sizes()), second = with_batch(batch, x2.sizes());
  const Tensor a = x1.sizes() == first ? x1 : expand(x1, first);
  const Tensor b = x2.sizes() == second ? x2 : expand(x2, second);
  const bool many = x1.size(-2) > 25 || x2.size(-2) > 25;
  return call_op(kCdist, {&a, &b}, cdist_attrs(p, p == 2 && (mode == 1 || (mode == 0 && many))));
}

Tensor pdist(const Tensor& self, double p) {
  OA_REQUIRE(p >= 0, "pdist: p must not be negative, was ", p);
  return call_op(kPdist, {&self}, pdist_attrs(p));
}

OA_OP(distance, &kCdist, &kCdistBackward, &kPdist, &kPdistBackward)

}  // namespace oneagent
