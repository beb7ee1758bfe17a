// Datasets, transforms and loaders.
#ifdef ONEAGENT
#include <oneagent/torch.h>
#else
#include <torch/torch.h>
#endif
#include <iostream>

// Points on a line, as a dataset of the user.
class Line : public torch::data::datasets::Dataset<Line> {
 public:
  explicit Line(int64_t count) : count_(count) {}
  torch::data::Example<> get(size_t index) override {
    const double x = static_cast<double>(index);
    return {torch::tensor({x, x * x}), torch::tensor(2.0 * x)};
  }
  torch::optional<size_t> size() const override { return count_; }

 private:
  int64_t count_;
};

int main() {
  auto dataset = Line(10).map(torch::data::transforms::Stack<>());
  auto loader = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      dataset, torch::data::DataLoaderOptions().batch_size(4));
  for (auto& batch : *loader) std::cout << batch.data << "\n" << batch.target << "\n";

  auto dropping = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      Line(10)
          .map(torch::data::transforms::Lambda<torch::data::Example<>>(
              [](torch::data::Example<> example) {
                example.data = example.data * 10;
                return example;
              }))
          .map(torch::data::transforms::Stack<>()),
      torch::data::DataLoaderOptions().batch_size(4).workers(2).drop_last(true));
  for (auto& batch : *dropping) std::cout << batch.data.select(1, 0) << "\n";

  auto random = torch::data::make_data_loader(Line(100).map(torch::data::transforms::Stack<>()),
                                              torch::data::DataLoaderOptions(32).workers(1));
  double total = 0;
  int batches = 0;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (auto& batch : *random) {
      total += batch.target.sum().item<double>();
      ++batches;
    }
  std::cout << total << " " << batches << "\n";

  auto raw = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(Line(3), 2);
  for (std::vector<torch::data::Example<>>& batch : *raw) std::cout << batch.size() << "\n";

  torch::data::datasets::TensorDataset rows(torch::arange(12).view({6, 2}));
  auto tensors = torch::data::make_data_loader<torch::data::samplers::SequentialSampler>(
      rows.map(torch::data::transforms::Stack<torch::data::TensorExample>()), 3);
  for (torch::data::TensorExample& batch : *tensors) std::cout << batch.data << "\n";
}
