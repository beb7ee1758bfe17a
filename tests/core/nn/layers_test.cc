// Every layer against PyTorch: outputs, gradients in parameters and inputs, and buffers, with the
// same weights (tests/golden/make_layers.py).
#include <gtest/gtest.h>

#include "core/nn/nn.h"
#include "tests/support/golden_nn.h"

namespace oneagent {
namespace {

using namespace nn;  // NOLINT: a table of layers
using testing::expect_values;
using testing::wave;

using Tensors = std::vector<Tensor>;

void append(Tensors& to, const Tensor& value) {
  if (value.defined()) to.push_back(value);
}
template <class... Ts>
void append(Tensors& to, const std::tuple<Ts...>& values) {
  std::apply([&](const auto&... each) { (append(to, each), ...); }, values);
}

struct Layer {
  std::string name;
  std::shared_ptr<Module> module;
  std::function<Tensors(const Tensors&)> run;
};

// Calls forward() with as many inputs as there are.
template <class Impl>
Tensors run_forward(Impl& module, const Tensors& in) {
  Tensors out;
  if constexpr (requires { module.forward(in[0]); })
    if (in.size() == 1) append(out, module.forward(in[0]));
  if constexpr (requires { module.forward(in[0], in[1]); })
    if (in.size() == 2) append(out, module.forward(in[0], in[1]));
  if constexpr (requires { module.forward(in[0], in[1], in[2]); })
    if (in.size() == 3) append(out, module.forward(in[0], in[1], in[2]));
  if constexpr (requires { module.forward(in[0], in[1], in[2], in[3]); })
    if (in.size() == 4) append(out, module.forward(in[0], in[1], in[2], in[3]));
  return out;
}

template <class Impl>
Layer layer(const char* name, ModuleHolder<Impl> holder) {
  return {name, holder.ptr(),
          [holder](const Tensors& in) mutable { return run_forward(*holder, in); }};
}
template <class Holder>
Layer evaluated(const char* name, Holder holder) {
  holder->eval();
  return layer(name, holder);
}
template <class Holder, class Run>
Layer called(const char* name, Holder holder, Run run) {
  return {name, holder.ptr(), [holder, run](const Tensors& in) mutable {
            Tensors out;
            append(out, run(holder, in));
            return out;
          }};
}
template <class Holder>
Layer packed(const char* name, Holder holder) {
  return called(name, holder, [](Holder& module, const Tensors& in) {
    const auto sequence = utils::rnn::pack_padded_sequence(in[0], in[1], false, false);
    const auto [output, state] = module->forward_with_packed_input(sequence);
    return std::make_tuple(std::get<0>(utils::rnn::pad_packed_sequence(output)), state);
  });
}

Tensor input_of(const Json& spec) {
  const Shape shape = spec["shape"].get<std::vector<int64_t>>();
  if (spec.contains("values"))
    return tensor(spec["values"].get<std::vector<int64_t>>()).view(shape);
  if (spec.contains("bools")) {
    std::vector<int64_t> bits;
    for (const Json& bit : spec["bools"]) bits.push_back(bit.get<bool>());
    return tensor(bits).view(shape).to(kBool);
  }
  const Tensor x = wave(spec["shift"].get<double>(), shape) * spec["scale"].get<double>() +
                   spec["add"].get<double>();
  return spec["constant"].get<bool>() ? x : x.requires_grad_();
}

void expect_all(const Tensors& actual, const Json& expected, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (size_t i = 0; i < actual.size(); ++i)
    expect_values(actual[i], expected[i], str(where, " ", i), 1e-7);
}

Tensors gradients_of(const Tensors& tensors) {
  Tensors out;
  for (const Tensor& x : tensors)
    if (x.requires_grad() && x.grad().defined()) out.push_back(x.grad());
  return out;
}

void expect_layer(const Layer& layer, const Json& golden) {
  layer.module->to(kFloat64);
  {
    const NoGradGuard guard;
    int k = 0;
    for (const Tensor& parameter : layer.module->parameters())
      parameter.copy_(wave(0.1 * k++ + 0.2, parameter.sizes()) * 0.5);
  }
  Tensors inputs;
  for (const Json& spec : golden["inputs"]) inputs.push_back(input_of(spec));
  const Tensors outputs = layer.run(inputs);
  expect_all(outputs, golden["outputs"], layer.name + ": output");
  Tensor loss = zeros({}, kFloat64);
  for (const Tensor& output : outputs)
    if (output.is_floating_point()) loss = loss + (output * wave(0.8, output.sizes())).sum();
  if (loss.requires_grad()) loss.backward();
  expect_all(gradients_of(layer.module->parameters()), golden["parameters"],
             layer.name + ": gradient of parameter");
  expect_all(gradients_of(inputs), golden["gradients"], layer.name + ": gradient of input");
  expect_all(layer.module->buffers(), golden["buffers"], layer.name + ": buffer");
}

const Json& golden_layers() {
  static const Json all = Json::parse(read_text(fs::path(OA_GOLDEN) / "layers.json"));
  return all;
}

void expect_layers(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    ASSERT_TRUE(golden_layers().contains(layer.name)) << layer.name;
    try {
      expect_layer(layer, golden_layers()[layer.name]);
    } catch (const Error& error) {
      ADD_FAILURE() << layer.name << ": " << error.what();
    }
  }
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

const std::vector<std::vector<Layer> (*)()> kFamilies = {
    linear_layers, convolutions, pools, pads, norms, cells, recurrent};

TEST(Layers, LinearLayersEqualPyTorch) { expect_layers(linear_layers()); }
TEST(Layers, ConvolutionsEqualPyTorch) { expect_layers(convolutions()); }
TEST(Layers, PoolsEqualPyTorch) { expect_layers(pools()); }
TEST(Layers, PadsEqualPyTorch) { expect_layers(pads()); }
TEST(Layers, NormsEqualPyTorch) { expect_layers(norms()); }
TEST(Layers, CellsEqualPyTorch) { expect_layers(cells()); }
TEST(Layers, RecurrentLayersEqualPyTorch) { expect_layers(recurrent()); }

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

}  // namespace
}  // namespace oneagent
