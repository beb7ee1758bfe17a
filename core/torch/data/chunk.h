// Datasets of chunks, such as files, that threads read ahead. Chunks come in the order of one
// sampler; the examples of those read together in the order of another.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>

#include "core/base/options_macro.h"
#include "core/torch/data/data_loader.h"
#include "core/torch/data/datasets.h"

namespace oneagent::data::datasets {

// What a program derives from: reads chunk i of chunk_count(), from several threads at a time.
template <class SingleExample, class Chunk = std::vector<SingleExample>>
class ChunkDataReader {
 public:
  using ChunkType = Chunk;
  using BatchType = Chunk;
  using ExampleType = SingleExample;
  virtual ~ChunkDataReader() = default;
  virtual ChunkType read_chunk(size_t chunk_index) = 0;
  virtual size_t chunk_count() = 0;
  virtual void reset() = 0;  // called before every epoch
};

namespace detail {

// Batches of batch_size that preloaders fill, chunk by chunk in the sampler's order, and one reader
// takes. The preloaders wait while queue_capacity examples are there.
template <class UnwrappedBatch, class ExampleSampler = samplers::RandomSampler>
class BatchDataBuffer {
 public:
  using UnwrappedBatchType = UnwrappedBatch;
  using BatchType = std::optional<UnwrappedBatchType>;
  using BatchRequestType = typename ExampleSampler::BatchRequestType;

  BatchDataBuffer(size_t batch_size, ExampleSampler& example_sampler, size_t queue_capacity)
      : batch_size_(batch_size), example_sampler_(example_sampler), capacity_(queue_capacity) {}

  // The next batch, shorter at the end, then nothing. Error: a WorkerException in the place of what
  // could not be read.
  BatchType get_batch() {
    std::unique_lock lock(mutex_);
    filled_.wait(lock, [this] { return count_ >= batch_size_ || stopped_ || has_error(); });
    if (queue_.empty()) return std::nullopt;
    Entry entry = std::move(queue_.front());
    queue_.pop_front();
    if (entry.exception) throw WorkerException(entry.exception);
    count_ -= entry.batch.size();
    taken_.notify_all();
    return std::move(entry.batch);
  }

  void add_chunk_data(UnwrappedBatchType data) {
    std::unique_lock lock(mutex_);
    if (!wait_for_room(lock)) return;
    example_sampler_.reset(data.size());
    size_t left = data.size();
    while (left > 0) {
      if (queue_.empty() || queue_.back().exception || queue_.back().batch.size() >= batch_size_) {
        queue_.emplace_back();
        queue_.back().batch.reserve(batch_size_);
      }
      UnwrappedBatchType& batch = queue_.back().batch;
      const size_t wanted = std::min(left, batch_size_ - batch.size());
      const auto indices = example_sampler_.next(wanted);
      OA_CHECK(indices && indices->size() == wanted, "chunk dataset: the example sampler has not ",
               wanted, " examples left of ", data.size());
      for (const size_t i : *indices) {
        OA_REQUIRE(i < data.size(), "Index out of range");
        batch.push_back(std::move(data[i]));
      }
      left -= wanted;
    }
    count_ += data.size();
    filled_.notify_all();
  }
  void add_chunk_data(std::exception_ptr error) {
    std::unique_lock lock(mutex_);
    if (!wait_for_room(lock)) return;
    queue_.push_back({{}, std::move(error)});
    filled_.notify_all();
  }

  // No more comes: the reader gets what is there, the preloaders do not wait.
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    filled_.notify_all();
    taken_.notify_all();
  }

 private:
  struct Entry {
    UnwrappedBatchType batch;
    std::exception_ptr exception;
  };

  bool has_error() const { return !queue_.empty() && queue_.front().exception; }
  bool wait_for_room(std::unique_lock<std::mutex>& lock) {
    taken_.wait(lock, [this] { return count_ < capacity_ || stopped_; });
    return !stopped_;
  }

  const size_t batch_size_;
  ExampleSampler& example_sampler_;
  const size_t capacity_;
  std::mutex mutex_;  // guards the sampler and what follows
  std::condition_variable filled_, taken_;
  std::deque<Entry> queue_;
  size_t count_ = 0;  // of examples in the queue
  bool stopped_ = false;
};

}  // namespace detail

// preloader_count threads; batches of batch_size; reading pauses while cache_size examples wait;
// cross_chunk_shuffle_count chunks are mixed. Error: a count of 0, a cache smaller than a batch.
struct ChunkDatasetOptions {
  ChunkDatasetOptions() = delete;
  ChunkDatasetOptions(size_t preloader_count, size_t batch_size, size_t cache_size = 2048,
                      size_t cross_chunk_shuffle_count = 1)
      : preloader_count_(preloader_count),
        batch_size_(batch_size),
        cache_size_(cache_size),
        cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
    OA_REQUIRE(preloader_count > 0,
               "Preloader count is 0. At least one preloader needs to be specified.");
    OA_REQUIRE(batch_size > 0, "Batch size is 0. A positive batch size needs to be specified.");
    OA_REQUIRE(cache_size > 0, "Cache size is 0. A positive cache size needs to be specified.");
    OA_REQUIRE(cache_size >= batch_size,
               "Cache size is less than batch size. Cache needs to be large enough to hold at "
               "least one batch.");
    OA_REQUIRE(cross_chunk_shuffle_count > 0,
               "cross_chunk_shuffle_count needs to be greater than 0.");
  }
  OA_ARG(size_t, preloader_count);
  OA_ARG(size_t, batch_size);
  OA_ARG(size_t, cache_size) = 2048;
  OA_ARG(size_t, cross_chunk_shuffle_count) = 1;
};

template <class ChunkReader, class ChunkSampler = samplers::RandomSampler,
          class ExampleSampler = samplers::RandomSampler>
class ChunkDataset final
    : public StatefulDataset<ChunkDataset<ChunkReader, ChunkSampler, ExampleSampler>,
                             typename ChunkReader::BatchType, size_t> {
 public:
  using UnwrappedBatchType = typename ChunkReader::BatchType;
  using BatchType = std::optional<UnwrappedBatchType>;
  using BatchRequestType = size_t;
  using ChunkSamplerType = ChunkSampler;
  using ExampleSamplerType = ExampleSampler;

  // The policy, if any, sees the examples of each read before they are dealt out.
  ChunkDataset(ChunkReader chunk_reader, ChunkSampler chunk_sampler, ExampleSampler example_sampler,
               ChunkDatasetOptions options,
               std::function<void(UnwrappedBatchType&)> preprocessing_policy = {})
      : chunk_reader_(std::move(chunk_reader)),
        chunk_sampler_(std::move(chunk_sampler)),
        example_sampler_(std::move(example_sampler)),
        options_(std::move(options)),
        preprocessing_policy_(std::move(preprocessing_policy)) {}
  ChunkDataset(ChunkDataset&& other)  // before the first reset()
      : ChunkDataset(std::move(other.chunk_reader_), std::move(other.chunk_sampler_),
                     std::move(other.example_sampler_), other.options_,
                     std::move(other.preprocessing_policy_)) {
    restored_ = other.restored_;
  }
  ~ChunkDataset() override { stop(); }

  // The next batch, shorter at the end of an epoch, then nothing. What a reader threw is thrown
  // again as a WorkerException. Error: before reset(), or another batch_size than the options'.
  BatchType get_batch(size_t batch_size) override {
    OA_REQUIRE(buffer_ != nullptr, "Dataset needs to call reset() before calling get_batch().");
    OA_REQUIRE(batch_size == options_.batch_size(),
               "The requested batch size does not match with the initialized batch size.\n The "
               "requested batch size is ",
               batch_size, ", while the dataset is created with batch size equal to ",
               options_.batch_size());
    return buffer_->get_batch();
  }
  BatchType get_batch() { return get_batch(options_.batch_size()); }

  void reset() override {
    stop();
    if (!restored_) {
      chunk_reader_.reset();
      chunk_sampler_.reset(chunk_reader_.chunk_count());
    }
    buffer_ =
        std::make_unique<Buffer>(options_.batch_size(), example_sampler_, options_.cache_size());
    stopping_ = false;
    reading_ = options_.preloader_count();
    for (size_t i = 0; i < options_.preloader_count(); ++i)
      threads_.emplace_back([this] { preload(); });
  }

  std::optional<size_t> size() const override { return std::nullopt; }
  ChunkSamplerType& chunk_sampler() { return chunk_sampler_; }

  // The place of the chunk sampler; after load() every reset() goes on from there, as libtorch's.
  void save(serialize::OutputArchive& archive) const override {
    const std::lock_guard lock(mutex_);
    chunk_sampler_.save(archive);
  }
  void load(serialize::InputArchive& archive) override {
    const std::lock_guard lock(mutex_);
    chunk_sampler_.load(archive);
    restored_ = true;
  }

 private:
  using Buffer = detail::BatchDataBuffer<UnwrappedBatchType, ExampleSamplerType>;

  void preload() {
    while (!stopping_) {
      try {
        std::optional<std::vector<size_t>> chunks;
        {
          const std::lock_guard lock(mutex_);
          chunks = chunk_sampler_.next(options_.cross_chunk_shuffle_count());
        }
        if (!chunks) break;
        UnwrappedBatchType examples;
        for (const size_t chunk : *chunks) {
          UnwrappedBatchType part = chunk_reader_.read_chunk(chunk);
          std::move(part.begin(), part.end(), std::back_inserter(examples));
        }
        if (preprocessing_policy_) preprocessing_policy_(examples);
        if (!examples.empty()) buffer_->add_chunk_data(std::move(examples));
      } catch (...) {
        buffer_->add_chunk_data(std::current_exception());
      }
    }
    if (--reading_ == 0) buffer_->stop();
  }

  void stop() {
    stopping_ = true;
    if (buffer_) buffer_->stop();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  ChunkReader chunk_reader_;
  ChunkSampler chunk_sampler_;
  ExampleSampler example_sampler_;
  const ChunkDatasetOptions options_;
  std::function<void(UnwrappedBatchType&)> preprocessing_policy_;
  bool restored_ = false;
  mutable std::mutex mutex_;  // guards the chunk sampler
  std::unique_ptr<Buffer> buffer_;
  std::atomic<bool> stopping_ = false;
  std::atomic<size_t> reading_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace oneagent::data::datasets
