#include "core/nn/modules/dropout.h"

#include "core/nn/functional/dropout.h"
#include "core/nn/printed.h"

namespace oneagent::nn {
namespace {

template <class FuncOptions>
FuncOptions with_training(const DropoutOptions& options, bool training) {
  return FuncOptions().p(options.p()).training(training).inplace(options.inplace());
}

void print_dropout(std::ostream& out, const char* name, const DropoutOptions& options) {
  Printed(out, name).with("p", options.p()).with("inplace", options.inplace());
}

}  // namespace

void detail::check_dropout(const DropoutOptions& options) {
  OA_REQUIRE(options.p() >= 0 && options.p() <= 1,
             "dropout probability has to be between 0 and 1, but got ", options.p());
}

#define OA_DROPOUT(Name, function)                                                               \
  Tensor Name##Impl::forward(Tensor input) const {                                               \
    return functional::function(                                                                 \
        std::move(input), with_training<functional::Name##FuncOptions>(options, is_training())); \
  }                                                                                              \
  void Name##Impl::pretty_print(std::ostream& out) const { print_dropout(out, #Name, options); }
OA_DROPOUT(Dropout, dropout)
OA_DROPOUT(Dropout2d, dropout2d)
OA_DROPOUT(Dropout3d, dropout3d)
OA_DROPOUT(AlphaDropout, alpha_dropout)
OA_DROPOUT(FeatureAlphaDropout, feature_alpha_dropout)
#undef OA_DROPOUT

}  // namespace oneagent::nn
