// Ranks that are lost: who notices, what is said, and that the learner goes on without a new start.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>

#include "core/io/safetensors.h"
#include "core/service/run_service.h"
#include "services/cli/services_of_run.h"
#include "services/learner/learner_service.h"
#include "services/learner/rank_groups.h"
#include "services/learner/rank_losses.h"
#include "services/learner/rank_team.h"
#include "tests/support/local_ring.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

Experiment experiment(const fs::path& folder, const Json& mesh, int64_t steps) {
  Json json = {{"run", {{"name", "loss"}, {"folder", folder.string()}}},
               {"env", {{"name", "cartpole"}, {"count", 4}}},
               {"algorithm", {{"name", "ppo"}, {"steps", 16}, {"minibatch", 32}, {"epochs", 2}}},
               {"learner", {{"checkpoint_updates", 4}, {"parallel", mesh}}},
               {"evaluator", {{"episodes", 1}}},
               {"stop", {{"steps", steps}}}};
  Experiment e = read_experiment(Config::from_json(json, "loss.toml"), LocalRing::registry());
  use_inproc(e);
  return e;
}

// The death of a rank's thread in the middle of a step: the learner begins again from its last
// checkpoint, and ends with the weights of a run without a loss.
ring::ArraySet train(const fs::path& folder, const Json& mesh, const RankTeam::Inject& inject) {
  const Experiment e = experiment(folder, mesh, 2000);
  const Registry& registry = LocalRing::registry();
  prepare_run_folder(e);
  net::Context context;
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(make_service("replay", 0, context, registry, e));
  services.push_back(std::make_unique<LearnerService>(context, registry, e, inject));
  services.push_back(make_service("actor", 0, context, registry, e));
  RunServiceOptions options;
  options.handle_signals = false;
  ServiceGroup group(e.place, std::move(services), options);
  group.start();
  EXPECT_TRUE(group.wait(Deadline::after_ms(60000)));
  EXPECT_EQ(group.error(), "");
  return io::load_safetensors(e.place.folder / "weights" / "final.safetensors").arrays;
}

TEST(RankLoss, ADeadThreadIsReplacedAndTheRunEndsWithTheSameWeights) {
  TemporaryFolder folder;
  const Json mesh = {{"data", 2}, {"tensor", 2}};
  const ring::ArraySet whole = train(folder.path() / "whole", mesh, {});
  for (const int first : {300, 600}) {
    std::atomic<int> joins{0};
    const ring::ArraySet lost =
        train(folder.path() / str("lost", first), mesh, [&](int rank, std::string_view point) {
          if (rank == 2 && point == "join" && (++joins == first || joins == 3 * first))
            throw std::runtime_error("injected death");
        });
    EXPECT_GT(joins, 3 * first) << "both deaths came";
    EXPECT_TRUE(ring::equal(whole, lost)) << first;
  }
}

// In the middle of a pipeline, where its neighbours wait in a receive.
TEST(RankLoss, ADeadStageOfAPipelineIsReplacedAndTheRunEndsWithTheSameWeights) {
  TemporaryFolder folder;
  const Json mesh = {{"pipeline", 3}, {"data", 2}};
  const ring::ArraySet whole = train(folder.path() / "whole", mesh, {});
  std::atomic<int> sends{0}, receives{0};
  const ring::ArraySet lost =
      train(folder.path() / "lost", mesh, [&](int rank, std::string_view point) {
        if ((rank == 2 && point == "send" && ++sends == 100) ||
            (rank == 4 && point == "receive" && ++receives == 300))
          throw std::runtime_error("injected death");
      });
  EXPECT_GT(sends, 100);
  EXPECT_GT(receives, 300) << "both deaths came";
  EXPECT_TRUE(ring::equal(whole, lost));
}

TEST(RankLoss, TheSameLossAtTheSamePlaceAgainEndsTheLearner) {
  RankLosses losses;
  losses.note("rank 1 was lost", 7);
  losses.note("rank 1 was lost", 9);
  losses.note("rank 2 was lost", 9);
  EXPECT_THROW(losses.note("rank 2 was lost", 9), Error);
  RankLosses other;
  for (int i = 0; i < RankLosses::kMostInVain - 1; ++i) other.note(str("rank ", i), 3);
  EXPECT_THROW(other.note("rank 9", 3), Error);
}

// Three ranks over gloo in one process; body() on each, with its groups. What each one threw.
std::vector<std::string> run_groups(double lost_after_s,
                                    const std::function<void(int, RankGroups&)>& body) {
  comm::MemoryRendezvous rendezvous;
  std::vector<std::string> errors(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      try {
        TeamCall call{1, 3, 1, lost_after_s, 60};
        RankGroups groups(rank, call, rendezvous, "run", "127.0.0.1");
        body(rank, groups);
      } catch (const std::exception& error) {
        errors[static_cast<size_t>(rank)] = error.what();
      }
    });
  for (std::thread& thread : threads) thread.join();
  return errors;
}

TEST(RankLoss, ALongStepIsNoLoss) {
  const auto errors = run_groups(0.5, [](int rank, RankGroups& groups) {
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(3000));
    groups.work().barrier();
  });
  EXPECT_THAT(errors, Each(""));
}

TEST(RankLoss, WhoLeavesIsNamedToThoseWhoWaitForIt) {
  const auto errors = run_groups(0.5, [](int rank, RankGroups& groups) {
    if (rank == 1) throw Error("gone");
    groups.work().barrier();
  });
  EXPECT_EQ(errors[1], "gone");
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 1"), HasSubstr("left the group")));
  EXPECT_THAT(errors[2], AllOf(HasSubstr("rank 1"), HasSubstr("left the group")));
}

// Who waits for something else, such as data, asks; nobody waits for the lost one then.
TEST(RankLoss, IsToldToWhoAsks) {
  std::array<std::string, 3> told;
  const auto errors = run_groups(0.5, [&](int rank, RankGroups& groups) {
    if (rank == 1) throw Error("gone");
    const Deadline until = Deadline::after_ms(5000);
    while (groups.lost().empty() && !until.expired())
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    told[static_cast<size_t>(rank)] = groups.lost();
  });
  EXPECT_THAT(told[0], HasSubstr("rank 1"));
  EXPECT_THAT(told[2], HasSubstr("rank 1"));
}

TEST(RankLoss, IsSaidInWords) {
  EXPECT_EQ(loss_in_words("rank 0 waits in barrier #3 for rank 2 for more than 3000 ms; rank 1 "
                          "waits in barrier #3 for rank 2",
                          3000),
            "rank 2 was lost: no sign of life for 3 s");
  EXPECT_EQ(loss_in_words("rank 1 was lost: Connection closed by peer", 3000),
            "rank 1 was lost: Connection closed by peer");
  EXPECT_EQ(loss_in_words("rank 0 waits in barrier #3 for rank 1, which has left the group", 3000),
            "");
}

TEST(RankMeetings, ADifferentProgramOrExperimentIsNamed) {
  const RankIdentity first{"0.1.0+aaaaaaa", 3, "0123456789abcdef"};
  EXPECT_EQ(difference(first, 2, first), "");
  RankIdentity other = first;
  other.code_version = "0.1.0+bbbbbbb";
  EXPECT_THAT(difference(first, 2, other),
              AllOf(HasSubstr("rank 2 runs oneagent 0.1.0+bbbbbbb"), HasSubstr("0.1.0+aaaaaaa")));
  other = first;
  other.config_hash = "ffff456789abcdef";
  EXPECT_THAT(difference(first, 2, other), HasSubstr("another experiment"));
}

TEST(RankMeetings, ARankAnswersTheNewestCallAndIsTakenOrRefused) {
  TemporaryFolder folder;
  const std::string address = "sqlite:" + (folder.path() / "store.sqlite").string();
  const auto first_store = *open_store(address), other_store = *open_store(address);
  RankMeeting first(*first_store, "run", [] { return false; });
  const RankIdentity identity = RankIdentity::of("hash");
  TeamCall old{0, 2, 1}, call{0, 2, 1};
  first.call(old);
  std::thread rank([&] {
    RankMeeting other(*other_store, "run", [] { return false; });
    EXPECT_EQ(other.wait_for_call(0)->incarnation, 1);
    EXPECT_FALSE(other.answer(old, 1, identity)) << "there is a newer call";
    const auto newer = other.wait_for_call(1);
    EXPECT_EQ(newer->incarnation, 2);
    EXPECT_THROW(other.answer(*newer, 1, RankIdentity::of("another")), Error);
    EXPECT_TRUE(other.answer(*newer, 1, identity));
  });
  const auto await = [&](int64_t incarnation) {
    std::optional<RankIdentity> answer;
    for (int i = 0; i < 1000 && !answer; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      answer = first.answered(incarnation, 1);
    }
    return answer;
  };
  EXPECT_EQ(await(old.incarnation)->config_hash, "hash");
  first.call(call);
  EXPECT_EQ(await(call.incarnation)->config_hash, "another");
  first.refuse(call.incarnation, 1, "rank 1 has another experiment");
  EXPECT_EQ(await(call.incarnation)->config_hash, "hash");
  first.take(call.incarnation, 1);
  rank.join();
}

// One rank has recorded another program than the rest.
TEST(RankLinks, AnotherProgramIsNamedOnAllRanks) {
  try {
    comm::run_ranks(3, [](comm::Communicator& all) {
      RankLink link(all);
      link.require_same("program", 5);
      link.require_same("program", all.rank() == 2 ? 7 : 5);
    });
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("rank 2 has another program than the first one"));
  }
}

}  // namespace
}  // namespace oneagent
