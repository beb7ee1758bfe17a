#include "core/ops/scan.h"

#include "core/kernels/copy.h"
#include "core/kernels/cpu/scan.h"
#include "core/kernels/lines.h"
#include "core/ops/binary.h"
#include "core/ops/cat.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_scan.h"
#include "core/ops/op_support.h"
#include "core/ops/slice.h"
#include "core/ops/unary.h"

namespace oneagent {
namespace {

constexpr AttrSpec kSumAttrs[] = {{"dim", AttrKind::kInt}, {"reverse", AttrKind::kBool}};
constexpr AttrSpec kProdAttrs[] = {
    {"dim", AttrKind::kInt}, {"reverse", AttrKind::kBool}, {"exclusive", AttrKind::kBool}};

void infer(Metas in, const Attrs&, Inferred& out) {
  require_same_dtype("scan", in);
  out.add(in[0]->sizes, in[0]->dtype);
}
template <int Operands, int Results>
std::string rule(Metas in, const Attrs& attrs) {
  return along_rule(in[0]->sizes, attrs.integer(0), Operands, Results);
}

void run(Stream& stream, cpu::Scan function, int64_t dim, bool reverse, bool exclusive, Inputs in,
         const Tensor& out) {
  const Tensor x = as_contiguous(stream, in[0]);
  const Tensor factor = in.size() > 1 ? as_contiguous(stream, in[1]) : Tensor();
  const auto size = static_cast<int64_t>(x.element_size());
  for_each_part(stream, lines_of(x.sizes(), dim),
                [&](const cpu::Lines& part, int64_t offset, int64_t) {
                  cpu::ScanArgs args;
                  args.in = static_cast<const char*>(x.data_ptr()) + offset * size;
                  if (factor.defined())
                    args.factor = static_cast<const char*>(factor.data_ptr()) + offset * size;
                  args.out = static_cast<char*>(out.data_ptr()) + offset * size;
                  args.lines = part;
                  args.reversed = reverse;
                  args.exclusive = exclusive;
                  OA_REQUIRE(cpu::scan(function, x.dtype(), args), "scan: has no meaning for ",
                             name_of(x.dtype()));
                });
}

void sum_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, cpu::Scan::kSum, attrs.integer(0), attrs.flag(1), false, in, out[0]);
}
void prod_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, cpu::Scan::kProd, attrs.integer(0), attrs.flag(1), attrs.flag(2), in, out[0]);
}
void linear_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, cpu::Scan::kLinear, attrs.integer(0), attrs.flag(1), false, in, out[0]);
}
void log_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run(stream, cpu::Scan::kLogSumExp, attrs.integer(0), false, false, in, out[0]);
}

Tensor cumsum_of(const Tensor& x, int64_t dim, bool reverse);
void sum_vjp(VjpCall& call) {
  call.set(0, cumsum_of(call.grad(), call.attrs().integer(0), !call.attrs().flag(1)));
}

// With L[k] the product before k and R[k] = u[k] + x[k + 1] R[k + 1], the gradient of a running
// product is L[k] R[k]; without the element itself it is L[k] S[k + 1], S[k] = u[k] + x[k] S[k +
// 1].
void prod_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const bool reverse = call.attrs().flag(1), exclusive = call.attrs().flag(2);
  const Tensor x = call.input(0), u = call.grad();
  if (x.dim() == 0) return call.set(0, exclusive ? zeros_like(u) : u);
  const int back = reverse ? 1 : -1;
  const Tensor before = cumprod_exclusive(x, dim, reverse);
  const Tensor after = exclusive ? shifted(linear_scan(u, x, dim, !reverse), dim, back)
                                 : linear_scan(u, shifted(x, dim, back), dim, !reverse);
  call.set(0, mul(before, after));
}

void linear_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const bool reverse = call.attrs().flag(1);
  const Tensor factor = call.input(1), u = call.grad();
  if (u.dim() == 0) {
    call.set(0, u);
    return call.set(1, zeros_like(u));
  }
  const Tensor dx = linear_scan(u, shifted(factor, dim, reverse ? 1 : -1), dim, !reverse);
  call.set(0, dx);
  if (call.needs(1)) call.set(1, mul(dx, shifted(call.output(), dim, reverse ? -1 : 1)));
}

// dx[i] = exp(x[i] - y[i]) R[i] with R[i] = u[i] + exp(y[i] - y[i + 1]) R[i + 1]: y never falls, so
// no exponential is larger than 1.
void log_vjp(VjpCall& call) {
  const int64_t dim = call.attrs().integer(0);
  const Tensor x = call.input(0), y = call.output(), u = call.grad();
  if (x.dim() == 0) return call.set(0, u);
  const int64_t last = x.size(dim) - 1;
  if (last < 0) return call.set(0, u);
  const Tensor rise = sub(narrow(y, dim, 0, last), narrow(y, dim, 1, last));
  const Tensor factor = cat({exp(rise), zeros_like(narrow(y, dim, 0, 1))}, dim);
  call.set(0, mul(exp(sub(x, y)), linear_scan(u, factor, dim, true)));
}

Attrs sum_attrs(int64_t dim, bool reverse) { return Attrs().add(dim).add(reverse); }
Attrs prod_attrs(int64_t dim, bool reverse, bool exclusive) {
  return Attrs().add(dim).add(reverse).add(exclusive);
}

constinit const Op kCumsum = {
    .name = "cumsum",
    .attrs = kSumAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule<1, 1>},
    .vjp = sum_vjp,
    .kernels = {sum_kernel},
    .samples =
        [] {
          return Samples{
              {{normal({3, 4})}, sum_attrs(1, false)},  {{normal({2, 3, 4})}, sum_attrs(1, true)},
              {{normal({9, 5})}, sum_attrs(1, true)},   {{normal({300})}, sum_attrs(0, false)},
              {{normal({3, 40})}, sum_attrs(0, false)}, {{normal({})}, sum_attrs(0, false)},
              {{ints({6}, 0, 5)}, sum_attrs(0, false)}};
        },
};
constinit const Op kCumprod = {
    .name = "cumprod",
    .attrs = kProdAttrs,
    .infer = infer,
    .rule = {.generate = rule<1, 1>},
    .saves = saves_input(0),
    .vjp = prod_vjp,
    .kernels = {prod_kernel},
    .samples =
        [] {
          return Samples{{{positive({3, 4})}, prod_attrs(1, false, false)},
                         {{normal({2, 3, 4})}, prod_attrs(1, true, false)},
                         {{normal({4, 3})}, prod_attrs(0, false, true)},
                         {{normal({4, 3})}, prod_attrs(1, true, true)},
                         {{normal({})}, prod_attrs(0, false, false)},
                         {{ints({6}, 1, 4)}, prod_attrs(0, false, false)}};
        },
};
constinit const Op kLinearScan = {
    .name = "linear_scan",
    .attrs = kSumAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = rule<2, 1>},
    .saves = saves_input(1) | saves_output(),
    .vjp = linear_vjp,
    .kernels = {linear_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), unit({3, 4})}, sum_attrs(1, false)},
                         {{normal({2, 3, 4}), unit({2, 3, 4})}, sum_attrs(1, true)},
                         {{normal({9, 5}), unit({9, 5})}, sum_attrs(1, false)}};
        },
};
constinit const Op kLogCumsumExp = {
    .name = "logcumsumexp",
    .attrs = kAlongAttrs,
    .infer =
        [](Metas in, const Attrs& attrs, Inferred& out) {
          require_floating("logcumsumexp", *in[0]);
          infer(in, attrs, out);
        },
    .rule = {.generate = rule<1, 1>},
    .saves = saves_input(0) | saves_output(),
    .vjp = log_vjp,
    .kernels = {log_kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4})}, Attrs().add(1)},
                         {{normal({2, 3, 4})}, Attrs().add(1)},
                         {{normal({9, 5})}, Attrs().add(1)},
                         {{normal({})}, Attrs().add(0)}};
        },
};

void extreme_infer(Metas in, const Attrs&, Inferred& out) {
  out.add(in[0]->sizes, in[0]->dtype);
  out.add(in[0]->sizes, DType::kInt64);
}
template <bool Largest>
void extreme_kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor x = as_contiguous(stream, in[0]);
  const auto size = static_cast<int64_t>(x.element_size());
  for_each_part(stream, lines_of(x.sizes(), attrs.integer(0)),
                [&](const cpu::Lines& part, int64_t offset, int64_t) {
                  cpu::RunningExtremeArgs args;
                  args.in = static_cast<const char*>(x.data_ptr()) + offset * size;
                  args.values = static_cast<char*>(out[0].data_ptr()) + offset * size;
                  args.indices = out[1].data_ptr<int64_t>() + offset;
                  args.lines = part;
                  OA_REQUIRE(cpu::running_extreme(Largest, x.dtype(), args),
                             "cummax: has no meaning for ", name_of(x.dtype()));
                });
}
void extreme_vjp(VjpCall& call) {
  const Tensor u = call.grad();
  if (!u.defined()) return;
  if (u.dim() == 0) return call.set(0, u);
  const Tensor to = zeros(u.sizes(), u.dtype());
  call.set(0, scatter_add_(to, call.attrs().integer(0), call.output(1), u));
}
template <bool Largest>
constexpr Op extreme_op(const char* name) {
  return {.name = name,
          .attrs = kAlongAttrs,
          .infer = extreme_infer,
          .rule = {.generate = rule<1, 2>},
          .saves = saves_output(1),
          .vjp = extreme_vjp,
          .kernels = {extreme_kernel<Largest>},
          .samples = [] {
            return Samples{{{distinct({3, 4})}, Attrs().add(1)},
                           {{distinct({2, 5, 4})}, Attrs().add(1)},
                           {{ints({20}, 0, 4)}, Attrs().add(0)},
                           {{ints({9, 3}, 0, 4, DType::kInt32)}, Attrs().add(0)},
                           {{normal({})}, Attrs().add(0)}};
          }};
}
constinit const Op kCummax = extreme_op<true>("cummax");
constinit const Op kCummin = extreme_op<false>("cummin");

Tensor cumsum_of(const Tensor& x, int64_t dim, bool reverse) {
  return call_op(kCumsum, {&x}, sum_attrs(dim, reverse));
}

std::tuple<Tensor, Tensor> extreme(const Op& op, const Tensor& x, int64_t dim) {
  Tensor out[2];
  call_op(op, {&x}, Attrs().add(wrap_dim(dim, x.dim(), op.name)), out);
  return {out[0], out[1]};
}

}  // namespace

Tensor cumprod_exclusive(const Tensor& x, int64_t dim, bool reverse) {
  return call_op(kCumprod, {&x}, prod_attrs(dim, reverse, true));
}
Tensor linear_scan(const Tensor& x, const Tensor& factor, int64_t dim, bool reverse) {
  return call_op(kLinearScan, {&x, &factor}, sum_attrs(dim, reverse));
}
Tensor shifted(const Tensor& x, int64_t dim, int by) {
  const int64_t rest = x.size(dim) - 1;
  if (rest < 0) return x;
  const Tensor edge = zeros_like(narrow(x, dim, 0, 1));
  return by > 0 ? cat({edge, narrow(x, dim, 0, rest)}, dim)
                : cat({narrow(x, dim, 1, rest), edge}, dim);
}

Tensor cumsum(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  return cumsum_of(as_summand(self, dtype), wrap_dim(dim, self.dim(), "cumsum"), false);
}
Tensor cumprod(const Tensor& self, int64_t dim, std::optional<DType> dtype) {
  const Tensor x = as_summand(self, dtype);
  return call_op(kCumprod, {&x}, prod_attrs(wrap_dim(dim, self.dim(), "cumprod"), false, false));
}
Tensor logcumsumexp(const Tensor& self, int64_t dim) {
  return call_op(kLogCumsumExp, {&self}, Attrs().add(wrap_dim(dim, self.dim(), "logcumsumexp")));
}
std::tuple<Tensor, Tensor> cummax(const Tensor& self, int64_t dim) {
  return extreme(kCummax, self, dim);
}
std::tuple<Tensor, Tensor> cummin(const Tensor& self, int64_t dim) {
  return extreme(kCummin, self, dim);
}

OA_OP(scan, &kCumsum, &kCumprod, &kLinearScan, &kLogCumsumExp, &kCummax, &kCummin)

}  // namespace oneagent
