// Checks of options, and equality of state, that optimizers share.
#pragma once

#include "core/base/check.h"
#include "core/ops/ops.h"
#include "core/tensor/tensor.h"

namespace oneagent::optim {

inline void require_not_negative(const char* optimizer, const char* what, double value) {
  const std::string_view name(what);
  OA_REQUIRE(value >= 0, "Invalid ",
             name == "lr"    ? "learning rate"
             : name == "eps" ? "epsilon value"
                             : str(name, " value"),
             ": ", value, " (", optimizer, ": it must not be negative)");
}

inline void require_betas(const char* optimizer, const std::tuple<double, double>& betas) {
  const auto [first, second] = betas;
  OA_REQUIRE(first >= 0 && first < 1, "Invalid beta parameter at index 0: ", first, " (", optimizer,
             ": it must be in [0, 1))");
  OA_REQUIRE(second >= 0 && second < 1, "Invalid beta parameter at index 1: ", second, " (",
             optimizer, ": it must be in [0, 1))");
}

inline bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.defined() == b.defined() && (!a.defined() || equal(a, b));
}

}  // namespace oneagent::optim
