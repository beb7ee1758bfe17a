#include "core/ops/gather.h"

#include "core/kernels/index.h"
#include "core/ops/creation.h"
#include "core/ops/expand.h"
#include "core/ops/op_index.h"
#include "core/ops/op_support.h"
#include "core/ops/scatter.h"
#include "core/ops/view.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"dim", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  require_int64_index("gather", *in[1]);
  require_index_fits("gather", in[1]->sizes, in[0]->sizes, attrs.integer(0));
  out.add(in[1]->sizes, in[0]->dtype);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  run_gather(stream, out[0], in[0], attrs.integer(0), in[1]);
}
void vjp(VjpCall& call) {
  const Tensor to = zeros(call.input_sizes(0), call.grad().dtype());
  call.set(0, scatter_add_(to, call.attrs().integer(0), call.input(1), call.grad()));
}

constinit const Op kGather = {
    .name = "gather",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.linear = 1, .generate = gather_rule},
    .saves = saves_input(1),
    .half = true,
    .complex = true,
    .vjp = vjp,
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{normal({3, 4}), ints({3, 2}, 0, 4)}, Attrs().add(1)},
                         {{normal({5}), ints({7}, 0, 5)}, Attrs().add(0)},
                         {{normal({2, 3, 4}), ints({2, 5, 4}, 0, 3)}, Attrs().add(1)},
                         {{normal({2, 3, 4}), ints({1, 3, 6}, 0, 4)}, Attrs().add(2)},
                         {{normal({}), ints({}, 0, 1)}, Attrs().add(0)}};
        },
};

}  // namespace

Tensor gather(const Tensor& self, int64_t dim, const Tensor& index, bool sparse_grad) {
  OA_REQUIRE(!sparse_grad, "gather: there are no sparse gradients");
  return call_op(kGather, {&self, &index}, Attrs().add(wrap_dim(dim, self.dim(), "gather")));
}

Tensor take_along_dim(const Tensor& self, const Tensor& indices, std::optional<int64_t> dim) {
  OA_REQUIRE(indices.dtype() == DType::kInt64, "take_along_dim: the indices must be int64, were ",
             name_of(indices.dtype()));
  if (!dim) return gather(reshape(self, {-1}), 0, reshape(indices, {-1}));
  OA_REQUIRE(self.dim() == indices.dim(), "take_along_dim: shapes ", self.sizes(), " and ",
             indices.sizes(), " differ in rank");
  const auto along = static_cast<size_t>(wrap_dim(*dim, self.dim(), "take_along_dim"));
  if (self.dim() == 0) return gather(self, 0, indices);
  Shape of_self = self.sizes(), of_indices = indices.sizes();
  of_self[along] = of_indices[along] = 1;
  Shape sizes = broadcast_sizes("take_along_dim", of_self, of_indices);
  const auto broadcast = [&](const Tensor& x) {
    sizes[along] = x.sizes()[along];
    return x.sizes() == sizes ? x : expand(x, sizes);
  };
  const Tensor source = broadcast(self);
  return gather(source, static_cast<int64_t>(along), broadcast(indices));
}

OA_OP(gather, &kGather)

}  // namespace oneagent
