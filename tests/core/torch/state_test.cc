// Saving and restoring modules and optimizers: exact, strict, and all or nothing.
#include "core/nn/state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/io/safetensors.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"
#include "core/optim/adam.h"
#include "core/optim/state.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

nn::Sequential make_net(uint64_t seed, int64_t width = 8) {
  manual_seed(seed);
  return nn::Sequential(nn::Linear(4, width), nn::Tanh(), nn::Linear(width, 2));
}

void train(nn::SequentialImpl& net, optim::Adam& adam, int steps) {
  Generator generator(3);
  for (int i = 0; i < steps; ++i) {
    adam.zero_grad();
    mean(square(net.forward(randn({16, 4}, generator)))).backward();
    adam.step();
  }
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(State, TrainingGoesOnBitForBitAfterARoundTripThroughAFile) {
  auto net = make_net(1), other = make_net(2);
  optim::Adam adam(net->parameters()), restored(other->parameters());
  train(*net, adam, 5);
  const auto through_bytes = [](const ring::ArraySet& set) {
    return io::parse_safetensors(std::make_shared<const Bytes>(io::write_safetensors(set)), "state")
        .arrays;
  };
  load_state(*other, through_bytes(state_of(*net)));
  load_state(restored, through_bytes(state_of(adam)));
  train(*net, adam, 4);
  train(*other, restored, 4);
  EXPECT_TRUE(ring::equal(state_of(*net), state_of(*other)));
  EXPECT_TRUE(ring::equal(state_of(adam), state_of(restored)));
}

TEST(State, AnotherNetworkIsRefusedAndNothingIsChanged) {
  auto net = make_net(1), wider = make_net(1, 9);
  const ring::ArraySet before = state_of(*net);
  EXPECT_THAT(error_of([&] { load_state(*net, state_of(*wider)); }),
              HasSubstr("\"0.weight\" was saved as [9, 4] float32, expected [8, 4] float32"));
  ring::ArraySet extra = state_of(*make_net(5));
  extra.add(ring::make_array("more", kFloat32, {1}).array);
  EXPECT_THAT(error_of([&] { load_state(*net, extra); }),
              HasSubstr("holds \"more\", which is not expected"));
  EXPECT_THAT(error_of([&] { load_state(*net, {}); }), HasSubstr("has no \"0.weight\""));
  EXPECT_TRUE(ring::equal(state_of(*net), before));
}

TEST(State, SavedArraysDoNotFollowTheModule) {
  auto net = make_net(1);
  const ring::ArraySet saved = state_of(*net);
  const float before = saved.at("0.bias").as<float>()[0];
  const NoGradGuard guard;
  net->parameters()[1].add_(1.0);
  EXPECT_EQ(saved.at("0.bias").as<float>()[0], before);
}

}  // namespace
}  // namespace oneagent
