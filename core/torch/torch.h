// The switch: a libtorch program includes <oneagent/torch.h> in place of <torch/torch.h>, and
// everything else stays. torch, at and c10 are views of namespace oneagent.
#pragma once

#include <cmath>
#include <iomanip>
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
#include "core/nn/nn.h"
#include "core/ops/in_place.h"
#include "core/ops/linalg_ns.h"
#include "core/ops/ops.h"
#include "core/ops/out_forms.h"
#include "core/ops/special_ns.h"
#include "core/optim/optim.h"
#include "core/torch/containers.h"
#include "core/torch/data/data.h"
#include "core/torch/factories.h"
#include "core/torch/function.h"
#include "core/torch/graph.h"
#include "core/torch/macros.h"
#include "core/torch/recompute.h"
#include "core/torch/runtime.h"
#include "core/torch/serialize.h"
#include "core/torch/view_copies.h"

namespace oneagent {

using Dtype = DType;
inline void print(const Tensor& tensor, int64_t line_size = 80) {
  print(std::cout, tensor, line_size);
}
inline DType get_default_dtype_as_scalartype() { return get_default_dtype_value(); }
inline bool canCast(DType from, DType to) { return can_cast(from, to); }
inline int64_t numel(const Tensor& x) { return x.numel(); }
inline int64_t size(const Tensor& x, int64_t dim) { return x.size(dim); }
// A tensor of x's type over the memory of `source`, as set_() makes it.
inline Tensor set(const Tensor& x) { return x.clone().set_(); }
inline Tensor set(const Tensor& x, const Tensor& source) { return x.clone().set_(source); }
inline Tensor set(const Tensor& x, const StorageHandle& source) { return x.clone().set_(source); }
inline Tensor set(const Tensor& x, const StorageHandle& source, int64_t storage_offset,
                  const Shape& size, const Shape& stride = {}) {
  return x.clone().set_(source, storage_offset, size, stride);
}
inline int64_t stride(const Tensor& x, int64_t dim) { return x.stride(dim); }
inline bool isSignedType(DType dtype) { return dtype != DType::kUInt8 && dtype != DType::kBool; }
inline bool is_floating_point(const Tensor& x) { return x.is_floating_point(); }
inline bool is_signed(const Tensor& x) { return x.is_signed(); }
inline bool is_inference(const Tensor& x) { return x.is_inference(); }
inline bool is_distributed(const Tensor&) { return false; }

// for (const auto i : c10::irange(n)): from 0, or from `begin`; none where the end lies before.
template <class Integer>
class IntegerRange {
 public:
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Integer;
    using difference_type = std::ptrdiff_t;
    using pointer = Integer*;
    using reference = Integer&;
    explicit Iterator(Integer at) : at_(at) {}
    Integer operator*() const { return at_; }
    Iterator& operator++() { return ++at_, *this; }
    Iterator operator++(int) { return Iterator(at_++); }
    bool operator==(const Iterator& other) const { return at_ == other.at_; }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    Integer at_;
  };
  IntegerRange(Integer begin, Integer end) : begin_(begin), end_(end < begin ? begin : end) {}
  Iterator begin() const { return Iterator(begin_); }
  Iterator end() const { return Iterator(end_); }

 private:
  Integer begin_, end_;
};
template <class Integer>
IntegerRange<Integer> irange(Integer end) {
  return {Integer(0), end};
}
template <class First, class Integer>
IntegerRange<Integer> irange(First begin, Integer end) {
  return {static_cast<Integer>(begin), end};
}

using OptionalIntArrayRef = OptionalShape;
using DimVector = std::vector<int64_t>;

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
template <class T, size_t = 0>
using SmallVector = std::vector<T>;
template <class T>
using optional = std::optional<T>;
using std::get;
using std::get_if;
using std::holds_alternative;
using std::in_place;
using bad_optional_access = std::bad_optional_access;
using ::oneagent::containers::Dict;
using ::oneagent::containers::List;
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
using Storage = ::oneagent::StorageHandle;
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
using Storage = ::oneagent::StorageHandle;
// Unlike torch::tensor, int and double keep their type.
template <class T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& options) {
  return ::oneagent::tensor(values, options);
}
template <class T>
Tensor tensor(ArrayRef<T> values) {
  return ::oneagent::tensor(values, dtype_of<T>);
}
template <class T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions& options) {
  return ::oneagent::tensor(ArrayRef<T>(values), options);
}
template <class T>
Tensor tensor(std::initializer_list<T> values) {
  return ::oneagent::tensor(ArrayRef<T>(values), dtype_of<T>);
}
template <class T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& options) {
  return ::oneagent::tensor(values, options);
}
template <class T>
Tensor tensor(const std::vector<T>& values) {
  return ::oneagent::tensor(values, dtype_of<T>);
}
template <class T, std::enable_if_t<!std::is_convertible_v<T, Tensor>, int> = 0>
Tensor tensor(T value, const TensorOptions& options) {
  return ::oneagent::tensor(value, options);
}
template <class T, std::enable_if_t<!std::is_convertible_v<T, Tensor>, int> = 0>
Tensor tensor(T value) {
  return ::oneagent::tensor(value, dtype_of<T>);
}
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
using Storage = ::oneagent::StorageHandle;
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
