#include "core/ops/sort.h"

#include <cmath>

#include "core/kernels/sort.h"
#include "core/ops/op_reduce.h"
#include "core/ops/op_sort.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}, {"descending", AttrKind::kBool}};

void values_infer(Metas in, const Attrs&, Inferred& out) { out.add(in[0]->sizes, in[0]->dtype); }
void infer(Metas in, const Attrs& attrs, Inferred& out) {
  values_infer(in, attrs, out);
  out.add(in[0]->sizes, DType::kInt64);
}
template <int Results>
std::string rule(Metas in, const Attrs& attrs) {
  return along_rule(in[0]->sizes, attrs.integer(0), 1, Results);
}
double flops(Metas in, const Attrs&, const Inferred&) {
  const auto n = static_cast<double>(in[0]->sizes.numel());
  return n * std::log2(n + 1);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_sort(stream, out[0], out.size() > 1 ? out[1] : Tensor(), in[0], attrs.integer(0),
           attrs.flag(1));
}
void vjp(VjpCall& call) {
  if (!call.grad().defined()) return;
  call.set(
      0, put_back(call.grad(), call.input_sizes(0), call.attrs().integer(0), call.output(1), true));
}

Attrs attrs_of(int64_t dim, bool descending) { return Attrs().add(dim).add(descending); }
Samples samples() {
  return {{{distinct({3, 4})}, attrs_of(1, false)},
          {{distinct({2, 5, 3})}, attrs_of(1, true)},
          {{distinct({200})}, attrs_of(0, false)},
          {{ints({2, 50}, -4, 4, DType::kInt32)}, attrs_of(1, false)},
          {{ints({200, 2}, -300, 300, DType::kInt16)}, attrs_of(0, true)},
          {{ints({30}, 0, 5, DType::kUInt8)}, attrs_of(0, true)},
          {{ints({170}, -99999, 99999)}, attrs_of(0, false)},
          {{normal({})}, attrs_of(0, false)},
          {{normal({2, 0})}, attrs_of(1, false)}};
}

constinit const Op kSort = {.name = "sort",
                            .attrs = kAttrs,
                            .infer = infer,
                            .rule = {.generate = rule<2>},
                            .saves = saves_output(1),
                            .flops = flops,
                            .vjp = vjp,
                            .kernels = {kernel},
                            .samples = samples};
constinit const Op kSortValues = {.name = "sort_values",
                                  .attrs = kAttrs,
                                  .infer = values_infer,
                                  .rule = {.generate = rule<1>},
                                  .flops = flops,
                                  .kernels = {kernel},
                                  .samples = samples};

}  // namespace

Tensor sort_values(const Tensor& x, int64_t dim) {
  return call_op(kSortValues, {&x}, attrs_of(wrap_dim(dim, x.dim(), "sort"), false));
}

std::tuple<Tensor, Tensor> sort(const Tensor& self, int64_t dim, bool descending) {
  Tensor out[2];
  call_op(kSort, {&self}, attrs_of(wrap_dim(dim, self.dim(), "sort"), descending), out);
  return {out[0], out[1]};
}
std::tuple<Tensor, Tensor> sort(const Tensor& self, std::optional<bool>, int64_t dim,
                                bool descending) {
  return sort(self, dim, descending);
}
Tensor argsort(const Tensor& self, int64_t dim, bool descending) {
  return std::get<1>(sort(self, dim, descending));
}
Tensor argsort(const Tensor& self, bool, int64_t dim, bool descending) {
  return std::get<1>(sort(self, dim, descending));
}
Tensor msort(const Tensor& self) { return std::get<0>(sort(self, 0, false)); }

OA_OP(sort, &kSort, &kSortValues)

}  // namespace oneagent
