// Custom autograd functions: saved data, lists, wrong and missing gradients, double backward.
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
struct MyMul : public Function<MyMul> {
  static torch::Tensor forward(AutogradContext* ctx, torch::Tensor a, double m, torch::Tensor b) {
    ctx->saved_data["m"] = m;
    ctx->saved_data["flag"] = true;
    ctx->saved_data["n"] = 3;
    ctx->saved_data["s"] = "str";
    ctx->save_for_backward({a, b});
    return a + m * b + a * b;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    auto s = ctx->get_saved_variables();
    double m = ctx->saved_data["m"].toDouble();
    cout << ctx->saved_data["flag"].toBool() << ctx->saved_data["n"].toInt()
         << ctx->saved_data["s"].toStringRef() << ctx->needs_input_grad(0)
         << ctx->needs_input_grad(1);
    return {g[0] + g[0] * s[1], torch::Tensor(), g[0] * m + g[0] * s[0]};
  }
};
struct TwoOut : public Function<TwoOut> {
  static tensor_list forward(AutogradContext* ctx, const torch::Tensor& x) {
    ctx->set_materialize_grads(false);
    return {x * 2, x * 3};
  }
  static tensor_list backward(AutogradContext* ctx, tensor_list g) {
    cout << g[0].defined() << g[1].defined();
    return {g[0].defined() ? g[0] * 2 : torch::Tensor()};
  }
};
struct NonDiff : public Function<NonDiff> {
  static variable_list forward(AutogradContext* ctx, Variable v) {
    auto y = v > 0;
    auto z = v * 2;
    ctx->mark_non_differentiable({y});
    return {y, z};
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) { return {g[1] * 2}; }
};
struct Dirty : public Function<Dirty> {
  static variable_list forward(AutogradContext* ctx, Variable v) {
    v.add_(1);
    ctx->mark_dirty({v});
    return {v};
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) { return {g[0]}; }
};
struct Wrong : public Function<Wrong> {
  static Variable forward(AutogradContext* ctx, Variable a, Variable b) { return a * b; }
  static variable_list backward(AutogradContext* ctx, variable_list g) { return {g[0]}; }
};
struct Throws : public Function<Throws> {
  static Variable forward(AutogradContext* ctx, Variable a) { return a * 2; }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    throw std::runtime_error("inside");
    return {g[0]};
  }
};
struct ListIn : public Function<ListIn> {
  static variable_list forward(AutogradContext* ctx, at::TensorList in, int64_t k) {
    cout << in.size();
    ctx->saved_data["k"] = k;
    variable_list out;
    for (auto& t : in) out.push_back(t * k);
    return out;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    variable_list r;
    for (auto& t : g) r.push_back(t * ctx->saved_data["k"].toInt());
    r.push_back({});
    return r;
  }
};
struct OptArg : public Function<OptArg> {
  static Variable forward(AutogradContext* ctx, Variable a, c10::optional<torch::Tensor> b) {
    ctx->saved_data["has"] = b.has_value();
    return b ? a * *b : a * 1;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    return {g[0], Variable()};
  }
};
struct DoubleB : public Function<DoubleB> {
  static Variable forward(AutogradContext* ctx, Variable a) {
    ctx->save_for_backward({a});
    return a * a * a;
  }
  static variable_list backward(AutogradContext* ctx, variable_list g) {
    auto a = ctx->get_saved_variables()[0];
    return {g[0] * 3 * a * a};
  }
};
auto ones = [](at::IntArrayRef s) { return torch::ones(s, torch::requires_grad()); };
void custom() {
  check([&] {
    auto x = torch::randn({5, 5}, torch::requires_grad());
    auto y = torch::randn({5, 5}, torch::requires_grad());
    auto res = MyMul::apply(x, 2, y);
    auto go = torch::ones({}, torch::requires_grad());
    res.sum().backward(go, false, true);
    cout << torch::equal(x.grad(), y + torch::ones({5, 5}))
         << torch::equal(y.grad(), x + torch::ones({5, 5}) * 2);
    cout << x.grad().requires_grad();
    Variable g = grad({x.grad().sum()}, {y}, {}, true, false, true)[0];
    cout << g.defined();
  });
  check([&] {
    auto x = torch::ones({2}, torch::requires_grad());
    auto o = TwoOut::apply(x);
    o[0].sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = torch::ones({2}, torch::requires_grad());
    auto o = NonDiff::apply(x);
    cout << o[0].requires_grad() << o[1].requires_grad();
    o[1].sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = torch::ones({2}, torch::requires_grad());
    auto z = x * 1;
    auto o = Dirty::apply(z);
    cout << o[0].requires_grad() << o[0];
    o[0].sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = torch::ones({2}, torch::requires_grad());
    auto o = Dirty::apply(x);
    cout << o[0];
  });
  check([&] {
    auto x = ones({2});
    auto o = Wrong::apply(x, x * 2);
    o.sum().backward();
    cout << "no error";
  });
  check([&] {
    auto x = ones({2});
    auto o = Throws::apply(x);
    o.sum().backward();
    cout << "no error";
  });
  check([&] {
    auto x = ones({2});
    variable_list in{x, x * 2};
    auto o = ListIn::apply(in, 4);
    (o[0] + o[1]).sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto o = OptArg::apply(x, c10::nullopt);
    o.sum().backward();
    cout << x.grad();
  });
  check([&] {
    auto x = ones({2});
    auto o = OptArg::apply(x, torch::ones({2}));
    cout << o;
  });
  check([&] {
    auto x = torch::tensor({2.0}, torch::requires_grad());
    auto y = DoubleB::apply(x);
    auto g = grad({y}, {x}, {}, true, true)[0];
    cout << g;
    auto h = grad({g}, {x}, {}, true, true)[0];
    cout << h;
    cout << grad({h}, {x})[0];
  });
  check([&] {
    auto x = ones({2});
    {
      torch::NoGradGuard g;
      auto y = DoubleB::apply(x);
      cout << y.requires_grad();
    }
  });
  check([&] {
    auto x = torch::ones({2});
    auto y = DoubleB::apply(x);
    cout << y.requires_grad() << (y.grad_fn() == nullptr);
  });
}
}  // namespace

int main() { custom(); }
