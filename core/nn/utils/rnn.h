// Sequences of different lengths: packed without padding, time step by time step, and back.
#pragma once

#include <vector>

#include "core/tensor/tensor.h"

namespace oneagent::nn::utils::rnn {

Tensor invert_permutation(const Tensor& permutation);

// The steps of all sequences one after another: first every sequence's first step, and so on.
// Longer sequences come first; sorted_indices says where each was before that, unsorted_indices
// where it went.
class PackedSequence {
 public:
  explicit PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices = {},
                          Tensor unsorted_indices = {});

  const Tensor& data() const { return data_; }                // [steps of all, ...]
  const Tensor& batch_sizes() const { return batch_sizes_; }  // int64 [longest]
  const Tensor& sorted_indices() const { return sorted_indices_; }
  const Tensor& unsorted_indices() const { return unsorted_indices_; }
  PackedSequence pin_memory() const { return *this; }
  PackedSequence to(TensorOptions options) const;
  PackedSequence cpu() const { return to(kCPU); }
  PackedSequence cuda() const { return to(kCUDA); }
  bool is_cuda() const { return data_.is_cuda(); }
  bool is_pinned() const { return data_.is_pinned(); }

 private:
  Tensor data_, batch_sizes_, sorted_indices_, unsorted_indices_;
};

// input [longest, batch, ...] (or, batch_first, [batch, longest, ...]), lengths [batch].
// enforce_sorted: the lengths must fall; otherwise they are sorted here.
PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first = false,
                                    bool enforce_sorted = true);
// The padded tensor and the lengths.
std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence,
                                               bool batch_first = false, double padding_value = 0.0,
                                               std::optional<int64_t> total_length = std::nullopt);
Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first = false, double padding_value = 0);
PackedSequence pack_sequence(ArrayRef<Tensor> sequences, bool enforce_sorted = true);

}  // namespace oneagent::nn::utils::rnn
