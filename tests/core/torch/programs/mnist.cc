// The MNIST trainer.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

// The convolutional network of the MNIST example. Ten classes of 28 x 28 images, each a bar at its
// own place, are written as IDX files first, as many as libtorch's reader wants, so that nothing
// has to be fetched. 120 batches and 2,000 images are enough to learn bars.
struct Net : torch::nn::Module {
  Net()
      : conv1(torch::nn::Conv2dOptions(1, 10, /*kernel_size=*/5)),
        conv2(torch::nn::Conv2dOptions(10, 20, /*kernel_size=*/5)),
        fc1(320, 50),
        fc2(50, 10) {
    register_module("conv1", conv1);
    register_module("conv2", conv2);
    register_module("conv2_drop", conv2_drop);
    register_module("fc1", fc1);
    register_module("fc2", fc2);
  }

  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(torch::max_pool2d(conv1->forward(x), 2));
    x = torch::relu(torch::max_pool2d(conv2_drop->forward(conv2->forward(x)), 2));
    x = x.view({-1, 320});
    x = torch::relu(fc1->forward(x));
    x = torch::dropout(x, /*p=*/0.5, /*training=*/is_training());
    x = fc2->forward(x);
    return torch::log_softmax(x, /*dim=*/1);
  }

  torch::nn::Conv2d conv1;
  torch::nn::Conv2d conv2;
  torch::nn::Dropout2d conv2_drop;
  torch::nn::Linear fc1;
  torch::nn::Linear fc2;
};

void write_idx(const std::string& path, std::vector<unsigned> sizes, const std::string& values) {
  std::ofstream out(path, std::ios::binary);
  out << std::string("\0\0\x08", 3) << static_cast<char>(sizes.size());
  for (unsigned size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8) out << static_cast<char>(size >> shift);
  out << values;
}

void write_digits(const std::string& prefix, int count, unsigned seed) {
  std::string images, labels;
  for (int i = 0; i < count; ++i) {
    const int label = i % 10;
    for (int row = 0; row < 28; ++row)
      for (int column = 0; column < 28; ++column) {
        seed = seed * 1664525u + 1013904223u;
        const bool bar = label < 5 ? row / 5 == label : column / 5 == label - 5;
        images += static_cast<char>((bar ? 180 : 0) + (seed >> 26));
      }
    labels += static_cast<char>(label);
  }
  write_idx(prefix + "-images-idx3-ubyte", {static_cast<unsigned>(count), 28, 28}, images);
  write_idx(prefix + "-labels-idx1-ubyte", {static_cast<unsigned>(count)}, labels);
}

template <typename DataLoader>
void train(size_t epoch, Net& model, torch::Device device, DataLoader& data_loader,
           torch::optim::Optimizer& optimizer) {
  model.train();
  size_t batches = 0;
  for (auto& batch : data_loader) {
    if (++batches > 120) break;
    auto data = batch.data.to(device), targets = batch.target.to(device);
    optimizer.zero_grad();
    auto output = model.forward(data);
    auto loss = torch::nll_loss(output, targets);
    AT_ASSERT(!std::isnan(loss.template item<float>()));
    loss.backward();
    optimizer.step();
  }
  std::printf("epoch %zu\n", epoch);
}

template <typename DataLoader>
void test(Net& model, torch::Device device, DataLoader& data_loader, size_t dataset_size) {
  torch::NoGradGuard no_grad;
  model.eval();
  double test_loss = 0;
  int32_t correct = 0;
  size_t seen = 0;
  for (const auto& batch : data_loader) {
    if (seen >= 2000) break;
    seen += batch.data.size(0);
    auto data = batch.data.to(device), targets = batch.target.to(device);
    auto output = model.forward(data);
    test_loss += torch::nll_loss(output, targets, /*weight=*/{}, torch::Reduction::Sum)
                     .template item<float>();
    auto pred = output.argmax(1);
    correct += pred.eq(targets).sum().template item<int64_t>();
  }
  std::printf("%zu images\n", dataset_size);
  test_loss /= seen;
  std::printf("loss %s accuracy %s\n", test_loss < 0.5 ? "small" : "large",
              static_cast<double>(correct) / seen > 0.95 ? "high" : "low");
}

int main() {
  torch::manual_seed(1);
  const std::string root = "mnist_data";
  if (std::system("mkdir -p mnist_data") != 0) return 1;
  write_digits(root + "/train", 60000, 1);
  write_digits(root + "/t10k", 10000, 2);
  torch::Device device(torch::cuda::is_available() ? torch::kCUDA : torch::kCPU);
  Net model;
  model.to(device);

  auto train_dataset = torch::data::datasets::MNIST(root)
                           .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                           .map(torch::data::transforms::Stack<>());
  auto train_loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      std::move(train_dataset), 32);
  auto test_dataset = torch::data::datasets::MNIST(root, torch::data::datasets::MNIST::Mode::kTest)
                          .map(torch::data::transforms::Normalize<>(0.1307, 0.3081))
                          .map(torch::data::transforms::Stack<>());
  const size_t test_dataset_size = test_dataset.size().value();
  auto test_loader = torch::data::make_data_loader(
      std::move(test_dataset), torch::data::DataLoaderOptions().batch_size(50).workers(2));
  torch::optim::SGD optimizer(model.parameters(), torch::optim::SGDOptions(0.02).momentum(0.5));
  for (size_t epoch = 1; epoch <= 2; ++epoch) train(epoch, model, device, *train_loader, optimizer);
  test(model, device, *test_loader, test_dataset_size);
}
