// Autograd's modes, views and in-place changes, threads and long graphs.
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
using namespace torch::indexing;
using namespace torch::autograd;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
auto ones = [](at::IntArrayRef s) { return torch::ones(s, torch::requires_grad()); };
void api() {
  check([&] {
    auto x = ones({2});
    torch::AutoGradMode m(false);
    cout << torch::GradMode::is_enabled() << (x * 2).requires_grad();
    {
      torch::AutoGradMode m2(true);
      cout << (x * 2).requires_grad();
    }
  });
  check([&] {
    torch::NoGradGuard g;
    cout << torch::GradMode::is_enabled();
    torch::GradMode::set_enabled(true);
    cout << torch::GradMode::is_enabled();
  });
  check([&] {
    torch::InferenceMode g;
    auto x = torch::ones({2});
    cout << x.is_inference() << torch::InferenceMode::is_enabled() << x.requires_grad();
    x.add_(1);
    cout << x;
  });
  check([&] {
    torch::Tensor t;
    auto n = ones({2});
    {
      c10::InferenceMode g;
      t = torch::ones({2});
      cout << (n * 2).requires_grad() << n.is_inference() << n.view({2}).is_inference();
    }
    cout << t.is_inference();
    cout << (t + 1).is_inference();
    t.add_(1);
    cout << "none";
  });
  check([&] {
    torch::Tensor t;
    auto n = ones({2});
    {
      c10::InferenceMode g;
      t = torch::ones({2});
    }
    auto y = n * t;
    cout << "none";
  });
  check([&] {
    torch::Tensor t;
    {
      c10::InferenceMode g;
      t = torch::ones({2});
    }
    t.requires_grad_();
    cout << "none";
  });
  check([&] {
    torch::Tensor t;
    {
      c10::InferenceMode g;
      t = torch::ones({2});
    }
    cout << t.is_inference();
  });
  check([&] {
    torch::Tensor t;
    {
      c10::InferenceMode g(false);
      t = torch::ones({2});
      cout << c10::InferenceMode::is_enabled();
    }
    cout << t.is_inference();
  });
  check([&] {
    {
      torch::autograd::DetectAnomalyGuard g;
      auto x = torch::tensor({-1.0}, torch::requires_grad());
      auto y = x.sqrt();
      y.backward();
      cout << "none";
    }
  });
  check([&] {
    auto x = torch::tensor({3., 1., 2.}, torch::requires_grad());
    auto t = x.sort();
    std::get<0>(t)[0].backward();
    cout << x.grad() << std::get<1>(t);
  });
  check([&] {
    auto a = torch::zeros({3, 3});
    auto v = ones({3});
    a.select(0, 0).copy_(v * 2);
    a.index_put_({1}, v * 3);
    a.sum().backward();
    cout << v.grad() << a.requires_grad();
  });
  check([&] {
    auto x = ones({2, 3});
    auto y = x * 1;
    y.index({Slice(), 0}).fill_(0);
    y.sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2, 3});
    auto y = x.unbind();
    y[0].mul_(2);
    cout << "none";
  });
  check([&] {
    auto x = ones({2, 3});
    auto y = (x * 1).unbind();
    y[0].mul_(2);
    cout << "none";
  });
  check([&] {
    auto x = ones({2, 3});
    auto y = (x * 1).chunk(2, 0);
    y[0].mul_(2);
    cout << "none";
  });
  check([&] {
    auto x = ones({1}).expand({3});
    (x * 1).sum().backward();
    cout << x.is_leaf();
  });
  check([&] {
    auto x = ones({2});
    auto e = torch::autograd::Edge(x.grad_fn(), 0);
    cout << e.is_valid();
    cout << torch::autograd::impl::gradient_edge(x).is_valid();
  });
  check([&] {
    auto x = ones({2});
    auto d = x.data();
    d.fill_(7);
    cout << x << d.requires_grad();
    x.set_data(torch::zeros({2}));
    cout << x;
  });
  check([&] {
    auto x = ones({2});
    x.set_data(torch::zeros({3}, torch::kDouble));
    cout << x;
  });
  check([&] {
    std::vector<std::thread> ts;
    auto x = ones({10});
    for (int i = 0; i < 4; ++i)
      ts.emplace_back([&] {
        for (int k = 0; k < 10; ++k) (x * 2).sum().backward();
      });
    for (auto& t : ts) t.join();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto w = x * 2;
    torch::Tensor sum = torch::zeros({});
    for (int i = 0; i < 3; ++i) sum = sum + w.pow(i).sum();
    sum.backward();
    cout << x.grad() << sum;
  });
  check([&] {
    auto x = ones({1000});
    auto y = x;
    for (int i = 0; i < 20000; ++i) y = y + 1;
    y.sum().backward();
    cout << x.grad().sum();
  });
  check([&] {
    auto x = torch::tensor({1., 2., 3.}, torch::requires_grad());
    auto y = x * 2;
    while (y.norm().item<double>() < 1000) y = y * 2;
    auto v = torch::tensor({0.1, 1.0, 0.0001});
    y.backward(v);
    cout << y << x.grad();
  });
  check([&] {
    auto m = torch::nn::Linear(4, 3);
    auto in = torch::ones({3, 4}).requires_grad_(true);
    auto out = m(in);
    auto target = torch::ones({3, 3});
    auto loss = torch::nn::MSELoss()(out, target);
    auto go = torch::ones_like(loss);
    auto g = torch::autograd::grad({loss}, {in}, {go}, true, true)[0];
    auto pen = torch::pow((g.norm(2, 1) - 1), 2).mean();
    auto c = loss + pen;
    c.backward();
    cout << in.grad().sizes() << m->weight.grad().sizes();
  });
}
}  // namespace

int main() { api(); }
