#include "core/nn/functional/padding.h"

#include "core/ops/ops.h"

namespace oneagent::nn::functional {

Tensor pad(const Tensor& input, const PadFuncOptions& options) {
  if (std::holds_alternative<enumtype::kConstant>(options.mode()))
    return oneagent::pad(input, options.pad(), "constant", options.value());
  OA_REQUIRE(options.value() == 0, "Padding mode \"", enumtype::get_enum_name(options.mode()),
             "\" doesn't take in value argument");
  if (std::holds_alternative<enumtype::kReflect>(options.mode()))
    return oneagent::pad(input, options.pad(), "reflect");
  if (std::holds_alternative<enumtype::kReplicate>(options.mode()))
    return oneagent::pad(input, options.pad(), "replicate");
  return oneagent::pad(input, options.pad(), "circular");
}

}  // namespace oneagent::nn::functional
