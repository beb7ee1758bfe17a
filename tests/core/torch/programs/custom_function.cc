// Operations with gradients of their own.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::Function;
using torch::autograd::tensor_list;
using torch::autograd::variable_list;

class LinearFunction : public Function<LinearFunction> {
 public:
  static Tensor forward(AutogradContext* ctx, Tensor input, Tensor weight, Tensor bias = Tensor()) {
    ctx->save_for_backward({input, weight, bias});
    auto output = input.mm(weight.t());
    if (bias.defined()) output += bias.unsqueeze(0).expand_as(output);
    return output;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    auto saved = ctx->get_saved_variables();
    auto input = saved[0];
    auto weight = saved[1];
    auto bias = saved[2];
    auto grad_output = grad_outputs[0];
    auto grad_input = grad_output.mm(weight);
    auto grad_weight = grad_output.t().mm(input);
    auto grad_bias = Tensor();
    if (bias.defined()) grad_bias = grad_output.sum(0);
    return {grad_input, grad_weight, grad_bias};
  }
};

class MulConstant : public Function<MulConstant> {
 public:
  static Tensor forward(AutogradContext* ctx, Tensor tensor, double constant) {
    ctx->saved_data["constant"] = constant;
    return tensor * constant;
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list grad_outputs) {
    return {grad_outputs[0] * ctx->saved_data["constant"].toDouble(), Tensor()};
  }
};

struct Exp : Function<Exp> {
  static variable_list forward(AutogradContext* ctx, Tensor x) {
    Tensor y = x.exp();
    ctx->save_for_backward({y});
    return {y, x.sign()};
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    return {grads[0] * ctx->get_saved_variables()[0]};
  }
};

int main() {
  auto x = torch::arange(6, torch::kDouble).view({2, 3}).div(4).requires_grad_();
  auto weight = torch::ones({4, 3}, torch::kDouble).requires_grad_();
  auto bias = torch::full({4}, 0.5, torch::kDouble).requires_grad_();
  auto y = LinearFunction::apply(x, weight, bias);
  y.sum().backward();
  std::cout << y << "\n" << x.grad() << "\n" << weight.grad() << "\n" << bias.grad() << "\n";

  auto c = torch::ones({2}).requires_grad_();
  auto d = MulConstant::apply(c, 5.5);
  d.sum().backward();
  std::cout << d << "\n" << c.grad() << "\n";

  auto e = torch::tensor({0.0, 1.0}, torch::kDouble).requires_grad_();
  auto outs = Exp::apply(e);
  auto g = torch::autograd::grad({outs[0].sum()}, {e}, {}, true, true)[0];
  auto gg = torch::autograd::grad({g.sum()}, {e})[0];
  std::cout << outs[0] << "\n" << g << "\n" << gg << "\n";
}
