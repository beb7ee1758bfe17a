// usage: ops_table [--only TEXT] [--family NAME]...: rows "op size pass ns" on the standard output.
#include "tests/bench/peers/ops_table.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <exception>

#ifndef ONEAGENT
#include <ATen/Parallel.h>
#endif

namespace ops_table {

bool large = false;

namespace {

std::string only;

double now_ns() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

double batch(const Call& call, int64_t times) {
  const double start = now_ns();
  for (int64_t i = 0; i < times; ++i) call();
  return now_ns() - start;
}

// Batches of 2 ms or one call, until they took 20 ms and were 5.
double least_ns(const Call& call) {
  constexpr double kBatchNs = 2e6;
  constexpr double kAllNs = 2e7;
  call();
  int64_t times = 1;
  double spent = batch(call, times);
  while (spent < kBatchNs && times < (1 << 20)) {
    times = spent < kBatchNs / 8 ? times * 8 : times * 2;
    spent = batch(call, times);
  }
  double least = spent;
  double all = spent;
  for (int done = 1; all < kAllNs || done < 5; ++done) {
    spent = batch(call, times);
    least = std::min(least, spent);
    all += spent;
  }
  return least / static_cast<double>(times);
}

void row(const std::string& op, const char* pass, const Call& call) {
  const std::string name = op + (large ? " large " : " small ") + pass;
  if (name.find(only) == std::string::npos) return;
  try {
    std::printf("%s %.1f\n", name.c_str(), least_ns(call));
  } catch (const std::exception& error) {
    std::printf("# %s: %.160s\n", name.c_str(), error.what());
  }
  std::fflush(stdout);
}

struct Family {
  const char* name;
  void (*run)();
};

constexpr Family kFamilies[] = {
    {"elementwise", elementwise},
    {"special", special},
    {"in_place", in_place},
    {"reductions", reductions},
    {"order", order},
    {"shapes", shapes},
    {"indexing", indexing},
    {"linear_algebra", linear_algebra},
    {"convolutions", convolutions},
    {"pooling", pooling},
    {"norms", norms},
    {"activations", activations},
    {"losses", losses},
    {"sequences", sequences},
    {"randomness", randomness},
    {"spatial", spatial},
};

}  // namespace

void forward(const std::string& op, const Call& call) {
  torch::NoGradGuard guard;
  row(op, "forward", call);
}

void both(const std::string& op, const std::vector<Tensor>& inputs,
          const std::function<Tensor()>& call) {
  forward(op, [&] { call(); });
  Tensor gradient;
  for (const Tensor& input : inputs) input.set_requires_grad(true);
  row(op, "backward", [&] {
    const Tensor result = call();
    if (!gradient.defined()) gradient = torch::ones_like(result).detach();
    result.backward(gradient);
    for (const Tensor& input : inputs) input.mutable_grad() = Tensor();
  });
  for (const Tensor& input : inputs) input.set_requires_grad(false);
}

}  // namespace ops_table

int main(int count, char** arguments) {
  std::vector<std::string> chosen;
  for (int i = 1; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--only") == 0) ops_table::only = arguments[i + 1];
    if (std::strcmp(arguments[i], "--family") == 0) chosen.push_back(arguments[i + 1]);
  }
#ifndef ONEAGENT
  at::set_num_threads(1);
#endif
  torch::manual_seed(1);
  for (const ops_table::Family& family : ops_table::kFamilies) {
    const bool wanted = std::find(chosen.begin(), chosen.end(), family.name) != chosen.end();
    if (!wanted && !chosen.empty()) continue;
    for (const bool large : {false, true}) {
      ops_table::large = large;
      family.run();
    }
  }
  return 0;
}
