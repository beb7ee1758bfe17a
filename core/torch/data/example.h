// One sample of a dataset, and what a batch of them is collated to.
#pragma once

#include <utility>
#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::data {

namespace example {
struct NoTarget {};
}  // namespace example

template <class Data = Tensor, class Target = Tensor>
struct Example {
  using DataType = Data;
  using TargetType = Target;

  Example() = default;
  Example(Data data_value, Target target_value)
      : data(std::move(data_value)), target(std::move(target_value)) {}

  Data data;
  Target target;
};

template <class Data>
struct Example<Data, example::NoTarget> {
  using DataType = Data;
  using TargetType = example::NoTarget;

  Example() = default;
  Example(Data data_value) : data(std::move(data_value)) {}  // NOLINT: implicit like libtorch's
  operator Data&() { return data; }                          // NOLINT
  operator const Data&() const { return data; }              // NOLINT

  Data data;
};

using TensorExample = Example<Tensor, example::NoTarget>;

}  // namespace oneagent::data
