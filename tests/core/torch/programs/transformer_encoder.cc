// A transformer encoder that learns to count.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// A small language model: embeddings, positions, an encoder with a causal mask, a head.
struct ModelImpl : torch::nn::Module {
  ModelImpl(int64_t vocabulary, int64_t width, int64_t heads, int64_t layers)
      : embedding(vocabulary, width),
        encoder(torch::nn::TransformerEncoderOptions(
            torch::nn::TransformerEncoderLayerOptions(width, heads)
                .dim_feedforward(32)
                .dropout(0.0),
            layers)),
        head(width, vocabulary) {
    register_module("embedding", embedding);
    register_module("encoder", encoder);
    register_module("head", head);
    positions = register_buffer("positions", torch::randn({64, 1, width}) * 0.1);
  }
  torch::Tensor forward(torch::Tensor tokens) {  // [T, B]
    const int64_t length = tokens.size(0);
    torch::Tensor mask =
        torch::full({length, length}, -std::numeric_limits<float>::infinity()).triu(1);
    torch::Tensor x = embedding(tokens) + positions.slice(0, 0, length);
    return head(encoder(x, mask));
  }
  torch::nn::Embedding embedding;
  torch::nn::TransformerEncoder encoder;
  torch::nn::Linear head;
  torch::Tensor positions;
};
TORCH_MODULE(Model);

int main() {
  torch::manual_seed(5);
  Model model(8, 16, 2, 2);
  torch::optim::AdamW optimizer(model->parameters(), torch::optim::AdamWOptions(0.01));
  torch::Tensor tokens = torch::arange(12).remainder(8).unsqueeze(1).expand({12, 4});
  torch::Tensor input = tokens.slice(0, 0, 11), target = tokens.slice(0, 1, 12);
  float loss_value = 0;
  for (int step = 0; step < 80; ++step) {
    optimizer.zero_grad();
    torch::Tensor logits = model(input);
    torch::Tensor loss = torch::cross_entropy_loss(logits.reshape({-1, 8}), target.reshape({-1}));
    loss.backward();
    optimizer.step();
    loss_value = loss.item<float>();
  }
  std::cout << (loss_value < 0.1 ? "learnt" : "not learnt") << "\n";
  torch::NoGradGuard guard;
  model->eval();
  std::cout << model(input).argmax(-1).select(1, 0) << "\n";
  torch::nn::MultiheadAttention attention(torch::nn::MultiheadAttentionOptions(4, 2));
  for (auto& p : attention->parameters()) p.fill_(0.1);
  torch::Tensor q = torch::arange(24, torch::kFloat).view({3, 2, 4}) / 24;
  auto result = attention->forward(q, q, q);
  std::cout << std::get<0>(result) << "\n" << std::get<1>(result) << "\n";
}
