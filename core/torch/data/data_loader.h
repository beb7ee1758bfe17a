// DataLoader: batches of a dataset in a sampler's order, made by worker threads ahead of the loop
// that reads them. Batches come in the order of their requests unless enforce_ordering(false).
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/torch/data/datasets.h"
#include "core/torch/data/detail/data_shuttle.h"
#include "core/torch/data/detail/sequencers.h"
#include "core/torch/data/iterator.h"
#include "core/torch/data/samplers.h"
#include "core/torch/data/worker_exception.h"

namespace oneagent::data {

struct DataLoaderOptions {
  DataLoaderOptions() = default;
  DataLoaderOptions(size_t batch_size) : batch_size_(batch_size) {}  // NOLINT: like libtorch's

#define OA_LOADER_OPTION(T, name)                    \
  DataLoaderOptions& name(const T& value) {          \
    name##_ = value;                                 \
    return *this;                                    \
  }                                                  \
  const T& name() const noexcept { return name##_; } \
  T& name() noexcept { return name##_; }
  OA_LOADER_OPTION(size_t, batch_size)
  OA_LOADER_OPTION(size_t, workers)  // 0: the reading thread makes the batches
  OA_LOADER_OPTION(std::optional<size_t>, max_jobs)
  OA_LOADER_OPTION(std::optional<std::chrono::milliseconds>, timeout)
  OA_LOADER_OPTION(bool, enforce_ordering)
  OA_LOADER_OPTION(bool, drop_last)
#undef OA_LOADER_OPTION

 private:
  size_t batch_size_ = 1;
  size_t workers_ = 0;
  std::optional<size_t> max_jobs_;
  std::optional<std::chrono::milliseconds> timeout_;
  bool enforce_ordering_ = true;
  bool drop_last_ = false;
};

// The options with nothing left open: max_jobs is 2 * workers where it was not given.
struct FullDataLoaderOptions {
  explicit FullDataLoaderOptions(const DataLoaderOptions& options)
      : batch_size(options.batch_size()),
        workers(options.workers()),
        max_jobs(options.max_jobs().value_or(2 * workers)),
        timeout(options.timeout()),
        enforce_ordering(options.enforce_ordering()),
        drop_last(options.drop_last()) {}

  size_t batch_size;
  size_t workers;
  size_t max_jobs;
  std::optional<std::chrono::milliseconds> timeout;
  bool enforce_ordering;
  bool drop_last;
};

// The machinery. Requests come from get_batch_request() on the reading thread, max_jobs ahead;
// workers turn them into batches, and without workers the reading thread does. Nothing from either
// ends the epoch.
template <class Dataset, class Batch, class BatchRequest>
class DataLoaderBase {
 public:
  using BatchType = Batch;
  using BatchRequestType = BatchRequest;

  explicit DataLoaderBase(DataLoaderOptions options, std::unique_ptr<Dataset> dataset = nullptr)
      : options_(options), main_thread_dataset_(std::move(dataset)), sequencer_(new_sequencer()) {}
  virtual ~DataLoaderBase() { join(); }
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;

  // Starts an epoch. Error: the workers still read for the iterator of another one.
  Iterator<Batch> begin() {
    OA_REQUIRE(shuttle_.in_flight_jobs() == 0,
               "Attempted to get a new DataLoader iterator while another iterator is not yet "
               "exhausted");
    reset();
    return Iterator<Batch>(
        std::make_unique<detail::ValidIterator<Batch>>([this] { return next(); }));
  }
  Iterator<Batch> end() {
    return Iterator<Batch>(std::make_unique<detail::SentinelIterator<Batch>>());
  }

  // Ends the workers; nobody makes batches afterwards.
  void join() {
    if (std::exchange(joined_, true)) return;
    shuttle_.drain();
    for (size_t i = 0; i < workers_.size(); ++i) shuttle_.push_job(Job{sequence_number_++, {}});
    for (std::thread& worker : workers_) worker.join();
  }
  const FullDataLoaderOptions& options() const noexcept { return options_; }

 protected:
  struct Job {  // without a request: the worker ends
    size_t sequence_number;
    std::optional<BatchRequest> request;
  };
  struct Result {
    size_t sequence_number;
    std::optional<Batch> batch;
    std::exception_ptr exception;
  };

  virtual std::optional<BatchRequestType> get_batch_request() = 0;

  virtual void reset() {
    shuttle_.drain();
    sequence_number_ = 0;
    sequencer_ = new_sequencer();
    prefetch(options_.max_jobs);
  }

  void prefetch(size_t jobs) {
    for (size_t i = 0; i < jobs; ++i) {
      auto request = get_batch_request();
      if (!request) return;
      shuttle_.push_job(Job{sequence_number_++, std::move(request)});
    }
  }

  std::optional<Batch> next() {
    if (options_.workers == 0) {
      auto request = get_batch_request();
      if (!request) return std::nullopt;
      return main_thread_dataset_->get_batch(std::move(*request));
    }
    const auto pop = [this] { return shuttle_.pop_result(options_.timeout); };
    while (std::optional<Result> result = sequencer_->next(pop)) {
      if (result->exception) throw WorkerException(result->exception);
      if (result->batch) {
        prefetch(1);
        return std::move(result->batch);
      }
    }
    return std::nullopt;
  }

  void worker_thread(Dataset& dataset) {
    for (;;) {
      Job job = shuttle_.pop_job();
      if (!job.request) return;
      Result result{job.sequence_number, {}, {}};
      try {
        result.batch = dataset.get_batch(std::move(*job.request));
      } catch (...) {
        result.exception = std::current_exception();
      }
      shuttle_.push_result(std::move(result));
    }
  }

  std::unique_ptr<detail::sequencers::Sequencer<Result>> new_sequencer() {
    if (options_.enforce_ordering)
      return std::make_unique<detail::sequencers::OrderedSequencer<Result>>(options_.max_jobs);
    return std::make_unique<detail::sequencers::NoSequencer<Result>>();
  }

  const FullDataLoaderOptions options_;
  std::unique_ptr<Dataset> main_thread_dataset_;
  size_t sequence_number_ = 0;
  std::vector<std::thread> workers_;
  detail::DataShuttle<Job, Result> shuttle_;
  std::unique_ptr<detail::sequencers::Sequencer<Result>> sequencer_;
  bool joined_ = false;
};

// Each worker has a copy of the dataset.
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
 public:
  using super =
      DataLoaderBase<Dataset, typename Dataset::BatchType, typename Sampler::BatchRequestType>;
  using typename super::BatchRequestType;

  StatelessDataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : super(options), sampler_(std::move(sampler)) {
    OA_REQUIRE(this->options_.batch_size > 0, "DataLoader: batch_size must be positive");
    if constexpr (std::is_copy_constructible_v<Dataset>)
      for (size_t i = 0; i < this->options_.workers; ++i)
        this->workers_.emplace_back([this, dataset]() mutable { this->worker_thread(dataset); });
    else
      OA_REQUIRE(this->options_.workers == 0, "DataLoader: workers need a dataset that copies");
    if (this->options_.workers == 0)
      this->main_thread_dataset_ = std::make_unique<Dataset>(std::move(dataset));
  }
  ~StatelessDataLoader() override { this->join(); }

 private:
  void reset() override {
    sampler_.reset(std::nullopt);
    super::reset();
  }
  std::optional<BatchRequestType> get_batch_request() override {
    auto request = sampler_.next(this->options_.batch_size);
    if (request && this->options_.drop_last && size_of(*request) < this->options_.batch_size)
      return std::nullopt;
    OA_CHECK(!request || size_of(*request) > 0, "DataLoader: the sampler's request is empty");
    return request;
  }
  template <class Request>
  static size_t size_of(const Request& request) {
    if constexpr (std::is_convertible_v<Request, size_t>)
      return request;
    else
      return request.size();
  }

  Sampler sampler_;
};

// All workers draw from one dataset until it has no more.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
 public:
  using super = DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                               typename Dataset::BatchRequestType>;
  using typename super::BatchRequestType;

  StatefulDataLoader(Dataset dataset, DataLoaderOptions options)
      : super(options, std::make_unique<Dataset>(std::move(dataset))) {
    for (size_t i = 0; i < this->options_.workers; ++i)
      this->workers_.emplace_back([this] { this->worker_thread(*this->main_thread_dataset_); });
  }
  ~StatefulDataLoader() override { this->join(); }

 private:
  void reset() override {
    this->main_thread_dataset_->reset();
    super::reset();
  }
  std::optional<BatchRequestType> get_batch_request() override {
    return BatchRequestType(this->options_.batch_size);
  }
};

template <class Dataset, class Sampler, std::enable_if_t<!Dataset::is_stateful, int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(Dataset dataset,
                                                                        Sampler sampler,
                                                                        DataLoaderOptions options) {
  return std::make_unique<StatelessDataLoader<Dataset, Sampler>>(std::move(dataset),
                                                                 std::move(sampler), options);
}
template <class Sampler = samplers::RandomSampler, class Dataset,
          std::enable_if_t<!Dataset::is_stateful, int> = 0>
std::unique_ptr<StatelessDataLoader<Dataset, Sampler>> make_data_loader(
    Dataset dataset, DataLoaderOptions options = {}) {
  const std::optional<size_t> size = dataset.size();
  OA_REQUIRE(size.has_value(),
             "Expected the dataset to be sized in order to construct the Sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}
template <class Dataset, std::enable_if_t<Dataset::is_stateful, int> = 0>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(Dataset dataset,
                                                              DataLoaderOptions options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace oneagent::data
