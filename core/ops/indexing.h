// The indexing front end of libtorch: x.index({0, Slice(1, None, 2), "...", mask}), with the
// meaning that numpy gives it.
#pragma once

#include <cstring>
#include <limits>
#include <optional>
#include <ostream>
#include <vector>

#include "core/ops/api.h"

namespace oneagent {
namespace indexing {

inline constexpr int64_t INDEX_MAX = std::numeric_limits<int64_t>::max();
inline constexpr int64_t INDEX_MIN = std::numeric_limits<int64_t>::min();

enum class TensorIndexType { None, Ellipsis, Integer, Boolean, Slice, Tensor };

inline constexpr std::nullopt_t None = std::nullopt;  // a new dimension; in Slice: no limit

struct EllipsisIndexType final {
  constexpr EllipsisIndexType() {}
};
inline constexpr EllipsisIndexType Ellipsis;  // all dimensions that the others leave

// start : stop : step of Python; the step is positive where a tensor is indexed.
struct Slice final {
 public:
  Slice(std::optional<int64_t> start_index = std::nullopt,
        std::optional<int64_t> stop_index = std::nullopt,
        std::optional<int64_t> step_index = std::nullopt)
      : step_(std::max(step_index.value_or(1), -INDEX_MAX)) {
    if (step_ == 0) throw ValueError("slice: the step must not be 0");
    start_ = start_index.value_or(step_ < 0 ? INDEX_MAX : 0);
    stop_ = stop_index.value_or(step_ < 0 ? INDEX_MIN : INDEX_MAX);
  }
  int64_t start() const { return start_; }
  int64_t stop() const { return stop_; }
  int64_t step() const { return step_; }

 private:
  int64_t start_;
  int64_t stop_;
  int64_t step_;
};

// One index: None, Ellipsis or "...", an integer, a bool, a Slice or a tensor.
struct TensorIndex final {
  TensorIndex(std::nullopt_t) : type_(TensorIndexType::None) {}         // NOLINT: all implicit
  TensorIndex(EllipsisIndexType) : type_(TensorIndexType::Ellipsis) {}  // NOLINT
  TensorIndex(const char* text) : type_(TensorIndexType::Ellipsis) {    // NOLINT
    if (std::strcmp(text, "...") != 0)
      throw ValueError(str("index: expected \"...\", was \"", text, "\""));
  }
  TensorIndex(int64_t integer) : integer_(integer), type_(TensorIndexType::Integer) {}  // NOLINT
  TensorIndex(int integer) : TensorIndex(int64_t{integer}) {}                           // NOLINT
  template <class T, class = std::enable_if_t<std::is_same_v<bool, T>>>
  TensorIndex(T boolean) : boolean_(boolean), type_(TensorIndexType::Boolean) {}  // NOLINT
  TensorIndex(Slice slice) : slice_(slice), type_(TensorIndexType::Slice) {}      // NOLINT
  TensorIndex(Tensor tensor)                                                      // NOLINT
      : tensor_(std::move(tensor)), type_(TensorIndexType::Tensor) {}

  bool is_none() const { return type_ == TensorIndexType::None; }
  bool is_ellipsis() const { return type_ == TensorIndexType::Ellipsis; }
  bool is_integer() const { return type_ == TensorIndexType::Integer; }
  int64_t integer() const { return integer_; }
  bool is_boolean() const { return type_ == TensorIndexType::Boolean; }
  bool boolean() const { return boolean_; }
  bool is_slice() const { return type_ == TensorIndexType::Slice; }
  const Slice& slice() const { return slice_; }
  bool is_tensor() const { return type_ == TensorIndexType::Tensor; }
  const Tensor& tensor() const { return tensor_; }

 private:
  int64_t integer_ = 0;
  bool boolean_ = false;
  Slice slice_;
  Tensor tensor_;
  TensorIndexType type_;
};

std::ostream& operator<<(std::ostream& out, const Slice& slice);
std::ostream& operator<<(std::ostream& out, const TensorIndex& index);
std::ostream& operator<<(std::ostream& out, const std::vector<TensorIndex>& indices);

// What x.index(indices) and x.index_put_(indices, value) do.
Tensor get_item(const Tensor& self, ArrayRef<TensorIndex> indices);
void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, const Tensor& value);
void set_item(const Tensor& self, ArrayRef<TensorIndex> indices, Scalar value);

}  // namespace indexing

// A view where no tensor is among the indices, else a copy.
Tensor index(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices);
Tensor index(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices);
// Writes the values, broadcast, at the indexed places.
const Tensor& index_put_(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices,
                         const Tensor& rhs);
const Tensor& index_put_(const Tensor& tensor, std::initializer_list<indexing::TensorIndex> indices,
                         Scalar v);
const Tensor& index_put_(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices,
                         const Tensor& rhs);
const Tensor& index_put_(const Tensor& tensor, ArrayRef<indexing::TensorIndex> indices, Scalar v);

}  // namespace oneagent
