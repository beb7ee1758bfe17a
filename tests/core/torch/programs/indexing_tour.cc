// Reading and writing parts of tensors.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

using namespace torch::indexing;

int main() {
  torch::Tensor x = torch::arange(24).view({2, 3, 4});
  std::cout << x[0] << "\n" << x[1][2] << "\n" << x[1][2][3].item<int64_t>() << "\n";
  std::cout << x.index({0, 1, 2}) << "\n";
  std::cout << x.index({Slice(), 1}) << "\n";
  std::cout << x.index({Slice(None, None), Slice(0, 2), Slice(1, None, 2)}) << "\n";
  std::cout << x.index({Ellipsis, -1}) << "\n";
  std::cout << x.index({"...", 0}) << "\n";
  std::cout << x.index({0, None, Slice(-2, None)}).sizes() << "\n";
  torch::Tensor rows = torch::tensor({2, 0});
  std::cout << x.index({1, rows}) << "\n";
  std::cout << x.index({torch::tensor({0, 1}), torch::tensor({1, 2})}) << "\n";
  std::cout << x.index({x > 20}) << "\n";
  torch::Tensor y = torch::zeros({3, 3});
  y.index_put_({1}, 5);
  y.index_put_({Slice(), 2}, torch::tensor({1.0, 2.0, 3.0}));
  y.index_put_({0, 0}, -1.5);
  std::cout << y << "\n";
  y.index_put_({y < 0}, 9);
  y.index_put_({torch::tensor({0, 2}), torch::tensor({1, 1})}, torch::tensor({7.0, 8.0}));
  std::cout << y << "\n";
  y[2] = torch::ones({3});
  y[0][1] = 100;
  std::cout << y << "\n";
  std::cout << y.index_select(0, torch::tensor({2, 2})) << "\n";
  std::cout << y.masked_select(y.gt(2)) << "\n" << y.take(torch::tensor({0, 4, 8})) << "\n";
  std::cout << y.gather(1, torch::tensor({{0, 1}, {1, 2}, {2, 0}})) << "\n";
  std::cout << y.narrow(0, 1, 2) << "\n" << y.select(1, 0) << "\n" << y.slice(1, 0, 2) << "\n";
  auto accessor = y.accessor<float, 2>();
  float trace = 0;
  for (int64_t i = 0; i < accessor.size(0); i++) trace += accessor[i][i];
  std::cout << trace << "\n";
  std::cout << torch::where(y > 5, y, torch::zeros_like(y)) << "\n";
  std::cout << y.nonzero() << "\n";
  try {
    x.index({5});
  } catch (const c10::Error&) {
    std::cout << "out of range\n";
  }
}
