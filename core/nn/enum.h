// Named choices of options: kMean, kReflect, kReLU, ... Each is a type of its own, so that an
// option is a variant of exactly the choices that it allows.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "core/base/check.h"

// name, for each choice.
#define OA_FOR_EACH_ENUM(with)                                                                     \
  with(Linear) with(Conv1D) with(Conv2D) with(Conv3D) with(ConvTranspose1D) with(ConvTranspose2D)  \
      with(ConvTranspose3D) with(Sigmoid) with(Tanh) with(ReLU) with(GELU) with(SiLU) with(Mish)   \
          with(LeakyReLU) with(FanIn) with(FanOut) with(Constant) with(Reflect) with(Replicate)    \
              with(Circular) with(Nearest) with(Bilinear) with(Bicubic) with(Trilinear) with(Area) \
                  with(NearestExact) with(Sum) with(Mean) with(Max) with(None) with(BatchMean)     \
                      with(Zeros) with(Border) with(Reflection) with(RNN_TANH) with(RNN_RELU)      \
                          with(LSTM) with(GRU) with(Valid) with(Same)

namespace oneagent {

namespace enumtype {
#define OA_ENUM_TYPE(name)                         \
  struct k##name {                                 \
    static constexpr const char* text = "k" #name; \
  };
OA_FOR_EACH_ENUM(OA_ENUM_TYPE)
#undef OA_ENUM_TYPE

// "kMean"
template <class Variant>
std::string get_enum_name(const Variant& choice) {
  return std::visit([](const auto& one) { return std::string(one.text); }, choice);
}

// kNone, kMean or kSum as the number that the losses of core/ops take: Reduction::None, ...
template <class Variant>
int64_t reduction_get_enum(const Variant& choice) {
  if (std::holds_alternative<kNone>(choice)) return 0;
  if (std::holds_alternative<kMean>(choice)) return 1;
  OA_REQUIRE(std::holds_alternative<kSum>(choice), get_enum_name(choice),
             " is not a valid value for reduction");
  return 2;
}
}  // namespace enumtype

#define OA_ENUM_VALUE(name) inline constexpr enumtype::k##name k##name{};
OA_FOR_EACH_ENUM(OA_ENUM_VALUE)
#undef OA_ENUM_VALUE

}  // namespace oneagent
