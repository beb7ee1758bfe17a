// Reference programs on a mesh against one device: a ResNet whose batch is shared out, a head of a
// million classes whose classes are, and a Wide & Deep model whose tables are. What a rank holds,
// computes and sends is asserted on threads and on gloo.
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"
#include "tests/core/torch/plan_flops.h"

namespace oneagent {
namespace {

using distributed::broadcast;
using distributed::distribute;
using distributed::ParallelOptions;
using distributed::split;
using distributed::World;

struct Sent {
  int64_t reduces, scatters, gathers, exchanges, bytes;
};
Sent sent_since(const comm::Traffic& before, const comm::Traffic& now) {
  return {now.all_reduce.calls - before.all_reduce.calls,
          now.reduce_scatter.calls - before.reduce_scatter.calls,
          now.all_gather.calls - before.all_gather.calls,
          now.all_to_all.calls - before.all_to_all.calls,
          now.all_reduce.bytes + now.reduce_scatter.bytes + now.all_gather.bytes +
              now.all_to_all.bytes - before.all_reduce.bytes - before.reduce_scatter.bytes -
              before.all_gather.bytes - before.all_to_all.bytes};
}

size_t held_bytes(const std::vector<Tensor>& parameters) {
  size_t held = 0;
  for (const Tensor& parameter : parameters)
    held += local_part(parameter).nbytes() + local_part(parameter.grad()).nbytes();
  return held;
}

// ResNet --------------------------------------------------------------------------------------

struct BlockImpl : nn::Module {
  BlockImpl(int64_t in, int64_t out, int64_t stride)
      : conv1(register_module("conv1", conv(in, out, 3, stride))),
        bn1(register_module("bn1", nn::BatchNorm2d(out))),
        conv2(register_module("conv2", conv(out, out, 3, 1))),
        bn2(register_module("bn2", nn::BatchNorm2d(out))),
        down(register_module("down", conv(in, out, 1, stride))) {}
  static nn::Conv2d conv(int64_t in, int64_t out, int64_t size, int64_t stride) {
    return nn::Conv2d(
        nn::Conv2dOptions(in, out, size).stride(stride).padding(size / 2).bias(false));
  }
  Tensor forward(const Tensor& x) { return relu(bn2(conv2(relu(bn1(conv1(x))))) + down(x)); }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  nn::Conv2d down;
};
TORCH_MODULE(Block);

struct Training {
  nn::Sequential net;
  std::unique_ptr<optim::SGD> sgd;
  std::unique_ptr<nn::Graph> step;
};

Training make_resnet(std::shared_ptr<const ParallelOptions> parallel) {
  manual_seed(41);
  Training out;
  out.net =
      nn::Sequential(nn::Conv2d(nn::Conv2dOptions(3, 16, 3).padding(1)), Block(16, 16, 1),
                     Block(16, 32, 2), nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(32, 10));
  out.net->to(kFloat64);
  out.sgd =
      std::make_unique<optim::SGD>(out.net->parameters(), optim::SGDOptions(0.05).momentum(0.9));
  out.step = std::make_unique<nn::Graph>(
      [net = out.net](const std::vector<Tensor>& in) mutable {
        const Tensor loss = nn::functional::cross_entropy(net->forward(in[0]), in[1]);
        loss.backward();
        return std::vector<Tensor>{loss};
      },
      nn::GraphOptions{.parallel = std::move(parallel)});
  out.step->add_optimizer(*out.sgd);
  return out;
}

std::vector<Tensor> images(int step) {
  Generator generator(static_cast<uint64_t>(400 + step));
  return {randn({16, 3, 12, 12}, generator, kFloat64), randint(10, {16}, generator, kInt64)};
}

TEST(MeshProgram, ResNetWithASharedBatch) {
  constexpr int kSteps = 20, kRanks = 4;
  Training one = make_resnet(nullptr);
  for (int i = 0; i < kSteps; ++i) (*one.step)(images(i));
  const double flops = flops_of_plan(one.step->plan());
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(
        kRanks,
        [&](comm::Communicator& all) {
          World world(all);
          auto parallel = std::make_shared<ParallelOptions>();
          parallel->mesh = Mesh({kRanks}, {"data"});
          parallel->pin_input = [](const Tensor&) { return distributed::Pin{split(0)}; };
          parallel->pin_leaf = [](const Tensor&) { return distributed::Pin{broadcast()}; };
          parallel->cost.flops_per_second = 1e9;
          Training own = make_resnet(parallel);
          for (int i = 0; i + 1 < kSteps; ++i) (*own.step)(images(i));
          const comm::Traffic before = world.traffic();
          (*own.step)(images(kSteps - 1));
          const Sent sent = sent_since(before, world.traffic());
          EXPECT_LE(flops_of_plan(own.step->plan()), 1.05 * flops / kRanks);
          EXPECT_EQ(sent.scatters + sent.gathers + sent.exchanges, 0) << own.step->sharding();
          // All gradients at once; of each of four batch norms the sum and the squares forward,
          // two sums and what is divided by (a count) backward; three numbers of the loss.
          EXPECT_LE(sent.reduces, 1 + 4 * 6 + 3) << own.step->sharding();
          int64_t numel = 0;
          for (const Tensor& parameter : own.net->parameters()) numel += parameter.numel();
          EXPECT_LE(static_cast<double>(sent.bytes),
                    1.25 * 2 * 8 * static_cast<double>(numel) * (kRanks - 1) / kRanks);
          EXPECT_EQ(held_bytes(own.net->parameters()), static_cast<size_t>(2 * 8 * numel));
          const auto actual = own.net->parameters(), expected = one.net->parameters();
          for (size_t i = 0; i < expected.size(); ++i)
            EXPECT_TRUE(allclose(whole_values(actual[i]), expected[i].detach(), 1e-9, 1e-12)) << i;
        },
        {});
}

// A million classes ---------------------------------------------------------------------------

Training make_head(int64_t width, int64_t classes, std::shared_ptr<const ParallelOptions> parallel,
                   DType dtype = kFloat32) {
  manual_seed(42);
  Training out;
  out.net = nn::Sequential(nn::Linear(width, classes));
  out.net->to(dtype);
  out.sgd = std::make_unique<optim::SGD>(out.net->parameters(), optim::SGDOptions(1.0));
  out.step = std::make_unique<nn::Graph>(
      [net = out.net](const std::vector<Tensor>& in) mutable {
        const Tensor loss = nn::functional::cross_entropy(net->forward(in[0]), in[1]);
        loss.backward();
        return std::vector<Tensor>{loss};
      },
      nn::GraphOptions{.parallel = std::move(parallel)});
  out.step->add_optimizer(*out.sgd);
  return out;
}

TEST(MeshProgram, AMillionClassesAreSplit) {
  constexpr int64_t kClasses = 1000000, kWidth = 8, kRows = 8;
  constexpr int kRanks = 4;
  const auto batch = [](int step) {
    Generator generator(static_cast<uint64_t>(500 + step));
    return std::vector<Tensor>{randn({kRows, kWidth}, generator),
                               randint(kClasses, {kRows}, generator, kInt64)};
  };
  Training one = make_head(kWidth, kClasses, nullptr);
  const double expected_loss = (*one.step)(batch(0))[0].item<double>();
  const double flops = flops_of_plan(one.step->plan());
  const Tensor expected = one.net->parameters()[0].detach();
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(
        kRanks,
        [&](comm::Communicator& all) {
          World world(all);
          auto parallel = std::make_shared<ParallelOptions>();
          parallel->mesh = Mesh({kRanks}, {"tensor"});
          Training own = make_head(kWidth, kClasses, parallel);
          const double loss = (*own.step)(batch(0))[0].item<double>();
          EXPECT_NEAR(loss, expected_loss, 1e-5 + 1.3e-6 * expected_loss);
          const Tensor weight = own.net->parameters()[0];
          const AxisRange rows = part_of(kClasses, kRanks, all.rank());
          ASSERT_EQ(local_part(weight).sizes(), Shape({rows.length, kWidth}))
              << own.step->sharding();
          EXPECT_TRUE(allclose(local_part(weight).detach(),
                               expected.narrow(0, rows.begin, rows.length), 1.3e-6, 1e-5));

          const comm::Traffic before = world.traffic();
          (*own.step)(batch(1));
          const Sent sent = sent_since(before, world.traffic());
          const size_t logits = kRows * kClasses * 4;
          EXPECT_LT(own.step->plan().arena_bytes, logits);  // a rank has no place for all of them
          for (const ProgramBuffer& buffer : own.step->plan().program.buffers)
            EXPECT_LE(buffer.bytes, 1.05 * static_cast<double>(logits) / kRanks);
          EXPECT_LE(flops_of_plan(own.step->plan()), 1.05 * flops / kRanks);
          const size_t whole = 2 * (kWidth + 1) * kClasses * 4;  // parameters and gradients
          EXPECT_LE(static_cast<double>(held_bytes(own.net->parameters())),
                    1.05 * static_cast<double>(whole) / kRanks);
          // Of each row a maximum, a sum and its own logit; no gradient leaves a rank.
          EXPECT_EQ(sent.scatters + sent.gathers + sent.exchanges, 0) << own.step->sharding();
          EXPECT_LE(sent.reduces, 4) << own.step->sharding();
          EXPECT_LE(sent.bytes, sent.reduces * 2 * kRows * 8);
        },
        {});
}

TEST(MeshProgram, AMillionClassesEqualOneDevice) {
  constexpr int64_t kClasses = 1000000, kWidth = 2, kRows = 2;
  constexpr int kRanks = 4, kSteps = 20;
  const auto batch = [](int step) {
    Generator generator(static_cast<uint64_t>(550 + step));
    return std::vector<Tensor>{randn({kRows, kWidth}, generator, kFloat64),
                               randint(kClasses, {kRows}, generator, kInt64)};
  };
  Training one = make_head(kWidth, kClasses, nullptr, kFloat64);
  for (int i = 0; i < kSteps; ++i) (*one.step)(batch(i));
  for (const comm::RankRunner& runner : comm::rank_runners())
    runner.run(kRanks,
               [&](comm::Communicator& all) {
                 World world(all);
                 auto parallel = std::make_shared<ParallelOptions>();
                 parallel->mesh = Mesh({kRanks}, {"tensor"});
                 Training own = make_head(kWidth, kClasses, parallel, kFloat64);
                 for (int i = 0; i < kSteps; ++i) (*own.step)(batch(i));
                 const AxisRange rows = part_of(kClasses, kRanks, all.rank());
                 const auto actual = own.net->parameters(), expected = one.net->parameters();
                 for (size_t i = 0; i < expected.size(); ++i)
                   EXPECT_TRUE(allclose(local_part(actual[i]).detach(),
                                        expected[i].detach().narrow(0, rows.begin, rows.length),
                                        1e-9, 1e-12))
                       << i;
               },
               {});
}

// Wide & Deep ---------------------------------------------------------------------------------

constexpr int64_t kFields = 4, kDepth = 8, kExamples = 12;

// Clicks from categories: a weight for each (wide), and a network over vectors (deep).
struct WideDeep {
  explicit WideDeep(int64_t rows) {
    manual_seed(43);
    wide = nn::Embedding(nn::EmbeddingOptions(rows, 1).sparse(true));
    deep = nn::Embedding(nn::EmbeddingOptions(rows, kDepth).sparse(true));
    tower = nn::Sequential(nn::Linear(kFields * kDepth, 16), nn::ReLU(), nn::Linear(16, 1));
    for (nn::Module* module :
         std::initializer_list<nn::Module*>{wide.get(), deep.get(), tower.get()})
      module->to(kFloat64);
  }
  Tensor loss(const Tensor& ids, const Tensor& clicks) {
    const Tensor logits =
        wide->forward(ids).sum(1) + tower->forward(flatten(deep->forward(ids), 1));
    return binary_cross_entropy_with_logits(logits.squeeze(1), clicks);
  }
  std::vector<Tensor> tables() const { return {wide->weight, deep->weight}; }
  nn::Embedding wide{nullptr}, deep{nullptr};
  nn::Sequential tower;
};

std::vector<Tensor> clicks_of(int step, int64_t rows) {
  Generator generator(static_cast<uint64_t>(600 + step));
  return {randint(rows, {kExamples, kFields}, generator, kInt64),
          randint(2, {kExamples}, generator, kInt64).to(kFloat64)};
}

TEST(MeshProgram, WideAndDeepWithSplitTables) {
  constexpr int kSteps = 20, kRanks = 3;
  std::vector<std::vector<int64_t>> bytes(comm::rank_runners().size()), counts;
  for (const int64_t rows : {int64_t{3000}, int64_t{300000}}) {
    WideDeep one(rows);
    optim::Adagrad one_tables(one.tables(), optim::AdagradOptions(0.1));
    optim::Adam one_tower(one.tower->parameters(), optim::AdamOptions(0.01));
    const FlopCount flops;
    for (int i = 0; i < kSteps; ++i) {
      one_tables.zero_grad(true);
      one_tower.zero_grad();
      const auto batch = clicks_of(i, rows);
      one.loss(batch[0], batch[1]).backward();
      one_tables.step();
      one_tower.step();
    }
    for (size_t r = 0; r < bytes.size(); ++r)
      comm::rank_runners()[r].run(
          kRanks,
          [&](comm::Communicator& all) {
            const FlopCount own_flops;
            distributed::CostModel cost;
            cost.flops_per_second = cost.bytes_per_second = 1e6;  // it pays to share out
            World world(all, cost);
            const Mesh mesh({kRanks}, {"data"});
            WideDeep own(rows);
            for (const Tensor& table : own.tables()) distributed::place(table, mesh, {split(0)});
            for (const Tensor& parameter : own.tower->parameters())
              distributed::place(parameter, mesh, {broadcast()});
            optim::Adagrad of_tables(own.tables(), optim::AdagradOptions(0.1));
            optim::Adam of_tower(own.tower->parameters(), optim::AdamOptions(0.01));
            comm::Traffic before;
            for (int i = 0; i < kSteps; ++i) {
              if (i == 1) before = world.traffic();
              of_tables.zero_grad(true);
              of_tower.zero_grad();
              std::vector<Tensor> batch;
              for (const Tensor& x : clicks_of(i, rows))
                batch.push_back(distribute(x, mesh, {split(0)}));
              own.loss(batch[0], batch[1]).backward();
              of_tables.step();
              of_tower.step();
            }
            const Sent sent = sent_since(before, world.traffic());
            if (all.rank() == 0) bytes[r].push_back(sent.bytes);
            EXPECT_GT(flops.sum(), 0);
            EXPECT_LE(own_flops.sum(), 1.05 * flops.sum() / kRanks);
            const int64_t calls = sent.reduces + sent.scatters + sent.gathers + sent.exchanges;
            EXPECT_LE(calls, 24 * (kSteps - 1));
            if (all.rank() == 0)
              counts.push_back({sent.reduces, sent.scatters, sent.gathers, sent.exchanges});
            for (const Tensor& table : own.tables()) {
              EXPECT_EQ(local_part(table).size(0), rows / kRanks);
              const auto& state = static_cast<optim::AdagradParamState&>(
                  *of_tables.state().at(optim::param_key(table)));
              EXPECT_EQ(state.sum().numel() * kRanks, table.numel());
              const Tensor& gradient = local_part(table.grad());
              ASSERT_TRUE(gradient.is_sparse());
              EXPECT_LE(gradient._nnz(), kExamples * kFields);  // all that were read
            }
            std::vector<Tensor> actual = own.tables(), expected = one.tables();
            for (const Tensor& x : own.tower->parameters()) actual.push_back(x);
            for (const Tensor& x : one.tower->parameters()) expected.push_back(x);
            for (size_t i = 0; i < expected.size(); ++i)
              EXPECT_TRUE(allclose(distributed::to_whole(actual[i].detach()), expected[i].detach(),
                                   1e-9, 1e-12))
                  << i;
          },
          {});
  }
  // A hundred times the rows: not one byte more is sent in a step.
  for (const std::vector<int64_t>& of_sizes : bytes) EXPECT_EQ(of_sizes[0], of_sizes[1]);
  // Nor a collective, on either communicator.
  for (const std::vector<int64_t>& each : counts) EXPECT_EQ(each, counts[0]);
}

}  // namespace
}  // namespace oneagent
