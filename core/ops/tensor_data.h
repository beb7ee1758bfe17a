// tensor(): a tensor from host values, written as nested lists, a vector or a number:
// tensor({{1, 2}, {3, 4}}). As libtorch's torch::tensor: int and wider integers become int64, float
// and double the default dtype; others keep their type.
#pragma once

#include <initializer_list>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent {

class TensorData {
  template <class T>
  static constexpr bool kIsComplex =
      std::is_same_v<T, Complex<float>> || std::is_same_v<T, Complex<double>>;

 public:
  template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, Half> ||
                                          std::is_same_v<T, BFloat16> || kIsComplex<T>,
                                      int> = 0>
  TensorData(T value)  // NOLINT: implicit, so that braces nest
      : kind_(kind_of<T>()), value_(value) {}
  TensorData(std::initializer_list<TensorData> list);  // NOLINT
  template <class T, std::enable_if_t<!std::is_same_v<T, bool>, int> = 0>
  TensorData(const std::vector<T>& list)  // NOLINT
      : TensorData(ArrayRef<T>(list)) {}
  TensorData(const std::vector<bool>& list);  // NOLINT
  template <class T>
  TensorData(ArrayRef<T> list)  // NOLINT
      : kind_(kind_of<T>()), sizes_({static_cast<int64_t>(list.size())}), is_list_(true) {
    for (const T& value : list) values_.push_back(value);
  }

  const Shape& sizes() const { return sizes_; }
  Tensor make(const TensorOptions& options) const;
  friend std::ostream& operator<<(std::ostream& out, const TensorData& data);  // "{{1, 2}, {3, 4}}"

 private:
  size_t print(std::ostream& out, size_t dim, size_t at) const;  // where the next value is

  template <class T>
  static constexpr DType kind_of() {
    if constexpr (std::is_integral_v<T> && std::is_unsigned_v<T> && sizeof(T) > 1)
      return DType::kInt64;
    else if constexpr (std::is_same_v<T, char>)
      return DType::kInt8;
    else if constexpr (std::is_same_v<T, long double>)
      return DType::kFloat64;
    else
      return dtype_of<T>;
  }

  DType kind_;  // of each element; make() widens int and turns float types into the default one
  Scalar value_;
  Shape sizes_;
  std::vector<Scalar> values_;
  bool is_list_ = false;
};

Tensor tensor(const TensorData& data, const TensorOptions& options = {});

namespace detail {
using TensorDataContainer = TensorData;  // libtorch's name
}

}  // namespace oneagent
