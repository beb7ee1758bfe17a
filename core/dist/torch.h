// The switch: a libtorch program includes <oneagent/torch.h> in place of <torch/torch.h>, and
// everything else stays. torch, at and c10 are views of namespace oneagent.
#pragma once

#include <cmath>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "core/distributions/distributions.h"
#include "core/graph/autograd.h"
#include "core/graph/context.h"
#include "core/graph/node.h"
#include "core/io/archive.h"
#include "core/io/ivalue.h"
#include "core/nn/nn.h"
#include "core/ops/in_place.h"
#include "core/ops/ops.h"
#include "core/ops/out_forms.h"
#include "core/optim/optim.h"
#include "core/torch/data/data.h"
#include "core/torch/function.h"
#include "core/torch/macros.h"
#include "core/torch/runtime.h"

namespace oneagent {

using Dtype = DType;
namespace autograd {
using oneagent::AnomalyMode;
using oneagent::AutoGradMode;
using oneagent::DetectAnomalyGuard;
using oneagent::GradMode;
}  // namespace autograd
namespace utils {}

}  // namespace oneagent

namespace c10 {
using namespace ::oneagent;
template <class T>
using optional = std::optional<T>;
using std::in_place;
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using string_view = std::string_view;
template <class T>
using intrusive_ptr = std::shared_ptr<T>;
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
