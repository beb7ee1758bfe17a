// Datasets of chunks, such as files, that threads read ahead. Chunks come in the order of one
// sampler; the examples of those read together in the order of another.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <iterator>
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

// preloader_count threads; batches of batch_size; reading pauses while cache_size examples wait;
// cross_chunk_shuffle_count chunks are mixed. Error: a count of 0, a cache smaller than a batch.
struct ChunkDatasetOptions {
  ChunkDatasetOptions(size_t preloader_count, size_t batch_size, size_t cache_size = 2048,
                      size_t cross_chunk_shuffle_count = 1)
      : preloader_count_(preloader_count),
        batch_size_(batch_size),
        cache_size_(cache_size),
        cross_chunk_shuffle_count_(cross_chunk_shuffle_count) {
    OA_REQUIRE(preloader_count > 0 && batch_size > 0 && cross_chunk_shuffle_count > 0,
               "chunk dataset: preloader_count, batch_size and cross_chunk_shuffle_count must be "
               "greater than 0, were ",
               preloader_count, ", ", batch_size, ", ", cross_chunk_shuffle_count);
    OA_REQUIRE(cache_size >= batch_size, "chunk dataset: cache_size ", cache_size,
               " does not hold a batch of ", batch_size);
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
    OA_REQUIRE(started_, "chunk dataset: call reset() before get_batch()");
    OA_REQUIRE(batch_size == options_.batch_size(), "chunk dataset: the batch size is ",
               options_.batch_size(), ", asked for ", batch_size);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return error_ || waiting_.size() >= batch_size || reading_ == 0; });
    if (error_) throw WorkerException(std::exchange(error_, nullptr));
    const size_t count = std::min(batch_size, waiting_.size());
    if (count == 0) return std::nullopt;
    const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(count);
    UnwrappedBatchType batch(std::make_move_iterator(waiting_.begin()),
                             std::make_move_iterator(end));
    waiting_.erase(waiting_.begin(), end);
    changed_.notify_all();
    return batch;
  }
  BatchType get_batch() { return get_batch(options_.batch_size()); }

  void reset() override {
    stop();
    if (!restored_) {
      chunk_reader_.reset();
      chunk_sampler_.reset(chunk_reader_.chunk_count());
    }
    restored_ = stopping_ = false;
    started_ = true;
    waiting_.clear();
    error_ = nullptr;
    reading_ = options_.preloader_count();
    for (size_t i = 0; i < options_.preloader_count(); ++i)
      threads_.emplace_back([this] { read_ahead(); });
  }

  std::optional<size_t> size() const override { return std::nullopt; }
  ChunkSamplerType& chunk_sampler() { return chunk_sampler_; }

  // The place of the chunk sampler; after load() the next reset() goes on from there.
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
  void read_ahead() {
    while (read_next()) {
    }
    const std::lock_guard lock(mutex_);
    --reading_;
    changed_.notify_all();
  }

  bool read_next() {
    try {
      std::optional<std::vector<size_t>> chunks;
      {
        const std::lock_guard lock(mutex_);
        if (stopping_) return false;
        chunks = chunk_sampler_.next(options_.cross_chunk_shuffle_count());
      }
      if (!chunks) return false;
      UnwrappedBatchType examples;
      for (const size_t chunk : *chunks) {
        UnwrappedBatchType part = chunk_reader_.read_chunk(chunk);
        std::move(part.begin(), part.end(), std::back_inserter(examples));
      }
      if (preprocessing_policy_) preprocessing_policy_(examples);
      if (!examples.empty()) hand_over(std::move(examples));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
      changed_.notify_all();
    }
    return true;
  }

  void hand_over(UnwrappedBatchType examples) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopping_ || waiting_.size() < options_.cache_size(); });
    if (stopping_) return;
    example_sampler_.reset(examples.size());
    const auto order = example_sampler_.next(examples.size());
    OA_CHECK(order, "chunk dataset: the example sampler has nothing of ", examples.size());
    for (const size_t i : *order) waiting_.push_back(std::move(examples[i]));
    changed_.notify_all();
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  ChunkReader chunk_reader_;
  ChunkSampler chunk_sampler_;
  ExampleSampler example_sampler_;
  const ChunkDatasetOptions options_;
  std::function<void(UnwrappedBatchType&)> preprocessing_policy_;
  bool started_ = false, restored_ = false;

  mutable std::mutex mutex_;  // guards the samplers and what follows
  std::condition_variable changed_;
  std::deque<typename UnwrappedBatchType::value_type> waiting_;
  std::exception_ptr error_;
  size_t reading_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace oneagent::data::datasets
