// What autograd allows and refuses: backward and grad, leaves, versions, hooks.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <functional>
#include <iostream>
#include <thread>

namespace {

// Runs one case under its number; what is thrown is named by its kind.
void check(const std::function<void()>& body) {
  static int number = 0;
  std::cout << "[" << ++number << "] ";
  try {
    body();
  } catch (const c10::IndexError&) {
    std::cout << "IndexError";
  } catch (const c10::Error&) {
    std::cout << "Error";
  } catch (const std::exception&) {
    std::cout << "exception";
  }
  std::cout << std::endl;
}

using std::cout;
using namespace torch::autograd;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
auto ones = [](at::IntArrayRef s) { return torch::ones(s, torch::requires_grad()); };
void api() {
  check([&] {
    auto x = ones({2, 2});
    auto y = x * x;
    y.backward(torch::ones_like(y));
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2, 2});
    auto y = x * x;
    y.backward();
    cout << "no";
  });
  check([&] {
    auto x = ones({2, 2});
    backward({(x * 2).sum(), (x * 3).sum()}, {});
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2, 2});
    backward({x * 2, x * 3}, {torch::ones({2, 2}), torch::full({2, 2}, 2.)}, true);
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2, 2});
    backward({x * 2}, {torch::ones({2, 3})});
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2, 2});
    backward({x * 2}, {torch::ones({2, 2}), torch::ones({2, 2})});
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto y = ones({2});
    auto r = grad({(x * y).sum()}, {x, y});
    cout << r[0] << r[1] << x.grad().defined();
  });
  check([&] {
    auto x = ones({2});
    auto y = ones({2});
    auto r = grad({(x * 2).sum()}, {x, y});
    cout << r.size();
  });
  check([&] {
    auto x = ones({2});
    auto y = ones({2});
    auto r = grad({(x * 2).sum()}, {x, y}, {}, c10::nullopt, false, true);
    cout << r[0] << r[1].defined();
  });
  check([&] {
    auto x = ones({2});
    auto z = (x * 2).sum();
    z.backward();
    z.backward();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto z = (x * x).sum();
    z.backward();
    z.backward();
    cout << "none";
  });
  check([&] {
    auto x = torch::ones({2});
    x.sum().backward();
    cout << "none";
  });
  check([&] {
    auto x = torch::ones({2}, torch::kInt);
    x.requires_grad_();
    cout << "none";
  });
  check([&] {
    auto x = torch::ones({2}, torch::dtype(torch::kInt).requires_grad(true));
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    x.add_(1);
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    x[0] = 5;
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = x.view({2});
    y.add_(1);
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = x * 1;
    auto z = y * y;
    y.add_(1);
    z.sum().backward();
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = x.exp();
    y.mul_(2);
    y.sum().backward();
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = (x * 2).requires_grad_(false);
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = (x * 2).detach();
    y.requires_grad_();
    cout << y.is_leaf() << y.requires_grad();
  });
  check([&] {
    auto x = ones({2});
    auto y = x * 2;
    y.detach_();
    cout << y.is_leaf() << y.requires_grad();
  });
  check([&] {
    auto x = ones({2});
    auto y = x.view({2});
    y.detach_();
    cout << y.is_leaf();
  });
  check([&] {
    auto x = ones({2});
    x.set_requires_grad(false);
    cout << x.requires_grad();
  });
  check([&] {
    auto x = ones({2});
    cout << x.output_nr() << x.is_leaf() << (x.grad_fn() == nullptr) << x.is_view()
         << x.view({2}).is_view() << x.view({2})._base().is_same(x);
  });
  check([&] {
    auto x = ones({2});
    x.mutable_grad() = torch::full({2}, 3.);
    cout << x.grad();
    x.grad().zero_();
    cout << x.grad();
    x.mutable_grad().reset();
    cout << x.grad().defined();
  });
  check([&] {
    auto x = ones({2});
    x.mutable_grad() = torch::full({3}, 3.);
    cout << "none";
    x.sum().backward();
    cout << "none2";
  });
  check([&] {
    auto x = ones({2});
    auto y = x * 2;
    cout << y.grad().defined();
    y.retain_grad();
    cout << y.retains_grad() << x.retains_grad();
    y.sum().backward();
    cout << y.grad();
  });
  check([&] {
    auto x = torch::ones({2});
    x.retain_grad();
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto h = x.register_hook([](torch::Tensor g) { return g * 3; });
    (x * 2).sum().backward();
    cout << x.grad();
    x.remove_hook(h);
    (x * 2).sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto h = x.register_hook([](torch::Tensor g) -> void { cout << "h" << g; });
    (x * 2).sum().backward();
    cout << x.grad() << h;
    auto h2 = x.register_hook([](torch::Tensor g) {
      cout << "second";
      return g;
    });
    cout << h2;
    x.remove_hook(7);
    cout << "none";
  });
  check([&] {
    auto x = torch::ones({2});
    x.register_hook([](torch::Tensor g) { return g; });
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    x.register_hook([](torch::Tensor g) { return torch::ones({5}); });
    (x * 2).sum().backward();
    cout << "none";
  });
  check([&] {
    auto x = ones({2});
    auto y = x.mul(2).add(1).sum();
    auto f = y.grad_fn();
    while (f) {
      cout << f->name() << " " << f->num_inputs() << f->num_outputs() << " ";
      f = f->next_edges().empty() ? nullptr : f->next_edge(0).function;
    }
  });
  check([&] {
    auto x = ones({2, 2});
    for (auto& t : {x.view(4),
                    x.t(),
                    x.exp(),
                    x.log(),
                    x.matmul(x),
                    x[0],
                    x.index({0}),
                    torch::cat({x, x}),
                    torch::stack({x, x}),
                    x / 2,
                    x.pow(2),
                    x.sqrt(),
                    x.softmax(0),
                    x.relu(),
                    x.max(),
                    x.mean(),
                    x.sum(0),
                    x.clone(),
                    x.to(torch::kDouble),
                    x - 1,
                    2 - x,
                    -x,
                    x.expand({2, 2, 2}),
                    x.squeeze(0),
                    x.unsqueeze(0),
                    x.permute({1, 0}),
                    x.transpose(0, 1),
                    x.select(0, 1),
                    x.narrow(0, 0, 1),
                    x.abs(),
                    x.sigmoid(),
                    x.tanh(),
                    x.norm(),
                    x.prod(),
                    x.cumsum(0),
                    torch::mse_loss(x, x),
                    torch::where(x > 0, x, x),
                    x.clamp(0, 1),
                    x.gather(0, torch::zeros({1, 1}, torch::kLong)),
                    torch::mm(x, x),
                    torch::addmm(x, x, x),
                    torch::bmm(x.unsqueeze(0), x.unsqueeze(0)),
                    torch::dot(x[0], x[0]),
                    x.mv(x[0]),
                    x.triu(),
                    x.repeat({2, 1}),
                    x.flip(0),
                    x.roll(1),
                    torch::dropout(x, 0.5, true),
                    torch::linear(x, x),
                    x.var(),
                    x.std(),
                    x.contiguous(),
                    x.reshape({4}),
                    x.flatten(),
                    x.masked_fill(x > 0, 2),
                    x.index_select(0, torch::tensor({0})),
                    std::get<0>(x.sort()),
                    std::get<0>(x.topk(1)),
                    std::get<0>(x.max(0)),
                    x.diagonal(),
                    x.diag(),
                    x.trace(),
                    torch::einsum("ij,jk->ik", {x, x}),
                    x.slice(0, 0, 1),
                    x.unfold(0, 1, 1),
                    x.chunk(2)[0],
                    x.split(1)[0],
                    x.unbind()[0],
                    torch::conv1d(x.unsqueeze(0), x.view({2, 2, 1})),
                    torch::layer_norm(x, {2}),
                    torch::gelu(x),
                    torch::leaky_relu(x),
                    torch::elu(x),
                    torch::log_softmax(x, 0),
                    torch::nll_loss(x, torch::tensor({0, 1})),
                    torch::cross_entropy_loss(x, torch::tensor({0, 1})),
                    x.logsumexp(0),
                    torch::outer(x[0], x[0]),
                    x.inverse(),
                    x.det(),
                    x.floor(),
                    x.atan2(x),
                    x.fmod(2.),
                    x.remainder(2.),
                    x.lerp(x, 0.5),
                    torch::addcmul(x, x, x),
                    torch::addcdiv(x, x, x),
                    torch::dist(x, x),
                    torch::baddbmm(x.unsqueeze(0), x.unsqueeze(0), x.unsqueeze(0)),
                    x.erf(),
                    x.sin(),
                    x.cos(),
                    x.log1p(),
                    x.reciprocal(),
                    x.rsqrt(),
                    x.sign(),
                    x.minimum(x),
                    torch::embedding(x, torch::tensor({0}))})
      cout << t.grad_fn()->name() << " ";
  });
}
}  // namespace

int main() { api(); }
