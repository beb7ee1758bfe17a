// Training programs on a mesh, eagerly with parameters placed by hand and as graphs whose shardings
// are chosen: the weights are those of one device.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/plan.h"
#include "core/torch/graph.h"
#include "core/torch/serialize.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
namespace {

using distributed::broadcast;
using distributed::distribute;
using distributed::split;
using distributed::World;

constexpr int kSteps = 20;

// A program: a module, made the same on every rank, and the loss of a batch.
struct Program {
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const std::vector<Tensor>&)> loss;
};
using Make = std::function<Program()>;

struct Batch {
  std::vector<Tensor> tensors;
};

Program make_mlp() {
  manual_seed(7);
  auto net = nn::Sequential(nn::Linear(6, 16), nn::Tanh(), nn::Linear(16, 4));
  net->to(kFloat64);
  return {net.ptr(), [net](const std::vector<Tensor>& in) mutable {
            return nn::functional::cross_entropy(net->forward(in[0]), in[1]);
          }};
}

// Residual blocks with batch norm, as a small ResNet has them.
struct BlockImpl : nn::Module {
  explicit BlockImpl(int64_t channels)
      : conv1(register_module("conv1", conv(channels))),
        bn1(register_module("bn1", nn::BatchNorm2d(channels))),
        conv2(register_module("conv2", conv(channels))),
        bn2(register_module("bn2", nn::BatchNorm2d(channels))) {}
  static nn::Conv2d conv(int64_t channels) {
    return nn::Conv2d(nn::Conv2dOptions(channels, channels, 3).padding(1).bias(false));
  }
  Tensor forward(const Tensor& x) { return relu(bn2(conv2(relu(bn1(conv1(x))))) + x); }
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
};
TORCH_MODULE(Block);

Program make_resnet() {
  manual_seed(8);
  auto net = nn::Sequential(nn::Conv2d(nn::Conv2dOptions(1, 4, 3).padding(1)), Block(4), Block(4),
                            nn::AdaptiveAvgPool2d(1), nn::Flatten(), nn::Linear(4, 4));
  net->to(kFloat64);
  return {net.ptr(), [net](const std::vector<Tensor>& in) mutable {
            return nn::functional::cross_entropy(net->forward(in[0]), in[1]);
          }};
}

// A pre-norm transformer block with causal attention over tokens.
struct GptImpl : nn::Module {
  static constexpr int64_t kWidth = 8, kHeads = 2, kVocabulary = 12;
  GptImpl()
      : embedding(register_module("embedding", nn::Embedding(kVocabulary, kWidth))),
        norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        q(register_module("q", nn::Linear(kWidth, kWidth))),
        k(register_module("k", nn::Linear(kWidth, kWidth))),
        v(register_module("v", nn::Linear(kWidth, kWidth))),
        out(register_module("out", nn::Linear(kWidth, kWidth))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({kWidth})))),
        up(register_module("up", nn::Linear(kWidth, 4 * kWidth))),
        down(register_module("down", nn::Linear(4 * kWidth, kWidth))),
        head(register_module("head", nn::Linear(kWidth, kVocabulary))) {}
  static Tensor heads(const Tensor& x) {
    return x.view({x.size(0), x.size(1), kHeads, kWidth / kHeads}).transpose(1, 2);
  }
  Tensor forward(const Tensor& tokens) {
    Tensor x = embedding(tokens);
    const Tensor h = norm1(x);
    const Tensor scores = matmul(heads(q(h)), heads(k(h)).transpose(2, 3)) / 2.0;
    const Tensor mask = triu(ones({tokens.size(1), tokens.size(1)}, kBool), 1);
    const Tensor weights = softmax(scores.masked_fill(mask, -1e9), -1);
    const Tensor mixed = matmul(weights, heads(v(h))).transpose(1, 2);
    x = x + out(mixed.reshape({tokens.size(0), tokens.size(1), kWidth}));
    x = x + down(gelu(up(norm2(x))));
    return head(x);
  }
  nn::Embedding embedding;
  nn::LayerNorm norm1;
  nn::Linear q, k, v, out;
  nn::LayerNorm norm2;
  nn::Linear up, down, head;
};
TORCH_MODULE(Gpt);

Program make_gpt() {
  manual_seed(9);
  Gpt net;
  net->to(kFloat64);
  return {net.ptr(), [net](const std::vector<Tensor>& in) mutable {
            const Tensor logits = net->forward(in[0]);
            return nn::functional::cross_entropy(logits.reshape({-1, logits.size(-1)}),
                                                 in[1].reshape({-1}));
          }};
}

std::vector<Tensor> class_batch(int step, const Shape& sizes, int64_t classes) {
  Generator generator(static_cast<uint64_t>(100 + step));
  return {randn(sizes, generator, kFloat64), randint(classes, {sizes[0]}, generator, kInt64)};
}
std::vector<Tensor> token_batch(int step) {
  Generator generator(static_cast<uint64_t>(200 + step));
  return {randint(GptImpl::kVocabulary, {4, 6}, generator, kInt64),
          randint(GptImpl::kVocabulary, {4, 6}, generator, kInt64)};
}

struct Case {
  const char* name;
  Make make;
  std::function<std::vector<Tensor>(int)> batch;
  Shape mesh;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

// Parameters and running statistics.
std::vector<Tensor> whole_parameters(const nn::Module& module) {
  std::vector<Tensor> out;
  for (const Tensor& buffer : module.buffers()) out.push_back(whole_values(buffer).to(kFloat64));
  for (const Tensor& parameter : module.parameters())
    out.push_back(is_global(parameter) ? distributed::to_whole(parameter.detach())
                                       : parameter.detach().clone());
  return out;
}

std::vector<Tensor> trained_on_one(const Case& c) {
  const Program program = c.make();
  optim::Adam adam(program.module->parameters(), optim::AdamOptions(1e-2));
  for (int step = 0; step < kSteps; ++step) {
    adam.zero_grad();
    program.loss(c.batch(step)).backward();
    adam.step();
  }
  return whole_parameters(*program.module);
}

void expect_equal(const std::vector<Tensor>& actual, const std::vector<Tensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i)
    EXPECT_TRUE(allclose(actual[i], expected[i], 1e-9, 1e-9))
        << "parameter " << i << " differs by " << (actual[i] - expected[i]).abs().max();
}

class MeshTraining : public ::testing::TestWithParam<Case> {};

TEST_P(MeshTraining, EagerDataParallelEqualsOneDevice) {
  const Case& c = GetParam();
  const auto expected = trained_on_one(c);
  const auto ranks = static_cast<int>(c.mesh.numel());
  comm::run_ranks(ranks, [&](comm::Communicator& all) {
    World world(all);
    const Mesh mesh({ranks}, {"data"});
    const Program program = c.make();
    for (const Tensor& parameter : program.module->parameters())
      distributed::place(parameter, mesh, {broadcast()});
    optim::Adam adam(program.module->parameters(), optim::AdamOptions(1e-2));
    for (int step = 0; step < kSteps; ++step) {
      std::vector<Tensor> batch;
      for (const Tensor& tensor : c.batch(step))
        batch.push_back(distribute(tensor, mesh, {split(0)}));
      adam.zero_grad();
      program.loss(batch).backward();
      adam.step();
    }
    expect_equal(whole_parameters(*program.module), expected);
  });
}

// Compute is made dear, so that it pays to split these small programs along every mesh dimension.
TEST_P(MeshTraining, AGraphWithChosenShardingsEqualsOneDevice) {
  const Case& c = GetParam();
  const auto expected = trained_on_one(c);
  const Mesh mesh(c.mesh);
  comm::run_ranks(static_cast<int>(mesh.ranks()), [&](comm::Communicator& all) {
    World world(all);
    const Program program = c.make();
    optim::Adam adam(program.module->parameters(), optim::AdamOptions(1e-2));
    distributed::ParallelOptions parallel{.mesh = mesh};
    parallel.cost.flops_per_second = parallel.cost.bytes_per_second = 1e6;
    nn::Graph step(
        [&](const std::vector<Tensor>& in) {
          const Tensor loss = program.loss(in);
          loss.backward();
          return std::vector<Tensor>{loss};
        },
        {.parallel = std::make_shared<distributed::ParallelOptions>(parallel)});
    step.add_optimizer(adam);
    double first = 0, last = 0;
    for (int i = 0; i < kSteps; ++i) {
      last = step(c.batch(i))[0].item<double>();
      if (i == 0) first = last;
    }
    EXPECT_TRUE(std::isfinite(first) && std::isfinite(last));
    expect_equal(whole_parameters(*program.module), expected);
    const comm::Traffic traffic = world.traffic();
    EXPECT_GT(traffic.all_reduce.calls + traffic.reduce_scatter.calls + traffic.all_gather.calls, 0)
        << step.sharding();
  });
}

INSTANTIATE_TEST_SUITE_P(Programs, MeshTraining,
                         ::testing::Values(Case{"mlp_2",
                                                make_mlp,
                                                [](int step) {
                                                  return class_batch(step, {8, 6}, 4);
                                                },
                                                {2}},
                                           Case{"mlp_2x2",
                                                make_mlp,
                                                [](int step) {
                                                  return class_batch(step, {8, 6}, 4);
                                                },
                                                {2, 2}},
                                           Case{"mlp_uneven",
                                                make_mlp,
                                                [](int step) {
                                                  return class_batch(step, {7, 6}, 4);
                                                },
                                                {3}},
                                           Case{"resnet",
                                                make_resnet,
                                                [](int step) {
                                                  return class_batch(step, {6, 1, 6, 6}, 4);
                                                },
                                                {2}},
                                           Case{"gpt_2", make_gpt, token_batch, {2}},
                                           Case{"gpt_2x2", make_gpt, token_batch, {2, 2}}),
                         [](const auto& info) { return std::string(info.param.name); });

// Threads and processes reduce in the order of ranks: the weights are equal, bit for bit.
TEST(MeshPrograms, ThreadsAndGlooGiveTheSameBits) {
  std::vector<std::vector<Tensor>> trained;
  std::vector<comm::Traffic> traffic;
  for (const comm::RankRunner& runner : comm::rank_runners()) {
    std::vector<Tensor> weights;
    comm::Traffic sent;
    runner.run(4,
               [&](comm::Communicator& all) {
                 World world(all);
                 const Program program = make_mlp();
                 optim::Adam adam(program.module->parameters(), optim::AdamOptions(1e-2));
                 distributed::ParallelOptions parallel{.mesh = Mesh({2, 2})};
                 parallel.cost.flops_per_second = parallel.cost.bytes_per_second = 1e6;
                 nn::Graph step(
                     [&](const std::vector<Tensor>& in) {
                       const Tensor loss = program.loss(in);
                       loss.backward();
                       return std::vector<Tensor>{loss};
                     },
                     {.parallel = std::make_shared<distributed::ParallelOptions>(parallel)});
                 step.add_optimizer(adam);
                 for (int i = 0; i < kSteps; ++i) step(class_batch(i, {8, 6}, 4));
                 const auto whole = whole_parameters(*program.module);
                 if (all.rank() == 0) {
                   weights = whole;
                   sent = world.traffic();
                 }
               },
               {});
    trained.push_back(std::move(weights));
    traffic.push_back(sent);
  }
  for (size_t i = 1; i < trained.size(); ++i) {
    EXPECT_EQ(traffic[i], traffic[0]);
    for (size_t k = 0; k < trained[0].size(); ++k)
      EXPECT_TRUE(equal(trained[i][k], trained[0][k])) << "parameter " << k;
  }
}

// A classifier head whose classes are split: no rank holds all logits, or the weight, or its
// gradient, and a step moves numbers for rows only.
TEST(MeshPrograms, AHeadOfManyClassesIsSplitOverTheRanks) {
  static constexpr int64_t kClasses = 40000, kWidth = 8, kRows = 16;
  const auto batch = [](int step) { return class_batch(step, {kRows, kWidth}, kClasses); };
  const Case head{"head",
                  [] {
                    manual_seed(3);
                    auto net = nn::Linear(kWidth, kClasses);
                    net->to(kFloat64);
                    return Program{net.ptr(), [net](const std::vector<Tensor>& in) mutable {
                                     return nn::functional::cross_entropy(net->forward(in[0]),
                                                                          in[1]);
                                   }};
                  },
                  batch,
                  {4}};
  const auto expected = trained_on_one(head);
  comm::run_ranks(4, [&](comm::Communicator& all) {
    World world(all);
    const Program program = head.make();
    optim::Adam adam(program.module->parameters(), optim::AdamOptions(1e-2));
    nn::Graph step(
        [&](const std::vector<Tensor>& in) {
          const Tensor loss = program.loss(in);
          loss.backward();
          return std::vector<Tensor>{loss};
        },
        {.parallel = std::make_shared<distributed::ParallelOptions>(
             distributed::ParallelOptions{.mesh = Mesh({4})})});
    step.add_optimizer(adam);
    for (int i = 0; i < kSteps; ++i) step(batch(i));
    const comm::Traffic traffic = world.traffic();
    const std::vector<Tensor> parameters = program.module->parameters();
    EXPECT_EQ(distributed::sharding_of(parameters[0]), Sharding({split(0)})) << step.sharding();
    for (const Tensor& parameter : parameters) {
      EXPECT_EQ(local_part(parameter).numel() * 4, parameter.numel());
      EXPECT_EQ(local_part(parameter.grad()).numel() * 4, parameter.numel());
    }
    EXPECT_EQ(traffic.all_gather.calls + traffic.all_to_all.calls, 0) << step.sharding();
    EXPECT_LT((traffic.all_reduce.bytes + traffic.reduce_scatter.bytes) / kSteps,
              kRows * kWidth * 8 * 20);
    EXPECT_LT(step.plan().arena_bytes, kRows * kClasses * 8 * 3);  // of which all logits are one
    expect_equal(whole_parameters(*program.module), expected);
  });
}

// torch::load of a checkpoint leaves parameters where they lie.
TEST(MeshPrograms, LoadedParametersStayPlaced) {
  comm::run_ranks(2, [](comm::Communicator& all) {
    World world(all);
    nn::Linear saved(5, 4), placed(5, 4);
    std::stringstream stream;
    save(saved, stream);
    distributed::place(placed->weight, Mesh({2}), {split(0)});
    load(placed, stream);
    ASSERT_TRUE(is_global(placed->weight));
    EXPECT_EQ(local_part(placed->weight).sizes(), Shape({2, 5}));
    EXPECT_TRUE(equal(distributed::to_whole(placed->weight), saved->weight));
  });
}

}  // namespace
}  // namespace oneagent
