// A step of Wide & Deep (forward, backward, Adagrad on the tables, Adam on the tower) on two rank
// threads that hold half of each table, by the rows of the tables: gradients and steps are of the
// rows that were read, so that the time should not depend on it.
#include <benchmark/benchmark.h>

#include "core/base/clock.h"
#include "core/comm/thread_communicator.h"
#include "core/dist/global.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"

namespace oneagent {
namespace {

constexpr int64_t kFields = 16, kDepth = 16, kExamples = 512;
constexpr int kWarm = 5, kSteps = 40;

double seconds_of_step(comm::Communicator& all, int64_t rows) {
  distributed::World world(all);
  set_num_threads(1);
  manual_seed(1);
  const Mesh mesh({all.size()}, {"data"});
  nn::Embedding wide(nn::EmbeddingOptions(1, 1).sparse(true));
  nn::Embedding deep(nn::EmbeddingOptions(1, kDepth).sparse(true));
  wide->weight.set_data(distributed::distribute(zeros({rows, 1}), mesh, {Placement::split(0)}));
  deep->weight.set_data(
      distributed::distribute(zeros({rows, kDepth}), mesh, {Placement::split(0)}));
  nn::Sequential tower(nn::Linear(kFields * kDepth, 64), nn::ReLU(), nn::Linear(64, 1));
  for (const Tensor& parameter : tower->parameters())
    distributed::place(parameter, mesh, {Placement::broadcast()});
  optim::Adagrad of_tables({wide->weight, deep->weight}, optim::AdagradOptions(0.1));
  optim::Adam of_tower(tower->parameters(), optim::AdamOptions(1e-3));
  std::vector<double> taken;
  for (int i = 0; i < kWarm + kSteps; ++i) {
    // Of a hundred thousand rows spread over the table, so that caches hold as many each time.
    const Tensor ids = randint(100000, {kExamples, kFields}, kInt64) * (rows / 100000);
    const Tensor y = rand({kExamples});
    all.barrier();
    const int64_t started = steady_ns();
    const Tensor own_ids = distributed::distribute(ids, mesh, {Placement::split(0)});
    const Tensor own_y = distributed::distribute(y, mesh, {Placement::split(0)});
    of_tables.zero_grad(true);
    of_tower.zero_grad();
    const Tensor logits =
        wide->forward(own_ids).sum(1) + tower->forward(flatten(deep->forward(own_ids), 1));
    binary_cross_entropy_with_logits(logits.squeeze(1), own_y).backward();
    of_tables.step();
    of_tower.step();
    all.barrier();
    if (i >= kWarm) taken.push_back(seconds_since(started));
  }
  std::sort(taken.begin(), taken.end());
  return taken[taken.size() / 2];
}

void wide_and_deep(benchmark::State& state) {
  for (auto _ : state) {
    double seconds = 0;
    comm::run_ranks(2, [&](comm::Communicator& all) {
      const double own = seconds_of_step(all, state.range(0));
      if (all.rank() == 0) seconds = own;
    });
    state.SetIterationTime(seconds);
  }
}
BENCHMARK(wide_and_deep)
    ->Arg(100000)
    ->Arg(1000000)
    ->Arg(10000000)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(3)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oneagent

BENCHMARK_MAIN();
