// Matrices: products, decompositions, norms.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

int main() {
  auto options = torch::dtype(torch::kDouble);
  torch::Tensor a = torch::tensor({{4.0, 1.0, 0.5}, {1.0, 3.0, 0.25}, {0.5, 0.25, 2.0}}, options);
  torch::Tensor b = torch::arange(6, options).view({3, 2});
  std::cout << torch::mm(a, b) << "\n" << a.matmul(b.select(1, 0)) << "\n";
  std::cout << torch::linalg::solve(a, b, true) << "\n" << torch::inverse(a) << "\n";
  std::cout << torch::linalg::cholesky(a) << "\n"
            << torch::det(a) << "\n"
            << torch::logdet(a) << "\n";
  auto eig = torch::linalg::eigh(a, "L");
  std::cout << std::get<0>(eig) << "\n";
  auto svd = torch::linalg::svd(b, /*full_matrices=*/false, torch::nullopt);
  std::cout << std::get<1>(svd) << "\n";
  auto qr = torch::linalg::qr(b);
  std::cout << std::get<1>(qr).abs() << "\n";
  std::cout << torch::einsum("ij,jk->ik", {a, b}) << "\n" << torch::einsum("ii", {a}) << "\n";
  std::cout << torch::einsum("bij,bjk->bik", {a.expand({2, 3, 3}), b.expand({2, 3, 2})}).sizes()
            << "\n";
  std::cout << torch::bmm(torch::ones({2, 2, 3}), torch::ones({2, 3, 1})) << "\n";
  std::cout << torch::addmm(torch::ones({2, 2}), torch::eye(2), torch::eye(2), 2, 3) << "\n";
  std::cout << torch::dot(torch::arange(3), torch::arange(3))
            << torch::outer(torch::arange(2), torch::arange(3)) << "\n";
  std::cout << torch::norm(b) << b.norm(1) << b.norm(2, {0})
            << torch::linalg::norm(a, "fro", torch::nullopt, false, torch::nullopt) << "\n";
  std::cout << a.diagonal() << torch::diag(torch::arange(3)) << a.trace() << "\n";
  std::cout << torch::tril(a) << torch::triu(a, 1)
            << torch::kron(torch::eye(2), torch::ones({1, 2})) << "\n";
  std::cout << torch::linalg::matrix_power(a, 3) << torch::pinverse(b).sizes() << "\n";
  std::cout << torch::cumsum(b, 0) << torch::cumprod(b + 1, 1) << "\n";
  torch::Tensor w = a.clone().requires_grad_();
  torch::logdet(w).backward();
  std::cout << w.grad() << "\n";
  std::cout << torch::tensordot(a, b, {1}, {0}) << "\n";
  try {
    torch::mm(a, torch::ones({2, 2}, options));
  } catch (const c10::Error&) {
    std::cout << "shapes do not fit\n";
  }
}
