// A recurrent classifier.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// Says whether a sequence of numbers has more positive than negative steps.
struct ClassifierImpl : torch::nn::Module {
  ClassifierImpl(int64_t inputs, int64_t hidden, int64_t classes)
      : lstm(torch::nn::LSTMOptions(inputs, hidden).num_layers(1).batch_first(true)),
        head(hidden, classes) {
    register_module("lstm", lstm);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) {
    auto result = lstm->forward(x);
    torch::Tensor output = std::get<0>(result);
    return head(output.select(1, -1));
  }
  torch::nn::LSTM lstm;
  torch::nn::Linear head;
};
TORCH_MODULE(Classifier);

int main() {
  torch::manual_seed(3);
  Classifier model(1, 16, 2);
  std::cout << model << "\n";
  for (const auto& p : model->named_parameters()) std::cout << p.key() << p.value().sizes() << "\n";
  torch::optim::Adam optimizer(model->parameters(), torch::optim::AdamOptions(0.02));
  torch::Tensor x = torch::randn({256, 8, 1});
  torch::Tensor target = (x.sign().sum({1, 2}) > 0).to(torch::kLong);
  for (int step = 0; step < 150; ++step) {
    optimizer.zero_grad();
    torch::Tensor loss = torch::nn::functional::cross_entropy(model(x), target);
    loss.backward();
    torch::nn::utils::clip_grad_norm_(model->parameters(), 1.0);
    optimizer.step();
  }
  torch::NoGradGuard guard;
  const double accuracy = model(x).argmax(1).eq(target).to(torch::kFloat).mean().item<double>();
  std::cout << (accuracy > 0.9 ? "learnt" : "not learnt") << "\n";

  torch::nn::GRU gru(torch::nn::GRUOptions(3, 5).num_layers(2).bidirectional(true));
  auto [out, h] = gru->forward(torch::zeros({7, 2, 3}));
  std::cout << out.sizes() << h.sizes() << "\n";
  torch::nn::LSTMCell cell(3, 4);
  auto [hx, cx] = cell(torch::zeros({2, 3}));
  std::cout << hx.sizes() << cx.sizes() << "\n";
}
