#include "core/torch/data/samplers.h"

#include "core/base/rng.h"
#include "core/io/archive.h"

namespace oneagent::data::samplers {

std::optional<std::vector<size_t>> ListSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, order_.size() - at_);
  if (count == 0) return std::nullopt;
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(at_);
  at_ += count;
  return std::vector<size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

void ListSampler::save(serialize::OutputArchive& archive) const {
  const Tensor order = empty({static_cast<int64_t>(order_.size())}, kInt64);
  std::copy(order_.begin(), order_.end(), order.data_ptr<int64_t>());
  archive.write("order", order, /*is_buffer=*/true);
  archive.write("index", tensor(static_cast<int64_t>(at_)), /*is_buffer=*/true);
}
void ListSampler::load(serialize::InputArchive& archive) {
  Tensor order, index;
  archive.read("order", order, /*is_buffer=*/true);
  archive.read("index", index, /*is_buffer=*/true);
  const std::vector<int64_t> values = to_vector<int64_t>(order);
  order_.assign(values.begin(), values.end());
  at_ = static_cast<size_t>(index.item<int64_t>());
  OA_REQUIRE(at_ <= order_.size(), "sampler: index ", at_, " is beyond ", order_.size());
}

RandomSampler::RandomSampler(int64_t size, DType) {
  order_.resize(static_cast<size_t>(size));
  reset();
}
void RandomSampler::reset(std::optional<size_t> new_size) {
  const auto size = static_cast<int64_t>(new_size.value_or(order_.size()));
  const std::vector<int64_t> drawn = to_vector<int64_t>(randperm(size));
  order_.assign(drawn.begin(), drawn.end());
  at_ = 0;
}

SequentialSampler::SequentialSampler(size_t size) {
  order_.resize(size);
  reset();
}
void SequentialSampler::reset(std::optional<size_t> new_size) {
  order_.resize(new_size.value_or(order_.size()));
  std::iota(order_.begin(), order_.end(), size_t{0});
  at_ = 0;
}

DistributedSampler::DistributedSampler(size_t size, size_t num_replicas, size_t rank,
                                       bool allow_duplicates)
    : size_(size), num_replicas_(num_replicas), rank_(rank), allow_duplicates_(allow_duplicates) {
  OA_REQUIRE(num_replicas > 0 && rank < num_replicas, "sampler: rank ", rank, " of ", num_replicas,
             " replicas");
}
size_t DistributedSampler::local_sample_count() const {
  return allow_duplicates_ ? (size_ + num_replicas_ - 1) / num_replicas_ : size_ / num_replicas_;
}

DistributedRandomSampler::DistributedRandomSampler(size_t size, size_t num_replicas, size_t rank,
                                                   bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}
// All replicas shuffle alike, by the epoch, and take every num_replicas-th index.
void DistributedRandomSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  std::vector<size_t> all(size_);
  std::iota(all.begin(), all.end(), size_t{0});
  Rng rng(epoch_);
  for (size_t i = all.size(); i > 1; --i)
    std::swap(all[i - 1], all[rng.below(static_cast<uint32_t>(i))]);
  order_.clear();
  for (size_t i = 0; i < local_sample_count(); ++i)
    order_.push_back(all[(rank_ + i * num_replicas_) % size_]);
  at_ = 0;
}

DistributedSequentialSampler::DistributedSequentialSampler(size_t size, size_t num_replicas,
                                                           size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}
void DistributedSequentialSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  const size_t count = local_sample_count();
  order_.clear();
  for (size_t i = 0; i < count; ++i) order_.push_back((rank_ * count + i) % size_);
  at_ = 0;
}

void StreamSampler::reset(std::optional<size_t> new_size) {
  epoch_size_ = new_size.value_or(epoch_size_);
  seen_ = 0;
}
std::optional<BatchSize> StreamSampler::next(size_t batch_size) {
  const size_t count = std::min(batch_size, epoch_size_ - seen_);
  if (count == 0) return std::nullopt;
  seen_ += count;
  return BatchSize(count);
}
void StreamSampler::save(serialize::OutputArchive& archive) const {
  archive.write("seen", tensor(static_cast<int64_t>(seen_)), /*is_buffer=*/true);
}
void StreamSampler::load(serialize::InputArchive& archive) {
  Tensor seen;
  archive.read("seen", seen, /*is_buffer=*/true);
  seen_ = static_cast<size_t>(seen.item<int64_t>());
}

}  // namespace oneagent::data::samplers
