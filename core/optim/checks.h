// Checks of options, and equality of state, that optimizers share.
#pragma once

#include "core/base/check.h"
#include "core/ops/ops.h"
#include "core/tensor/tensor.h"

namespace oneagent::optim {

inline void require_not_negative(const char* optimizer, const char* what, double value) {
  OA_REQUIRE(value >= 0, optimizer, ": ", what, " must not be negative, was ", value);
}

inline void require_betas(const char* optimizer, const std::tuple<double, double>& betas) {
  const auto [first, second] = betas;
  OA_REQUIRE(first >= 0 && first < 1 && second >= 0 && second < 1, optimizer,
             ": betas must be in [0, 1), were ", first, " and ", second);
}

inline bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.defined() == b.defined() && (!a.defined() || equal(a, b));
}

}  // namespace oneagent::optim
