// Every layer against PyTorch (tests/support/golden_layers.h).
#include <gtest/gtest.h>

#include "tests/support/golden_layers.h"

namespace oneagent {
namespace {

using namespace nn;  // NOLINT: a table of layers
using testing::append;
using testing::called;
using testing::evaluated;
using testing::expect_layers;
using testing::golden_layers;
using testing::Layer;
using testing::layer;
using testing::packed;
using testing::Tensors;
using testing::wave;

std::vector<Layer> activations() {
  return {layer("elu", ELU(ELUOptions().alpha(0.7))),
          layer("selu", SELU()),
          layer("hardshrink", Hardshrink(0.4)),
          layer("hardtanh", Hardtanh(HardtanhOptions().min_val(-0.6).max_val(0.8))),
          layer("leaky_relu", LeakyReLU(LeakyReLUOptions().negative_slope(0.2))),
          layer("log_sigmoid", LogSigmoid()),
          layer("softmax", Softmax(1)),
          layer("softmin", Softmin(0)),
          layer("log_softmax", LogSoftmax(1)),
          layer("softmax2d", Softmax2d()),
          layer("prelu", PReLU()),
          layer("prelu_channels", PReLU(PReLUOptions().num_parameters(4))),
          layer("relu", ReLU()),
          layer("relu6", ReLU6()),
          evaluated("rrelu_eval", RReLU()),
          layer("celu", CELU(CELUOptions().alpha(1.3))),
          layer("glu", GLU()),
          layer("gelu", GELU()),
          layer("gelu_tanh", GELU(GELUOptions().approximate("tanh"))),
          layer("silu", SiLU()),
          layer("mish", Mish()),
          layer("sigmoid", Sigmoid()),
          layer("softplus", Softplus(SoftplusOptions().beta(2).threshold(1.5))),
          layer("softshrink", Softshrink(0.4)),
          layer("softsign", Softsign()),
          layer("tanh", Tanh()),
          layer("tanhshrink", Tanhshrink()),
          layer("threshold", Threshold(0.3, -2))};
}

std::vector<Layer> linear_layers() {
  return {layer("identity", Identity()),
          layer("linear", Linear(4, 5)),
          layer("linear_no_bias", Linear(LinearOptions(4, 5).bias(false))),
          layer("bilinear", Bilinear(3, 4, 2)),
          layer("bilinear_no_bias", Bilinear(BilinearOptions(3, 4, 2).bias(false))),
          layer("flatten", Flatten()),
          layer("unflatten", Unflatten(1, std::vector<int64_t>{2, 2})),
          called("sequential", Sequential(Linear(4, 5), ReLU(), Linear(5, 3), Tanh(), Softmax(1)),
                 [](Sequential& module, const Tensors& in) { return module->forward(in[0]); })};
}

std::vector<Layer> embeddings() {
  return {layer("embedding", Embedding(5, 3)),
          layer("embedding_padding",
                Embedding(EmbeddingOptions(5, 3).padding_idx(2).scale_grad_by_freq(true))),
          layer("embedding_max_norm", Embedding(EmbeddingOptions(5, 3).max_norm(0.6).norm_type(1))),
          layer("embedding_bag", EmbeddingBag(5, 3)),
          layer("embedding_bag_sum", EmbeddingBag(EmbeddingBagOptions(5, 3).mode(kSum))),
          layer("embedding_bag_max",
                EmbeddingBag(EmbeddingBagOptions(5, 3).mode(kMax).padding_idx(0)))};
}

std::vector<Layer> convolutions() {
  return {
      layer("conv1d", Conv1d(Conv1dOptions(4, 6, 3).stride(2).padding(1))),
      layer("conv1d_groups", Conv1d(Conv1dOptions(4, 6, 3).groups(2).dilation(2).bias(false))),
      layer("conv2d", Conv2d(Conv2dOptions(4, 3, {3, 2}).stride({2, 1}).padding({1, 0}))),
      layer("conv2d_same", Conv2d(Conv2dOptions(4, 3, {3, 2}).padding(kSame).dilation({1, 2}))),
      layer("conv2d_valid", Conv2d(Conv2dOptions(4, 3, 3).padding(kValid))),
      layer("conv2d_alone", Conv2d(4, 3, 3)),
      layer("conv2d_reflect",
            Conv2d(Conv2dOptions(4, 3, 3).padding({2, 1}).padding_mode(kReflect))),
      layer("conv2d_replicate", Conv2d(Conv2dOptions(4, 3, 3).padding(1).padding_mode(kReplicate))),
      layer("conv2d_circular", Conv2d(Conv2dOptions(4, 3, 3).padding(1).padding_mode(kCircular))),
      layer("conv2d_same_reflect",
            Conv2d(Conv2dOptions(4, 3, {3, 2}).padding(kSame).padding_mode(kReflect))),
      layer("conv3d", Conv3d(Conv3dOptions(4, 2, 2).padding(1).stride(2)))};
}

std::vector<Layer> transposed_convolutions() {
  return {
      layer(
          "conv_transpose1d",
          ConvTranspose1d(ConvTranspose1dOptions(4, 3, 3).stride(2).padding(1).output_padding(1))),
      layer("conv_transpose2d",
            ConvTranspose2d(ConvTranspose2dOptions(4, 6, {3, 2}).stride(2).groups(2))),
      layer("conv_transpose2d_dilated",
            ConvTranspose2d(ConvTranspose2dOptions(4, 2, 2).dilation(2).padding(1).bias(false))),
      layer("conv_transpose3d",
            ConvTranspose3d(
                ConvTranspose3dOptions(4, 2, 2).stride({1, 2, 2}).output_padding({0, 1, 1})))};
}

std::vector<Layer> pools() {
  const Tensor samples = tensor({0.3, 0.6}, kFloat64).expand({2, 4, 2}).contiguous();
  const Tensor samples3 = tensor({0.3, 0.6, 0.2}, kFloat64).expand({1, 4, 3}).contiguous();
  return {
      layer("avg_pool1d",
            AvgPool1d(AvgPool1dOptions(3).stride(2).padding(1).count_include_pad(false))),
      layer("avg_pool2d", AvgPool2d(AvgPool2dOptions({3, 2}).stride(2).ceil_mode(true))),
      layer("avg_pool2d_divisor", AvgPool2d(AvgPool2dOptions(2).padding(1).divisor_override(3))),
      layer("avg_pool3d", AvgPool3d(2)),
      layer("max_pool1d", MaxPool1d(MaxPool1dOptions(3).stride(2).padding(1))),
      layer("max_pool2d", MaxPool2d(MaxPool2dOptions({3, 2}).stride(2).ceil_mode(true))),
      layer("max_pool2d_dilated", MaxPool2d(MaxPool2dOptions(2).stride(1).dilation(2))),
      layer("max_pool3d", MaxPool3d(2)),
      layer("adaptive_max_pool1d", AdaptiveMaxPool1d(4)),
      layer("adaptive_max_pool2d", AdaptiveMaxPool2d(AdaptiveMaxPool2dOptions({3, std::nullopt}))),
      layer("adaptive_max_pool3d", AdaptiveMaxPool3d(2)),
      layer("adaptive_avg_pool1d", AdaptiveAvgPool1d(4)),
      layer("adaptive_avg_pool2d", AdaptiveAvgPool2d(AdaptiveAvgPool2dOptions({3, std::nullopt}))),
      layer("adaptive_avg_pool3d", AdaptiveAvgPool3d(2)),
      layer("fractional_max_pool2d", FractionalMaxPool2d(FractionalMaxPool2dOptions(2)
                                                             .output_size(ExpandingArray<2>({3, 2}))
                                                             ._random_samples(samples))),
      layer("fractional_max_pool3d",
            FractionalMaxPool3d(FractionalMaxPool3dOptions(2)
                                    .output_size(ExpandingArray<3>({2, 1, 1}))
                                    ._random_samples(samples3))),
      layer("lp_pool1d", LPPool1d(LPPool1dOptions(2, 3).stride(2))),
      layer("lp_pool2d", LPPool2d(LPPool2dOptions(2, {2, 3}))),
      layer("max_unpool1d", MaxUnpool1d(2)),
      layer("max_unpool2d", MaxUnpool2d(2)),
      layer("max_unpool3d", MaxUnpool3d(2))};
}

std::vector<Layer> pads() {
  return {layer("reflection_pad1d", ReflectionPad1d(ReflectionPad1dOptions({2, 1}))),
          layer("reflection_pad2d", ReflectionPad2d(ReflectionPad2dOptions({1, 2, 0, 3}))),
          layer("reflection_pad3d", ReflectionPad3d(1)),
          layer("replication_pad1d", ReplicationPad1d(ReplicationPad1dOptions({2, 1}))),
          layer("replication_pad2d", ReplicationPad2d(2)),
          layer("replication_pad3d", ReplicationPad3d(1)),
          layer("zero_pad2d", ZeroPad2d(ZeroPad2dOptions({1, 2, 0, 3}))),
          layer("constant_pad1d", ConstantPad1d(2, 3.5)),
          layer("constant_pad2d", ConstantPad2d(ConstantPad2dOptions({1, -1, 0, 2}, 0.5))),
          layer("constant_pad3d", ConstantPad3d(1, 2))};
}

std::vector<Layer> norms() {
  const auto tracked = InstanceNormOptions(4).affine(true).track_running_stats(true);
  return {
      layer("batch_norm1d", BatchNorm1d(4)),
      layer("batch_norm1d_line", BatchNorm1d(BatchNorm1dOptions(4).eps(1e-3).momentum(0.3))),
      layer("batch_norm2d", BatchNorm2d(BatchNorm2dOptions(4).momentum(std::nullopt))),
      evaluated("batch_norm2d_eval", BatchNorm2d(4)),
      layer("batch_norm2d_plain",
            BatchNorm2d(BatchNorm2dOptions(4).affine(false).track_running_stats(false))),
      layer("batch_norm3d", BatchNorm3d(4)),
      layer("instance_norm1d", InstanceNorm1d(4)),
      layer("instance_norm2d", InstanceNorm2d(tracked)),
      evaluated("instance_norm2d_eval", InstanceNorm2d(tracked)),
      layer("instance_norm2d_alone", InstanceNorm2d(4)),
      layer("instance_norm3d", InstanceNorm3d(4)),
      layer("layer_norm", LayerNorm(std::vector<int64_t>{5, 4})),
      layer("layer_norm_plain",
            LayerNorm(LayerNormOptions({4}).eps(1e-2).elementwise_affine(false))),
      layer("group_norm", GroupNorm(2, 4)),
      layer("group_norm_plain", GroupNorm(GroupNormOptions(4, 4).affine(false))),
      layer("local_response_norm",
            LocalResponseNorm(LocalResponseNormOptions(3).alpha(0.3).beta(0.6).k(1.2))),
      layer("local_response_norm_even", LocalResponseNorm(LocalResponseNormOptions(2).alpha(0.3)))};
}

std::vector<Layer> dropouts_and_distances() {
  return {
      evaluated("dropout_eval", Dropout()),
      evaluated("dropout2d_eval", Dropout2d()),
      evaluated("dropout3d_eval", Dropout3d()),
      evaluated("alpha_dropout_eval", AlphaDropout()),
      evaluated("feature_alpha_dropout_eval", FeatureAlphaDropout()),
      layer("cosine_similarity", CosineSimilarity(CosineSimilarityOptions().dim(0))),
      layer("pairwise_distance", PairwiseDistance(PairwiseDistanceOptions().p(3).keepdim(true)))};
}

template <class Choice>
void add_losses(std::vector<Layer>& to, const std::string& reduction, Choice choice) {
  const auto add = [&](const char* name, auto holder) {
    Layer loss = layer(name, holder);
    loss.name += "_" + reduction;
    to.push_back(std::move(loss));
  };
  add("l1_loss", L1Loss(L1LossOptions(choice)));
  add("mse_loss", MSELoss(MSELossOptions().reduction(choice)));
  add("smooth_l1_loss", SmoothL1Loss(SmoothL1LossOptions(choice).beta(0.5)));
  add("huber_loss", HuberLoss(HuberLossOptions(choice).delta(0.7)));
  add("kl_div_loss", KLDivLoss(KLDivLossOptions(choice)));
  add("bce_loss", BCELoss(BCELossOptions().reduction(choice)));
  add("bce_with_logits_loss", BCEWithLogitsLoss(BCEWithLogitsLossOptions().reduction(choice)));
  add("hinge_embedding_loss",
      HingeEmbeddingLoss(HingeEmbeddingLossOptions().margin(0.5).reduction(choice)));
  add("multi_margin_loss",
      MultiMarginLoss(MultiMarginLossOptions().p(2).margin(0.8).reduction(choice)));
  add("cosine_embedding_loss",
      CosineEmbeddingLoss(CosineEmbeddingLossOptions().margin(0.1).reduction(choice)));
  add("multilabel_margin_loss", MultiLabelMarginLoss(MultiLabelMarginLossOptions(choice)));
  add("soft_margin_loss", SoftMarginLoss(SoftMarginLossOptions(choice)));
  add("multilabel_soft_margin_loss",
      MultiLabelSoftMarginLoss(MultiLabelSoftMarginLossOptions().reduction(choice)));
  add("triplet_margin_loss",
      TripletMarginLoss(TripletMarginLossOptions().margin(0.7).p(3).swap(true).reduction(choice)));
  add("triplet_margin_with_distance_loss",
      TripletMarginWithDistanceLoss(
          TripletMarginWithDistanceLossOptions().margin(0.7).swap(true).reduction(choice)));
  add("poisson_nll_loss", PoissonNLLLoss(PoissonNLLLossOptions().full(true).reduction(choice)));
  add("margin_ranking_loss",
      MarginRankingLoss(MarginRankingLossOptions().margin(0.3).reduction(choice)));
  add("nll_loss", NLLLoss(NLLLossOptions().reduction(choice).ignore_index(4)));
  add("cross_entropy_loss",
      CrossEntropyLoss(CrossEntropyLossOptions().reduction(choice).label_smoothing(0.2)));
  // Of log_softmax, whose gradient the loss's share alone does not show (core/ops/ctc_loss.h).
  to.push_back(called("ctc_loss_" + reduction, CTCLoss(CTCLossOptions().reduction(choice).blank(1)),
                      [](CTCLoss& loss, const Tensors& in) {
                        return loss->forward(in[0].log_softmax(2), in[1], in[2], in[3]);
                      }));
}

std::vector<Layer> losses() {
  std::vector<Layer> out;
  add_losses(out, "mean", kMean);
  add_losses(out, "sum", kSum);
  add_losses(out, "none", kNone);
  const Tensor weight = tensor({0.5, 2.0, 1.0, 0.3, 0.9}, kFloat64);
  out.push_back(
      layer("kl_div_loss_batchmean", KLDivLoss(KLDivLossOptions(kBatchMean).log_target(true))));
  out.push_back(layer("nll_loss_weight", NLLLoss(NLLLossOptions().weight(weight))));
  out.push_back(layer("cross_entropy_loss_weight",
                      CrossEntropyLoss(CrossEntropyLossOptions().weight(weight).ignore_index(0))));
  out.push_back(layer("bce_with_logits_loss_weight",
                      BCEWithLogitsLoss(BCEWithLogitsLossOptions()
                                            .weight(weight.narrow(0, 0, 3))
                                            .pos_weight(weight.narrow(0, 2, 3)))));
  return out;
}

std::vector<Layer> resampling() {
  const auto up = [] { return UpsampleOptions(); };
  const auto size = [](std::vector<int64_t> sizes) { return sizes; };
  return {layer("fold", Fold(FoldOptions({4, 5}, {2, 2}).padding(1))),
          layer("unfold", Unfold(UnfoldOptions({2, 3}).dilation({1, 2}).padding(1).stride(2))),
          layer("pixel_shuffle", PixelShuffle(2)),
          layer("pixel_unshuffle", PixelUnshuffle(2)),
          layer("upsample_nearest", nn::Upsample(up().scale_factor(std::vector<double>{2, 2}))),
          layer("upsample_linear", nn::Upsample(up().size(size({7})).mode(kLinear))),
          layer("upsample_bilinear",
                nn::Upsample(up().size(size({4, 7})).mode(kBilinear).align_corners(true))),
          layer("upsample_bicubic",
                nn::Upsample(up().scale_factor(std::vector<double>{1.5, 1.5}).mode(kBicubic))),
          layer("upsample_trilinear", nn::Upsample(up().size(size({3, 4, 2})).mode(kTrilinear)))};
}

std::vector<Layer> cells() {
  return {layer("rnn_cell", RNNCell(3, 4)),
          layer("rnn_cell_relu", RNNCell(RNNCellOptions(3, 4).bias(false).nonlinearity(kReLU))),
          layer("gru_cell", GRUCell(3, 4)),
          layer("gru_cell_no_bias", GRUCell(GRUCellOptions(3, 4).bias(false))),
          called("lstm_cell", LSTMCell(3, 4),
                 [](LSTMCell& cell, const Tensors& in) {
                   return cell->forward(in[0], std::make_tuple(in[1], in[2]));
                 }),
          layer("lstm_cell_no_bias", LSTMCell(LSTMCellOptions(3, 4).bias(false)))};
}

std::vector<Layer> recurrent() {
  return {layer("rnn", RNN(3, 4)),
          layer("rnn_relu", RNN(RNNOptions(3, 4)
                                    .num_layers(2)
                                    .nonlinearity(kReLU)
                                    .bias(false)
                                    .batch_first(true)
                                    .bidirectional(true))),
          layer("gru", GRU(GRUOptions(3, 4).num_layers(2))),
          layer("gru_both_ways", GRU(GRUOptions(3, 4).bidirectional(true).batch_first(true))),
          called("lstm", LSTM(LSTMOptions(3, 4).num_layers(2)),
                 [](LSTM& lstm, const Tensors& in) {
                   return lstm->forward(in[0], std::make_tuple(in[1], in[2]));
                 }),
          layer("lstm_both_ways",
                LSTM(LSTMOptions(3, 4).bidirectional(true).batch_first(true).bias(false))),
          layer("lstm_projected", LSTM(LSTMOptions(3, 4).proj_size(2).num_layers(2))),
          packed("rnn_packed", RNN(3, 4)),
          packed("gru_packed", GRU(GRUOptions(3, 4).bidirectional(true))),
          packed("lstm_packed", LSTM(LSTMOptions(3, 4).num_layers(2)))};
}

std::vector<Layer> attention() {
  const auto encoder_layer = TransformerEncoderLayerOptions(6, 2).dim_feedforward(8).dropout(0);
  const auto decoder_layer = TransformerDecoderLayerOptions(6, 2).dim_feedforward(8).dropout(0);
  const auto more =
      MultiheadAttentionOptions(6, 2).add_bias_kv(true).add_zero_attn(true).kdim(5).vdim(3);
  const AnyModule norm(LayerNorm(std::vector<int64_t>{6}));
  const auto target = [](auto& module, const Tensors& in) { return module->forward(in[0], in[1]); };
  return {
      layer("multihead_attention", MultiheadAttention(6, 2)),
      called("multihead_attention_own",
             MultiheadAttention(MultiheadAttentionOptions(6, 3).bias(false)),
             [](MultiheadAttention& module, const Tensors& in) {
               return module->forward(in[0], in[0], in[0]);
             }),
      called("multihead_attention_more", MultiheadAttention(more),
             [](MultiheadAttention& module, const Tensors& in) {
               return module->forward(in[0], in[1], in[2], in[3], true, in[4]);
             }),
      called("multihead_attention_hidden", MultiheadAttention(6, 2),
             [](MultiheadAttention& module, const Tensors& in) {
               return std::get<0>(module->forward(in[0], in[1], in[2], in[3], false));
             }),
      called("multihead_attention_masked", MultiheadAttention(6, 2),
             [](MultiheadAttention& module, const Tensors& in) {
               return std::get<0>(module->forward(in[0], in[1], in[2], in[3], false, in[4]));
             }),
      layer("transformer_encoder_layer", TransformerEncoderLayer(encoder_layer)),
      layer(
          "transformer_encoder_layer_gelu",
          TransformerEncoderLayer(TransformerEncoderLayerOptions(encoder_layer).activation(kGELU))),
      called("transformer_decoder_layer", TransformerDecoderLayer(decoder_layer), target),
      called("transformer_encoder",
             TransformerEncoder(TransformerEncoderOptions(encoder_layer, 2).norm(norm)), target),
      called("transformer_decoder", TransformerDecoder(TransformerDecoderOptions(decoder_layer, 2)),
             target),
      called("transformer",
             Transformer(TransformerOptions(6, 2, 1, 1).dim_feedforward(8).dropout(0)), target),
      called(
          "adaptive_log_softmax_with_loss",
          AdaptiveLogSoftmaxWithLoss(AdaptiveLogSoftmaxWithLossOptions(8, 10, {4, 7}).div_value(2)),
          [](AdaptiveLogSoftmaxWithLoss& module, const Tensors& in) {
            return module->forward(in[0], in[1]).output;
          }),
      called(
          "adaptive_log_prob",
          AdaptiveLogSoftmaxWithLoss(AdaptiveLogSoftmaxWithLossOptions(8, 10, {4, 7}).div_value(2)),
          [](AdaptiveLogSoftmaxWithLoss& module, const Tensors& in) {
            return module->log_prob(in[0]);
          })};
}

const std::vector<std::vector<Layer> (*)()> kFamilies = {
    activations, linear_layers, embeddings, convolutions, transposed_convolutions,
    pools,       pads,          norms,      losses,       dropouts_and_distances,
    resampling,  cells,         recurrent,  attention};

TEST(Layers, ActivationsEqualPyTorch) { expect_layers(activations()); }
TEST(Layers, LinearLayersEqualPyTorch) { expect_layers(linear_layers()); }
TEST(Layers, EmbeddingsEqualPyTorch) { expect_layers(embeddings()); }
TEST(Layers, ConvolutionsEqualPyTorch) { expect_layers(convolutions()); }
TEST(Layers, TransposedConvolutionsEqualPyTorch) { expect_layers(transposed_convolutions()); }
TEST(Layers, PoolsEqualPyTorch) { expect_layers(pools()); }
TEST(Layers, PadsEqualPyTorch) { expect_layers(pads()); }
TEST(Layers, NormsEqualPyTorch) { expect_layers(norms()); }
TEST(Layers, LossesEqualPyTorch) { expect_layers(losses()); }
TEST(Layers, DropoutsAndDistancesEqualPyTorch) { expect_layers(dropouts_and_distances()); }
TEST(Layers, ResamplingEqualsPyTorch) { expect_layers(resampling()); }
TEST(Layers, CellsEqualPyTorch) { expect_layers(cells()); }
TEST(Layers, RecurrentLayersEqualPyTorch) { expect_layers(recurrent()); }
TEST(Layers, AttentionEqualsPyTorch) { expect_layers(attention()); }

TEST(Layers, CopiesComputeTheSame) {
  for (const auto& family : kFamilies)
    for (const Layer& layer : family()) {
      const std::shared_ptr<Module> copy = layer.module->clone();
      const auto mine = layer.module->named_parameters(), theirs = copy->named_parameters();
      ASSERT_EQ(mine.keys(), theirs.keys()) << layer.name;
      for (const auto& parameter : mine) {
        EXPECT_TRUE(equal(*parameter, theirs[parameter.key()])) << layer.name;
        EXPECT_NE(parameter->data_ptr(), theirs[parameter.key()].data_ptr()) << layer.name;
      }
      EXPECT_EQ(layer.module->named_buffers().keys(), copy->named_buffers().keys()) << layer.name;
      EXPECT_EQ(str(*layer.module), str(*copy));
    }
}

TEST(Layers, AreAllCompared) {
  size_t count = 0;
  for (const auto& family : kFamilies) count += family().size();
  EXPECT_EQ(count, golden_layers().size());
}

}  // namespace
}  // namespace oneagent
