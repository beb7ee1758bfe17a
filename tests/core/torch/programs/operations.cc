// Elementwise work, reductions and shapes.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// Type promotion, broadcasting, reductions, comparisons, sorting.
int main() {
  torch::Tensor i = torch::tensor({1, -2, 3}), f = torch::tensor({0.5, 1.5, -2.5});
  torch::Tensor b = torch::tensor({true, false, true}),
                u = torch::tensor({200, 100, 7}, torch::kUInt8);
  std::cout << (i + f).dtype() << (i * 2).dtype() << (i * 2.0).dtype() << (i / 2).dtype()
            << (b + b).dtype() << (u + i).dtype() << (u + u).dtype() << "\n";
  std::cout << i / 2 << u + u << (b & b) << (i ^ i) << ~b << -f << "\n";
  std::cout << torch::floor_divide(i, 2) << torch::remainder(i, 2) << torch::fmod(i, 2) << i.pow(2)
            << torch::div(i, 2, "trunc") << "\n";
  std::cout << i.unsqueeze(1) + f << "\n" << (i > 0) << (i == torch::tensor({1, 2, 3})) << "\n";
  std::cout << f.exp() << f.abs().sqrt() << f.sigmoid() << f.tanh() << f.clamp(-1, 1) << f.round()
            << f.sign() << "\n";
  torch::Tensor m = torch::tensor({{3.0, 1.0, 2.0}, {-1.0, 5.0, 0.0}});
  std::cout << m.sum() << m.sum(0) << m.sum(torch::IntArrayRef({0, 1})) << m.mean(1, true)
            << m.prod() << m.std() << m.var(1) << "\n";
  std::cout << m.max() << std::get<0>(m.max(1)) << std::get<1>(m.max(1)) << m.argmax()
            << m.argmin(0) << m.amax(0) << "\n";
  auto sorted = m.sort(1);
  std::cout << std::get<0>(sorted) << std::get<1>(sorted) << std::get<0>(m.topk(2))
            << std::get<0>(m.median(1)) << "\n";
  std::cout << m.logsumexp(1) << torch::softmax(m, 1) << torch::log_softmax(m, 0) << m.cumsum(1)
            << m.flip({1}) << m.roll(1, 0) << "\n";
  std::cout << torch::cat({m, m}, 0) << torch::stack({f, f}, 1) << m.repeat({1, 2})
            << m.permute({1, 0}) << m.reshape({3, 2}) << "\n";
  auto parts = torch::arange(10).chunk(3);
  std::cout << parts.size() << parts[2] << torch::arange(10).split(4)[1]
            << torch::arange(4).unbind()[3] << "\n";
  std::cout << std::get<0>(torch::_unique2(torch::tensor({3, 1, 3, 2})))
            << torch::bincount(torch::tensor({0, 1, 1, 3})) << torch::histc(m, 3) << "\n";
  std::cout << m.any() << m.gt(0).all(1) << torch::isnan(m).any() << torch::allclose(m, m + 1e-9)
            << torch::equal(m, m) << "\n";
  std::cout << m.expand({2, 2, 3}).sizes() << m.t().is_contiguous()
            << m.t().contiguous().is_contiguous() << m.flatten() << m.squeeze().sizes() << "\n";
  torch::Tensor x = torch::zeros({3});
  x += f;
  x *= 2;
  x.add_(i, 10).clamp_min_(0);
  std::cout << x << x.fill_(3).sub_(1) << x.copy_(i) << x.zero_() << "\n";
  std::cout << torch::tril_indices(3, 3) << torch::one_hot(torch::tensor({0, 2}), 3)
            << torch::meshgrid({torch::arange(2), torch::arange(3)}, "ij")[0] << "\n";
  std::cout << torch::promote_types(torch::kInt, torch::kHalf) << torch::result_type(i, f)
            << torch::can_cast(torch::kFloat, torch::kInt) << "\n";
  try {
    torch::ones({2}) + torch::ones({3});
  } catch (const c10::Error&) {
    std::cout << "shapes do not broadcast\n";
  }
  try {
    i.add_(f);
  } catch (const c10::Error&) {
    std::cout << "result type\n";
  }
}
