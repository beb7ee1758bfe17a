#include "core/torch/data/samplers.h"

#include <random>

#include "core/io/archive.h"

namespace oneagent::data::samplers {
namespace {

void write_number(serialize::OutputArchive& archive, const char* key, size_t value) {
  archive.write(key, tensor(static_cast<int64_t>(value), kInt64), /*is_buffer=*/true);
}
size_t read_number(serialize::InputArchive& archive, const char* key) {
  Tensor value = empty({1}, kInt64);
  archive.read(key, value, /*is_buffer=*/true);
  return static_cast<size_t>(value.item<int64_t>());
}

}  // namespace

std::optional<std::vector<size_t>> ListSampler::next(size_t batch_size) {
  if (at_ >= order_.size()) return std::nullopt;
  const size_t count = std::min(batch_size, order_.size() - at_);
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(at_);
  at_ += count;
  return std::vector<size_t>(first, first + static_cast<std::ptrdiff_t>(count));
}

RandomSampler::RandomSampler(int64_t size, DType index_dtype) : index_dtype_(index_dtype) {
  reset(static_cast<size_t>(size));
}
void RandomSampler::reset(std::optional<size_t> new_size) {
  const auto size = static_cast<int64_t>(new_size.value_or(order_.size()));
  const std::vector<int64_t> drawn = to_vector<int64_t>(randperm(size, index_dtype_));
  order_.assign(drawn.begin(), drawn.end());
  at_ = 0;
}
void RandomSampler::save(serialize::OutputArchive& archive) const {
  const Tensor order = empty({static_cast<int64_t>(order_.size())}, kInt64);
  std::copy(order_.begin(), order_.end(), order.data_ptr<int64_t>());
  write_number(archive, "index", at_);
  archive.write("indices", order.to(index_dtype_), /*is_buffer=*/true);
}
void RandomSampler::load(serialize::InputArchive& archive) {
  Tensor order;
  archive.read("indices", order, /*is_buffer=*/true);
  const std::vector<int64_t> values = to_vector<int64_t>(order);
  order_.assign(values.begin(), values.end());
  at_ = read_number(archive, "index");
  OA_REQUIRE(at_ <= order_.size(), "sampler: index ", at_, " is beyond ", order_.size());
}

SequentialSampler::SequentialSampler(size_t size) { reset(size); }
void SequentialSampler::reset(std::optional<size_t> new_size) {
  order_.resize(new_size.value_or(order_.size()));
  std::iota(order_.begin(), order_.end(), size_t{0});
  at_ = 0;
}
void SequentialSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "index", at_);
}
void SequentialSampler::load(serialize::InputArchive& archive) {
  at_ = read_number(archive, "index");
}

DistributedRandomSampler::DistributedRandomSampler(size_t size, size_t num_replicas, size_t rank,
                                                   bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}
void DistributedRandomSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  const size_t count = local_sample_count();
  all_.resize(num_replicas_ == 1 ? size_ : count * num_replicas_);
  for (size_t i = 0; i < all_.size(); ++i) all_[i] = i % size_;
  std::mt19937 generator(static_cast<uint32_t>(epoch_));
  std::shuffle(all_.begin(), all_.end(), generator);
  at_ = rank_ * count;
  end_ = at_ + count;
}
std::optional<std::vector<size_t>> DistributedRandomSampler::next(size_t batch_size) {
  if (at_ >= end_) return std::nullopt;
  const size_t first = at_;
  at_ = std::min(first + batch_size, end_);
  return std::vector<size_t>(all_.begin() + static_cast<std::ptrdiff_t>(first),
                             all_.begin() + static_cast<std::ptrdiff_t>(at_));
}
void DistributedRandomSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "sample_index_", at_);
  write_number(archive, "epoch_", epoch_);
}
void DistributedRandomSampler::load(serialize::InputArchive& archive) {
  epoch_ = read_number(archive, "epoch_");
  reset(size_);
  at_ = read_number(archive, "sample_index_");
}

DistributedSequentialSampler::DistributedSequentialSampler(size_t size, size_t num_replicas,
                                                           size_t rank, bool allow_duplicates)
    : DistributedSampler(size, num_replicas, rank, allow_duplicates) {
  reset();
}
void DistributedSequentialSampler::reset(std::optional<size_t> new_size) {
  size_ = new_size.value_or(size_);
  at_ = rank_ * local_sample_count();
  end_ = at_ + local_sample_count();
}
std::optional<std::vector<size_t>> DistributedSequentialSampler::next(size_t batch_size) {
  if (at_ >= end_) return std::nullopt;
  std::vector<size_t> out(std::min(batch_size, end_ - at_));
  for (size_t& index : out) index = at_++ % size_;
  return out;
}
void DistributedSequentialSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "sample_index_", at_);
}
void DistributedSequentialSampler::load(serialize::InputArchive& archive) {
  at_ = read_number(archive, "sample_index_");
}

void StreamSampler::reset(std::optional<size_t> new_size) {
  epoch_size_ = new_size.value_or(epoch_size_);
  seen_ = 0;
}
std::optional<BatchSize> StreamSampler::next(size_t batch_size) {
  if (seen_ >= epoch_size_) return std::nullopt;
  const size_t count = std::min(batch_size, epoch_size_ - seen_);
  seen_ += count;
  return BatchSize(count);
}
void StreamSampler::save(serialize::OutputArchive& archive) const {
  write_number(archive, "examples_retrieved_so_far", seen_);
}
void StreamSampler::load(serialize::InputArchive& archive) {
  seen_ = read_number(archive, "examples_retrieved_so_far");
}

}  // namespace oneagent::data::samplers
