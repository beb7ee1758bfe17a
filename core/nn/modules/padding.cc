#include "core/nn/modules/padding.h"

#include "core/nn/functional/padding.h"
#include "core/nn/printed.h"

namespace oneagent::nn {
namespace {

template <size_t D>
functional::PadFuncOptions pad_options(const ExpandingArray<D>& padding) {
  return std::vector<int64_t>(padding->begin(), padding->end());
}

}  // namespace

#define OA_PAD(Name, ...)                                                      \
  Tensor Name##Impl::forward(const Tensor& input) const {                      \
    return functional::pad(input, pad_options(options.padding()) __VA_ARGS__); \
  }
#define OA_PRINT(Name)                                      \
  void Name##Impl::pretty_print(std::ostream& out) const {  \
    Printed(out, #Name).with("padding", options.padding()); \
  }
#define OA_PRINT_VALUE(Name)                                                               \
  void Name##Impl::pretty_print(std::ostream& out) const {                                 \
    Printed(out, #Name).with("padding", options.padding()).with("value", options.value()); \
  }
OA_PAD(ReflectionPad1d, .mode(kReflect))
OA_PAD(ReflectionPad2d, .mode(kReflect))
OA_PAD(ReflectionPad3d, .mode(kReflect))
OA_PAD(ReplicationPad1d, .mode(kReplicate))
OA_PAD(ReplicationPad2d, .mode(kReplicate))
OA_PAD(ReplicationPad3d, .mode(kReplicate))
OA_PAD(ZeroPad2d)
OA_PAD(ConstantPad1d, .value(options.value()))
OA_PAD(ConstantPad2d, .value(options.value()))
OA_PAD(ConstantPad3d, .value(options.value()))
OA_PRINT(ReflectionPad1d)
OA_PRINT(ReflectionPad2d)
OA_PRINT(ReflectionPad3d)
OA_PRINT(ReplicationPad1d)
OA_PRINT(ReplicationPad2d)
OA_PRINT(ReplicationPad3d)
OA_PRINT(ZeroPad2d)
OA_PRINT_VALUE(ConstantPad1d)
OA_PRINT_VALUE(ConstantPad2d)
OA_PRINT_VALUE(ConstantPad3d)
#undef OA_PAD
#undef OA_PRINT
#undef OA_PRINT_VALUE

}  // namespace oneagent::nn
