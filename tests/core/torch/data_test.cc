// Datasets, samplers and the loader.
#include "core/torch/data/data.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <numeric>

#include "core/io/archive.h"

namespace oneagent::data {
namespace {

using samplers::SequentialSampler;

class Line : public datasets::Dataset<Line> {
 public:
  explicit Line(int64_t count) : count_(count) {}
  Example<> get(size_t index) override {
    OA_REQUIRE(index != 13, "line: unlucky index");
    return {full({1}, static_cast<double>(index)), full({}, 2.0 * static_cast<double>(index))};
  }
  std::optional<size_t> size() const override { return static_cast<size_t>(count_); }

 private:
  int64_t count_;
};

// Hands out numbers until `count` are gone.
class Countdown : public datasets::StatefulDataset<Countdown, std::vector<int>> {
 public:
  explicit Countdown(int count) : count_(count) {}
  std::optional<std::vector<int>> get_batch(size_t size) override {
    const std::lock_guard lock(*mutex_);  // workers share the dataset
    std::vector<int> batch;
    while (batch.size() < size && left_ > 0) batch.push_back(left_--);
    if (batch.empty()) return std::nullopt;
    return batch;
  }
  std::optional<size_t> size() const override { return std::nullopt; }
  void reset() override { left_ = count_; }
  void save(serialize::OutputArchive& archive) const override {
    archive.write("left", tensor(static_cast<int64_t>(left_)));
  }
  void load(serialize::InputArchive& archive) override {
    Tensor left;
    archive.read("left", left);
    left_ = left.item<int>();
  }

 private:
  int count_, left_ = 0;
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
};

// Chunk i holds i numbers, 10 i and up; chunk `broken` cannot be read.
class Numbers : public datasets::ChunkDataReader<int> {
 public:
  explicit Numbers(size_t chunks, size_t broken = 1000) : chunks_(chunks), broken_(broken) {}
  std::vector<int> read_chunk(size_t chunk) override {
    if (chunk == broken_) throw std::runtime_error("unreadable");
    std::vector<int> out(chunk);
    std::iota(out.begin(), out.end(), static_cast<int>(10 * chunk));
    return out;
  }
  size_t chunk_count() override { return chunks_; }
  void reset() override {}

 private:
  size_t chunks_, broken_;
};

template <class Loader>
std::vector<int64_t> sizes_of(Loader& loader) {
  std::vector<int64_t> out;
  for (auto& batch : loader) out.push_back(batch.data.size(0));
  return out;
}

TEST(DataLoader, BatchesComeInOrderWithAnyNumberOfWorkers) {
  for (const size_t workers : {0u, 1u, 3u}) {
    auto loader = make_data_loader<SequentialSampler>(
        Line(10).map(transforms::Stack<>()), DataLoaderOptions().batch_size(3).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::vector<double> seen;
      for (auto& batch : *loader)
        for (const double value : to_vector<double>(batch.target)) seen.push_back(value / 2);
      EXPECT_EQ(seen, (std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})) << workers;
    }
  }
}

TEST(DataLoader, DropsTheLastBatchWhenAsked) {
  auto loader = make_data_loader<SequentialSampler>(Line(10).map(transforms::Stack<>()),
                                                    DataLoaderOptions(4).drop_last(true));
  EXPECT_EQ(sizes_of(*loader), (std::vector<int64_t>{4, 4}));
}

TEST(DataLoader, VisitsEverySampleOnceInRandomOrder) {
  auto loader = make_data_loader(Line(10).map(transforms::Stack<>()), DataLoaderOptions(4));
  double total = 0;
  for (auto& batch : *loader) total += batch.data.sum().item<double>();
  EXPECT_EQ(total, 45);
}

TEST(DataLoader, AWorkersErrorReachesTheReader) {
  auto loader = make_data_loader<SequentialSampler>(Line(20).map(transforms::Stack<>()),
                                                    DataLoaderOptions(4).workers(2));
  try {
    sizes_of(*loader);
    FAIL() << "no error";
  } catch (const WorkerException& error) {
    EXPECT_NE(std::string(error.what()).find("unlucky index"), std::string::npos);
  }
}

TEST(DataLoader, RefusesASecondIteratorBesideALiveOne) {
  auto loader = make_data_loader<SequentialSampler>(Line(10).map(transforms::Stack<>()),
                                                    DataLoaderOptions(2).workers(1));
  const auto first = loader->begin();
  EXPECT_THROW(loader->begin(), Error);
}

TEST(DataLoader, IteratorsReadLazilyShareTheirPlaceAndEnd) {
  auto loader = make_data_loader<SequentialSampler>(Line(20).map(transforms::Stack<>()),
                                                    DataLoaderOptions(14).workers(1));
  auto failing = loader->begin();  // reads nothing yet
  EXPECT_THROW(*failing, WorkerException);
  auto plain = make_data_loader<SequentialSampler>(Line(4).map(transforms::Stack<>()), 2);
  auto first = plain->begin(), copy = first, end = plain->end();
  EXPECT_TRUE(first == copy && first != plain->begin() && end == plain->end());
  ++first;
  ++copy;
  EXPECT_TRUE(first == end && copy == end);
  EXPECT_THROW(++first, Error);
  EXPECT_THROW(*first, Error);
  EXPECT_THROW(*end, Error);
  EXPECT_THROW(++end, Error);
}

TEST(DataLoader, ResultsAreOrderedByTheirNumber) {
  struct Result {
    size_t sequence_number;
  };
  detail::DataShuttle<int, Result> shuttle;
  EXPECT_FALSE(shuttle.pop_result().has_value());
  for (size_t number : {1u, 2u, 0u}) {
    shuttle.push_job(0);
    shuttle.pop_job();
    shuttle.push_result({number});
  }
  detail::sequencers::OrderedSequencer<Result> sequencer(3);
  for (size_t number = 0; number < 3; ++number)
    EXPECT_EQ(sequencer.next([&] { return shuttle.pop_result(); })->sequence_number, number);
  EXPECT_FALSE(sequencer.next([&] { return shuttle.pop_result(); }).has_value());
  detail::Queue<int> queue;
  EXPECT_THROW(queue.pop(std::chrono::milliseconds(1)), Error);
  queue.push(1);
  EXPECT_EQ(queue.clear(), 1u);
}

TEST(DataLoader, StatefulDatasetsEndByThemselves) {
  for (const size_t workers : {0u, 2u}) {
    auto loader = make_data_loader(Countdown(7), DataLoaderOptions(3).workers(workers));
    for (int epoch = 0; epoch < 2; ++epoch) {
      int sum = 0;
      for (auto& batch : *loader)
        for (const int value : batch) sum += value;
      EXPECT_EQ(sum, 28) << workers;
    }
  }
}

TEST(Samplers, SaveAndLoadTheirPlace) {
  SequentialSampler sampler(5);
  sampler.next(2);
  serialize::OutputArchive out;
  sampler.save(out);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in;
  in.load_from(stream);
  SequentialSampler other(5);
  other.load(in);
  EXPECT_EQ(*other.next(9), (std::vector<size_t>{2, 3, 4}));
  EXPECT_FALSE(other.next(1).has_value());
}

TEST(Samplers, ReplicasShareTheDatasetEvenly) {
  std::vector<size_t> all;
  for (size_t rank = 0; rank < 3; ++rank) {
    samplers::DistributedRandomSampler sampler(8, 3, rank, /*allow_duplicates=*/false);
    const auto mine = *sampler.next(100);
    EXPECT_EQ(mine.size(), 2u);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::unique(all.begin(), all.end()), all.end());
}

TEST(Samplers, DistributedOnesGoOnWhereTheyWere) {
  samplers::DistributedSequentialSampler line(10, 3, 2);
  EXPECT_EQ(*line.next(9), (std::vector<size_t>{8, 9, 0, 1}));
  samplers::DistributedRandomSampler sampler(9, 2, 1), other(9, 2, 1);
  sampler.set_epoch(4);
  sampler.reset();
  sampler.next(2);
  serialize::OutputArchive out;
  sampler.save(out);
  std::stringstream stream;
  out.save_to(stream);
  serialize::InputArchive in;
  in.load_from(stream);
  other.load(in);
  EXPECT_EQ(other.epoch(), 4u);
  EXPECT_EQ(other.index(), sampler.index());
  EXPECT_EQ(*other.next(9), *sampler.next(9));
}

TEST(Transforms, NormalizeByChannel) {
  transforms::Normalize<> normalize({1.0, 2.0}, {2.0, 4.0});
  const Tensor out = normalize(ones({2, 1, 1}));
  EXPECT_EQ(to_vector<double>(out), (std::vector<double>{0, -0.25}));
}

TEST(Mnist, ReadsIdxFilesAndNamesWhatIsBroken) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "idx";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& bytes) {
    std::ofstream(folder / name, std::ios::binary) << bytes;
  };
  const std::string sizes("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02", 16);
  write("train-images-idx3-ubyte", sizes + std::string("\0\xff\x33\0", 4));
  write("train-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\x02\x07\x03", 10));
  datasets::MNIST mnist(folder.string());
  EXPECT_EQ(*mnist.size(), 2u);
  EXPECT_EQ(mnist.images().sizes(), Shape({2, 1, 1, 2}));
  EXPECT_EQ(to_vector<double>(mnist.get(0).data), (std::vector<double>{0, 1}));
  EXPECT_EQ(mnist.get(1).target.item<int64_t>(), 3);
  EXPECT_THROW(datasets::MNIST(folder.string(), datasets::MNIST::Mode::kTest), Error);
  write("train-images-idx3-ubyte", sizes + std::string("\0\xff", 2));
  EXPECT_THROW(datasets::MNIST(folder.string()), Error);
}

}  // namespace
TEST(ChunkDataset, EveryExampleComesOncePerEpochInBatches) {
  datasets::ChunkDataset<Numbers, SequentialSampler, SequentialSampler> dataset(
      Numbers(6), SequentialSampler(0), SequentialSampler(0),
      datasets::ChunkDatasetOptions(/*preloader_count=*/2, /*batch_size=*/4, /*cache_size=*/4));
  EXPECT_THROW(dataset.get_batch(), Error);  // before reset()
  for (int epoch = 0; epoch < 3; ++epoch) {
    dataset.reset();
    std::vector<int> seen;
    while (const auto batch = dataset.get_batch(4)) {
      EXPECT_TRUE(batch->size() == 4 || seen.size() + batch->size() == 15);
      seen.insert(seen.end(), batch->begin(), batch->end());
    }
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (std::vector<int>{10, 20, 21, 30, 31, 32, 40, 41, 42, 43, 50, 51, 52, 53, 54}));
  }
  EXPECT_THROW(dataset.get_batch(3), Error);
  dataset.reset();  // and is left while its threads read
}

TEST(ChunkDataset, ReadersErrorsReachTheProgram) {
  datasets::ChunkDataset<Numbers, SequentialSampler, SequentialSampler> dataset(
      Numbers(4, /*broken=*/2), SequentialSampler(0), SequentialSampler(0),
      datasets::ChunkDatasetOptions(1, 1));
  dataset.reset();
  bool thrown = false;
  for (int i = 0; i < 20 && !thrown; ++i) {
    try {
      dataset.get_batch();
    } catch (const WorkerException& error) {
      thrown = std::string(error.what()).find("unreadable") != std::string::npos;
    }
  }
  EXPECT_TRUE(thrown);
  EXPECT_THROW(datasets::ChunkDatasetOptions(1, 8, 4), Error);
}

}  // namespace oneagent::data
