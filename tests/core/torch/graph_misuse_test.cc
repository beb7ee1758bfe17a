// What users do to graphs besides calling them: freezing, adding late, naming twice, changing
// inputs, damaging files. Results stay those of eager code, or an error says what to do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/plan/plan.h"
#include "tests/support/graph_training.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::Tensors;

constexpr int64_t kRows = 6;

Tensors batch_of(int step) {
  Generator generator(static_cast<uint64_t>(10 + step));
  return {randn({kRows, 3}, generator, kFloat32), randn({kRows, 2}, generator, kFloat32)};
}

// A net and its optimizers; a graph or eager code trains it.
struct Side {
  Side() : net(nn::Linear(3, 4), nn::Tanh(), nn::Linear(4, 2)) {}
  optim::Optimizer& add_sgd(const std::vector<Tensor>& parameters, double lr = 0.1) {
    optimizers.push_back(std::make_unique<optim::SGD>(parameters, optim::SGDOptions(lr)));
    return *optimizers.back();
  }
  Tensor backward(const Tensors& in) {
    Tensor loss = mse_loss(net->forward(in[0]), in[1]);
    loss.backward();
    return loss;
  }
  std::unique_ptr<nn::Graph> graph(int64_t micro_batches = 1) {
    return std::make_unique<nn::Graph>([this](const Tensors& in) { return Tensors{backward(in)}; },
                                       nn::GraphOptions{.micro_batches = micro_batches});
  }
  void step_eagerly(const Tensors& in, int64_t parts = 1) {
    for (const auto& optimizer : optimizers) optimizer->zero_grad(true);
    for (int64_t k = 0; k < parts; ++k)
      backward({in[0].narrow(0, k * kRows / parts, kRows / parts),
                in[1].narrow(0, k * kRows / parts, kRows / parts)});
    for (const auto& optimizer : optimizers) optimizer->step();
  }
  nn::Sequential net;
  std::vector<std::unique_ptr<optim::Optimizer>> optimizers;
};

class GraphMisuse : public ::testing::Test {
 protected:
  GraphMisuse() : sides_{make(), make()} {}
  static std::unique_ptr<Side> make() {
    manual_seed(5);
    return std::make_unique<Side>();
  }
  Side& recorded() { return *sides_[0]; }
  Side& eager() { return *sides_[1]; }
  void each(const std::function<void(Side&)>& action) {
    for (const auto& side : sides_) action(*side);
  }
  void expect_equal() {
    for (size_t i = 0; i < 4; ++i)
      EXPECT_TRUE(equal(recorded().net->parameters()[i], eager().net->parameters()[i])) << i;
  }
  std::unique_ptr<Side> sides_[2];
};

TEST_F(GraphMisuse, AParameterFrozenHalfwayStaysAsItIs) {
  each([](Side& side) { side.add_sgd(side.net->parameters()); });
  const auto graph = recorded().graph();
  graph->add_optimizer(*recorded().optimizers[0]);
  for (int i = 0; i < 6; ++i) {
    if (i == 2 || i == 4)
      each([&](Side& side) { side.net->parameters()[0].requires_grad_(i == 4); });
    (*graph)(batch_of(i));
    eager().step_eagerly(batch_of(i));
    expect_equal();
  }
}

TEST_F(GraphMisuse, AnOptimizerIsAddedOnce) {
  optim::Optimizer& sgd = recorded().add_sgd(recorded().net->parameters());
  const auto graph = recorded().graph();
  EXPECT_THAT(error_of([&] { graph->add_optimizer(sgd).add_optimizer(sgd); }),
              HasSubstr("every call would step twice"));
}

// Of two optimizers, or of the list of parameters and an optimizer: its gradient is added up once.
TEST_F(GraphMisuse, AParameterThatIsNamedTwiceHasOneGradient) {
  each([](Side& side) {
    side.add_sgd(side.net->parameters());
    side.add_sgd({side.net->parameters()[0]}, 0.05);
  });
  for (const int64_t parts : {1, 2}) {
    const auto graph = recorded().graph(parts);
    graph->add_parameters(recorded().net->parameters());
    for (const auto& optimizer : recorded().optimizers) graph->add_optimizer(*optimizer);
    for (int i = 0; i < 3; ++i) {
      (*graph)(batch_of(i));
      eager().step_eagerly(batch_of(i), parts);
      expect_equal();
    }
  }
}

TEST_F(GraphMisuse, OptimizersAndTheirParametersMayComeLater) {
  const auto graph = recorded().graph();
  (*graph)(batch_of(0));
  each([](Side& side) { side.add_sgd({side.net->parameters()[0]}); });
  graph->add_optimizer(*recorded().optimizers[0]);
  for (int i = 1; i < 5; ++i) {
    if (i == 3)
      each([](Side& side) {
        side.optimizers[0]->add_param_group(optim::OptimizerParamGroup(
            {side.net->parameters()[1], side.net->parameters()[2], side.net->parameters()[3]}));
        side.optimizers[0]->zero_grad(true);
      });
    (*graph)(batch_of(i));
    eager().step_eagerly(batch_of(i));
    expect_equal();
  }
}

TEST_F(GraphMisuse, WhatTheGraphDoesNotKnowKeepsItsGradient) {
  const std::vector<Tensor> parameters = recorded().net->parameters();
  const Tensor before = ones({4, 3});
  parameters[0].set_grad(before);
  (*recorded().graph())(batch_of(0));
  EXPECT_TRUE(parameters[0].grad().is_same(before));
  for (size_t i = 1; i < 4; ++i) EXPECT_FALSE(parameters[i].grad().defined());
  recorded().backward(batch_of(0));
  EXPECT_TRUE(isfinite(parameters[1].grad()).all().item<bool>());
}

TEST_F(GraphMisuse, OnlyLeavesAreParameters) {
  const auto graph = recorded().graph();
  EXPECT_THAT(error_of([&] { graph->add_parameters({recorded().net->parameters()[0] * 2}); }),
              HasSubstr("a parameter is a defined leaf"));
  EXPECT_THAT(error_of([&] { graph->add_parameters({Tensor()}); }), HasSubstr("defined leaf"));
}

TEST(GraphRecording, ThatFailsDrawsNothing) {
  nn::Graph graph([](const Tensors& in) {
    const Tensor noisy = in[0] + randn({3});
    return Tensors{noisy.sum().item<float>() > 0 ? noisy : -noisy};
  });
  manual_seed(1);
  EXPECT_THROW(graph({ones({3})}), nn::RecordingError);
  const Tensor after = randn({3});
  manual_seed(1);
  EXPECT_TRUE(equal(after, randn({3})));
}

TEST(GraphInputs, ChangedInPlaceChangeForTheCaller) {
  for (const int64_t parts : {1, 2})
    for (const bool strided : {false, true}) {
      nn::Graph graph(
          [](const Tensors& in) {
            in[0].add_(1);
            return Tensors{in[0] * 2};
          },
          {.micro_batches = parts});
      const Tensor x = strided ? randn({4, 6}).t() : randn({6, 4});
      const Tensor expected = x.clone();
      for (int i = 0; i < 3; ++i) {
        const Tensor result = graph({x})[0];
        expected.add_(1);
        EXPECT_TRUE(equal(result, expected * 2)) << parts << strided;
        EXPECT_TRUE(equal(x, expected)) << parts << strided;
      }
      const Tensor weight = ones({4}).requires_grad_();
      const Tensor loss = (x * weight).sum();
      graph({x});
      EXPECT_THAT(error_of([&] { loss.backward(); }),
                  HasSubstr("modified by an inplace operation"));
    }
}

// One number, name or byte of a saved plan is another, or a part is missing: it is refused, by
// name, and never run.
TEST(DamagedPlans, AreRefused) {
  TemporaryFolder folder;
  const std::string path = (folder.path() / "plan.json").string();
  struct Trained {
    Trained()
        : adam(net.parameters(), optim::AdamOptions(0.01)), graph([this](const Tensors& in) {
            const Tensor loss = (dropout(net.forward(in[0]), 0.2, true) - in[1]).square().mean();
            loss.backward();
            return Tensors{loss};
          }) {
      graph.add_optimizer(adam).add_buffers(net.buffers());
    }
    testing::Convolutional net;
    optim::Adam adam;
    nn::Graph graph;
  };
  Trained trained;
  trained.graph({randn({4, 3, 8, 8}), randn({4, 5})});
  trained.graph.save_plan(path);
  const std::string text = read_text(path);
  const Json good = Json::parse(text), flat = good.flatten();
  std::vector<std::string> places;
  for (const auto& [place, value] : flat.items()) places.push_back(place);
  std::mt19937 random(1);
  for (int i = 0; i < 60; ++i) {
    const Json::json_pointer place(places[random() % places.size()]);
    Json bad = good;
    const Json values[] = {-1, int64_t{1} << 62, "x", nullptr, 1.5, 3};
    Json& value = bad[place];
    const Json before = value;
    value = values[random() % 6];
    if (value == before) continue;
    write_atomic(path, bad.dump());
    EXPECT_THAT(error_of([&] { trained.graph.load_plan(path); }), HasSubstr("plan " + path))
        << place.to_string() << " is " << value;
    write_atomic(path, text.substr(0, random() % text.size()));
    EXPECT_THAT(error_of([&] { trained.graph.load_plan(path); }), HasSubstr("no saved plan"));
  }
  for (const char* key : {"arena_bytes", "draws"}) {
    Json bad = good;
    bad[key] = good[key].get<int64_t>() + 64;
    write_atomic(path, bad.dump());
    EXPECT_THAT(error_of([&] { trained.graph.load_plan(path); }),
                HasSubstr("are not those that were saved"));
  }
  write_atomic(path, text);
  trained.graph.load_plan(path);
}

}  // namespace
}  // namespace oneagent
