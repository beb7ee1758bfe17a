#include "core/plan/pipeline_schedule.h"

#include <algorithm>
#include <array>
#include <map>

#include "core/base/check.h"

namespace oneagent {
namespace {

using Actions = std::vector<PipelineAction>;
constexpr std::array<std::string_view, 5> kKindNames = {"gpipe", "1f1b", "interleaved", "zb-h1",
                                                        "zb-h2"};
constexpr std::array<std::string_view, 10> kActionNames = {
    "F", "B", "I", "W", "SEND_F", "RECV_F", "SEND_B", "RECV_B", "REDUCE", "STEP"};

void check_shape(PipelineKind kind, const PipelineShape& shape) {
  const std::string_view name = name_of(kind);
  OA_REQUIRE(shape.ranks >= 1, "pipeline ", name, ": needs at least one rank, was ", shape.ranks);
  OA_REQUIRE(shape.micro_batches >= 1, "pipeline ", name, ": needs at least one micro-batch, was ",
             shape.micro_batches);
  if (kind != PipelineKind::kInterleaved) {
    OA_REQUIRE(shape.chunks == 1, "pipeline ", name, ": has one chunk a rank, was ", shape.chunks,
               "; \"interleaved\" takes more");
    return;
  }
  OA_REQUIRE(shape.chunks >= 2, "pipeline interleaved: needs at least two chunks a rank, was ",
             shape.chunks, "; \"1f1b\" is the schedule with one");
  OA_REQUIRE(shape.micro_batches % shape.ranks == 0,
             "pipeline interleaved: the number of micro-batches must be a multiple of the ",
             shape.ranks, " ranks, was ", shape.micro_batches, "; take ",
             (shape.micro_batches / shape.ranks + 1) * shape.ranks, " or \"1f1b\"");
}

Actions gpipe(const PipelineShape& shape, int rank) {
  Actions list;
  for (int j = 0; j < shape.micro_batches; ++j) list.push_back({ActionKind::kForward, rank, j});
  for (int j = 0; j < shape.micro_batches; ++j) list.push_back({ActionKind::kBackward, rank, j});
  return list;
}

Actions one_forward_one_backward(const PipelineShape& shape, int rank) {
  const int m = shape.micro_batches, ahead = std::min(m, shape.ranks - rank - 1);
  Actions list;
  for (int j = 0; j < ahead; ++j) list.push_back({ActionKind::kForward, rank, j});
  for (int j = 0; j < m; ++j) {
    if (j + ahead < m) list.push_back({ActionKind::kForward, rank, j + ahead});
    list.push_back({ActionKind::kBackward, rank, j});
  }
  return list;
}

// Groups of p micro-batches go through chunk 0, then chunk 1 and so on; backward through the chunks
// in reverse.
Actions interleaved(const PipelineShape& shape, int rank) {
  const int p = shape.ranks, v = shape.chunks, all = shape.micro_batches * v;
  const auto at = [&](ActionKind kind, int k) {
    const int in_group = k % (p * v), chunk = in_group / p;
    return PipelineAction{kind, (kind == ActionKind::kForward ? chunk : v - 1 - chunk) * p + rank,
                          k / (p * v) * p + in_group % p};
  };
  const int ahead = std::min(all, 2 * (p - rank - 1) + (v - 1) * p);
  Actions list;
  for (int k = 0; k < ahead; ++k) list.push_back(at(ActionKind::kForward, k));
  for (int k = 0; k < all; ++k) {
    if (k + ahead < all) list.push_back(at(ActionKind::kForward, k + ahead));
    list.push_back(at(ActionKind::kBackward, k));
  }
  return list;
}

// H1: p - r - 1 forwards ahead, W late by r micro-batches; H2: twice both. Every rank then holds
// the same number of micro-batches, waiting for I or for W.
Actions zero_bubble(const PipelineShape& shape, int rank, int depth) {
  const int m = shape.micro_batches, ahead = std::min(m, depth * (shape.ranks - rank - 1));
  const int late = depth * rank;
  Actions list;
  for (int j = 0; j < ahead; ++j) list.push_back({ActionKind::kForward, rank, j});
  for (int j = 0; j < m; ++j) {
    if (j + ahead < m) list.push_back({ActionKind::kForward, rank, j + ahead});
    list.push_back({ActionKind::kInputGrad, rank, j});
    if (j >= late) list.push_back({ActionKind::kWeightGrad, rank, j - late});
  }
  for (int j = std::max(0, m - late); j < m; ++j)
    list.push_back({ActionKind::kWeightGrad, rank, j});
  return list;
}

Actions compute_list(PipelineKind kind, const PipelineShape& shape, int rank) {
  switch (kind) {
    case PipelineKind::kGPipe:
      return gpipe(shape, rank);
    case PipelineKind::kOneForwardOneBackward:
      return one_forward_one_backward(shape, rank);
    case PipelineKind::kInterleaved:
      return interleaved(shape, rank);
    case PipelineKind::kZeroBubbleH1:
      return zero_bubble(shape, rank, 1);
    case PipelineKind::kZeroBubbleH2:
      return zero_bubble(shape, rank, 2);
  }
  OA_REQUIRE(false, "pipeline: unknown kind ", static_cast<int>(kind));
}

// What leaves the rank after this action: a send, or nothing.
bool send_after(const PipelineSchedule& schedule, const PipelineAction& action,
                PipelineAction& send) {
  const bool forward = action.kind == ActionKind::kForward;
  if (!forward && action.kind != ActionKind::kBackward && action.kind != ActionKind::kInputGrad)
    return false;
  const int other = action.stage + (forward ? 1 : -1);
  if (other < 0 || other >= schedule.stages() ||
      schedule.rank_of(other) == schedule.rank_of(action.stage))
    return false;
  send = {forward ? ActionKind::kSendForward : ActionKind::kSendBackward, action.stage,
          action.micro_batch};
  return true;
}

// The receive that must come before this action, or nothing.
bool receive_before(const PipelineSchedule& schedule, const PipelineAction& action,
                    PipelineAction& receive) {
  const bool forward = action.kind == ActionKind::kForward;
  if (!forward && action.kind != ActionKind::kBackward && action.kind != ActionKind::kInputGrad)
    return false;
  const int other = action.stage + (forward ? -1 : 1);
  if (other < 0 || other >= schedule.stages() ||
      schedule.rank_of(other) == schedule.rank_of(action.stage))
    return false;
  receive = {forward ? ActionKind::kRecvForward : ActionKind::kRecvBackward, action.stage,
             action.micro_batch};
  return true;
}

// A send follows the action that made its message. A receive comes just before the action that
// reads it, or earlier: messages of a pair are received in the order in which they are sent, so
// those sent before a needed one are received before it. They have been sent by then, so taking
// them first never waits longer.
void add_messages(PipelineSchedule& schedule) {
  const int p = schedule.shape.ranks;
  std::vector<std::vector<Actions>> sent(p, std::vector<Actions>(p));  // by sender, receiver
  for (int rank = 0; rank < p; ++rank) {
    PipelineAction send;
    for (const PipelineAction& action : schedule.actions[rank])
      if (send_after(schedule, action, send))
        sent[rank][peer_of(schedule, send)].push_back(matching_receive(send));
  }
  for (int rank = 0; rank < p; ++rank) {
    std::vector<size_t> received(p, 0);
    Actions list;
    PipelineAction message;
    for (const PipelineAction& action : schedule.actions[rank]) {
      if (receive_before(schedule, action, message)) {
        const int peer = peer_of(schedule, message);
        const Actions& queue = sent[peer][rank];
        const auto begin = queue.begin() + static_cast<ptrdiff_t>(received[peer]);
        const auto found = std::find(begin, queue.end(), message);
        if (found != queue.end()) {  // else an earlier receive took it along
          list.insert(list.end(), begin, found + 1);
          received[peer] = static_cast<size_t>(found - queue.begin()) + 1;
        }
      }
      list.push_back(action);
      if (send_after(schedule, action, message)) list.push_back(message);
    }
    schedule.actions[rank] = std::move(list);
  }
}

// REDUCE right after the last weight gradient of a stage, STEP at the end.
void add_reductions(PipelineSchedule& schedule) {
  for (Actions& list : schedule.actions) {
    std::map<int, int> left;  // weight gradients to come, by stage
    const auto adds = [](const PipelineAction& action) {
      return action.kind == ActionKind::kBackward || action.kind == ActionKind::kWeightGrad;
    };
    for (const PipelineAction& action : list) left[action.stage] += adds(action);
    Actions out;
    for (const PipelineAction& action : list) {
      out.push_back(action);
      if (adds(action) && --left[action.stage] == 0)
        out.push_back({ActionKind::kReduce, action.stage, -1});
    }
    out.push_back({ActionKind::kStep, -1, -1});
    list = std::move(out);
  }
}

}  // namespace

std::string_view name_of(PipelineKind kind) { return kKindNames.at(static_cast<size_t>(kind)); }

PipelineKind pipeline_kind(std::string_view name) {
  for (size_t i = 0; i < kKindNames.size(); ++i)
    if (kKindNames[i] == name) return static_cast<PipelineKind>(i);
  throw_error(str("pipeline: unknown schedule \"", name, "\"",
                  suggestion(name, {kKindNames.begin(), kKindNames.end()})));
}

std::string_view name_of(ActionKind kind) { return kActionNames.at(static_cast<size_t>(kind)); }

std::string to_text(const PipelineAction& action) {
  std::string text(name_of(action.kind));
  if (action.micro_batch >= 0) text += str(" ", action.micro_batch);
  if (action.stage >= 0) text += str(" (stage ", action.stage, ")");
  return text;
}

int peer_of(const PipelineSchedule& schedule, const PipelineAction& action) {
  const bool next =
      action.kind == ActionKind::kSendForward || action.kind == ActionKind::kRecvBackward;
  OA_CHECK(is_send(action.kind) || is_receive(action.kind), "pipeline: ", to_text(action),
           " has no peer");
  const int stage = action.stage + (next ? 1 : -1);
  OA_REQUIRE(action.stage >= 0 && stage >= 0 && stage < schedule.stages(),
             "pipeline: ", to_text(action), " has nobody at the other end of ", schedule.stages(),
             " stages");
  return schedule.rank_of(stage);
}

PipelineAction matching_receive(const PipelineAction& send) {
  if (send.kind == ActionKind::kSendForward)
    return {ActionKind::kRecvForward, send.stage + 1, send.micro_batch};
  return {ActionKind::kRecvBackward, send.stage - 1, send.micro_batch};
}

PipelineSchedule make_pipeline(PipelineKind kind, const PipelineShape& shape) {
  check_shape(kind, shape);
  PipelineSchedule schedule{kind, shape, {}};
  for (int rank = 0; rank < shape.ranks; ++rank)
    schedule.actions.push_back(compute_list(kind, shape, rank));
  add_messages(schedule);
  add_reductions(schedule);
  return schedule;
}

}  // namespace oneagent
