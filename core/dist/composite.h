// Ops whose parts cannot be joined, written in terms of ops whose parts can: the mean of a split
// dimension is a sum and a division, softmax over split classes exchanges a maximum and a sum a
// row.
#pragma once

#include "core/graph/recorder.h"

namespace oneagent::distributed {

// Computes `call` that way, with calls to the recorder at `level`; false when there is no such
// form.
bool run_composite(const Call& call, size_t level);

// Records those calls in these forms, so that a planner sees what may be split: means and losses
// always, softmax and cross entropy where a row has at least kLongRow elements. Takes the place
// above the lowest recorder of this thread while it is alive.
inline constexpr int64_t kLongRow = 4096;
class CompositeScope final : public Recorder {
 public:
  CompositeScope();
  ~CompositeScope() override;
  CompositeScope(const CompositeScope&) = delete;
  CompositeScope& operator=(const CompositeScope&) = delete;
  void record(const Call& call, size_t level) override;
  Recorder** below() override { return &below_; }

 private:
  Recorder* below_;
};

// Cross entropy over split classes (core/dist/composite_loss.cc).
bool splits_classes(const Tensor& x);
void class_split_cross_entropy(const Call& call);
void class_split_cross_entropy_backward(const Call& call);

}  // namespace oneagent::distributed
