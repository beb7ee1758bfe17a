// The encoder with convolution layers: what it computes, how it starts, which options it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/parts/network.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::shared_ptr<Encoder> make_encoder(const Shape& observation, const NetworkOptions& options) {
  Generator generator(3);
  return std::make_shared<Encoder>(observation, options, generator);
}

Tensor rows_of(const Shape& sizes) {
  Generator generator(5);
  return randn(sizes, generator);
}

TEST(Convolution, IsAChainOfConv2dAndActivationAndThenTheMlp) {
  const NoGradGuard no_grad;
  const auto encoder = make_encoder({2, 9, 7}, {{16}, "tanh", {{4, 6}, {3, 2}, {1, 2}, {}}});
  const auto p = encoder->parameters();
  ASSERT_EQ(p.size(), 6u);
  nn::Conv2d first(2, 4, 3), second(nn::Conv2dOptions(4, 6, 2).stride(2));
  nn::Linear last(6 * 3 * 2, 16);
  first->weight.copy_(p[0]), first->bias.copy_(p[1]);
  second->weight.copy_(p[2]), second->bias.copy_(p[3]);
  last->weight.copy_(p[4]), last->bias.copy_(p[5]);
  const Tensor image = rows_of({5, 2, 9, 7});
  const Tensor expected = tanh(last(tanh(second(tanh(first(image)))).flatten(1)));
  EXPECT_TRUE(equal(encoder->forward(image), expected));
}

// Two sections, written out.
TEST(Convolution, ResidualSectionsAreThoseOfImpala) {
  const NoGradGuard no_grad;
  const auto encoder = make_encoder({2, 9, 7}, {{}, "relu", {{4, 6}, {}, {}, {}, true}});
  const auto p = encoder->parameters();
  ASSERT_EQ(p.size(), 2u * 5 * 2);
  size_t next = 0;
  const auto layer = [&](const Tensor& x) {
    const Tensor y = conv2d(x, p[next], p[next + 1], 1, 1);
    next += 2;
    return y;
  };
  const Tensor image = rows_of({5, 2, 9, 7});
  Tensor x = image;
  for (int section = 0; section < 2; ++section) {
    x = max_pool2d(layer(x), 3, 2, 1);
    for (int block = 0; block < 2; ++block) {
      const Tensor inner = layer(relu(x));
      x = x + layer(relu(inner));
    }
  }
  EXPECT_EQ(x.sizes(), Shape({5, 6, 3, 2}));
  EXPECT_EQ(encoder->features(), 6 * 3 * 2);
  EXPECT_TRUE(allclose(encoder->forward(image), relu(x).flatten(1), 1e-6, 1e-6));
}

TEST(Convolution, JoinsWhatFollowsTheImageOfAFlatRow) {
  const auto encoder = make_encoder({2 * 9 * 7 + 5}, {{}, "relu", {{4}, {}, {}, {2, 9, 7}}});
  const auto p = encoder->parameters();
  const Tensor rows = rows_of({3, 2 * 9 * 7 + 5});
  const Tensor image = rows.narrow(1, 0, 2 * 9 * 7).reshape({3, 2, 9, 7});
  const Tensor features = encoder->forward(rows);
  ASSERT_EQ(features.sizes(), Shape({3, 4 * 7 * 5 + 5}));
  EXPECT_EQ(encoder->features(), 4 * 7 * 5 + 5);
  EXPECT_TRUE(equal(features.narrow(1, 0, 4 * 7 * 5), relu(conv2d(image, p[0], p[1])).flatten(1)));
  EXPECT_TRUE(equal(features.narrow(1, 4 * 7 * 5, 5), rows.narrow(1, 2 * 9 * 7, 5)));
}

TEST(Convolution, StartsWithOrthogonalFiltersOfGainRootTwoAndZeroBiases) {
  const auto encoder = make_encoder({2, 9, 7}, {{}, "relu", {{6, 8}, {}, {}, {}}});
  const auto p = encoder->parameters();
  for (const size_t layer : {0u, 2u}) {
    const Tensor filters = p[layer].detach().flatten(1);
    EXPECT_TRUE(allclose(mm(filters, t(filters)), eye(filters.size(0)) * 2.0, 1e-5, 1e-5));
    EXPECT_TRUE(equal(p[layer + 1].detach(), zeros({filters.size(0)})));
  }
}

TEST(Convolution, WithoutChannelsTheEncoderIsTheMlpItWas) {
  const auto encoder = make_encoder({2, 3, 4}, {{8}, "relu"});
  EXPECT_EQ(encoder->parameters().size(), 2u);
  EXPECT_EQ(encoder->parameters()[0].sizes(), Shape({8, 24}));
}

// Images are unfolded in blocks: none may leak into another, and acting on few lanes must see what
// training sees.
TEST(Convolution, OfAnImageDoesNotDependOnTheBatchAroundIt) {
  struct Case {
    int64_t channels, height, width, filters, kernel;
    Pair stride, padding, dilation;
    int64_t groups;
  };
  for (const Case& c :
       {Case{1, 10, 5, 16, 3, 1, 0, 1, 1}, Case{4, 11, 11, 5, 3, {2, 1}, {0, 1}, 1, 1},
        Case{4, 9, 12, 6, 2, {1, 3}, 2, {2, 1}, 2}, Case{3, 40, 30, 4, 8, 4, 0, 1, 1},
        Case{2, 5, 5, 3, 5, 1, 0, 1, 1}}) {
    const int64_t images = 70;
    Generator generator(9);
    const Tensor x = randn({images, c.channels, c.height, c.width}, generator),
                 w = randn({c.filters, c.channels / c.groups, c.kernel, c.kernel}, generator),
                 b = randn({c.filters}, generator);
    const auto run = [&](int64_t first, int64_t count, const Tensor& weight) {
      const Tensor part = x.narrow(0, first, count).clone().requires_grad_();
      const Tensor y = conv2d(part, weight, b, c.stride, c.padding, c.dilation, c.groups);
      sum(square(y)).backward();
      return std::pair{y.detach(), part.grad()};
    };
    const Tensor whole_weight = w.clone().requires_grad_();
    const auto [y, dx] = run(0, images, whole_weight);
    const Tensor single_weight = w.clone().requires_grad_();  // sums over the calls
    for (int64_t i = 0; i < images; ++i) {
      const auto [single, gradient] = run(i, 1, single_weight);
      ASSERT_TRUE(equal(single, y.narrow(0, i, 1))) << "image " << i << " of " << x.sizes();
      ASSERT_TRUE(equal(gradient, dx.narrow(0, i, 1))) << "image " << i << " of " << x.sizes();
    }
    const Tensor scale = max(abs(whole_weight.grad()));
    EXPECT_TRUE(allclose(whole_weight.grad() / scale, single_weight.grad() / scale, 0.0, 1e-5));
  }
}

std::string refusal(const Shape& observation, const ConvolutionOptions& options) {
  try {
    make_encoder(observation, {{8}, "relu", options});
  } catch (const Error& error) {
    return error.what();
  }
  return "was accepted";
}

TEST(Convolution, RefusesOptionsThatDoNotFit) {
  const Shape image = {1, 10, 5};
  EXPECT_THAT(refusal({4}, {{8}}), AllOf(StartsWith("[algorithm] channels: "), HasSubstr("[4]"),
                                         HasSubstr("image = [planes, height, width]")));
  EXPECT_THAT(refusal(image, {{8, 0}}), StartsWith("[algorithm] channels[1]: must be at least 1"));
  EXPECT_THAT(refusal(image, {{8, 8}, {3}}),
              StartsWith("[algorithm] kernels: expected 2 values, one for each of channels"));
  EXPECT_THAT(refusal(image, {{8}, {}, {1, 1}}),
              StartsWith("[algorithm] strides: expected 1 value, one for each of channels"));
  EXPECT_THAT(refusal(image, {{8}, {-3}}), StartsWith("[algorithm] kernels[0]: must be at least"));
  EXPECT_THAT(refusal(image, {{8}, {}, {0}}), StartsWith("[algorithm] strides[0]: must be at"));
  EXPECT_THAT(refusal(image, {{8}, {3}, {}, {}, true}),
              HasSubstr("those of residual = true are fixed"));
  EXPECT_THAT(refusal(image, {{}, {}, {}, {}, true}),
              HasSubstr("residual: has no effect without convolution layers"));
  EXPECT_THAT(refusal(image, {{8}, {6}}), HasSubstr("kernel of 6 x 6, but its image is 10 x 5"));
  EXPECT_THAT(refusal(image, {{8, 8, 8}}),
              AllOf(StartsWith("[algorithm] kernels: layer 3 of 3 "),
                    HasSubstr("its image is 6 x 1 (the observation's is 10 x 5)")));
}

TEST(Convolution, RefusesAnImageThatTheObservationDoesNotHold) {
  EXPECT_THAT(refusal({265}, {{8}, {}, {}, {11, 11}}),
              StartsWith("[algorithm] image: expected [planes, height, width], was 2 values"));
  EXPECT_THAT(refusal({265}, {{8}, {}, {}, {2, 11, 0}}), StartsWith("[algorithm] image[2]: must"));
  EXPECT_THAT(refusal({265}, {{8}, {}, {}, {3, 11, 11}}),
              HasSubstr("3 x 11 x 11 does not fit into an observation of 265 values"));
  const int huge = 1 << 30;  // the product is beyond 64 bits
  EXPECT_THAT(refusal({265}, {{8}, {}, {}, {huge, huge, 4 * 4}}), HasSubstr("does not fit into"));
  EXPECT_THAT(refusal({1, 10, 5}, {{8}, {}, {}, {1, 10, 5}}), HasSubstr("leave image out"));
}

TEST(Convolution, RefusesOptionsWithoutEffect) {
  for (const ConvolutionOptions& options :
       {ConvolutionOptions{{}, {3}, {}, {}}, {{}, {}, {1}, {}}, {{}, {}, {}, {1, 2, 2}}})
    EXPECT_THAT(refusal({1, 10, 5}, options),
                HasSubstr("has no effect without convolution layers; give channels"));
}

}  // namespace
}  // namespace oneagent
