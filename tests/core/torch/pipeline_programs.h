// Programs for the tests of pipelines, and training them on one device or on ranks.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dist/global.h"
#include "core/dist/parallel_recording.h"
#include "core/nn/nn.h"
#include "core/nn/utils/clip_grad.h"
#include "core/ops/ops.h"
#include "core/optim/optim.h"
#include "core/plan/pipeline_simulate.h"
#include "core/plan/plan.h"
#include "core/runtime/pipeline_run.h"
#include "core/torch/graph.h"
#include "core/torch/recompute.h"
#include "tests/core/comm/rank_runners.h"

namespace oneagent {
using distributed::ParallelOptions;
using distributed::World;

inline constexpr int kMicroBatches = 6;
inline constexpr int64_t kRows = 2;  // of a micro-batch
using Tensors = std::vector<Tensor>;

// A module, made the same on every rank, and the loss of a micro-batch.
struct Model {
  std::shared_ptr<nn::Module> module;
  std::function<Tensor(const Tensors&)> loss;
};

// Layers with what is hard to cut: running statistics, random numbers, a value that skips stages.
struct DeepImpl : nn::Module {
  explicit DeepImpl(int depth = 6, int64_t width = 8) {
    for (int i = 0; i < depth; ++i)
      layers.push_back(register_module("layer" + std::to_string(i), nn::Linear(width, width)));
    norm = register_module("norm", nn::BatchNorm1d(width));
    head = register_module("head", nn::Linear(width, 4));
  }
  Tensor forward(const Tensor& input) {
    Tensor x = tanh(layers[0](input));
    const Tensor first = x;
    for (size_t i = 1; i < layers.size(); ++i) {
      if (i == 2) x = norm(x);
      x = nn::functional::dropout(tanh(layers[i](x)), nn::functional::DropoutFuncOptions().p(0.1));
    }
    return head(x + first);
  }
  std::vector<nn::Linear> layers;
  nn::BatchNorm1d norm = nullptr;
  nn::Linear head = nullptr;
};
TORCH_MODULE(Deep);

inline Model deep_model() {
  manual_seed(3);
  Deep net(6, 8);
  return {net.ptr(), [net](const Tensors& in) mutable {
            return nn::functional::cross_entropy(net->forward(in[0]), in[1]) / kMicroBatches;
          }};
}

inline Tensors deep_batch(int step) {
  Generator generator(static_cast<uint64_t>(50 + step));
  return {randn({kRows * kMicroBatches, 8}, generator),
          randint(4, {kRows * kMicroBatches}, generator, kInt64)};
}

struct BlockImpl : nn::Module {
  static constexpr int64_t kWidth = 8, kHeads = 2;
  explicit BlockImpl(int64_t width = kWidth)
      : norm1(register_module("norm1", nn::LayerNorm(nn::LayerNormOptions({width})))),
        q(register_module("q", nn::Linear(width, width))),
        k(register_module("k", nn::Linear(width, width))),
        v(register_module("v", nn::Linear(width, width))),
        out(register_module("out", nn::Linear(width, width))),
        norm2(register_module("norm2", nn::LayerNorm(nn::LayerNormOptions({width})))),
        up(register_module("up", nn::Linear(width, 4 * width))),
        down(register_module("down", nn::Linear(4 * width, width))) {}
  static Tensor heads(const Tensor& x) {
    return x.view({x.size(0), x.size(1), kHeads, x.size(2) / kHeads}).transpose(1, 2);
  }
  Tensor forward(const Tensor& x) {
    const Tensor h = norm1(x);
    const Tensor scores = matmul(heads(q(h)), heads(k(h)).transpose(2, 3)) / 2.0;
    const Tensor mask = triu(ones({x.size(1), x.size(1)}, kBool), 1);
    const Tensor weights = softmax(scores.masked_fill(mask, -1e9), -1);
    const Tensor mixed = matmul(weights, heads(v(h))).transpose(1, 2);
    const Tensor y = x + out(mixed.reshape(x.sizes()));
    return y + down(gelu(up(norm2(y))));
  }
  nn::LayerNorm norm1;
  nn::Linear q, k, v, out;
  nn::LayerNorm norm2;
  nn::Linear up, down;
};
TORCH_MODULE(Block);

struct StackImpl : nn::Module {
  static constexpr int64_t kVocabulary = 12;
  StackImpl(int blocks_count, bool recompute, bool tied, int64_t width = BlockImpl::kWidth)
      : embedding(register_module("embedding", nn::Embedding(kVocabulary, width))),
        recompute_blocks(recompute) {
    for (int i = 0; i < blocks_count; ++i)
      blocks.push_back(register_module("block" + std::to_string(i), Block(width)));
    if (!tied) head = register_module("head", nn::Linear(width, kVocabulary));
  }
  Tensor forward(const Tensor& tokens) {
    Tensor x = embedding(tokens);
    for (Block& block : blocks)
      x = recompute_blocks
              ? nn::checkpoint([block](const Tensor& in) mutable { return block(in); }, x)
              : block(x);
    return head.is_empty() ? matmul(x, embedding->weight.t()) : head(x);
  }
  nn::Embedding embedding;
  std::vector<Block> blocks;
  nn::Linear head = nullptr;
  bool recompute_blocks;
};
TORCH_MODULE(Stack);

inline Model stack_model(int blocks, bool recompute, bool tied = false, int micro_batches = 2,
                         int64_t width = BlockImpl::kWidth) {
  manual_seed(9);
  Stack net(blocks, recompute, tied, width);
  net->to(kFloat64);
  return {net.ptr(), [net, micro_batches](const Tensors& in) mutable {
            const Tensor logits = net->forward(in[0]);
            return nn::functional::cross_entropy(logits.reshape({-1, logits.size(-1)}),
                                                 in[1].reshape({-1})) /
                   micro_batches;
          }};
}
inline Tensors token_batch(int step, int64_t rows = 8) {
  Generator generator(static_cast<uint64_t>(200 + step));
  return {randint(StackImpl::kVocabulary, {rows, 6}, generator, kInt64),
          randint(StackImpl::kVocabulary, {rows, 6}, generator, kInt64)};
}

// Parameters, running statistics and the losses of all steps.
struct Trained {
  Tensors state, losses;
};

inline Tensors whole_state(const nn::Module& module) {
  Tensors out;
  for (const Tensor& buffer : module.buffers()) out.push_back(whole_values(buffer).clone());
  for (const Tensor& parameter : module.parameters())
    out.push_back(is_global(parameter) ? distributed::to_whole(parameter.detach())
                                       : parameter.detach().clone());
  return out;
}

using Batches = std::function<Tensors(int)>;
using See = std::function<void(nn::Graph&, const Model&, optim::Adam&)>;

inline Trained train(const Model& model, const Batches& batch, int steps,
                     const nn::GraphOptions& options, const See& see = nullptr) {
  optim::Adam adam(model.module->parameters(), optim::AdamOptions(1e-2));
  nn::Graph step(
      [&](const Tensors& in) {
        const Tensor loss = model.loss(in);
        loss.backward();
        return Tensors{loss};
      },
      options);
  step.add_optimizer(adam);
  manual_seed(21);
  Trained out;
  for (int i = 0; i < steps; ++i) out.losses.push_back(step(batch(i))[0].clone());
  if (see != nullptr) see(step, model, adam);
  out.state = whole_state(*model.module);
  return out;
}

inline nn::GraphOptions pipeline_options(int ranks, const std::string& schedule, int micro_batches,
                                         const Mesh& mesh = Mesh()) {
  auto parallel = std::make_shared<ParallelOptions>();
  parallel->mesh = mesh;
  parallel->pipeline = ranks;
  parallel->schedule = schedule;
  parallel->stages_per_rank = schedule == "interleaved" ? 2 : 1;
  parallel->pipeline_link = {0, 0};
  return {.micro_batches = micro_batches, .parallel = parallel};
}

inline void expect_same_bits(const Trained& actual, const Trained& expected) {
  ASSERT_EQ(actual.state.size(), expected.state.size());
  for (size_t i = 0; i < actual.losses.size(); ++i)
    EXPECT_TRUE(equal(actual.losses[i], expected.losses[i])) << "losses of step " << i;
  for (size_t i = 0; i < actual.state.size(); ++i)
    EXPECT_TRUE(equal(actual.state[i], expected.state[i]))
        << "tensor " << i << " differs by " << (actual.state[i] - expected.state[i]).abs().max();
}

inline void expect_close(const Trained& actual, const Trained& expected) {
  ASSERT_EQ(actual.state.size(), expected.state.size());
  for (size_t i = 0; i < actual.state.size(); ++i)
    EXPECT_TRUE(allclose(actual.state[i], expected.state[i], 1e-9, 1e-9))
        << "tensor " << i << " differs by " << (actual.state[i] - expected.state[i]).abs().max();
}

}  // namespace oneagent
