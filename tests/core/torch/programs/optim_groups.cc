// Optimizers with groups and schedules.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// Parameter groups with learning rates of their own, and a scheduler.
int main() {
  torch::nn::Sequential net(torch::nn::Linear(2, 3), torch::nn::Tanh(), torch::nn::Linear(3, 1));
  int64_t n = 0;
  {
    torch::NoGradGuard guard;
    for (auto& p : net->parameters())
      p.copy_(torch::arange(p.numel()).view(p.sizes()).to(torch::kFloat).add(++n).sin());
  }
  std::vector<torch::optim::OptimizerParamGroup> groups;
  groups.emplace_back(net[0]->parameters());
  groups.emplace_back(std::vector<torch::Tensor>(net[2]->parameters()),
                      std::make_unique<torch::optim::SGDOptions>(
                          torch::optim::SGDOptions(0.01).momentum(0.5).nesterov(true)));
  torch::optim::SGD sgd(groups, torch::optim::SGDOptions(0.1).weight_decay(0.01));
  torch::optim::StepLR scheduler(sgd, /*step_size=*/2, /*gamma=*/0.5);
  torch::Tensor x = torch::tensor({{0.5, -1.0}, {1.5, 2.0}});
  for (int i = 0; i < 6; ++i) {
    sgd.zero_grad();
    torch::Tensor loss = net->forward(x).pow(2).sum();
    loss.backward();
    sgd.step();
    scheduler.step();
    std::cout << loss.item<float>() << " " << sgd.param_groups()[0].options().get_lr() << " "
              << static_cast<torch::optim::SGDOptions&>(sgd.param_groups()[1].options()).lr()
              << "\n";
  }
  std::cout << net[0]->parameters()[0] << "\n";

  torch::Tensor w = torch::tensor({1.0, -2.0}, torch::kDouble).requires_grad_();
  auto objective = [&] { return (w - torch::tensor({3.0, 1.0}, torch::kDouble)).pow(4).sum(); };
  auto run = [&](torch::optim::Optimizer& optimizer, int steps) {
    for (int i = 0; i < steps; ++i) {
      auto closure = [&] {
        optimizer.zero_grad();
        torch::Tensor loss = objective();
        loss.backward();
        return loss;
      };
      optimizer.step(closure);
    }
    std::cout << w << "\n";
  };
  torch::optim::Adam adam({w}, torch::optim::AdamOptions(0.1).amsgrad(true).weight_decay(1e-3));
  run(adam, 10);
  torch::optim::AdamW adamw({w}, torch::optim::AdamWOptions(0.1));
  run(adamw, 10);
  torch::optim::RMSprop rmsprop({w},
                                torch::optim::RMSpropOptions(0.05).centered(true).momentum(0.9));
  run(rmsprop, 10);
  torch::optim::Adagrad adagrad({w}, torch::optim::AdagradOptions(0.1).lr_decay(0.01));
  run(adagrad, 10);
  torch::optim::LBFGS lbfgs({w}, torch::optim::LBFGSOptions(1).max_iter(10));
  run(lbfgs, 3);
}
