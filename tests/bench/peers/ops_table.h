// Times every public op once with libtorch and once with OneAgent: the same source, compiled twice
// (-DONEAGENT chooses ours). ops_table.sh builds both and writes docs/ops-table.md.
#pragma once

#ifdef ONEAGENT
#include "core/torch/torch.h"
#else
#include <torch/csrc/autograd/generated/variable_factories.h>
#include <torch/types.h>
#endif

#include <functional>
#include <string>
#include <vector>

namespace ops_table {

using torch::Tensor;
using Call = std::function<void()>;

extern bool large;  // about a million elements or a layer of a model; otherwise 16 to 1024 elements

// Prints "op size pass ns": processor time of one call, the least of several batches. What the call
// returns is destroyed within it.
void forward(const std::string& op, const Call& call);

// The same, without a graph and with graph and backward() to `inputs`, which become leaves.
void both(const std::string& op, const std::vector<Tensor>& inputs,
          const std::function<Tensor()>& call);

inline int64_t pick(int64_t small, int64_t big) { return large ? big : small; }
inline torch::Tensor number_in(double low, double high, at::IntArrayRef shape,
                               torch::Dtype type = torch::kFloat32) {
  return (torch::rand(shape, torch::kFloat64) * (high - low) + low).to(type);
}
inline Tensor whole(int64_t low, int64_t high, at::IntArrayRef shape) {
  return torch::randint(low, high, shape, torch::kInt64);
}

// The families: one file each.
void elementwise();
void special();
void in_place();
void reductions();
void order();
void shapes();
void indexing();
void linear_algebra();
void convolutions();
void pooling();
void norms();
void activations();
void losses();
void sequences();
void randomness();
void spatial();

}  // namespace ops_table

#define OA_FORWARD(name, ...) forward(name, [&] { auto result = __VA_ARGS__; })
#define OA_BOTH(name, inputs, ...) both(name, inputs, [&]() -> Tensor { return __VA_ARGS__; })
#define OA_LEAVES(...) (std::vector<Tensor>{__VA_ARGS__})
