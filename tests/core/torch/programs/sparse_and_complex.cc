// Tables with sparse gradients, complex numbers, spectra.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

namespace F = torch::nn::functional;

// A table trained by its rows alone; sparse sums and products; numbers with two parts.
int main() {
  torch::manual_seed(1);
  torch::nn::Embedding table(torch::nn::EmbeddingOptions(6, 3).sparse(true));
  {
    torch::NoGradGuard guard;
    table->weight.copy_(torch::arange(18).reshape({6, 3}).to(torch::kFloat) / 10);
  }
  torch::Tensor index = torch::tensor({{1, 3}, {3, 5}});
  torch::optim::SGD sgd(table->parameters(), torch::optim::SGDOptions(0.1));
  torch::optim::Adagrad adagrad(table->parameters(), torch::optim::AdagradOptions(0.1));
  for (int step = 0; step < 2; ++step) {
    sgd.zero_grad();
    table->forward(index).pow(2).sum().backward();
    std::cout << table->weight.grad().is_sparse() << table->weight.grad()._nnz() << "\n";
    sgd.step();
    adagrad.step();
  }
  std::cout << table->weight << "\n";
  try {
    torch::optim::Adam(table->parameters()).step();
  } catch (const c10::Error&) {
    std::cout << "Adam refuses\n";
  }
  torch::Tensor weight = torch::ones({4, 2}, torch::requires_grad());
  F::embedding_bag(torch::tensor({0, 2, 2, 3}), weight,
                   F::EmbeddingBagFuncOptions().offsets(torch::tensor({0, 2})).sparse(true))
      .sum()
      .backward();
  std::cout << weight.grad() << "\n" << weight.grad().coalesce() << "\n";

  torch::Tensor x = torch::sparse_coo_tensor(torch::tensor({{0, 1, 1}, {2, 0, 2}}),
                                             torch::tensor({3.f, 4.f, 5.f}), {2, 3});
  std::cout << x << x.layout() << x.sparse_dim() << x.dense_dim() << x.options() << "\n";
  std::cout << x.to_dense() << (x + x).coalesce() << x * 2 << torch::ones({2, 3}) + x
            << torch::_sparse_sum(x) << torch::mm(x, torch::ones({3, 2})) << x.t().to_dense()
            << "\n";
  std::cout << torch::tensor({{0, 1}, {2, 0}}).to_sparse() << "\n";

  torch::Tensor z = torch::complex(torch::tensor({1.f, 2.f}), torch::tensor({3.f, -4.f}));
  std::cout << z.dtype() << z.is_complex() << z.sizes() << torch::view_as_real(z * z)
            << torch::real(z) << torch::imag(z) << torch::abs(z) << torch::angle(z)
            << torch::view_as_real(z.conj().resolve_conj()) << torch::view_as_real(torch::exp(z))
            << torch::view_as_real(z / 2 + 1) << (z == z) << "\n";
  c10::complex<double> number(1.0, 2.0);
  std::cout << number * number << std::abs(number) << number.real() << number.imag() << "\n";
  torch::Tensor leaf = torch::tensor({1.0, 2.0, 3.0, 4.0}, torch::kDouble).requires_grad_();
  torch::fft::rfft(leaf).abs().sum().backward();
  std::cout << leaf.grad() << torch::view_as_real(torch::fft::fft(leaf.detach()))
            << torch::fft::irfft(torch::fft::rfft(leaf.detach())) << torch::fft::fftfreq(4)
            << torch::fft::fftshift(torch::arange(5)) << "\n";
  std::cout << torch::where(torch::tensor({true, false, true}))[0]
            << std::get<0>(torch::log_sigmoid_forward(torch::tensor({0.5f}))) << "\n";
  return 0;
}
