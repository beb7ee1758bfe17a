// Tables of embeddings split by rows: no rank ever holds the whole table, its gradient or the
// optimizer's state; with sparse gradients a step touches the rows that were read.
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::broadcast;
using distributed::distribute;
using distributed::split;
using distributed::World;

constexpr int64_t kTableRows = 1003, kWidth = 4, kBatch = 12;
constexpr int kSteps = 12;

struct Net {
  explicit Net(bool sparse, int64_t padding = 5, bool by_freq = false) {
    manual_seed(21);
    table = nn::Embedding(nn::EmbeddingOptions(kTableRows, kWidth)
                              .sparse(sparse)
                              .padding_idx(padding)
                              .scale_grad_by_freq(by_freq));
    head = nn::Linear(2 * kWidth, 1);
    table->to(kFloat64);
    head->to(kFloat64);
  }
  Tensor loss(const Tensor& ids, const Tensor& y) {
    return mse_loss(head->forward(flatten(table->forward(ids), 1)).squeeze(1), y);
  }
  nn::Embedding table{nullptr};
  nn::Linear head{nullptr};
};

std::vector<Tensor> batch_of(int step) {
  Generator generator(static_cast<uint64_t>(70 + step));
  Tensor ids = randint(kTableRows, {kBatch, 2}, generator, kInt64);
  ids[0].fill_(5);  // the padding, and a row that is read twice
  ids[1].fill_(7);
  return {ids, randn({kBatch}, generator, kFloat64)};
}

using Make = std::function<std::unique_ptr<optim::Optimizer>(std::vector<Tensor>)>;

struct Case {
  const char* name;
  bool sparse;
  Make make;
};

std::vector<Case> cases() {
  using namespace optim;  // NOLINT
  const auto sgd = [](std::vector<Tensor> p) { return std::make_unique<SGD>(p, SGDOptions(0.1)); };
  const auto momentum = [](std::vector<Tensor> p) {
    return std::make_unique<SGD>(p, SGDOptions(0.1).momentum(0.9));
  };
  const auto adagrad = [](std::vector<Tensor> p) {
    return std::make_unique<Adagrad>(p, AdagradOptions(0.1));
  };
  const auto adam = [](std::vector<Tensor> p) {
    return std::make_unique<Adam>(p, AdamOptions(0.01));
  };
  const auto lazy = [](std::vector<Tensor> p) {
    return std::make_unique<SparseAdam>(p, SparseAdamOptions(0.01));
  };
  return {{"sgd", false, sgd},
          {"adam", false, adam},
          {"sparse sgd", true, sgd},
          {"sparse momentum", true, momentum},
          {"sparse adagrad", true, adagrad},
          {"sparse adam", true, lazy}};
}

std::vector<Tensor> trained_on_one(const Case& c) {
  Net net(c.sparse);
  const auto of_table = c.make({net.table->weight});
  optim::Adam of_head(net.head->parameters(), optim::AdamOptions(0.01));
  for (int i = 0; i < kSteps; ++i) {
    of_table->zero_grad(i % 2 == 0);
    of_head.zero_grad();
    const auto batch = batch_of(i);
    net.loss(batch[0], batch[1]).backward();
    if (i == 3) net.loss(batch[0], batch[1]).backward();  // gradients add up
    of_table->step();
    of_head.step();
  }
  return {net.table->weight.detach(), net.head->weight.detach(), net.head->bias.detach()};
}

TEST(SplitTable, EagerEqualsOneDeviceAndMovesRowsOnly) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const std::vector<Tensor> expected = trained_on_one(c);
    for (const comm::RankRunner& runner : comm::rank_runners())
      runner.run(3,
                 [&](comm::Communicator& all) {
                   World world(all);
                   const Mesh mesh({3}, {"data"});
                   Net net(c.sparse);
                   distributed::place(net.table->weight, mesh, {split(0)});
                   for (const Tensor& parameter : net.head->parameters())
                     distributed::place(parameter, mesh, {broadcast()});
                   const auto of_table = c.make({net.table->weight});
                   optim::Adam of_head(net.head->parameters(), optim::AdamOptions(0.01));
                   for (int i = 0; i < kSteps; ++i) {
                     of_table->zero_grad(i % 2 == 0);
                     of_head.zero_grad();
                     std::vector<Tensor> batch;
                     for (const Tensor& x : batch_of(i))
                       batch.push_back(distribute(x, mesh, {split(0)}));
                     net.loss(batch[0], batch[1]).backward();
                     if (i == 3) net.loss(batch[0], batch[1]).backward();
                     of_table->step();
                     of_head.step();
                   }
                   const Tensor& gradient = local_part(net.table->weight.grad());
                   EXPECT_EQ(gradient.is_sparse(), c.sparse);
                   EXPECT_EQ(gradient.sizes(), local_part(net.table->weight).sizes());
                   EXPECT_LE(local_part(net.table->weight).size(0), kTableRows / 3 + 1);
                   if (c.sparse) {
                     EXPECT_LE(gradient._nnz(), 4 * kBatch);
                   }
                   const comm::Traffic traffic = world.traffic();
                   const int64_t sent = traffic.all_gather.bytes + traffic.reduce_scatter.bytes +
                                        traffic.all_reduce.bytes + traffic.all_to_all.bytes;
                   EXPECT_LT(sent / kSteps, 12 * kBatch * 2 * kWidth * 8)
                       << c.name;  // the table: 10,000
                   const std::vector<Tensor> actual = {net.table->weight, net.head->weight,
                                                       net.head->bias};
                   for (size_t i = 0; i < actual.size(); ++i)
                     EXPECT_TRUE(allclose(distributed::to_whole(actual[i].detach()), expected[i],
                                          1e-9, 1e-12));
                 },
                 {});
  }
}

// A graph plans so by itself when the table is split.
TEST(SplitTable, GraphEqualsOneDevice) {
  for (const bool by_freq : {false, true}) {
    Net one(false, 5, by_freq);
    std::vector<Tensor> parameters = one.head->parameters();
    parameters.push_back(one.table->weight);
    optim::Adam adam(parameters, optim::AdamOptions(0.01));
    for (int i = 0; i < kSteps; ++i) {
      adam.zero_grad();
      const auto batch = batch_of(i);
      one.loss(batch[0], batch[1]).backward();
      adam.step();
    }
    comm::run_ranks(3, [&](comm::Communicator& all) {
      World world(all);
      Net net(false, 5, by_freq);
      const Mesh mesh({3}, {"data"});
      distributed::place(net.table->weight, mesh, {split(0)});
      std::vector<Tensor> own = net.head->parameters();
      own.push_back(net.table->weight);
      optim::Adam split_adam(own, optim::AdamOptions(0.01));
      auto options = std::make_shared<distributed::ParallelOptions>();
      options->mesh = mesh;
      nn::Graph step(
          [&](const std::vector<Tensor>& in) {
            const Tensor loss = net.loss(in[0], in[1]);
            loss.backward();
            return std::vector<Tensor>{loss};
          },
          {.parallel = options});
      step.add_optimizer(split_adam);
      for (int i = 0; i < kSteps; ++i) step(batch_of(i));
      EXPECT_LT(step.plan().arena_bytes, kTableRows * kWidth * 8 / 2) << step.sharding();
      EXPECT_LE(local_part(net.table->weight.grad()).size(0), kTableRows / 3 + 1);
      for (size_t i = 0; i < own.size(); ++i)
        EXPECT_TRUE(
            allclose(distributed::to_whole(own[i].detach()), parameters[i].detach(), 1e-9, 1e-12));
    });
  }
}

TEST(SplitTable, IndicesOutsideAreRefusedAsEver) {
  EXPECT_THROW(
      comm::run_ranks(2,
                      [](comm::Communicator& all) {
                        World world(all);
                        const Tensor table = distribute(ones({6, 2}), Mesh({2}), {split(0)});
                        embedding(table, tensor({5, 6}));
                      }),
      Error);
}

}  // namespace
}  // namespace oneagent
