// Options of losses. `reduction` is kMean, kSum or kNone.
#pragma once

#include <functional>
#include <optional>

#include "core/nn/arg.h"
#include "core/nn/enum.h"
#include "core/tensor/tensor.h"

namespace oneagent::nn {

namespace detail {
using Reductions = std::variant<enumtype::kNone, enumtype::kMean, enumtype::kSum>;
}

// A loss whose options may be given as the reduction alone.
#define OA_REDUCTION_ALONE(Name)                                                    \
  using reduction_t = detail::Reductions;                                           \
  Name() = default;                                                                 \
  Name(enumtype::kNone reduction) : reduction_(reduction) {} /* NOLINT: implicit */ \
  Name(enumtype::kMean reduction) : reduction_(reduction) {} /* NOLINT */           \
  Name(enumtype::kSum reduction) : reduction_(reduction) {}  /* NOLINT */           \
  TORCH_ARG(reduction_t, reduction) = kMean

struct L1LossOptions {
  OA_REDUCTION_ALONE(L1LossOptions);
};
struct MSELossOptions {
  OA_REDUCTION_ALONE(MSELossOptions);
};
struct MultiLabelMarginLossOptions {
  OA_REDUCTION_ALONE(MultiLabelMarginLossOptions);
};
struct SoftMarginLossOptions {
  OA_REDUCTION_ALONE(SoftMarginLossOptions);
};
struct SmoothL1LossOptions {
  OA_REDUCTION_ALONE(SmoothL1LossOptions);
  TORCH_ARG(double, beta) = 1.0;
};
struct HuberLossOptions {
  OA_REDUCTION_ALONE(HuberLossOptions);
  TORCH_ARG(double, delta) = 1.0;
};
#undef OA_REDUCTION_ALONE

struct KLDivLossOptions {
  using reduction_t =
      std::variant<enumtype::kNone, enumtype::kBatchMean, enumtype::kSum, enumtype::kMean>;
  KLDivLossOptions() = default;
  KLDivLossOptions(enumtype::kNone reduction) : reduction_(reduction) {}       // NOLINT: implicit
  KLDivLossOptions(enumtype::kBatchMean reduction) : reduction_(reduction) {}  // NOLINT
  KLDivLossOptions(enumtype::kSum reduction) : reduction_(reduction) {}        // NOLINT
  KLDivLossOptions(enumtype::kMean reduction) : reduction_(reduction) {}       // NOLINT
  TORCH_ARG(reduction_t, reduction) = kMean;
  TORCH_ARG(bool, log_target) = false;
};

struct BCELossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct BCEWithLogitsLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(reduction_t, reduction) = kMean;
  TORCH_ARG(Tensor, pos_weight) = {};
};

struct HingeEmbeddingLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct MultiMarginLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(int64_t, p) = 1;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct CosineEmbeddingLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(double, margin) = 0.0;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct MultiLabelSoftMarginLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct TripletMarginLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(double, p) = 2.0;
  TORCH_ARG(double, eps) = 1e-6;
  TORCH_ARG(bool, swap) = false;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct TripletMarginWithDistanceLossOptions {
  using reduction_t = detail::Reductions;
  using distance_function_t = std::function<Tensor(const Tensor&, const Tensor&)>;
  TORCH_ARG(std::optional<distance_function_t>, distance_function) = std::nullopt;
  TORCH_ARG(double, margin) = 1.0;
  TORCH_ARG(bool, swap) = false;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct CTCLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(int64_t, blank) = 0;
  TORCH_ARG(reduction_t, reduction) = kMean;
  TORCH_ARG(bool, zero_infinity) = false;
};

struct PoissonNLLLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(bool, log_input) = true;
  TORCH_ARG(bool, full) = false;
  TORCH_ARG(double, eps) = 1e-8;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct MarginRankingLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(double, margin) = 0;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct NLLLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(int64_t, ignore_index) = -100;
  TORCH_ARG(reduction_t, reduction) = kMean;
};

struct CrossEntropyLossOptions {
  using reduction_t = detail::Reductions;
  TORCH_ARG(Tensor, weight) = {};
  TORCH_ARG(int64_t, ignore_index) = -100;
  TORCH_ARG(reduction_t, reduction) = kMean;
  TORCH_ARG(double, label_smoothing) = 0.0;
};

namespace functional {
using L1LossFuncOptions = L1LossOptions;
using KLDivFuncOptions = KLDivLossOptions;
using MSELossFuncOptions = MSELossOptions;
using BinaryCrossEntropyFuncOptions = BCELossOptions;
using HingeEmbeddingLossFuncOptions = HingeEmbeddingLossOptions;
using MultiMarginLossFuncOptions = MultiMarginLossOptions;
using CosineEmbeddingLossFuncOptions = CosineEmbeddingLossOptions;
using MultilabelMarginLossFuncOptions = MultiLabelMarginLossOptions;
using SoftMarginLossFuncOptions = SoftMarginLossOptions;
using MultilabelSoftMarginLossFuncOptions = MultiLabelSoftMarginLossOptions;
using TripletMarginLossFuncOptions = TripletMarginLossOptions;
using TripletMarginWithDistanceLossFuncOptions = TripletMarginWithDistanceLossOptions;
using CTCLossFuncOptions = CTCLossOptions;
using SmoothL1LossFuncOptions = SmoothL1LossOptions;
using HuberLossFuncOptions = HuberLossOptions;
using PoissonNLLLossFuncOptions = PoissonNLLLossOptions;
using MarginRankingLossFuncOptions = MarginRankingLossOptions;
using NLLLossFuncOptions = NLLLossOptions;
using CrossEntropyFuncOptions = CrossEntropyLossOptions;
using BinaryCrossEntropyWithLogitsFuncOptions = BCEWithLogitsLossOptions;
}  // namespace functional

}  // namespace oneagent::nn
