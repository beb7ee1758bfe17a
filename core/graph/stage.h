// Where calls belong that are recorded: the stage of a pipeline that the user names, and, for calls
// of backward(), the call whose gradient they compute. core/plan/stages.h cuts a program by them.
#pragma once

#include <cstdint>

#include "core/base/check.h"

namespace oneagent {

struct RecordingPlace {
  int32_t stage = -1;    // -1: none is named
  int32_t forward = -1;  // number of the call whose gradient is computed; -1: none
  int32_t recorded = 0;  // calls that the recording of this thread has so far
};

inline RecordingPlace& recording_place() {
  thread_local RecordingPlace place;
  return place;
}

// What is computed while it is alive is stage `stage` of a pipeline (0, 1, ...), in a graph that is
// recorded for one; elsewhere it means nothing. The gradient of a call belongs to the call's stage.
//
//   Tensor h = embed(x);                       // stage 0
//   { const nn::StageScope second(1); h = blocks(h); }
//   Tensor loss = mse_loss(head(h), y);        // no scope: the stage of the call before
class StageScope {
 public:
  explicit StageScope(int stage) : before_(recording_place().stage) {
    OA_REQUIRE(stage >= 0, "stage: counts from 0, was ", stage);
    recording_place().stage = stage;
  }
  ~StageScope() { recording_place().stage = before_; }
  StageScope(const StageScope&) = delete;
  StageScope& operator=(const StageScope&) = delete;

 private:
  int32_t before_;
};

// Calls recorded while it is alive compute the gradient of call `forward`.
class GradientOfScope {
 public:
  explicit GradientOfScope(int32_t forward) : before_(recording_place().forward) {
    recording_place().forward = forward;
  }
  ~GradientOfScope() { recording_place().forward = before_; }
  GradientOfScope(const GradientOfScope&) = delete;
  GradientOfScope& operator=(const GradientOfScope&) = delete;

 private:
  int32_t before_;
};

}  // namespace oneagent
