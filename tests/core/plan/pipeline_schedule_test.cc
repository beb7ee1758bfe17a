#include "core/plan/pipeline_schedule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "core/base/check.h"
#include "core/plan/pipeline_check.h"
#include "core/plan/pipeline_simulate.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = PipelineKind;

constexpr Kind kAll[] = {Kind::kGPipe, Kind::kOneForwardOneBackward, Kind::kInterleaved,
                         Kind::kZeroBubbleH1, Kind::kZeroBubbleH2};

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// Every legal shape of a grid.
void for_each_shape(Kind kind, const std::function<void(const PipelineShape&)>& body) {
  for (const int p : {1, 2, 3, 4, 5, 8}) {
    for (const int m : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24}) {
      if (kind != Kind::kInterleaved) {
        SCOPED_TRACE(str(name_of(kind), " p ", p, " m ", m));
        body({p, m, 1});
      } else if (m % p == 0) {
        for (const int v : {2, 3, 4}) {
          SCOPED_TRACE(str(name_of(kind), " p ", p, " m ", m, " v ", v));
          body({p, m, v});
        }
      }
    }
  }
}

TEST(PipelineSchedule, EveryListIsSound) {
  for (const Kind kind : kAll)
    for_each_shape(kind, [&](const PipelineShape& shape) {
      EXPECT_NO_THROW(check(make_pipeline(kind, shape)));
    });
}

// GPipe and 1F1B: (p - 1)(f + b), so (p - 1)/(m + p - 1) of the total; interleaved: the same in
// times of a chunk, so (p - 1)/(v m + p - 1). Whatever f and b are.
TEST(PipelineSchedule, BubbleIsThePublishedOne) {
  for (const Kind kind : {Kind::kGPipe, Kind::kOneForwardOneBackward, Kind::kInterleaved}) {
    for_each_shape(kind, [&](const PipelineShape& shape) {
      for (const PipelineTimes& times :
           {PipelineTimes{1, 1, 0}, PipelineTimes{1, 1, 1}, PipelineTimes{3, 4, 2}}) {
        const PipelineSimulation run = simulate(make_pipeline(kind, shape), times);
        const int64_t both = times.forward + times.input_grad + times.weight_grad;
        const int64_t work = shape.micro_batches * shape.chunks, idle = shape.ranks - 1;
        EXPECT_EQ(run.bubble, idle * both);
        EXPECT_EQ(run.bubble, published_bubble(kind, shape, times));
        EXPECT_EQ(run.makespan, (work + idle) * both);
        EXPECT_DOUBLE_EQ(run.idle_share,
                         1 - static_cast<double>(work) / static_cast<double>(work + idle));
      }
    });
  }
}

// (p - 1)(f + i - w) and (p - 1)(f + i - 2 w): a third of 1F1B's and nothing with equal times.
TEST(PipelineSchedule, ZeroBubbleIsThePublishedOne) {
  for (const Kind kind : {Kind::kZeroBubbleH1, Kind::kZeroBubbleH2}) {
    for_each_shape(kind, [&](const PipelineShape& shape) {
      const int deep = kind == Kind::kZeroBubbleH1 ? shape.ranks : 2 * shape.ranks - 1;
      if (shape.micro_batches < deep) return;
      for (const PipelineTimes& times :
           {PipelineTimes{1, 1, 1}, PipelineTimes{5, 5, 5}, PipelineTimes{4, 4, 2},
            PipelineTimes{4, 5, 2}, PipelineTimes{6, 5, 2}}) {
        const PipelineSimulation run = simulate(make_pipeline(kind, shape), times);
        EXPECT_EQ(run.bubble, published_bubble(kind, shape, times))
            << times.forward << times.input_grad << times.weight_grad;
      }
    });
  }
  const PipelineShape shape{4, 8, 1};
  EXPECT_EQ(simulate(make_pipeline(Kind::kOneForwardOneBackward, shape)).bubble, 9);
  EXPECT_EQ(simulate(make_pipeline(Kind::kZeroBubbleH1, shape)).bubble, 3);
  EXPECT_EQ(simulate(make_pipeline(Kind::kZeroBubbleH2, shape)).bubble, 0);
}

TEST(PipelineSchedule, ActivationsAreThePublishedOnes) {
  for (const Kind kind : kAll) {
    for_each_shape(kind, [&](const PipelineShape& shape) {
      const PipelineSimulation run = simulate(make_pipeline(kind, shape));
      for (int rank = 0; rank < shape.ranks; ++rank) {
        EXPECT_EQ(run.activations[rank], published_activations(kind, shape, rank)) << rank;
        // Zero bubble: with what waits for W, no rank holds more than the first one does.
        EXPECT_LE(run.held[rank], std::max(run.held[0], run.activations[0] + 1)) << rank;
        if (kind == Kind::kZeroBubbleH1) {
          EXPECT_LE(run.activations[rank] + run.weight_inputs[rank] - 1, shape.ranks);
        }
      }
    });
  }
}

// One place a ring is never a deadlock; two are full speed for all but the deep ones.
TEST(PipelineSchedule, FewCreditsAreEnough) {
  for (const Kind kind : kAll)
    for_each_shape(kind, [&](const PipelineShape& shape) {
      const PipelineSchedule schedule = make_pipeline(kind, shape);
      const int least = least_credits(schedule), fast = full_speed_credits(schedule);
      EXPECT_LE(least, kind == Kind::kInterleaved ? shape.ranks : 2);
      EXPECT_LE(fast, kind == Kind::kInterleaved ? shape.ranks + 1 : 3);
      EXPECT_EQ(simulate(schedule, {}, fast).makespan, simulate(schedule).makespan);
    });
  const PipelineSchedule schedule = make_pipeline(Kind::kOneForwardOneBackward, {4, 8, 1});
  EXPECT_EQ(least_credits(schedule), 1);
  EXPECT_EQ(full_speed_credits(schedule), 2);
  EXPECT_GT(simulate(schedule, {}, 1).makespan, simulate(schedule, {}, 2).makespan);
}

TEST(PipelineSchedule, LatencyLengthensAndNeverDeadlocks) {
  for (const Kind kind : kAll) {
    const PipelineShape shape{4, 8, kind == Kind::kInterleaved ? 2 : 1};
    const PipelineSchedule schedule = make_pipeline(kind, shape);
    EXPECT_GT(simulate(schedule, {.latency = 2}).makespan, simulate(schedule).makespan);
  }
  // GPipe hides nothing of the way there and back.
  const PipelineSchedule gpipe = make_pipeline(Kind::kGPipe, {4, 8, 1});
  EXPECT_EQ(simulate(gpipe, {.latency = 5}).makespan, (8 + 3) * 3 + 2 * 3 * 5);
}

TEST(PipelineSchedule, ListOfARank) {
  std::vector<std::string> texts;
  const PipelineSchedule schedule = make_pipeline(Kind::kZeroBubbleH1, {2, 2, 1});
  for (const PipelineAction& action : schedule.actions[1]) texts.push_back(to_text(action));
  EXPECT_THAT(texts, ElementsAre("RECV_F 0 (stage 1)", "F 0 (stage 1)", "I 0 (stage 1)",
                                 "SEND_B 0 (stage 1)", "RECV_F 1 (stage 1)", "F 1 (stage 1)",
                                 "I 1 (stage 1)", "SEND_B 1 (stage 1)", "W 0 (stage 1)",
                                 "W 1 (stage 1)", "REDUCE (stage 1)", "STEP"));
}

TEST(PipelineSchedule, PrintsTheGridOfThePapers) {
  EXPECT_EQ(to_text(make_pipeline(Kind::kOneForwardOneBackward, {2, 3, 1})),
            "1f1b: 2 ranks, 3 micro-batches; 12 units, idle 25%\n"
            "rank 0 | F0 F1 .  .  B0 -  F2 B1 -  .  B2 -\n"
            "rank 1 | .  F0 B0 -  F1 B1 -  F2 B2 -  .  .\n");
  EXPECT_EQ(to_text(make_pipeline(Kind::kInterleaved, {2, 2, 2}), {1, 1, 0}),
            "interleaved: 2 ranks, 2 micro-batches, 2 chunks a rank; 10 units, idle 20%\n"
            "rank 0 | F0a F1a F0b F1b .   B0b .   B1b B0a B1a\n"
            "rank 1 | .   F0a F1a F0b B0b F1b B1b B0a B1a .\n");
}

TEST(PipelineSchedule, JsonForTheDashboard) {
  const Json json = to_json(make_pipeline(Kind::kGPipe, {2, 2, 1}));
  EXPECT_EQ(json["kind"], "gpipe");
  EXPECT_EQ(json["makespan"], 9);
  EXPECT_EQ(json["by_rank"][1]["actions"][1]["kind"], "F");
  EXPECT_EQ(json["by_rank"][1]["actions"][1]["begin"], 1);
}

TEST(PipelineSchedule, WrongShapesAreNamed) {
  const auto make = [](Kind kind, PipelineShape shape) {
    return error_of([&] { make_pipeline(kind, shape); });
  };
  EXPECT_EQ(make(Kind::kGPipe, {0, 1, 1}), "pipeline gpipe: needs at least one rank, was 0");
  EXPECT_EQ(make(Kind::kZeroBubbleH1, {2, 0, 1}),
            "pipeline zb-h1: needs at least one micro-batch, was 0");
  EXPECT_EQ(make(Kind::kOneForwardOneBackward, {2, 4, 2}),
            "pipeline 1f1b: has one chunk a rank, was 2; \"interleaved\" takes more");
  EXPECT_EQ(make(Kind::kInterleaved, {4, 6, 2}),
            "pipeline interleaved: the number of micro-batches must be a multiple of the 4 ranks, "
            "was 6; take 8 or \"1f1b\"");
  EXPECT_THAT(make(Kind::kInterleaved, {4, 8, 1}), HasSubstr("at least two chunks"));
  EXPECT_EQ(pipeline_kind("zb-h2"), Kind::kZeroBubbleH2);
  EXPECT_THAT(error_of([] { pipeline_kind("1f1c"); }), HasSubstr("did you mean \"1f1b\"?"));
}

// Each mutilation of a sound list is found, and named.
TEST(PipelineCheck, NamesWhatIsWrong) {
  const PipelineSchedule sound = make_pipeline(Kind::kZeroBubbleH1, {2, 2, 1});
  const auto complaint = [&](const std::function<void(PipelineSchedule&)>& mutilate) {
    PipelineSchedule schedule = sound;
    mutilate(schedule);
    return error_of([&] { check(schedule); });
  };
  const auto find = [](PipelineSchedule& schedule, int rank, const PipelineAction& action) {
    auto& list = schedule.actions[rank];
    return std::find(list.begin(), list.end(), action);
  };
  const auto swap = [&](int rank, PipelineAction a, PipelineAction b) {
    return complaint([&](PipelineSchedule& schedule) {
      std::iter_swap(find(schedule, rank, a), find(schedule, rank, b));
    });
  };
  const auto drop = [&](int rank, PipelineAction action) {
    return complaint([&](PipelineSchedule& schedule) {
      schedule.actions[rank].erase(find(schedule, rank, action));
    });
  };
  using enum ActionKind;
  EXPECT_THAT(swap(1, {kForward, 1, 0}, {kInputGrad, 1, 0}),
              HasSubstr("rank 1: I 0 (stage 1) comes before its F"));
  EXPECT_THAT(swap(1, {kWeightGrad, 1, 0}, {kWeightGrad, 1, 1}),
              HasSubstr("W 1 (stage 1) adds to the weights' gradient before micro-batch 0"));
  EXPECT_THAT(swap(1, {kRecvForward, 1, 0}, {kForward, 1, 0}),
              HasSubstr("F 0 (stage 1) comes before its input"));
  EXPECT_THAT(swap(0, {kReduce, 0, -1}, {kWeightGrad, 0, 1}), HasSubstr("REDUCE (stage 0) comes"));
  EXPECT_THAT(swap(0, {kReduce, 0, -1}, {kStep, -1, -1}), HasSubstr("STEP comes before REDUCE"));
  EXPECT_THAT(drop(0, {kStep, -1, -1}), HasSubstr("STEP is missing"));
  EXPECT_THAT(drop(0, {kWeightGrad, 0, 0}), HasSubstr("W 1 (stage 0) adds"));
  EXPECT_THAT(drop(0, {kSendForward, 0, 1}), HasSubstr("SEND_F 1 (stage 0) is missing"));
  EXPECT_THAT(complaint([](PipelineSchedule& s) {
                s.actions[0].push_back({kForward, 0, 0});
              }),
              HasSubstr("F 0 (stage 0) comes after STEP"));
  EXPECT_THAT(complaint([](PipelineSchedule& s) { s.actions[0][0].stage = 1; }),
              HasSubstr("F 0 (stage 1) is not a stage of this rank"));
}

TEST(PipelineCheck, MessagesOfAPairMustMatchInOrder) {
  PipelineSchedule schedule = make_pipeline(Kind::kGPipe, {2, 2, 1});
  auto& list = schedule.actions[1];
  // RECV_F 1 before RECV_F 0.
  std::swap(list[0], list[2]);
  std::swap(list[1], list[3]);
  EXPECT_THAT(error_of([&] { check(schedule); }),
              HasSubstr("message 0 from rank 0 to rank 1 is received as RECV_F 1 (stage 1), but "
                        "sent for RECV_F 0 (stage 1)"));
}

TEST(PipelineCheck, ADeadlockNamesWhoWaitsForWhom) {
  PipelineSchedule schedule = make_pipeline(Kind::kOneForwardOneBackward, {2, 2, 1});
  using enum ActionKind;
  // Rank 0 wants the gradient of 0 before it sends 0.
  auto& list = schedule.actions[0];
  const auto receive = std::find(list.begin(), list.end(), PipelineAction{kRecvBackward, 0, 0});
  std::rotate(list.begin(), receive, receive + 1);
  EXPECT_THAT(error_of([&] { check(schedule); }),
              HasSubstr("deadlock; rank 0 waits in RECV_B 0 (stage 0) for rank 1; rank 1 waits in "
                        "RECV_F 0 (stage 1) for rank 0"));
}

}  // namespace
}  // namespace oneagent
