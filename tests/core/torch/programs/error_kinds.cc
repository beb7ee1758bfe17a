// Which calls fail, and with which type of exception: indices, reductions of nothing, numbers that
// do not fit, types that an operation does not take.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <cmath>
#include <functional>
#include <iomanip>
#include <iostream>

namespace {

using torch::indexing::Slice;

void show(const char* call, const std::function<void()>& body) {
  std::cout << call << ": ";
  try {
    body();
    std::cout << "fine";
  } catch (const c10::IndexError&) {
    std::cout << "IndexError";
  } catch (const c10::ValueError&) {
    std::cout << "ValueError";
  } catch (const c10::Error&) {
    std::cout << "Error";
  } catch (const std::runtime_error&) {
    std::cout << "runtime_error";
  } catch (const std::exception&) {
    std::cout << "exception";
  }
  std::cout << std::endl;
}
#define SHOW(...) show(#__VA_ARGS__, [&] { (void)(__VA_ARGS__); })

torch::Tensor F() { return torch::ones({2}); }
torch::Tensor I() { return torch::ones({2}, torch::kLong); }
torch::Tensor B() { return torch::ones({2}, torch::kBool); }
torch::Tensor H() { return torch::ones({2}, torch::kHalf); }
torch::Tensor M() { return torch::ones({2, 2}); }

void indices() {
  const torch::Tensor x = torch::arange(6, torch::kFloat).view({2, 3});
  const torch::Tensor far = torch::tensor({{9, 0, 0}}), nine = torch::tensor({9});
  const torch::Tensor cube = torch::arange(24).view({2, 3, 4});
  SHOW(x.gather(0, far));
  SHOW(x.scatter(0, far, 1));
  SHOW(x.scatter(0, far, x, "multiply"));
  SHOW(x.scatter_add(0, far, x));
  SHOW(x.scatter_reduce(0, far, x, "sum"));
  SHOW(torch::take_along_dim(x, far, 0));
  SHOW(x.index_select(0, nine));
  SHOW(x.index_select(1, nine));
  SHOW(cube.index_select(1, nine));
  SHOW(cube.index_select(2, nine));
  SHOW(x.index_add(0, nine, x.slice(0, 0, 1)));
  SHOW(x.index_fill(0, nine, 1));
  SHOW(x.take(nine));
  SHOW(torch::multi_margin_loss(x, torch::tensor({9, 0})));
  SHOW(torch::nll_loss(x, torch::tensor({9, 0})));
  SHOW(torch::tensor(1).unbind());
  SHOW(torch::tensor(1).chunk(1));
  SHOW(x.index({"a"}));
  SHOW(x.index({Slice(0, 2, 0)}));
  SHOW(x.index({Slice(0, 2, -1)}));
  SHOW(x.index({}));
  SHOW(x.view({-2, 3}));
  SHOW(torch::empty({0}).view({-1, 0}));
  SHOW(x.t().view({6}));
  auto packed = x.packed_accessor64<float, 2>();
  std::cout << packed.transpose(0, 1)[2][1] << " " << x.has_names() << "\n";
}

void nothing() {
  const torch::Tensor e = torch::empty({0}), rows = torch::empty({0, 3});
  SHOW(e.mode());
  SHOW(e.kthvalue(1));
  SHOW(rows.median(0));
  SHOW(rows.median(1));
  SHOW(rows.mode(0));
  SHOW(rows.kthvalue(1, 0));
  SHOW(rows.kthvalue(1, 2));
  SHOW(e.multinomial(1));
  SHOW(torch::linalg_vector_norm(e, INFINITY));
  std::cout << rows.norm(INFINITY) << rows.norm(-INFINITY, 0) << torch::dist(rows, rows, INFINITY);
  std::cout << std::endl;
}

void scalars() {
  SHOW(torch::Scalar(300).to<int8_t>());
  SHOW(torch::Scalar(1e300).to<float>());
  SHOW(torch::Scalar(1e300).toFloat());
  SHOW(torch::Scalar(INFINITY).toFloat());
  SHOW(torch::Scalar(70000.0).toHalf());
  SHOW(torch::Scalar(c10::complex<double>(1, 2)).toDouble());
  SHOW(torch::Scalar(c10::complex<double>(1, 0)).toDouble());
  SHOW(torch::full({1}, c10::complex<double>(1, 1), torch::kFloat));
  SHOW(torch::scalar_tensor(300, torch::kByte));
  SHOW(torch::scalar_tensor(NAN, torch::kLong));
  SHOW(torch::scalar_tensor(1.5, torch::kLong));
  SHOW(H().fill_(1e6));
  SHOW(torch::tensor({1e6}, torch::kHalf));
  SHOW(H().masked_fill(B(), 1e6));
  SHOW(H().add(1e6));
  SHOW(torch::Device("cpu:1"));
  SHOW(torch::Device("cuda:x"));
}

void factors() {
  SHOW(F().add(F(), 1e300));
  SHOW(F().sub(F(), true));
  SHOW(I().add(I(), true));
  SHOW(B().add(B(), true));
  SHOW(F().add(1, true));
  SHOW(F().add(1, 1e300));
  SHOW(torch::rsub(F(), 1, true));
  SHOW(H().add(H(), 1e6));
  SHOW(F().lerp(F(), 1e300));
  SHOW(F().addcmul(F(), F(), 1e300));
  SHOW(F().addcdiv(F(), F(), 1e300));
  SHOW(F().addcdiv(I(), I()));
  SHOW(F().addcdiv(I(), F()));
  SHOW(M().addmm(M(), M(), 1e300));
  SHOW(F().addmv(M(), F(), 1, 1e300));
  SHOW(M().addr(F(), F(), true));
  const torch::Tensor whole = M().to(torch::kLong);
  std::cout << whole.addmm(whole, whole, 1.5) << std::endl;
  SHOW(whole.addr(I(), I(), 1.5));
  SHOW(torch::constant_pad_nd(F(), {1, 1}, 1e300));
  SHOW(torch::constant_pad_nd(I(), {1, 1}, NAN));
  SHOW(torch::leaky_relu(F(), 1e300));
  SHOW(torch::elu(F(), 1, 1e300));
  SHOW(torch::celu(F(), 1e300));
  SHOW(torch::threshold(F(), 0, 1e300));
  SHOW(torch::threshold(B(), 0, 1));
  SHOW(torch::softplus(F(), 1e300));
  SHOW(torch::hardshrink(F(), 1e300));
  SHOW(torch::softshrink(F(), 1e300));
  SHOW(torch::hardtanh(F(), -1, 1e300));
  SHOW(torch::hardtanh(I().to(torch::kByte), -1, 1));
  std::cout << torch::hardtanh(torch::tensor({-2.f, 0.f, 2.f}), 1, -1) << std::endl;
  std::cout << torch::heaviside(torch::tensor({true, false}), torch::tensor({true, true})) << "\n";
}

void types() {
  SHOW(I().softmax(0));
  SHOW(I().log_softmax(0));
  SHOW(torch::softmax(I(), 0, torch::kFloat));
  SHOW(B().argmax());
  SHOW(B().topk(1));
  SHOW(B().median());
  SHOW(B().kthvalue(1));
  SHOW(B().mode());
  SHOW(B().floor());
  SHOW(B().round_());
  SHOW(I().floor());
  SHOW(torch::igamma(I(), I()));
  SHOW(torch::igamma(I(), F()));
  std::cout << torch::mvlgamma(torch::tensor({0.5f, 3.f}), 3) << std::endl;
  SHOW(torch::fft_fft(F(), -1));
  SHOW(torch::fft_rfft(F(), -1));
  SHOW(torch::fft_irfft(F(), -1));
  SHOW(torch::fft_fftn(M(), at::IntArrayRef{-1, 2}));
  SHOW(I().exponential_());
  SHOW(F().exponential_(-1));
  std::cout << F().exponential_(0) << std::endl;
  SHOW(I().cauchy_());
  SHOW(I().geometric_(0.5));
  SHOW(B().geometric_(0.5));
  SHOW(at::normal(F(), -F()));
  SHOW(at::normal(0.0, -F()));
  SHOW(torch::randint(0, 2, {1}, torch::kBool));
  SHOW(torch::randperm(300, torch::kByte));
  SHOW(torch::randperm(3000, torch::kHalf));
  SHOW(torch::randperm(2, torch::kBool));
  SHOW(F().clamp());
  std::cout << std::setw(6) << torch::tensor({1, 2}) << "|" << std::endl;
}

}  // namespace

int main() {
  indices();
  nothing();
  scalars();
  factors();
  types();
}
