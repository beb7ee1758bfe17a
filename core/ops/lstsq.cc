#include "core/ops/lstsq.h"

#include <limits>

#include "core/kernels/lstsq.h"
#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/creation.h"
#include "core/ops/matmul.h"
#include "core/ops/op_matrix.h"
#include "core/ops/pinv.h"
#include "core/ops/reduce.h"
#include "core/ops/unary.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

using matrix::batch_sizes;
using matrix::transposed;

constexpr const char* kName = "linalg.lstsq";
constexpr AttrSpec kAttrs[] = {{"driver", AttrKind::kInt}, {"rcond", AttrKind::kNumber}};
constexpr std::string_view kDrivers[] = {"gels", "gelsy", "gelsd", "gelss"};

LeastSquares method_of(const Attrs& attrs) { return static_cast<LeastSquares>(attrs.integer(0)); }
bool finds_rank(LeastSquares method) { return method != LeastSquares::kQr; }
bool finds_values(LeastSquares method) {
  return method == LeastSquares::kDividedSvd || method == LeastSquares::kSvd;
}

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_same_dtype(kName, in);
  matrix::require_matrix(kName, *in[0]);
  matrix::require_matrix(kName, *in[1]);
  const Shape &a = in[0]->sizes, &b = in[1]->sizes, batch = batch_sizes(a);
  const int64_t m = a[a.size() - 2], n = a.back();
  OA_REQUIRE(batch == batch_sizes(b) && m == b[b.size() - 2], kName,
             ": input.size(-2) should match other.size(-2), with the same batches, was ", a,
             " and ", b);
  const LeastSquares method = method_of(attrs);
  out.add(matrix::with_matrix(batch, n, b.back()), in[0]->dtype);
  out.add(finds_rank(method) ? batch : Shape{0}, DType::kInt64);
  Shape values = batch;
  values.push_back(std::min(m, n));
  out.add(finds_values(method) ? values : Shape{0}, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const LeastSquares method = method_of(attrs);
  least_squares(stream, method, attrs.number(1), out[0], finds_rank(method) ? out[1] : Tensor(),
                finds_values(method) ? out[2] : Tensor(), in[0], in[1]);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  const Shape& a = in[0]->sizes;
  return 4.0 * static_cast<double>(a.numel() * std::min(a.back(), a[a.size() - 2]));
}
void vjp(VjpCall& call) {
  if (!call.grad(0).defined()) return;
  const Tensor a = call.input(0), b = call.input(1);
  const Tensor p = linalg_pinv(a);
  if (call.needs(1)) call.set(1, matmul(transposed(p), call.grad(0)));
  if (call.needs(0)) call.set(0, matrix::pinv_gradient(matmul(call.grad(0), transposed(b)), p, a));
}

constinit const Op kLstsq = {
    .name = "linalg_lstsq",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = [](Metas, const Attrs& attrs) -> std::string {
      const LeastSquares method = method_of(attrs);
      return std::string("...mn,...mk->...nk,") + (finds_rank(method) ? "..." : "p") +
             (finds_values(method) ? ",...q" : ",q") + ";mnkpq";
    }},
    .saves = saves_input(0) | saves_input(1),
    .flops = flops,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          const auto driver = [](LeastSquares method) {
            return Attrs().add(static_cast<int64_t>(method)).add(1e-12);
          };
          return Samples{
              {{well_conditioned({4, 3}), normal({4, 2})}, driver(LeastSquares::kPivotedQr)},
              {{well_conditioned({2, 3, 3}), normal({2, 3, 1})}, driver(LeastSquares::kQr)},
              {{well_conditioned({2, 4}), normal({2, 3})}, driver(LeastSquares::kQr)},
              {{well_conditioned({2, 3, 4}), normal({2, 3, 2})}, driver(LeastSquares::kPivotedQr)},
              {{well_conditioned({0, 3}), normal({0, 2})}, driver(LeastSquares::kPivotedQr)}};
        },
};

}  // namespace

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& self, const Tensor& b,
                                                        std::optional<double> rcond,
                                                        std::optional<std::string_view> driver) {
  matrix::require_matrix(kName, self.impl().meta);
  const std::string_view name = driver.value_or("gelsy");
  const auto* const found = std::find(std::begin(kDrivers), std::end(kDrivers), name);
  OA_REQUIRE(found != std::end(kDrivers), kName,
             ": parameter `driver` should be one of gels, gelsy, gelsd, gelss, was ", name);
  const auto method = static_cast<LeastSquares>(found - std::begin(kDrivers));
  const Shape& a = self.sizes();
  const bool vector = b.dim() == 1 || (b.dim() + 1 == self.dim() &&
                                       b.sizes() == Shape(std::span(a.data(), a.size() - 1)));
  const auto [left, right] = matrix::broadcast_batches(kName, self, vector ? unsqueeze(b, -1) : b);
  const double step = self.dtype() == DType::kFloat64 ? std::numeric_limits<double>::epsilon()
                                                      : std::numeric_limits<float>::epsilon();
  const int64_t m = self.size(-2), n = self.size(-1);
  const double usual = step * static_cast<double>(std::max(m, n));
  Tensor out[3];
  call_op(kLstsq, {&left, &right},
          Attrs().add(static_cast<int64_t>(method)).add(rcond.value_or(usual)), out);
  Tensor residuals = empty({0}, self.dtype());
  const bool full_rank = method == LeastSquares::kQr ||
                         (method != LeastSquares::kPivotedQr && all(eq(out[1], n)).item<bool>());
  if (m > n && full_rank) {
    const NoGradGuard guard;
    residuals = sum(square(sub(matmul(left, out[0]), right)), Shape{-2});
  }
  if (vector && residuals.dim() > 1) residuals = squeeze(residuals, -1);
  return {vector ? squeeze(out[0], -1) : out[0], residuals, out[1], out[2].detach()};
}

OA_OP(lstsq, &kLstsq)

}  // namespace oneagent
