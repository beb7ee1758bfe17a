#include "core/ops/one_hot.h"

#include <algorithm>

#include "core/kernels/copy.h"
#include "core/ops/op_rule.h"
#include "core/ops/op_support.h"

namespace oneagent {
namespace {

constexpr AttrSpec kAttrs[] = {{"num_classes", AttrKind::kInt}};

void infer(Metas in, const Attrs& attrs, Inferred& out) {
  Shape sizes = in[0]->sizes;
  sizes.push_back(attrs.integer(0));
  out.add(sizes, DType::kInt64);
}
void kernel(Stream& stream, const Attrs& attrs, Inputs in, std::span<Tensor> out) {
  const Tensor index = as_contiguous(stream, in[0]);
  const int64_t* at = index.data_ptr<int64_t>();
  const int64_t classes = attrs.integer(0);
  fill(stream, out[0], 0);
  int64_t* to = out[0].data_ptr<int64_t>();
  for (int64_t i = 0; i < index.numel(); ++i) {
    OA_REQUIRE(at[i] >= 0, "one_hot: Class values must be non-negative., one was ", at[i]);
    OA_REQUIRE(at[i] < classes, "one_hot: Class values must be smaller than num_classes., one was ",
               at[i], " of ", classes);
    to[i * classes + at[i]] = 1;
  }
}
std::string rule(Metas in, const Attrs&) {
  const std::string operand = rule_letters(in[0]->sizes.size());
  return operand + "->" + operand + "z;z";
}

constinit const Op kOneHot = {
    .name = "one_hot",
    .attrs = kAttrs,
    .infer = infer,
    .rule = {.generate = rule},
    .kernels = {kernel},
    .samples =
        [] {
          return Samples{{{ints({2, 3}, 0, 4)}, Attrs().add(4)},
                         {{ints({}, 0, 2)}, Attrs().add(3)},
                         {{ints({0}, 0, 2)}, Attrs().add(2)}};
        },
};

}  // namespace

Tensor one_hot(const Tensor& self, int64_t num_classes) {
  OA_REQUIRE(self.dtype() == DType::kInt64, "one_hot is only applicable to index tensor., was ",
             name_of(self.dtype()));
  OA_REQUIRE(num_classes > 0 || num_classes == -1, "one_hot: num_classes must be positive, was ",
             num_classes);
  OA_REQUIRE(num_classes > 0 || self.numel() > 0,
             "one_hot: Can not infer total number of classes from empty tensor.");
  int64_t classes = num_classes;
  if (classes < 0) {
    const Tensor flat = as_contiguous(context().stream, self);
    const std::span<int64_t> values = flat.values<int64_t>();
    classes = std::max<int64_t>(*std::max_element(values.begin(), values.end()) + 1, 1);
  }
  return call_op(kOneHot, {&self}, Attrs().add(classes));
}

OA_OP(one_hot, &kOneHot)

}  // namespace oneagent
