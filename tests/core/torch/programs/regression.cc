// Linear regression with a module and an optimizer.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// Polynomial regression by gradient descent, on data that is made by a formula.
int main() {
  torch::Tensor x = torch::linspace(-1, 1, 64).unsqueeze(1);
  torch::Tensor target = 3 * x.pow(3) - 2 * x + 0.5;
  torch::Tensor features = torch::cat({x, x.pow(2), x.pow(3)}, 1);
  torch::nn::Linear model(3, 1);
  {
    torch::NoGradGuard guard;
    model->weight.zero_();
    model->bias.zero_();
  }
  torch::optim::SGD optimizer(model->parameters(), torch::optim::SGDOptions(0.3).momentum(0.9));
  for (int epoch = 1; epoch <= 400; ++epoch) {
    optimizer.zero_grad();
    torch::Tensor loss = torch::mse_loss(model->forward(features), target);
    loss.backward();
    optimizer.step();
    if (epoch % 100 == 0)
      std::cout << epoch << (loss.item<float>() < 1e-3 ? " good" : " bad") << "\n";
  }
  std::cout << (model->weight * 10).round() / 10 << "\n" << (model->bias * 10).round() / 10 << "\n";
  std::cout << model << "\n";
}
