#include "core/nn/modules/linear.h"

#include <cmath>

#include "core/graph/context.h"
#include "core/nn/functional/linear.h"
#include "core/nn/init.h"
#include "core/nn/printed.h"
#include "core/ops/ops.h"

namespace oneagent::nn {

Tensor IdentityImpl::forward(const Tensor& input) const { return input; }
void IdentityImpl::pretty_print(std::ostream& out) const { out << "torch::nn::Identity()"; }

LinearImpl::LinearImpl(const LinearOptions& options_) : options(options_) { reset(); }
LinearImpl::LinearImpl(const LinearOptions& options_, Generator& generator) : options(options_) {
  make_parameters();
  reset_parameters(generator);
}

void LinearImpl::make_parameters() {
  weight = register_parameter("weight", empty({options.out_features(), options.in_features()}));
  bias = options.bias() ? register_parameter("bias", empty({options.out_features()}))
                        : register_parameter("bias", {}, false);
}
void LinearImpl::reset() {
  make_parameters();
  reset_parameters();
}
void LinearImpl::reset_parameters() { reset_parameters(default_generator()); }
void LinearImpl::reset_parameters(Generator& generator) {
  init::kaiming_uniform_(weight, std::sqrt(5.0), generator);
  if (!bias.defined()) return;
  const double limit = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(weight.size(1), 1)));
  init::uniform_(bias, -limit, limit, generator);
}
Tensor LinearImpl::forward(const Tensor& input) const { return linear(input, weight, bias); }
Tensor LinearImpl::forward_then(const Tensor& input, Activation activation) const {
  return linear(input, weight, bias, activation);
}
void LinearImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Linear")
      .with("in_features", options.in_features())
      .with("out_features", options.out_features())
      .with("bias", options.bias());
}

Tensor FlattenImpl::forward(const Tensor& input) const {
  return input.flatten(options.start_dim(), options.end_dim());
}
void FlattenImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Flatten").with("start_dim", options.start_dim()).with("end_dim", options.end_dim());
}

Tensor UnflattenImpl::forward(const Tensor& input) const {
  OA_REQUIRE(options.namedshape().empty(),
             "Unflatten: tensors have no named dimensions; give the number of the dimension");
  const int64_t dim = wrap_dim(options.dim(), input.dim(), "Unflatten");
  Shape sizes;
  for (int64_t i = 0; i < input.dim(); ++i) {
    if (i != dim) sizes.push_back(input.size(i));
    if (i == dim)
      for (const int64_t size : options.sizes()) sizes.push_back(size);
  }
  return input.view(sizes);
}
void UnflattenImpl::pretty_print(std::ostream& out) const {
  Printed printed(out, "Unflatten");
  std::ostringstream text;
  if (options.namedshape().empty()) {
    for (size_t i = 0; i < options.sizes().size(); ++i)
      text << (i > 0 ? ", " : "") << options.sizes()[i];
    printed.with("dim", options.dim());
  } else {
    for (size_t i = 0; i < options.namedshape().size(); ++i)
      text << (i > 0 ? ", " : "") << "{\"" << options.namedshape()[i].first << "\", "
           << options.namedshape()[i].second << '}';
    printed.with("dim", '"' + options.dimname() + '"');
  }
  printed.with("unflattened_size", '{' + text.str() + '}');
}

void BilinearImpl::reset() {
  weight = register_parameter(
      "weight", empty({options.out_features(), options.in1_features(), options.in2_features()}));
  bias = options.bias() ? register_parameter("bias", empty({options.out_features()}))
                        : register_parameter("bias", {}, false);
  reset_parameters();
}
void BilinearImpl::reset_parameters() {
  const double limit = 1 / std::sqrt(static_cast<double>(weight.size(1)));
  init::uniform_(weight, -limit, limit);
  if (bias.defined()) init::uniform_(bias, -limit, limit);
}
Tensor BilinearImpl::forward(const Tensor& input1, const Tensor& input2) const {
  return functional::bilinear(input1, input2, weight, bias);
}
void BilinearImpl::pretty_print(std::ostream& out) const {
  Printed(out, "Bilinear")
      .with("in1_features", options.in1_features())
      .with("in2_features", options.in2_features())
      .with("out_features", options.out_features())
      .with("bias", options.bias());
}

}  // namespace oneagent::nn
