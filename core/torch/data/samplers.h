// Samplers: in which order the indices of a dataset are visited.
#pragma once

#include <algorithm>
#include <numeric>

#include "core/ops/ops.h"

namespace oneagent::serialize {
class OutputArchive;
class InputArchive;
}  // namespace oneagent::serialize

namespace oneagent::data::samplers {

template <class BatchRequest = std::vector<size_t>>
class Sampler {
 public:
  using BatchRequestType = BatchRequest;
  virtual ~Sampler() = default;
  virtual void reset(std::optional<size_t> new_size) = 0;           // a new epoch
  virtual std::optional<BatchRequest> next(size_t batch_size) = 0;  // nothing: the epoch is over
  virtual void save(serialize::OutputArchive& archive) const = 0;
  virtual void load(serialize::InputArchive& archive) = 0;
};

// Indices from a list that each epoch makes.
class ListSampler : public Sampler<> {
 public:
  std::optional<std::vector<size_t>> next(size_t batch_size) override;
  size_t index() const noexcept { return at_; }

 protected:
  std::vector<size_t> order_;
  size_t at_ = 0;
};

// A fresh permutation every epoch, drawn from the default generator.
class RandomSampler : public ListSampler {
 public:
  explicit RandomSampler(int64_t size, DType index_dtype = kInt64);
  void reset(std::optional<size_t> new_size = std::nullopt) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  DType index_dtype_;
};

class SequentialSampler : public ListSampler {
 public:
  explicit SequentialSampler(size_t size);
  void reset(std::optional<size_t> new_size = std::nullopt) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
};

// A share of the dataset for one of several replicas; all have the same number of indices, repeated
// or (without allow_duplicates) left out where the size does not divide.
template <class BatchRequest = std::vector<size_t>>
class DistributedSampler : public Sampler<BatchRequest> {
 public:
  DistributedSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                     bool allow_duplicates = true)
      : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
    OA_REQUIRE(num_replicas > 0 && rank < num_replicas, "sampler: rank ", rank, " of ",
               num_replicas, " replicas");
  }
  void set_epoch(size_t epoch) { epoch_ = epoch; }
  size_t epoch() const { return epoch_; }

 protected:
  size_t local_sample_count() const {
    return allow_duplicates_ ? (size_ + num_replicas_ - 1) / num_replicas_ : size_ / num_replicas_;
  }

  size_t size_, num_replicas_, rank_, epoch_ = 0;
  bool allow_duplicates_;
};

// The rank's stretch of a permutation that all replicas draw alike, by the epoch (mt19937).
class DistributedRandomSampler : public DistributedSampler<> {
 public:
  explicit DistributedRandomSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                                    bool allow_duplicates = true);
  void reset(std::optional<size_t> new_size = std::nullopt) override;
  std::optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  size_t index() const noexcept { return at_; }  // in the permutation

 private:
  size_t at_ = 0, end_ = 0;
  std::vector<size_t> all_;
};

// The rank's stretch of 0, 1, 2 ...
class DistributedSequentialSampler : public DistributedSampler<> {
 public:
  explicit DistributedSequentialSampler(size_t size, size_t num_replicas = 1, size_t rank = 0,
                                        bool allow_duplicates = true);
  void reset(std::optional<size_t> new_size = std::nullopt) override;
  std::optional<std::vector<size_t>> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;
  size_t index() const noexcept { return at_; }

 private:
  size_t at_ = 0, end_ = 0;
};

// A request that is no list of indices.
struct CustomBatchRequest {
  virtual ~CustomBatchRequest() = default;
  virtual size_t size() const = 0;
};
struct BatchSize : public CustomBatchRequest {
  explicit BatchSize(size_t size) : size_(size) {}
  size_t size() const noexcept override { return size_; }
  operator size_t() const noexcept { return size_; }  // NOLINT: implicit like libtorch's
  size_t size_;
};

// Only counts: for datasets that stream.
class StreamSampler : public Sampler<BatchSize> {
 public:
  explicit StreamSampler(size_t epoch_size) : epoch_size_(epoch_size) {}
  void reset(std::optional<size_t> new_size = std::nullopt) override;
  std::optional<BatchSize> next(size_t batch_size) override;
  void save(serialize::OutputArchive& archive) const override;
  void load(serialize::InputArchive& archive) override;

 private:
  size_t epoch_size_, seen_ = 0;
};

template <class BatchRequest>
serialize::OutputArchive& operator<<(serialize::OutputArchive& archive,
                                     const Sampler<BatchRequest>& sampler) {
  sampler.save(archive);
  return archive;
}
template <class BatchRequest>
serialize::InputArchive& operator>>(serialize::InputArchive& archive,
                                    Sampler<BatchRequest>& sampler) {
  sampler.load(archive);
  return archive;
}

}  // namespace oneagent::data::samplers
