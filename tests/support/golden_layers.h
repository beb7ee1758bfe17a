// Layers beside the golden rows that tests/golden/make_layers.py made with PyTorch: outputs,
// gradients in parameters and inputs, and buffers, with the same weights.
#pragma once

#include <gtest/gtest.h>

#include "core/nn/nn.h"
#include "tests/support/golden_nn.h"

namespace oneagent::testing {

using Tensors = std::vector<Tensor>;

inline void append(Tensors& to, const Tensor& value) {
  if (value.defined()) to.push_back(value);
}
template <class... Ts>
void append(Tensors& to, const std::tuple<Ts...>& values) {
  std::apply([&](const auto&... each) { (append(to, each), ...); }, values);
}

struct Layer {
  std::string name;
  std::shared_ptr<nn::Module> module;
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
Layer layer(const char* name, nn::ModuleHolder<Impl> holder) {
  return {name, holder.ptr(),
          [holder](const Tensors& in) mutable { return run_forward(*holder, in); }};
}
template <class Holder>
Layer evaluated(const char* name, Holder holder) {
  holder->eval();
  return layer(name, holder);
}
template <class Holder, class Run>
Layer called(const std::string& name, Holder holder, Run run) {
  return {name, holder.ptr(), [holder, run](const Tensors& in) mutable {
            Tensors out;
            append(out, run(holder, in));
            return out;
          }};
}
template <class Holder>
Layer packed(const char* name, Holder holder) {
  return called(name, holder, [](Holder& module, const Tensors& in) {
    const auto sequence = nn::utils::rnn::pack_padded_sequence(in[0], in[1], false, false);
    const auto [output, state] = module->forward_with_packed_input(sequence);
    return std::make_tuple(std::get<0>(nn::utils::rnn::pad_packed_sequence(output)), state);
  });
}

inline Tensor input_of(const Json& spec) {
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

inline void expect_all(const Tensors& actual, const Json& expected, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (size_t i = 0; i < actual.size(); ++i)
    expect_values(actual[i], expected[i], str(where, " ", i), 1e-7);
}

inline Tensors gradients_of(const Tensors& tensors) {
  Tensors out;
  for (const Tensor& x : tensors)
    if (x.requires_grad() && x.grad().defined()) out.push_back(x.grad());
  return out;
}

inline void expect_layer(const Layer& layer, const Json& golden) {
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

inline const Json& golden_layers() {
  static const Json all = Json::parse(read_text(fs::path(OA_GOLDEN) / "layers.json"));
  return all;
}

inline void expect_layers(const std::vector<Layer>& layers) {
  for (const Layer& layer : layers) {
    ASSERT_TRUE(golden_layers().contains(layer.name)) << layer.name;
    try {
      expect_layer(layer, golden_layers()[layer.name]);
    } catch (const Error& error) {
      ADD_FAILURE() << layer.name << ": " << error.what();
    }
  }
}

}  // namespace oneagent::testing
