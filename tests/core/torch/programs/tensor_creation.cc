// Ways to make tensors, and what printing them gives.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

int main() {
  std::cout << torch::zeros({2, 3}) << "\n";
  std::cout << torch::ones({3}, torch::kInt32) << "\n";
  std::cout << torch::full({2, 2}, 7.5) << "\n" << torch::full({2}, 3) << "\n";
  std::cout << torch::eye(3) << "\n" << torch::eye(2, 4, torch::kLong) << "\n";
  std::cout << torch::arange(5) << "\n" << torch::arange(1, 10, 3) << "\n";
  std::cout << torch::arange(0.0, 1.0, 0.25) << "\n";
  std::cout << torch::linspace(0, 1, 5) << "\n" << torch::logspace(0, 3, 4) << "\n";
  std::cout << torch::tensor({{1, 2}, {3, 4}}) << "\n";
  std::cout << torch::tensor({1.5, -2.0}, torch::dtype(torch::kFloat64)) << "\n";
  std::cout << torch::tensor(std::vector<float>{1, 2, 3}) << "\n";
  std::cout << torch::tensor(true) << "\n" << torch::tensor(4) << "\n";
  torch::TensorOptions options =
      torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCPU).requires_grad(true);
  torch::Tensor x = torch::ones({2, 2}, options);
  std::cout << x.requires_grad() << x.dtype() << " " << x.device() << " " << x.options() << "\n";
  float data[] = {1, 2, 3, 4, 5, 6};
  torch::Tensor blob = torch::from_blob(data, {2, 3});
  data[0] = 42;
  std::cout << blob << "\n" << blob.t() << "\n" << blob.sizes() << blob.strides() << "\n";
  auto strided = torch::from_blob(data, {3, 2}, {1, 3}, torch::kFloat);
  std::cout << strided << "\n";
  torch::Tensor like = torch::zeros_like(blob);
  std::cout << like.sizes() << " " << like.numel() << " " << like.dim() << "\n";
  torch::manual_seed(1);
  torch::Tensor r = torch::rand({100, 100});
  std::cout << (r.min().item<float>() >= 0) << (r.max().item<float>() < 1) << "\n";
  std::cout << (torch::randn({10000}).mean().abs().item<double>() < 0.1) << "\n";
  std::cout << torch::randperm(10).sum() << "\n";
  torch::Tensor i = torch::randint(3, 8, {1000});
  std::cout << i.min().item<int64_t>() << i.max().item<int64_t>() << " " << i.dtype() << "\n";
  std::cout << torch::empty({0}).numel() << torch::empty({4, 0, 2}).sizes() << "\n";
  std::cout << blob.to(torch::kInt64) << blob.to(torch::kDouble).dtype() << "\n";
  std::cout << torch::zeros({2}).new_ones({3}, torch::kByte) << "\n";
}
