#include "core/nn/utils/rnn.h"

#include <algorithm>
#include <numeric>

#include "core/ops/ops.h"

namespace oneagent::nn::utils::rnn {

Tensor invert_permutation(const Tensor& permutation) {
  if (!permutation.defined()) return {};
  const int64_t count = permutation.numel();
  const Tensor out = empty({count}, kInt64);
  for (int64_t i = 0; i < count; ++i) {
    const auto place = permutation[i].item<int64_t>();
    OA_REQUIRE(place >= 0 && place < count, "invert_permutation: index ", place,
               " is out of bounds for dimension 0 with size ", count);
    out.data_ptr<int64_t>()[place] = i;
  }
  return out;
}

PackedSequence::PackedSequence(Tensor data, Tensor batch_sizes, Tensor sorted_indices,
                               Tensor unsorted_indices)
    : data_(std::move(data)),
      batch_sizes_(std::move(batch_sizes)),
      sorted_indices_(std::move(sorted_indices)),
      unsorted_indices_(unsorted_indices.defined() ? std::move(unsorted_indices)
                                                   : invert_permutation(sorted_indices_)) {
  OA_REQUIRE(batch_sizes_.is_cpu(),
             "batch_sizes should always be on CPU; make a PackedSequence with pack_sequence or "
             "pack_padded_sequence");
}

PackedSequence PackedSequence::to(TensorOptions options) const {
  const Tensor data = data_.to(options);
  if (data.is_same(data_)) return *this;
  return PackedSequence(data, batch_sizes_, sorted_indices_, unsorted_indices_);
}

PackedSequence pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first,
                                    bool enforce_sorted) {
  OA_REQUIRE(
      lengths.dim() == 1 && input.dim() >= 2 && lengths.size(0) == input.size(batch_first ? 0 : 1),
      "Expected `len(lengths)` to be equal to batch_size, but got ", lengths.numel(),
      " for an input of shape ", input.sizes());
  std::vector<int64_t> counts = to_vector<int64_t>(lengths);
  Tensor sorted_indices;
  if (!enforce_sorted) {
    std::vector<int64_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return counts[a] > counts[b]; });
    sorted_indices = tensor(order);
    input = input.index_select(batch_first ? 0 : 1, sorted_indices);
    std::sort(counts.rbegin(), counts.rend());
  }
  OA_REQUIRE(std::is_sorted(counts.rbegin(), counts.rend()),
             "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. "
             "You can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
             "sidestep this requirement.");
  OA_REQUIRE(
      !counts.empty() && counts.back() > 0,
      "Length of all samples has to be greater than 0, but found an element in 'lengths' that is "
      "<= 0");
  if (batch_first) input = input.transpose(0, 1);
  OA_REQUIRE(counts.front() <= input.size(0), "pack_padded_sequence: a length of ", counts.front(),
             " is more than the ", input.size(0), " steps of the input");
  std::vector<Tensor> steps;
  std::vector<int64_t> batch_sizes;
  size_t alive = counts.size();
  for (int64_t t = 0; t < counts.front(); ++t) {
    while (counts[alive - 1] <= t) --alive;
    batch_sizes.push_back(static_cast<int64_t>(alive));
    steps.push_back(input.select(0, t).narrow(0, 0, batch_sizes.back()));
  }
  return PackedSequence(cat(steps), tensor(batch_sizes), sorted_indices);
}

std::tuple<Tensor, Tensor> pad_packed_sequence(const PackedSequence& sequence, bool batch_first,
                                               double padding_value,
                                               std::optional<int64_t> total_length) {
  const std::vector<int64_t> sizes = to_vector<int64_t>(sequence.batch_sizes());
  const auto longest = static_cast<int64_t>(sizes.size());
  const int64_t length = total_length.value_or(longest), batch = sizes.at(0);
  OA_REQUIRE(length >= longest,
             "Expected total_length to be at least the length of the longest sequence in input, "
             "but got total_length=",
             length, " and max sequence length being ", longest);
  const Tensor& data = sequence.data();
  Shape row = data.sizes();
  row.erase(0);
  const auto blank = [&](int64_t rows) {
    Shape shape = row;
    shape.insert(0, rows);
    return full(shape, padding_value, data.options());
  };
  std::vector<Tensor> steps;
  std::vector<int64_t> lengths(static_cast<size_t>(batch), 0);
  int64_t at = 0;
  for (const int64_t count : sizes) {
    const Tensor step = data.narrow(0, at, count);
    steps.push_back(count == batch ? step : cat({step, blank(batch - count)}));
    for (int64_t i = 0; i < count; ++i) ++lengths[static_cast<size_t>(i)];
    at += count;
  }
  for (int64_t t = longest; t < length; ++t) steps.push_back(blank(batch));
  Tensor padded = stack(steps, batch_first ? 1 : 0), counts = tensor(lengths);
  const Tensor& unsorted = sequence.unsorted_indices();
  if (!unsorted.defined()) return {padded, counts};
  return {padded.index_select(batch_first ? 0 : 1, unsorted), counts.index_select(0, unsorted)};
}

Tensor pad_sequence(ArrayRef<Tensor> sequences, bool batch_first, double padding_value) {
  OA_REQUIRE(!sequences.empty(), "pad_sequence: received an empty list of sequences");
  int64_t longest = 0;
  for (const Tensor& sequence : sequences) longest = std::max(longest, sequence.size(0));
  std::vector<Tensor> padded;
  for (const Tensor& sequence : sequences) {
    Shape rest = sequence.sizes();
    rest[0] = longest - rest[0];
    padded.push_back(rest[0] == 0 ? sequence
                                  : cat({sequence, full(rest, padding_value, sequence.options())}));
  }
  return stack(padded, batch_first ? 0 : 1);
}

PackedSequence pack_sequence(ArrayRef<Tensor> sequences, bool enforce_sorted) {
  std::vector<int64_t> lengths;
  for (const Tensor& sequence : sequences) lengths.push_back(sequence.size(0));
  return pack_padded_sequence(rnn::pad_sequence(sequences), tensor(lengths), false, enforce_sorted);
}

}  // namespace oneagent::nn::utils::rnn
