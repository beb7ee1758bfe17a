// One libtorch program, built twice: against libtorch 1.13 and, with -DONEAGENT, against this
// engine. libtorch_micro.sh builds both, lets them take turns and prints the table.
//
//   libtorch_micro losses STEPS          losses of every training case, to be compared
//   libtorch_micro time SECONDS CASE...  name, least CPU us, least wall us, median wall us of a
//   call libtorch_micro memory STEPS CASE     resident MB after 50 steps and after STEPS, and the
//   peak
//
// Weights and data come from a generator of this file, so that both sides compute the same.
#ifdef ONEAGENT
#include "core/torch/torch.h"
#else
#include <torch/torch.h>
#endif

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace {

using torch::Tensor;
namespace nn = torch::nn;
namespace F = torch::nn::functional;

double seconds(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Uniform in [-1, 1).
class Numbers {
 public:
  Tensor tensor(std::vector<int64_t> sizes, double scale = 1) {
    Tensor out = torch::empty(sizes);
    float* data = out.data_ptr<float>();
    for (int64_t i = 0; i < out.numel(); ++i) data[i] = static_cast<float>(scale * next());
    return out;
  }
  Tensor classes(int64_t count, int64_t limit) {
    Tensor out = torch::empty({count}, torch::kLong);
    int64_t* data = out.data_ptr<int64_t>();
    for (int64_t i = 0; i < count; ++i)
      data[i] = static_cast<int64_t>((next() + 1) / 2 * static_cast<double>(limit));
    return out;
  }
  void set(nn::Module& module) {
    torch::NoGradGuard guard;
    for (auto& item : module.named_parameters()) {
      Tensor& parameter = item.value();
      const double fan_in = static_cast<double>(parameter.numel() / parameter.size(0));
      if (parameter.dim() > 1)
        parameter.copy_(tensor(parameter.sizes().vec(), 1 / std::sqrt(fan_in)));
      else if (item.key().find("bias") != std::string::npos)
        parameter.zero_();
    }
  }

 private:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) / (1 << 23) - 1;
  }
  uint64_t state_ = 1;
};

// A call to measure, and the loss where it is a training step.
struct Case {
  std::string name;
  std::function<std::function<Tensor()>()> make;
  bool trains = false;
};

nn::Sequential mlp(int64_t in, int64_t width, int64_t out, bool tanh) {
  nn::Sequential net;
  for (int layer = 0; layer < 2; ++layer) {
    net->push_back(nn::Linear(layer == 0 ? in : width, width));
    if (tanh)
      net->push_back(nn::Tanh());
    else
      net->push_back(nn::ReLU());
  }
  net->push_back(nn::Linear(width, out));
  return net;
}

nn::Sequential nature_cnn() {
  return nn::Sequential(nn::Conv2d(nn::Conv2dOptions(4, 32, 8).stride(4)), nn::ReLU(),
                        nn::Conv2d(nn::Conv2dOptions(32, 64, 4).stride(2)), nn::ReLU(),
                        nn::Conv2d(nn::Conv2dOptions(64, 64, 3)), nn::ReLU(), nn::Flatten(),
                        nn::Linear(3136, 512), nn::ReLU(), nn::Linear(512, 6));
}

// Pre-norm, batch first, written with tensor ops.
struct BlockImpl : nn::Module {
  BlockImpl(int64_t width, int64_t heads, int64_t inner) : heads_(heads) {
    norm1 = register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({width})));
    norm2 = register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({width})));
    qkv = register_module("qkv", nn::Linear(width, 3 * width));
    join = register_module("join", nn::Linear(width, width));
    up = register_module("up", nn::Linear(width, inner));
    down = register_module("down", nn::Linear(inner, width));
  }
  Tensor attend(const Tensor& x) {
    const int64_t batch = x.size(0), steps = x.size(1), width = x.size(2);
    const auto parts = qkv(x).view({batch, steps, 3, heads_, width / heads_}).unbind(2);
    const Tensor q = parts[0].transpose(1, 2), k = parts[1].transpose(1, 2),
                 v = parts[2].transpose(1, 2);
    const double scale = 1 / std::sqrt(static_cast<double>(width / heads_));
    const Tensor weights = torch::softmax(torch::matmul(q * scale, k.transpose(-2, -1)), -1);
    return join(torch::matmul(weights, v).transpose(1, 2).reshape({batch, steps, width}));
  }
  Tensor forward(Tensor x) {
    x = x + attend(norm1(x));
    return x + down(torch::gelu(up(norm2(x))));
  }
  int64_t heads_;
  nn::LayerNorm norm1 = nullptr, norm2 = nullptr;
  nn::Linear qkv = nullptr, join = nullptr, up = nullptr, down = nullptr;
};
TORCH_MODULE(Block);

// Forward, loss, backward and Adam.
template <class Net, class Loss>
std::function<Tensor()> training(Net net, Loss loss) {
  Numbers().set(*net);
  auto adam =
      std::make_shared<torch::optim::Adam>(net->parameters(), torch::optim::AdamOptions(3e-4));
  return [net, loss, adam]() mutable {
    for (auto& parameter : net->parameters()) parameter.mutable_grad() = Tensor();
    Tensor value = loss(net);
    value.backward();
    adam->step();
    return value;
  };
}

Case mlp_case(std::string name, int64_t width, int64_t batch, bool tanh) {
  return {std::move(name),
          [=] {
            Numbers numbers;
            const Tensor x = numbers.tensor({batch, 4}), classes = numbers.classes(batch, 2),
                         y = numbers.tensor({batch, 2});
            return training(mlp(4, width, 2, tanh), [=](nn::Sequential& net) {
              return tanh ? F::cross_entropy(net->forward(x), classes)
                          : F::mse_loss(net->forward(x), y);
            });
          },
          true};
}

// `count` calls of f, without gradients or with.
template <class F>
Case op_case(std::string name, F prepare) {
  return {std::move(name), prepare, false};
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  cases.push_back(op_case("add-1", [] {
    const Tensor a = torch::ones({1}), b = torch::ones({1});
    return [=] { return at::add(a, b); };
  }));
  cases.push_back(op_case("add-1-out", [] {
    Tensor a = torch::ones({1}), b = torch::ones({1}), out = torch::empty({1});
    return [=]() mutable { return at::add_out(out, a, b); };
  }));
  cases.push_back(op_case("add-64-grad", [] {
    const Tensor a = torch::ones({64}, torch::requires_grad()), b = torch::ones({64});
    return [=] { return at::add(a, b); };
  }));
  cases.push_back(op_case("linear-64-batch-1", [] {
    nn::Linear linear(64, 64);
    const Tensor x = Numbers().tensor({1, 64});
    return [=]() mutable {
      torch::NoGradGuard guard;
      return linear(x);
    };
  }));
  cases.push_back(op_case("actor-4-64-64-2-batch-1", [] {
    nn::Sequential net = mlp(4, 64, 2, true);
    const Tensor x = Numbers().tensor({1, 4});
    return [=]() mutable {
      torch::NoGradGuard guard;
      return at::multinomial(torch::softmax(net->forward(x), 1), 1);
    };
  }));
  cases.push_back(mlp_case("mlp-64-batch-64", 64, 64, true));
  cases.push_back(mlp_case("mlp-64-batch-256", 64, 256, true));
  cases.push_back(mlp_case("mlp-64-batch-2048", 64, 2048, true));
  cases.push_back(mlp_case("mlp-256-batch-256", 256, 256, false));
  cases.push_back({"nature-cnn-batch-32",
                   [] {
                     Numbers numbers;
                     const Tensor x = numbers.tensor({32, 4, 84, 84}), y = numbers.tensor({32, 6});
                     return training(nature_cnn(), [=](nn::Sequential& net) {
                       return F::mse_loss(net->forward(x), y);
                     });
                   },
                   true});
  cases.push_back(
      {"transformer-layer",
       [] {
         const Tensor x = Numbers().tensor({128, 8, 256});
         const auto options =
             nn::TransformerEncoderLayerOptions(256, 8).dim_feedforward(1024).dropout(0.0);
         return training(
             nn::TransformerEncoderLayer(options),
             [=](nn::TransformerEncoderLayer& net) { return F::mse_loss(net->forward(x), x); });
       },
       true});
  cases.push_back({"transformer-block",
                   [] {
                     const Tensor x = Numbers().tensor({8, 128, 256});
                     return training(Block(256, 8, 1024), [=](Block& net) {
                       return F::mse_loss(net->forward(x), x.neg());
                     });
                   },
                   true});
  return cases;
}

void print_losses(const Case& item, int steps) {
  const std::function<Tensor()> step = item.make();
  std::printf("%s", item.name.c_str());
  for (int i = 0; i < steps; ++i) std::printf(" %.6g", step().item<double>());
  std::printf("\n");
}

void print_time(const Case& item, double limit) {
  const std::function<Tensor()> call = item.make();
  for (int i = 0; i < 5; ++i) call();
  double start = seconds(CLOCK_MONOTONIC);
  call();
  const int calls = std::max(1, static_cast<int>(2e-3 / (seconds(CLOCK_MONOTONIC) - start + 1e-9)));
  std::vector<double> wall, cpu;
  const double end = seconds(CLOCK_MONOTONIC) + limit;
  while (seconds(CLOCK_MONOTONIC) < end || wall.size() < 5) {
    start = seconds(CLOCK_MONOTONIC);
    const double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; i < calls; ++i) call();
    cpu.push_back((seconds(CLOCK_PROCESS_CPUTIME_ID) - before) / calls);
    wall.push_back((seconds(CLOCK_MONOTONIC) - start) / calls);
  }
  std::sort(wall.begin(), wall.end());
  std::printf("%s %.3f %.3f %.3f\n", item.name.c_str(),
              1e6 * *std::min_element(cpu.begin(), cpu.end()), 1e6 * wall[0],
              1e6 * wall[wall.size() / 2]);
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double total = 0, resident = 0;
  file >> total >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

void print_memory(const Case& item, int steps) {
  const std::function<Tensor()> step = item.make();
  const double before = resident_mb();
  for (int i = 0; i < 50; ++i) step();
  const double early = resident_mb();
  for (int i = 50; i < steps; ++i) step();
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%s %.1f %.1f %.1f %.1f\n", item.name.c_str(), before, early, resident_mb(),
              static_cast<double>(usage.ru_maxrss) / 1024);
}

int usage() {
  std::fprintf(stderr,
               "usage: libtorch_micro losses STEPS | time SECONDS [CASE...] | "
               "memory STEPS CASE\n");
  return 2;
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return usage();
  const std::string mode = words[1];
  const std::vector<std::string> names(words + 3, words + count);
  torch::set_num_threads(1);
  for (const Case& item : all_cases()) {
    if (!names.empty() && std::find(names.begin(), names.end(), item.name) == names.end()) continue;
    if (mode == "losses" && item.trains)
      print_losses(item, std::atoi(words[2]));
    else if (mode == "time")
      print_time(item, std::atof(words[2]));
    else if (mode == "memory" && item.trains)
      print_memory(item, std::atoi(words[2]));
    else if (mode != "losses" && mode != "memory")
      return usage();
    std::fflush(stdout);
  }
  return 0;
}
