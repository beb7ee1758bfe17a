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
  DType kind() const { return kind_; }
  Tensor make(const TensorOptions& options) const;

 private:
  template <class T>
  static DType kind_of() {
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>)
      return get_default_dtype_value();
    else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, int8_t> ||
                       std::is_same_v<T, uint8_t> || std::is_same_v<T, int16_t> ||
                       !std::is_integral_v<T>)
      return dtype_of<T>;
    else
      return DType::kInt64;
  }

  DType kind_;
  Scalar value_;
  Shape sizes_;
  std::vector<Scalar> values_;
  bool is_list_ = false;
};

Tensor tensor(const TensorData& data, const TensorOptions& options = {});

}  // namespace oneagent
