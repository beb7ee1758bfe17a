// DataLoader: batches of a dataset in a sampler's order, made by worker threads ahead of the loop
// that reads them. Batches come in the order of their requests unless enforce_ordering(false).
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <thread>

#include "core/torch/data/datasets.h"
#include "core/torch/data/samplers.h"

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

// An input iterator over the batches of one epoch.
template <class Batch>
class Iterator {
 public:
  using difference_type = std::ptrdiff_t;
  using value_type = Batch;
  using pointer = Batch*;
  using reference = Batch&;
  using iterator_category = std::input_iterator_tag;
  using Next = std::function<std::optional<Batch>()>;

  Iterator() = default;  // the end
  explicit Iterator(Next next) : next_(std::move(next)) { ++*this; }
  Iterator& operator++() {
    batch_ = next_ ? std::make_shared<std::optional<Batch>>(next_()) : nullptr;
    if (batch_ && !*batch_) batch_.reset();
    return *this;
  }
  Batch& operator*() { return **batch_; }
  Batch* operator->() { return &**batch_; }
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.batch_ == b.batch_; }
  friend bool operator!=(const Iterator& a, const Iterator& b) { return !(a == b); }

 private:
  Next next_;
  std::shared_ptr<std::optional<Batch>> batch_;
};

// What a worker's exception is wrapped in.
struct WorkerException : public std::exception {
  explicit WorkerException(std::exception_ptr original) : original_exception(std::move(original)) {
    message = "Caught exception in DataLoader worker thread.";
    try {
      std::rethrow_exception(original_exception);
    } catch (const std::exception& error) {
      message += std::string(" Original message: ") + error.what();
    } catch (...) {
    }
  }
  const char* what() const noexcept override { return message.c_str(); }

  std::string message;
  std::exception_ptr original_exception;
};

// The machinery: requests come from next_request() on the reading thread; make() turns one into a
// batch, on a worker or here; nothing from either ends the epoch.
template <class DatasetType, class BatchType, class RequestType>
class DataLoaderBase {
 public:
  using Batch = BatchType;

  virtual ~DataLoaderBase() { join(); }
  DataLoaderBase(const DataLoaderBase&) = delete;
  DataLoaderBase& operator=(const DataLoaderBase&) = delete;

  // Starts an epoch. An Error while the iterator of another one is in use.
  Iterator<Batch> begin() {
    OA_REQUIRE(requested_ == delivered_,
               "Attempted to get a new DataLoader iterator while another iterator is not yet "
               "exhausted");
    start_epoch();
    over_ = false;
    return Iterator<Batch>([this] { return next(); });
  }
  Iterator<Batch> end() { return Iterator<Batch>(); }
  const FullDataLoaderOptions& options() const noexcept { return options_; }

  // Ends the workers; the loader makes no more batches.
  void join() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    work_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

 protected:
  explicit DataLoaderBase(const DataLoaderOptions& options) : options_(options) {
    OA_REQUIRE(options_.batch_size > 0, "DataLoader: batch_size must be positive");
  }

  virtual void start_epoch() = 0;
  virtual std::optional<RequestType> next_request() = 0;
  using Make = std::function<std::optional<Batch>(RequestType)>;

  void set_make(Make make) { make_ = std::move(make); }
  void add_worker(Make make) {
    workers_.emplace_back([this, make = std::move(make)] { work(make); });
  }

 private:
  struct Result {
    std::optional<Batch> batch;
    std::exception_ptr error;
  };

  std::optional<Batch> next() {
    OA_REQUIRE(!stopped_, "DataLoader: it was joined, there are no more batches");
    if (options_.workers == 0) {
      auto request = over_ ? std::nullopt : next_request();
      if (!request) return std::nullopt;
      return make_(std::move(*request));
    }
    fill();
    while (requested_ > delivered_) {
      Result result = wait();
      if (result.error) throw WorkerException(result.error);
      if (result.batch) {
        fill();
        return std::move(result.batch);
      }
      over_ = true;  // the dataset is exhausted; what is under way is thrown away
    }
    return std::nullopt;
  }

  void fill() {
    const size_t limit = options_.max_jobs;
    while (!over_ && requested_ - delivered_ < limit) {
      auto request = next_request();
      if (!request) {
        over_ = true;
        return;
      }
      const std::lock_guard lock(mutex_);
      jobs_.emplace_back(requested_++, std::move(*request));
      work_.notify_one();
    }
  }

  Result wait() {
    std::unique_lock lock(mutex_);
    const auto ready = [&] {
      return options_.enforce_ordering ? results_.count(delivered_) > 0 : !results_.empty();
    };
    if (options_.timeout)
      OA_REQUIRE(done_.wait_for(lock, *options_.timeout, ready),
                 "Timeout in DataLoader queue while waiting for next batch (timeout was ",
                 options_.timeout->count(), " ms)");
    else
      done_.wait(lock, ready);
    const auto at = options_.enforce_ordering ? results_.find(delivered_) : results_.begin();
    Result result = std::move(at->second);
    results_.erase(at);
    ++delivered_;
    return result;
  }

  void work(const Make& make) {
    for (;;) {
      std::unique_lock lock(mutex_);
      work_.wait(lock, [&] { return stopped_ || !jobs_.empty(); });
      if (stopped_) return;
      auto [number, request] = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      Result result;
      try {
        result.batch = make(std::move(request));
      } catch (...) {
        result.error = std::current_exception();
      }
      lock.lock();
      results_.emplace(number, std::move(result));
      done_.notify_one();
    }
  }

  FullDataLoaderOptions options_;
  Make make_;
  size_t requested_ = 0, delivered_ = 0;
  bool over_ = false, stopped_ = false;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::deque<std::pair<size_t, RequestType>> jobs_;
  std::map<size_t, Result> results_;
  std::vector<std::thread> workers_;
};

// Each worker has a copy of the dataset.
template <class Dataset, class Sampler>
class StatelessDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType,
                                                  typename Sampler::BatchRequestType> {
 public:
  using Request = typename Sampler::BatchRequestType;
  using Batch = typename Dataset::BatchType;

  StatelessDataLoader(Dataset dataset, Sampler sampler, DataLoaderOptions options)
      : DataLoaderBase<Dataset, Batch, Request>(options), sampler_(std::move(sampler)) {
    const auto maker = [](const Dataset& source) {
      return [own = std::make_shared<Dataset>(source)](Request request) -> std::optional<Batch> {
        return own->get_batch(std::move(request));
      };
    };
    this->set_make(maker(dataset));
    for (size_t i = 0; i < options.workers(); ++i) this->add_worker(maker(dataset));
  }
  ~StatelessDataLoader() override { this->join(); }

 private:
  void start_epoch() override { sampler_.reset(std::nullopt); }
  std::optional<Request> next_request() override {
    const size_t wanted = this->options().batch_size;
    auto request = sampler_.next(wanted);
    if (!request || (this->options().drop_last && size_of_request(*request) < wanted))
      return std::nullopt;
    return request;
  }
  static size_t size_of_request(const std::vector<size_t>& request) { return request.size(); }
  static size_t size_of_request(size_t request) { return request; }
  template <class Other>
  static size_t size_of_request(const Other& request) {
    return request.size();
  }

  Sampler sampler_;
};

// All workers draw from one dataset, one at a time, until it has no more.
template <class Dataset>
class StatefulDataLoader : public DataLoaderBase<Dataset, typename Dataset::BatchType::value_type,
                                                 typename Dataset::BatchRequestType> {
 public:
  using Request = typename Dataset::BatchRequestType;
  using Batch = typename Dataset::BatchType::value_type;

  StatefulDataLoader(Dataset dataset, DataLoaderOptions options)
      : DataLoaderBase<Dataset, Batch, Request>(options),
        dataset_(std::make_shared<Dataset>(std::move(dataset))) {
    const auto make = [source = dataset_, turn = std::make_shared<std::mutex>()](Request request) {
      const std::lock_guard lock(*turn);
      return source->get_batch(std::move(request));
    };
    this->set_make(make);
    for (size_t i = 0; i < options.workers(); ++i) this->add_worker(make);
  }
  ~StatefulDataLoader() override { this->join(); }

 private:
  void start_epoch() override { dataset_->reset(); }
  std::optional<Request> next_request() override { return this->options().batch_size; }

  std::shared_ptr<Dataset> dataset_;
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
  OA_REQUIRE(
      size.has_value(),
      "make_data_loader: expected the dataset to be sized in order to construct the sampler");
  return make_data_loader(std::move(dataset), Sampler(*size), options);
}
template <class Dataset, std::enable_if_t<Dataset::is_stateful, int> = 0>
std::unique_ptr<StatefulDataLoader<Dataset>> make_data_loader(Dataset dataset,
                                                              DataLoaderOptions options = {}) {
  return std::make_unique<StatefulDataLoader<Dataset>>(std::move(dataset), options);
}

}  // namespace oneagent::data
