// Options of Linear, Flatten, Unflatten and Bilinear.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/nn/arg.h"

namespace oneagent::nn {

struct LinearOptions {
  LinearOptions(int64_t in_features, int64_t out_features)
      : in_features_(in_features), out_features_(out_features) {}
  TORCH_ARG(int64_t, in_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias) = true;
};

struct FlattenOptions {
  TORCH_ARG(int64_t, start_dim) = 1;
  TORCH_ARG(int64_t, end_dim) = -1;
};

// By number of the dimension; by name is an Error when used, as tensors have no named dimensions.
struct UnflattenOptions {
  using namedshape_t = std::vector<std::pair<std::string, int64_t>>;
  UnflattenOptions(int64_t dim, std::vector<int64_t> sizes) : dim_(dim), sizes_(std::move(sizes)) {}
  UnflattenOptions(std::string dimname, namedshape_t namedshape)
      : dim_(0), dimname_(std::move(dimname)), namedshape_(std::move(namedshape)) {}
  UnflattenOptions(const char* dimname, namedshape_t namedshape)
      : UnflattenOptions(std::string(dimname), std::move(namedshape)) {}
  TORCH_ARG(int64_t, dim);
  TORCH_ARG(std::string, dimname);
  TORCH_ARG(std::vector<int64_t>, sizes);
  TORCH_ARG(namedshape_t, namedshape);
};

struct BilinearOptions {
  BilinearOptions(int64_t in1_features, int64_t in2_features, int64_t out_features)
      : in1_features_(in1_features), in2_features_(in2_features), out_features_(out_features) {}
  TORCH_ARG(int64_t, in1_features);
  TORCH_ARG(int64_t, in2_features);
  TORCH_ARG(int64_t, out_features);
  TORCH_ARG(bool, bias) = true;
};

}  // namespace oneagent::nn
