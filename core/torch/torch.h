// The switch: a libtorch program includes <oneagent/torch.h> in place of <torch/torch.h>, and
// everything else stays. torch, at and c10 are views of namespace oneagent.
#pragma once

#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "core/distributions/distributions.h"
#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/node.h"
#include "core/io/archive.h"
#include "core/io/ivalue.h"
#include "core/nn/functional/detail.h"
#include "core/nn/functional/detail_loss.h"
#include "core/nn/nn.h"
#include "core/ops/in_place.h"
#include "core/ops/linalg_ns.h"
#include "core/ops/ops.h"
#include "core/ops/out_forms.h"
#include "core/ops/special_ns.h"
#include "core/optim/optim.h"
#include "core/torch/data/data.h"
#include "core/torch/function.h"
#include "core/torch/macros.h"
#include "core/torch/runtime.h"
#include "core/torch/serialize.h"

namespace oneagent {

using Dtype = DType;
inline DType get_default_dtype_as_scalartype() { return get_default_dtype_value(); }
inline Tensor scalar_to_tensor(Scalar value, Device device = kCPU) {
  return scalar_tensor(value, TensorOptions(value.type()).device(device));
}
inline std::vector<Tensor> where(const Tensor& condition) { return nonzero_numpy(condition); }
namespace autograd {
using oneagent::AnomalyMode;
using oneagent::AutoGradMode;
using oneagent::DetectAnomalyGuard;
using oneagent::GradMode;
}  // namespace autograd
namespace utils {}
namespace guts {
template <class T>
std::string to_string(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}
}  // namespace guts

}  // namespace oneagent

namespace c10 {
using namespace ::oneagent;
template <class T>
using optional = std::optional<T>;
using std::get;
using std::get_if;
using std::holds_alternative;
using std::in_place;
using std::make_optional;
using std::monostate;
using std::nullopt;
using std::nullopt_t;
using std::variant;
using std::visit;
using string_view = std::string_view;
template <class T>
using intrusive_ptr = std::shared_ptr<T>;
template <class T>
using complex = ::oneagent::Complex<T>;
template <class... Parts>
std::string str(const Parts&... parts) {
  return ::oneagent::str(parts...);
}
}  // namespace c10

namespace at {
using namespace ::oneagent;
template <class T>
using optional = std::optional<T>;
using std::nullopt;
namespace indexing {
using namespace ::oneagent::indexing;
}
}  // namespace at

namespace caffe2 {
using ::oneagent::TypeMeta;
}

namespace torch {
inline namespace oneagent_v1 {
using namespace ::oneagent;
template <class T>
using optional = std::optional<T>;
using std::nullopt;
template <class T>
using OrderedDictOf = ::oneagent::OrderedDict<std::string, T>;
}  // namespace oneagent_v1
}  // namespace torch

// libtorch's headers print these, too.
namespace std {
#define OA_PRINT_SEQUENCE(Container)                                       \
  template <class... Types>                                                \
  ostream& operator<<(ostream& out, const Container<Types...>& sequence) { \
    int count = 0;                                                         \
    for (const auto& value : sequence) {                                   \
      if (count == 100) return out << " ...";                              \
      out << (count++ > 0 ? " " : "") << value;                            \
    }                                                                      \
    return out;                                                            \
  }
template <class First, class Second>
ostream& operator<<(ostream& out, const pair<First, Second>& value) {
  return out << '(' << value.first << ", " << value.second << ')';
}
OA_PRINT_SEQUENCE(vector)
OA_PRINT_SEQUENCE(set)
OA_PRINT_SEQUENCE(map)
#undef OA_PRINT_SEQUENCE
}  // namespace std
