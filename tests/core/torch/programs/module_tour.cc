// Modules: registration, containers, printing, functional.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

struct BlockImpl : torch::nn::Cloneable<BlockImpl> {
  explicit BlockImpl(int64_t width) : width_(width) { reset(); }
  void reset() override {
    linear = register_module("linear", torch::nn::Linear(width_, width_));
    scale = register_parameter("scale", torch::ones({width_}));
    count = register_buffer("count", torch::zeros({1}));
  }
  torch::Tensor forward(torch::Tensor x) {
    count += 1;
    return linear(x) * scale;
  }
  int64_t width_;
  torch::nn::Linear linear{nullptr};
  torch::Tensor scale, count;
};
TORCH_MODULE(Block);

struct NetImpl : torch::nn::Module {
  NetImpl() {
    for (int i = 0; i < 2; ++i) blocks->push_back(Block(3));
    register_module("blocks", blocks);
    register_module("head", head);
  }
  torch::Tensor forward(torch::Tensor x) {
    for (const auto& block : *blocks) x = block->as<Block>()->forward(x);
    return head->forward(x);
  }
  torch::nn::ModuleList blocks;
  torch::nn::Sequential head{
      {{"norm", torch::nn::LayerNorm(torch::nn::LayerNormOptions({3}))},
       {"out", torch::nn::Linear(torch::nn::LinearOptions(3, 1).bias(false))}}};
};
TORCH_MODULE(Net);

int main() {
  Net net;
  std::cout << net << "\n";
  for (const auto& p : net->named_parameters())
    std::cout << p.key() << " " << p.value().sizes() << "\n";
  for (const auto& p : net->named_buffers())
    std::cout << p.key() << " " << p.value().sizes() << "\n";
  for (const auto& m : net->named_modules())
    std::cout << m.key() << ": " << m.value()->name() << "\n";
  std::cout << net->children().size() << net->parameters().size() << "\n";
  std::cout << net(torch::ones({2, 3})).sizes() << net->named_buffers()["blocks.0.count"] << "\n";
  net->eval();
  std::cout << net->is_training() << net->blocks[0]->is_training() << "\n";
  net->to(torch::kDouble);
  std::cout << net->parameters()[0].dtype() << "\n";
  net->apply([](torch::nn::Module& module) {
    if (auto* linear = module.as<torch::nn::Linear>()) {
      torch::NoGradGuard guard;
      torch::nn::init::constant_(linear->weight, 0.5);
      if (linear->bias.defined()) torch::nn::init::zeros_(linear->bias);
    }
  });
  Block block(2), other = Block(std::dynamic_pointer_cast<BlockImpl>(block->clone()));
  {
    torch::NoGradGuard guard;
    block->scale.fill_(5);
  }
  std::cout << other->scale << block->scale << "\n";
  net->zero_grad();
  torch::nn::ModuleDict dict;
  std::vector<std::pair<std::string, std::shared_ptr<torch::nn::Module>>> named = {
      {"relu", torch::nn::ReLU().ptr()}, {"linear", torch::nn::Linear(2, 2).ptr()}};
  dict->update(named);
  std::cout << dict->contains("relu") << dict->size() << "\n";
  torch::nn::AnyModule any(torch::nn::Linear(2, 2));
  std::cout << any.forward<torch::Tensor>(torch::ones({1, 2})).sizes() << "\n";
  namespace F = torch::nn::functional;
  torch::Tensor x = torch::arange(16, torch::kFloat).view({1, 1, 4, 4});
  std::cout << F::max_pool2d(x, F::MaxPool2dFuncOptions(2))
            << F::avg_pool2d(x, F::AvgPool2dFuncOptions(2)) << "\n";
  std::cout << F::pad(x, F::PadFuncOptions({1, 1, 0, 0}).mode(torch::kReflect)) << "\n";
  std::cout << F::interpolate(x, F::InterpolateFuncOptions()
                                     .size(std::vector<int64_t>({2, 2}))
                                     .mode(torch::kBilinear)
                                     .align_corners(false))
            << "\n";
  std::cout << F::mse_loss(x, x + 2) << F::l1_loss(x, x + 2, F::L1LossFuncOptions(torch::kSum))
            << F::gelu(x).sum() << F::normalize(x.view({4, 4}), F::NormalizeFuncOptions().dim(1))
            << "\n";
  torch::nn::Embedding embedding(torch::nn::EmbeddingOptions(4, 2).padding_idx(0));
  std::cout << embedding(torch::tensor({0, 0})) << "\n";
  std::cout << torch::nn::utils::parameters_to_vector(block->parameters()).sizes() << "\n";
  try {
    Block unset = nullptr;
    unset->forward(x);
  } catch (const c10::Error&) {
    std::cout << "empty module\n";
  }
}
