// In which order the results of several workers are handed on: as they come, or by their
// sequence_number.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/check.h"

namespace oneagent::data::detail::sequencers {

template <class Result>
struct Sequencer {
  using ResultProducer = std::function<std::optional<Result>()>;
  virtual ~Sequencer() = default;
  virtual std::optional<Result> next(ResultProducer next_result) = 0;
};

template <class Result>
struct NoSequencer final : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;
  std::optional<Result> next(ResultProducer next_result) override { return next_result(); }
};

// 0, 1, 2 ...; early results wait in a ring of max_jobs places.
template <class Result>
struct OrderedSequencer : public Sequencer<Result> {
  using typename Sequencer<Result>::ResultProducer;

  explicit OrderedSequencer(size_t max_jobs) : buffer_(max_jobs) {}

  std::optional<Result> next(ResultProducer next_result) override {
    if (!buffer_.empty() && buffer(next_sequence_number_))
      return std::exchange(buffer(next_sequence_number_++), std::nullopt);
    while (std::optional<Result> result = next_result()) {
      const size_t number = result->sequence_number;
      if (number == next_sequence_number_) {
        ++next_sequence_number_;
        return result;
      }
      OA_CHECK(!buffer(number), "sequencer: two results have number ", number);
      buffer(number) = std::move(result);
    }
    for (const std::optional<Result>& waiting : buffer_)
      OA_CHECK(!waiting, "sequencer: the results end before number ", next_sequence_number_);
    return std::nullopt;
  }
  std::optional<Result>& buffer(size_t index) { return buffer_.at(index % buffer_.size()); }

  size_t next_sequence_number_ = 0;
  std::vector<std::optional<Result>> buffer_;
};

}  // namespace oneagent::data::detail::sequencers
