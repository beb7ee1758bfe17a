// What of nn::functional is behind no module, or draws numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/nn/functional/detail.h"
#include "core/nn/functional/detail_loss.h"
#include "core/nn/nn.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

namespace F = nn::functional;
using testing::wave;

TEST(Functional, NormalizeDividesByTheNorm) {
  const Tensor x = tensor({3.0, 4.0, 0.0, 0.0}).view({2, 2});
  const Tensor y = F::normalize(x, F::NormalizeFuncOptions().dim(1));
  EXPECT_TRUE(allclose(y, tensor({0.6, 0.8, 0.0, 0.0}).view({2, 2})));
  const Tensor sums = F::normalize(x, F::NormalizeFuncOptions().p(1).dim(0));
  EXPECT_TRUE(allclose(sums, tensor({1.0, 1.0, 0.0, 0.0}).view({2, 2})));
}

TEST(Functional, UnpoolingToSizesWithinOneStride) {
  const Tensor x = ones({1, 1, 2, 2}), index = zeros({1, 1, 2, 2}, kInt64);
  for (const int64_t size : {2, 4, 6})  // 4 is what the pooling would have started from
    EXPECT_EQ(
        F::max_unpool2d(x, index,
                        F::MaxUnpool2dFuncOptions(2).output_size(std::vector<int64_t>{size, size}))
            .sizes(),
        Shape({1, 1, size, size}));
  for (const int64_t size : {1, 7})
    EXPECT_THROW(
        F::max_unpool2d(x, index,
                        F::MaxUnpool2dFuncOptions(2).output_size(std::vector<int64_t>{size, size})),
        Error);
}

TEST(Functional, GumbelSoftmaxGivesProbabilitiesOrOneHotRows) {
  manual_seed(3);
  const Tensor logits = wave(0.2, {6, 4}).requires_grad_();
  const Tensor soft = F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().tau(0.5));
  EXPECT_TRUE(allclose(soft.sum(Shape(1)), ones({6}, kFloat64)));
  const Tensor hard = F::gumbel_softmax(logits, F::GumbelSoftmaxFuncOptions().hard(true));
  EXPECT_TRUE(allclose(hard.max(), ones({}, kFloat64)));
  (hard * wave(0.8, {6, 4})).sum().backward();
  EXPECT_GT(logits.grad().abs().sum().item<double>(), 0);
}

TEST(Functional, DropoutDropsInTrainingOnly) {
  manual_seed(4);
  const Tensor x = ones({1000});
  const Tensor dropped = F::dropout(x, F::DropoutFuncOptions().p(0.25));
  const double kept = (dropped != 0).to(kFloat32).mean().item<double>();
  EXPECT_NEAR(kept, 0.75, 0.06);
  EXPECT_NEAR(dropped.max().item<double>(), 4.0 / 3, 1e-6);
  EXPECT_TRUE(equal(F::dropout(x, F::DropoutFuncOptions().training(false)), x));
  const Tensor planes = F::dropout2d(ones({4, 50, 3, 3}));
  EXPECT_TRUE(equal(planes.select(2, 0).select(2, 0), planes.select(2, 2).select(2, 1)));
  EXPECT_THROW(F::dropout(x, F::DropoutFuncOptions().p(1.5)), Error);
}

TEST(Functional, GridSampleAtTheIdentityGridIsTheImage) {
  const Tensor image = wave(0.1, {1, 2, 3, 4});
  const Tensor theta = tensor({1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, kFloat64).view({1, 2, 3});
  const Tensor grid = F::affine_grid(theta, std::vector<int64_t>{1, 2, 3, 4}, true);
  const auto options = F::GridSampleFuncOptions().align_corners(true);
  EXPECT_TRUE(allclose(F::grid_sample(image, grid, options), image));
}

TEST(Functional, NearestInThreeDimensionsRoundsHalvesAwayFromZero) {
  const Tensor image = wave(0.1, {1, 1, 1, 1, 4});
  const Tensor grid = tensor({-0.5, 0.0, 0.0}, kFloat64).view({1, 1, 1, 1, 3});  // x = 0.5
  const auto options = F::GridSampleFuncOptions().mode(kNearest);
  EXPECT_EQ(F::grid_sample(image, grid, options).item<double>(), image.view({4})[1].item<double>());
}

// As the C++ functions of libtorch 1.13: a bool attn_mask is added as 0 and 1.
TEST(Functional, AttentionMasksAreAdded) {
  const Tensor x = wave(0.1, {3, 1, 4}), weight = wave(0.2, {12, 4}), out = wave(0.3, {4, 4});
  const auto attend = [&](const Tensor& mask) {
    const auto options =
        F::MultiheadAttentionForwardFuncOptions(4, 2, weight, {}, {}, {}, false, 0, out, {})
            .attn_mask(mask);
    return std::get<0>(F::multi_head_attention_forward(x, x, x, options));
  };
  const Tensor mask = ones({3, 3}).triu(1);
  EXPECT_TRUE(allclose(attend(mask.to(kBool)), attend(mask.to(kFloat64))));
  EXPECT_THROW(attend(ones({2, 3, 3})), Error);
}

TEST(Functional, DetailTakesTheValuesOneByOne) {
  const Tensor x = wave(0.1, {1, 2, 4, 4}), weight = wave(0.3, {2, 3, 2, 2}), none;
  EXPECT_TRUE(equal(F::detail::elu(x, 0.5, false), F::elu(x, F::ELUFuncOptions().alpha(0.5))));
  EXPECT_TRUE(equal(F::detail::conv_transpose2d(x, weight, none, 2, 0, 0, 1, 1),
                    F::conv_transpose2d(x, weight, F::ConvTranspose2dFuncOptions().stride(2))));
  EXPECT_TRUE(equal(F::detail::max_pool2d(x, 2, 2, 0, 1, false),
                    F::max_pool2d(x, F::MaxPool2dFuncOptions(2))));
  EXPECT_TRUE(equal(F::detail::mse_loss(x, x * 2, kSum),
                    F::mse_loss(x, x * 2, F::MSELossFuncOptions(kSum))));
}

TEST(Functional, ErrorsAreOfLibtorchsTypes) {
  const Tensor x = ones({2, 3});
  EXPECT_THROW(F::cross_entropy(x, tensor({0, 3})), IndexError);
  EXPECT_THROW(F::cross_entropy(x, tensor({0, 1, 2})), ValueError);
  EXPECT_THROW(F::embedding(tensor({2}), x), IndexError);
  EXPECT_THROW(F::pad(ones({3}), F::PadFuncOptions({1, 1}).mode(kReflect)), NotImplementedError);
  EXPECT_THROW(nn::LSTM(3, 2)->forward(ones({3})), IndexError);
  EXPECT_THROW(nn::GRUCell(3, 2)->forward(ones({3})), IndexError);
}

TEST(Functional, RefusesWhatDoesNotFit) {
  EXPECT_THROW(nn::Hardtanh(nn::HardtanhOptions().min_val(1).max_val(-1)), Error);
  EXPECT_THROW(nn::FractionalMaxPool2d(nn::FractionalMaxPool2dOptions(2).output_ratio(1.5)), Error);
  EXPECT_THROW(F::interpolate(ones({1, 1, 2})), Error);
  EXPECT_THROW(
      F::interpolate(ones({1, 1, 2}),
                     F::InterpolateFuncOptions().size(std::vector<int64_t>{4, 4}).mode(kBilinear)),
      Error);
  EXPECT_THROW(F::pad(ones({2, 2}), F::PadFuncOptions({1, 1}).mode(kReflect).value(3)), Error);
  EXPECT_THROW(nn::Dropout(1.5), Error);
  EXPECT_THROW(nn::MultiheadAttention(5, 2), Error);
}

TEST(PackedSequence, PacksAndPads) {
  namespace rnn = nn::utils::rnn;
  const Tensor a = wave(0.1, {3, 2}), b = wave(0.5, {1, 2}), c = wave(0.9, {2, 2});
  const std::vector<Tensor> sequences = {a, b, c};
  const rnn::PackedSequence packed = rnn::pack_sequence(sequences, false);
  EXPECT_EQ(to_vector<int64_t>(packed.batch_sizes()), (std::vector<int64_t>{3, 2, 1}));
  const auto [padded, lengths] = rnn::pad_packed_sequence(packed, true, -1.0, 4);
  EXPECT_EQ(to_vector<int64_t>(lengths), (std::vector<int64_t>{3, 1, 2}));
  EXPECT_EQ(padded.sizes(), Shape({3, 4, 2}));
  EXPECT_TRUE(equal(padded[0].narrow(0, 0, 3), a));
  EXPECT_TRUE(equal(padded[1].narrow(0, 1, 3), full({3, 2}, -1.0, kFloat64)));
  EXPECT_TRUE(equal(rnn::pad_sequence(sequences, true)[2].narrow(0, 0, 2), c));
  EXPECT_THROW(rnn::pack_sequence(sequences), Error);
}

}  // namespace
}  // namespace oneagent
