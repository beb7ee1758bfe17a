// Saving and loading modules, optimizers and tensors.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <cstdio>
#include <iostream>
#include <sstream>

struct NetImpl : torch::nn::Module {
  NetImpl() : first(4, 8), norm(8), second(8, 2) {
    register_module("first", first);
    register_module("norm", norm);
    register_module("second", second);
  }
  torch::Tensor forward(torch::Tensor x) { return second(torch::relu(norm(first(x)))); }
  torch::nn::Linear first;
  torch::nn::BatchNorm1d norm;
  torch::nn::Linear second;
};
TORCH_MODULE(Net);

void step(Net& net, torch::optim::Optimizer& optimizer) {
  torch::Tensor x = torch::arange(24, torch::kFloat).view({6, 4}).sin();
  optimizer.zero_grad();
  net->forward(x).pow(2).mean().backward();
  optimizer.step();
}

int main() {
  Net net, copy;
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(0.01));
  torch::optim::Adam copy_optimizer(copy->parameters(), torch::optim::AdamOptions(0.01));
  for (int i = 0; i < 5; ++i) step(net, optimizer);
  torch::save(net, "net.pt");
  torch::save(optimizer, "optimizer.pt");
  torch::load(copy, "net.pt");
  torch::load(copy_optimizer, "optimizer.pt");
  for (int i = 0; i < 5; ++i) {
    step(net, optimizer);
    step(copy, copy_optimizer);
  }
  bool same = true;
  for (size_t i = 0; i < net->parameters().size(); ++i)
    same = same && torch::equal(net->parameters()[i], copy->parameters()[i]);
  for (size_t i = 0; i < net->buffers().size(); ++i)
    same = same && torch::equal(net->buffers()[i], copy->buffers()[i]);
  std::cout << (same ? "same" : "different") << "\n";

  torch::Tensor tensor = torch::arange(6).view({2, 3});
  torch::save(tensor, "tensor.pt");
  torch::Tensor loaded;
  torch::load(loaded, "tensor.pt");
  std::cout << loaded << "\n";
  std::vector<torch::Tensor> list = {torch::ones({2}), torch::zeros({1}, torch::kBool)}, read;
  std::stringstream stream;
  torch::save(list, stream);
  torch::load(read, stream);
  std::cout << read.size() << read[0] << read[1] << "\n";

  torch::serialize::OutputArchive out;
  out.write("epoch", torch::tensor(7));
  out.write("values", torch::full({2}, 1.5));
  out.save_to("archive.pt");
  torch::serialize::InputArchive in;
  in.load_from("archive.pt");
  torch::Tensor epoch, values;
  in.read("epoch", epoch);
  in.read("values", values);
  std::cout << epoch.item<int64_t>() << values << "\n";

  try {
    torch::load(net, "there_is_no_such_file.pt");
  } catch (const std::exception&) {
    std::cout << "no file\n";
  }
}
