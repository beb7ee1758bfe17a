// Division with rounding, remainders, greatest common divisors. Integers must not be divided by 0.
// Rounded results have gradient 0; a remainder's is that of self - other * quotient.
#pragma once

#include <string_view>

#include "core/ops/api.h"

namespace oneagent {

// rounding_mode: none (true division), "trunc" (towards 0) or "floor".
Tensor div(const Tensor& self, const Tensor& other, std::optional<std::string_view> rounding_mode);
Tensor div(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode);
Tensor divide(const Tensor& self, const Tensor& other,
              std::optional<std::string_view> rounding_mode);
Tensor divide(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode);
Tensor floor_divide(const Tensor& self, const Tensor& other);
Tensor floor_divide(const Tensor& self, Scalar other);
Tensor fmod(const Tensor& self, const Tensor& other);  // has the sign of self
Tensor fmod(const Tensor& self, Scalar other);
Tensor remainder(const Tensor& self, const Tensor& other);  // has the sign of other
Tensor remainder(const Tensor& self, Scalar other);
Tensor remainder(Scalar number, const Tensor& other);
Tensor gcd(const Tensor& self, const Tensor& other);  // integers only
Tensor lcm(const Tensor& self, const Tensor& other);

const Tensor& div_(const Tensor& self, const Tensor& other,
                   std::optional<std::string_view> rounding_mode);
const Tensor& div_(const Tensor& self, Scalar other, std::optional<std::string_view> rounding_mode);
const Tensor& divide_(const Tensor& self, const Tensor& other,
                      std::optional<std::string_view> rounding_mode);
const Tensor& divide_(const Tensor& self, Scalar other,
                      std::optional<std::string_view> rounding_mode);
const Tensor& floor_divide_(const Tensor& self, const Tensor& other);
const Tensor& floor_divide_(const Tensor& self, Scalar other);
const Tensor& fmod_(const Tensor& self, const Tensor& other);
const Tensor& fmod_(const Tensor& self, Scalar other);
const Tensor& remainder_(const Tensor& self, const Tensor& other);
const Tensor& remainder_(const Tensor& self, Scalar other);
const Tensor& gcd_(const Tensor& self, const Tensor& other);
const Tensor& lcm_(const Tensor& self, const Tensor& other);

}  // namespace oneagent
