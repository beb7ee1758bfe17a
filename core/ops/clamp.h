// Limits. A tensor that requires a gradient gets it where it lies on or between the limits; a limit
// that is a tensor gets the rest.
#pragma once

#include "core/ops/api.h"

namespace oneagent {

// At least one limit must be given. Where min exceeds max, the result is max; NaN stays.
Tensor clamp(const Tensor& self, std::optional<Scalar> min,
             std::optional<Scalar> max = std::nullopt);
Tensor clamp(const Tensor& self, const std::optional<Tensor>& min = std::nullopt,
             const std::optional<Tensor>& max = std::nullopt);
Tensor clip(const Tensor& self, std::optional<Scalar> min,
            std::optional<Scalar> max = std::nullopt);
Tensor clip(const Tensor& self, const std::optional<Tensor>& min = std::nullopt,
            const std::optional<Tensor>& max = std::nullopt);
Tensor clamp_min(const Tensor& self, Scalar min);
Tensor clamp_min(const Tensor& self, const Tensor& min);
Tensor clamp_max(const Tensor& self, Scalar max);
Tensor clamp_max(const Tensor& self, const Tensor& max);

const Tensor& clamp_(const Tensor& self, std::optional<Scalar> min,
                     std::optional<Scalar> max = std::nullopt);
const Tensor& clamp_(const Tensor& self, const std::optional<Tensor>& min = std::nullopt,
                     const std::optional<Tensor>& max = std::nullopt);
const Tensor& clip_(const Tensor& self, std::optional<Scalar> min,
                    std::optional<Scalar> max = std::nullopt);
const Tensor& clip_(const Tensor& self, const std::optional<Tensor>& min = std::nullopt,
                    const std::optional<Tensor>& max = std::nullopt);
const Tensor& clamp_min_(const Tensor& self, Scalar min);
const Tensor& clamp_min_(const Tensor& self, const Tensor& min);
const Tensor& clamp_max_(const Tensor& self, Scalar max);
const Tensor& clamp_max_(const Tensor& self, const Tensor& max);

}  // namespace oneagent
