// Short forms of module classes that have no parameters: what differs is their options and
// forward(). Each declares XImpl with the holder X.
#pragma once

#include "core/nn/cloneable.h"
#include "core/nn/module_holder.h"

#define OA_LAYER_MEMBERS(ForwardParameters) \
  Tensor forward ForwardParameters const;   \
  void reset() override {}                  \
  void pretty_print(std::ostream& out) const override

// Without options: OA_PLAIN_LAYER(Tanh, (const Tensor& input)).
#define OA_PLAIN_LAYER(Name, ForwardParameters)     \
  class Name##Impl : public Cloneable<Name##Impl> { \
   public:                                          \
    OA_LAYER_MEMBERS(ForwardParameters);            \
  };                                                \
  TORCH_MODULE(Name)

// With NameOptions that all have defaults: OA_LAYER(ELU, (Tensor input)).
#define OA_LAYER(Name, ForwardParameters)                                          \
  class Name##Impl : public Cloneable<Name##Impl> {                                \
   public:                                                                         \
    explicit Name##Impl(const Name##Options& options_ = {}) : options(options_) {} \
    OA_LAYER_MEMBERS(ForwardParameters);                                           \
    Name##Options options;                                                         \
  };                                                                               \
  TORCH_MODULE(Name)

// With arguments that the options need: OA_LAYER_OF(Softmax, (const Tensor& input), (int64_t dim),
// (dim)) may be made from a dim or from SoftmaxOptions.
#define OA_LAYER_OF(Name, ForwardParameters, Parameters, Arguments)           \
  class Name##Impl : public Cloneable<Name##Impl> {                           \
   public:                                                                    \
    explicit Name##Impl Parameters : Name##Impl(Name##Options Arguments) {}   \
    explicit Name##Impl(const Name##Options& options_) : options(options_) {} \
    OA_LAYER_MEMBERS(ForwardParameters);                                      \
    Name##Options options;                                                    \
  };                                                                          \
  TORCH_MODULE(Name)
