#include "core/ops/op_classes.h"

#include "core/ops/binary.h"
#include "core/ops/compare.h"
#include "core/ops/copy.h"
#include "core/ops/creation.h"
#include "core/ops/index.h"
#include "core/ops/number.h"
#include "core/ops/op_support.h"
#include "core/ops/view.h"
#include "core/ops/where.h"

namespace oneagent {

Shape without_classes(const Shape& x) {
  Shape out = x;
  out.erase(static_cast<size_t>(class_dim(x)));
  return out;
}

Classes classes_of(const char* op, const TensorMeta& x, const TensorMeta& target,
                   const TensorMeta* weight) {
  require_floating(op, x);
  OA_REQUIRE(!x.sizes.empty(), op, ": x needs at least one dimension");
  OA_REQUIRE(target.dtype == DType::kInt64, op, ": targets must be int64, was ",
             name_of(target.dtype));
  OA_REQUIRE(target.sizes == without_classes(x.sizes), op, ": size mismatch (got input: ", x.sizes,
             " , target: ", target.sizes, "), expected a target of shape ",
             without_classes(x.sizes));
  Classes out;
  const auto at = static_cast<size_t>(class_dim(x.sizes));
  for (size_t i = 0; i < x.sizes.size(); ++i)
    (i < at ? out.n : i == at ? out.classes : out.inner) *= x.sizes[i];
  if (weight != nullptr) {
    OA_REQUIRE(weight->sizes == Shape{out.classes}, op,
               ": weight tensor should be defined either for all ", out.classes,
               " classes or no classes but got weight tensor of shape: ", weight->sizes);
    OA_REQUIRE(weight->dtype == x.dtype, op, ": the weight has type ", name_of(weight->dtype),
               ", x ", name_of(x.dtype));
  }
  return out;
}

void require_targets(const char* op, const Tensor& target, int64_t classes, int64_t ignore_index) {
  const int64_t* value = target.data_ptr<int64_t>();
  for (int64_t i = 0; i < target.numel(); ++i)
    if ((value[i] < 0 || value[i] >= classes) && value[i] != ignore_index) {
      const std::string text =
          str(op, ": Target ", value[i], " is out of bounds. There are ", classes, " classes.");
      if (op == std::string_view("multi_margin_loss")) throw Error(text);  // as in libtorch
      throw IndexError(text);
    }
}

Tensor counted(const Tensor& target, int64_t ignore_index, DType dtype) {
  return to(ne(target, ignore_index), dtype);
}
Tensor safe_target(const Tensor& target, int64_t ignore_index) {
  return where(eq(target, ignore_index), int64_t{0}, target);
}
Tensor target_weights(const Tensor& target, const Tensor& weight, int64_t ignore_index,
                      DType dtype) {
  const Tensor mask = counted(target, ignore_index, dtype);
  if (!weight.defined()) return mask;
  const Tensor flat = index_select(weight, 0, reshape(safe_target(target, ignore_index), {-1}));
  return mul(view(flat, target.sizes()), mask);
}
Tensor one_hot_like(const Tensor& x, const Tensor& target, int64_t ignore_index) {
  const int64_t dim = class_dim(x.sizes());
  const Tensor index = unsqueeze(safe_target(target, ignore_index), dim);
  const Tensor source = unsqueeze(counted(target, ignore_index, x.dtype()), dim);
  return scatter_add(zeros(x.sizes(), x.dtype()), dim, index, source);
}
Tensor along_classes(const Tensor& weight, const Shape& x) {
  Shape sizes(std::vector<int64_t>(x.size(), 1));
  const auto at = static_cast<size_t>(class_dim(x));
  sizes[at] = x[at];
  return view(weight, sizes);
}

std::string classes_rule(Metas in, bool is_reduced, size_t x_at) {
  const Shape& x = in[x_at]->sizes;
  std::string letters;
  for (size_t i = 0; i < x.size(); ++i) letters += static_cast<char>('a' + i);
  const auto at = static_cast<size_t>(class_dim(x));
  const std::string c = letters.substr(at, 1);
  std::string rows = letters;
  rows.erase(at, 1);
  return letters + "," + rows + "," + c + "->" + (is_reduced ? "" : rows) + ";" + c;
}

}  // namespace oneagent
