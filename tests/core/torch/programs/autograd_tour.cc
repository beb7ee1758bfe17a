// What autograd records, keeps and refuses.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

using torch::autograd::grad;

int main() {
  torch::Tensor x = torch::ones({2, 2}, torch::requires_grad());
  torch::Tensor y = x + 2;
  torch::Tensor z = y * y * 3;
  torch::Tensor out = z.mean();
  std::cout << z << "\n" << out << "\n" << y.requires_grad() << y.is_leaf() << x.is_leaf() << "\n";
  std::cout << y.grad_fn()->name() << " " << z.grad_fn()->name() << "\n";
  out.backward();
  std::cout << x.grad() << "\n";

  torch::Tensor a = torch::tensor({1.0, 2.0, 3.0}, torch::requires_grad());
  torch::Tensor b = (a * a).sum();
  b.backward({}, /*retain_graph=*/true);
  b.backward();
  std::cout << a.grad() << "\n";
  a.mutable_grad().zero_();
  (a * torch::tensor({0.1, 1.0, 0.001})).backward(torch::tensor({1.0, 2.0, 3.0}));
  std::cout << a.grad() << "\n";

  torch::Tensor w = torch::tensor({0.5, -1.0}, torch::requires_grad());
  torch::Tensor f = (w.pow(3)).sum();
  torch::Tensor first = grad({f}, {w}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
  torch::Tensor second = grad({first.sum()}, {w})[0];
  std::cout << first << "\n" << second << "\n";

  {
    torch::NoGradGuard no_grad;
    std::cout << (w * 2).requires_grad() << "\n";
    w.add_(1.0);
  }
  std::cout << w << "\n" << w.detach().requires_grad() << "\n";

  torch::Tensor h = torch::tensor({1.0, 2.0}, torch::requires_grad());
  torch::Tensor doubled = h * 2;
  unsigned handle = doubled.register_hook([](torch::Tensor g) { return g * 10; });
  h.register_hook([](torch::Tensor g) { std::cout << "hook " << g << "\n"; });
  doubled.sum().backward({}, true);
  std::cout << h.grad() << "\n";
  doubled.remove_hook(handle);

  torch::Tensor leaf = torch::ones({3}, torch::requires_grad());
  torch::Tensor middle = leaf * 3;
  middle.retain_grad();
  middle.pow(2).sum().backward();
  std::cout << middle.grad() << "\n";

  torch::Tensor base = torch::zeros({2, 3});
  torch::Tensor v = torch::ones({3}, torch::requires_grad());
  base[1] = v * 2;
  base.select(1, 0).mul_(5);
  std::cout << base << "\n";
  base.sum().backward();
  std::cout << v.grad() << "\n";

  torch::Tensor p = torch::ones({2}, torch::requires_grad());
  torch::Tensor q = p.exp();
  q.add_(1);
  try {
    q.sum().backward();
  } catch (const c10::Error&) {
    std::cout << "changed after use\n";
  }
  try {
    p.add_(1);
  } catch (const c10::Error&) {
    std::cout << "leaf in place\n";
  }
  torch::Tensor once = (p * p).sum();
  once.backward();
  try {
    once.backward();
  } catch (const c10::Error&) {
    std::cout << "backward twice\n";
  }
}
