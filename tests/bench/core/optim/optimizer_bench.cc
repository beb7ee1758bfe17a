// One step of each optimizer on one thread: the parameters of an MLP 4-64-64-2, where calls cost,
// and one large matrix, where memory does.
#include <benchmark/benchmark.h>

#include "core/ops/ops.h"
#include "core/optim/optim.h"

namespace oneagent {
namespace {

using namespace optim;  // NOLINT

std::vector<Tensor> parameters(const std::vector<Shape>& shapes) {
  std::vector<Tensor> out;
  for (const Shape& shape : shapes) {
    const Tensor parameter = randn(shape).requires_grad_();
    parameter.set_grad(randn(shape));
    out.push_back(parameter);
  }
  return out;
}

template <class O, class Options>
void run(benchmark::State& state, const Options& options, const std::vector<Shape>& shapes) {
  O optimizer(parameters(shapes), options);
  for (auto _ : state) optimizer.step();
}

template <class O, class Options>
void measure(const std::string& name, const Options& options) {
  benchmark::RegisterBenchmark((name + "/mlp").c_str(), [=](benchmark::State& state) {
    run<O>(state, options, {{64, 4}, {64}, {64, 64}, {64}, {2, 64}, {2}});
  })->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark((name + "/large").c_str(), [=](benchmark::State& state) {
    run<O>(state, options, {{4096, 2048}});
  })->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace oneagent

int main(int argc, char** argv) {
  using namespace oneagent::optim;  // NOLINT
  oneagent::measure<Adam>("adam", AdamOptions());
  oneagent::measure<Adam>("adam_amsgrad", AdamOptions().amsgrad(true));
  oneagent::measure<AdamW>("adamw", AdamWOptions());
  oneagent::measure<SGD>("sgd", SGDOptions(1e-3));
  oneagent::measure<SGD>("sgd_momentum", SGDOptions(1e-3).momentum(0.9));
  oneagent::measure<Adagrad>("adagrad", AdagradOptions());
  oneagent::measure<RMSprop>("rmsprop", RMSpropOptions());
  oneagent::measure<Adadelta>("adadelta", AdadeltaOptions());
  oneagent::measure<LAMB>("lamb", LAMBOptions());
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
