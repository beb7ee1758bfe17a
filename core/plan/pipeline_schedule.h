// Pipeline schedules as explicit action lists, one a rank, fixed before the first step. The model
// is cut into p * v stages; stage s runs on rank s mod p as its chunk s / p. A batch is cut into m
// micro-batches. Times and places of messages are part of the list, so that what runs can be
// printed, checked (pipeline_check.h) and simulated (pipeline_simulate.h) without running it.
//
//   make_pipeline(PipelineKind::kOneForwardOneBackward, {.ranks = 4, .micro_batches = 8})
//
// GPipe (Huang et al. 2019): all forwards, then all backwards.
// 1F1B (PipeDream-flush; Narayanan et al. 2021): rank r runs p - r - 1 forwards ahead, then one
//   forward and one backward in turns.
// Interleaved 1F1B (Narayanan et al. 2021): v chunks a rank; needs m divisible by p.
// ZB-H1 and ZB-H2 (Qi et al. 2023): backward is split into I, the gradient of the input, which the
//   rank before waits for, and W, the gradient of the weights, which fills what would be idle.
//   H1 keeps the memory of 1F1B, H2 takes nearly twice as much and, with equal times, leaves
//   nothing idle.
// In every list each stage adds its weight gradients in the order of micro-batches, as a loop over
// micro-batches on one device does; the sums are equal bit for bit.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oneagent {

enum class PipelineKind : uint8_t {
  kGPipe,
  kOneForwardOneBackward,
  kInterleaved,
  kZeroBubbleH1,
  kZeroBubbleH2,
};

// "gpipe", "1f1b", "interleaved", "zb-h1", "zb-h2".
std::string_view name_of(PipelineKind kind);
// Error: another word.
PipelineKind pipeline_kind(std::string_view name);

enum class ActionKind : uint8_t {
  kForward,       // F
  kBackward,      // B: I and W in one
  kInputGrad,     // I
  kWeightGrad,    // W
  kSendForward,   // SEND_F: the result of F of this stage, to the next stage
  kRecvForward,   // RECV_F: what F of this stage reads, from the stage before
  kSendBackward,  // SEND_B: the input gradient of this stage, to the stage before
  kRecvBackward,  // RECV_B: what backward of this stage reads, from the next stage
  kReduce,        // REDUCE: the gradients of this stage are complete; sum them over data ranks
  kStep,          // STEP: the optimizer, once a rank
};

struct PipelineAction {
  ActionKind kind = ActionKind::kForward;
  int stage = -1;        // -1: STEP
  int micro_batch = -1;  // -1: REDUCE and STEP
  bool operator==(const PipelineAction&) const = default;
};

struct PipelineShape {
  int ranks = 1;          // p
  int micro_batches = 1;  // m
  int chunks = 1;         // v, stages a rank
};

struct PipelineSchedule {
  PipelineKind kind = PipelineKind::kGPipe;
  PipelineShape shape;
  std::vector<std::vector<PipelineAction>> actions;  // by rank

  int stages() const { return shape.ranks * shape.chunks; }
  int rank_of(int stage) const { return stage % shape.ranks; }
  int chunk_of(int stage) const { return stage / shape.ranks; }
};

// Errors: p, m or v below 1; chunks where the schedule has none; interleaved with v < 2 or with m
// not divisible by p.
PipelineSchedule make_pipeline(PipelineKind kind, const PipelineShape& shape);

// "F 3", "RECV_B 3 (stage 5)": kind, micro-batch and, where there are chunks, the stage.
std::string to_text(const PipelineAction& action);
std::string_view name_of(ActionKind kind);
inline bool is_send(ActionKind kind) {
  return kind == ActionKind::kSendForward || kind == ActionKind::kSendBackward;
}
inline bool is_receive(ActionKind kind) {
  return kind == ActionKind::kRecvForward || kind == ActionKind::kRecvBackward;
}
inline bool is_compute(ActionKind kind) { return kind <= ActionKind::kWeightGrad; }

// The rank at the other end of a send or receive.
int peer_of(const PipelineSchedule& schedule, const PipelineAction& action);
// The receive that takes what `send` sends.
PipelineAction matching_receive(const PipelineAction& send);

}  // namespace oneagent
