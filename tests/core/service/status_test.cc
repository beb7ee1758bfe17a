// Who waits for whom, in words: the stall matrix of the design as synthetic heartbeats.
#include "core/service/status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "tests/support/redis_server.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Seen {
  SeenService service;

  explicit Seen(const std::string& name) {
    service.beat.service = name;
    service.beat.pid = 7;
    service.beat.host = "host-1";
    service.beat.state = ServiceState::kRunning;
    service.lease = true;
    service.silent_ms = 100;
  }
  Seen& waits(const std::string& holder, const std::string& reason, int64_t ms) {
    return part_waits(service.beat.service, holder, reason, ms);
  }
  Seen& part_waits(const std::string& waiter, const std::string& holder, const std::string& reason,
                   int64_t ms) {
    service.beat.waits.push_back({waiter, holder, reason, 0, ms});
    return *this;
  }
  Seen& silent(int64_t ms) {
    service.silent_ms = ms;
    return *this;
  }
  Seen& lost(int64_t ms) {
    service.lease = false;
    return silent(ms);
  }
  Seen& state(ServiceState state) {
    service.beat.state = state;
    return *this;
  }
  Seen& error(const std::string& text) {
    service.beat.last_error = text;
    return *this;
  }
  Seen& problem(const std::string& kind, const std::string& text, int64_t ms) {
    service.beat.problems.push_back({kind, text, ms});
    return *this;
  }
  // (milliseconds before the beat, value), oldest first.
  Seen& version(const std::string& name, std::vector<std::pair<int64_t, int64_t>> history) {
    service.beat.versions[name] = {history.back().second, history};
    return *this;
  }
};

RunStatus explained(const std::vector<Seen>& seen) {
  std::vector<SeenService> services;
  for (const Seen& one : seen) services.push_back(one.service);
  return explain("r", std::move(services));
}

std::vector<std::string> kinds(const RunStatus& status) {
  std::vector<std::string> names;
  for (const Finding& finding : status.findings) names.emplace_back(finding_name(finding.kind));
  return names;
}

// The stall matrix
// ------------------------------------------------------------------------------------------------------------------

TEST(StallMatrix, a_limiter_below_its_minimum_names_the_table_and_what_it_lacks) {
  const RunStatus status = explained(
      {Seen("learner").waits("replay/rollout", "needs 1 item, has 0 (limiter: min size 1)", 3100),
       Seen("replay"), Seen("actor-0")});
  EXPECT_THAT(
      to_text(status),
      HasSubstr(
          "learner waits 3.2 s for replay/rollout: needs 1 item, has 0 (limiter: min size 1)\n"));
  EXPECT_EQ(status.waits_for, "replay/rollout: needs 1 item, has 0 (limiter: min size 1)");
  EXPECT_THAT(status.chain, ElementsAre("learner", "replay/rollout"));
}

TEST(StallMatrix, a_limiter_below_its_minimum_because_all_actors_are_gone_names_the_actors) {
  const RunStatus status =
      explained({Seen("learner").waits("replay/rollout", "needs 1 item, has 0", 3100),
                 Seen("replay"), Seen("actor-0").lost(2400), Seen("actor-1").lost(2600)});
  EXPECT_THAT(to_text(status), HasSubstr("actor-0 has been silent for 2.4 s (lost)\n"));
  EXPECT_EQ(status.waits_for, "actor-0 (lost, silent for 2.4 s)");
  EXPECT_THAT(status.chain, ElementsAre("learner", "replay/rollout", "actors", "actor-0"));
}

TEST(StallMatrix, a_limiter_below_its_minimum_for_want_of_one_actor_names_that_actor) {
  const RunStatus status =
      explained({Seen("learner").waits("replay/rollout", "needs 1 item, has 0", 1100),
                 Seen("replay"), Seen("actor-0").silent(1300), Seen("actor-1")});
  EXPECT_EQ(status.waits_for, "actor-0 (silent for 1.3 s)");
}

TEST(StallMatrix, a_table_that_says_itself_whom_it_waits_for_is_followed) {
  const RunStatus status =
      explained({Seen("learner").waits("replay/rollout", "needs 1 item, has 0", 3100),
                 Seen("replay").part_waits("replay/rollout", "actors", "min size 1, has 0", 3000),
                 Seen("actor-0"), Seen("actor-1")});
  EXPECT_EQ(status.waits_for, "actors (2 running; min size 1, has 0)");
}

TEST(StallMatrix,
     a_table_that_lacks_items_because_actors_wait_elsewhere_is_followed_through_the_actors) {
  const RunStatus status =
      explained({Seen("learner").waits("replay/rollout",
                                       "limiter: needs 1 item, has 0; actors must insert", 3100),
                 Seen("replay"),
                 Seen("actor-0").waits("replay/disk",
                                       "cannot write segments/3: No space left on device", 2900),
                 Seen("actor-1")});
  EXPECT_THAT(status.chain,
              ElementsAre("learner", "replay/rollout", "actors", "actor-0", "replay/disk"));
  EXPECT_EQ(status.waits_for, "replay/disk: cannot write segments/3: No space left on device");
}

TEST(StallMatrix, no_actor_at_all_is_named) {
  const RunStatus status = explained(
      {Seen("learner").waits("replay/rollout", "needs 1 item, has 0", 3100), Seen("replay")});
  EXPECT_EQ(status.waits_for, "actors (none is there)");
}

TEST(StallMatrix, a_learner_that_stopped_is_what_full_tables_and_actors_wait_for) {
  const RunStatus status =
      explained({Seen("learner").silent(1600), Seen("replay"),
                 Seen("actor-0").waits("replay/rollout", "table is full: has 4 of 4 items", 1500)});
  EXPECT_THAT(to_text(status), HasSubstr("learner has been silent for 1.6 s\n"));
  EXPECT_THAT(
      to_text(status),
      HasSubstr("actor-0 waits 1.6 s for replay/rollout: table is full: has 4 of 4 items\n"));
  EXPECT_EQ(status.waits_for, "learner (silent for 1.6 s)");
}

TEST(StallMatrix, actors_that_wait_for_weights_of_a_busy_learner_name_the_learner) {
  const RunStatus status =
      explained({Seen("learner"), Seen("replay"),
                 Seen("actor-0").waits("learner", "needs weights 8, has 7", 1200)});
  EXPECT_EQ(status.waits_for, "learner (running; needs weights 8, has 7)");
}

TEST(StallMatrix, a_cut_weights_channel_is_told_from_versions_that_did_not_arrive) {
  const RunStatus status =
      explained({Seen("learner").version("policy", {{4900, 37}, {1700, 38}, {1200, 39}, {200, 40}}),
                 Seen("actor-0").version("policy", {{4000, 37}}),
                 Seen("actor-1").version("policy", {{1690, 38}, {1190, 39}, {190, 40}})});
  EXPECT_THAT(kinds(status), ElementsAre("weights_cut"));
  EXPECT_THAT(
      to_text(status),
      HasSubstr("actor-0 is 3 versions behind learner and has had no new weights for 1.7 s: "
                "the weights channel from learner to actor-0 is cut\n"));
}

TEST(StallMatrix, a_cut_weights_channel_in_a_synchronous_run_ends_the_chain) {
  const RunStatus status =
      explained({Seen("learner")
                     .version("policy", {{4000, 7}, {1800, 8}})
                     .waits("replay/rollout", "needs 1 item, has 0", 1700),
                 Seen("replay").part_waits("replay/rollout", "actors", "has 0", 1700),
                 Seen("actor-0")
                     .version("policy", {{3900, 7}})
                     .waits("learner", "needs weights 8, has 7", 1700)});
  EXPECT_THAT(status.waits_for, HasSubstr("the weights channel from learner to actor-0 is cut"));
}

TEST(StallMatrix, a_full_disk_names_the_service_and_the_reason) {
  const RunStatus status = explained(
      {Seen("learner").waits("replay/rollout", "needs 1 item, has 0", 1500),
       Seen("replay").problem("disk", "cannot write segments/3: No space left on device", 1900),
       Seen("actor-0").waits("replay/rollout", "chunk 9 is not acknowledged", 1900)});
  EXPECT_EQ(status.waits_for,
            "replay has a problem with its disk for 2.0 s: cannot write segments/3: No space left "
            "on device");
  EXPECT_THAT(to_text(status), HasSubstr(status.waits_for));
}

TEST(StallMatrix, a_slow_evaluator_is_told_and_holds_up_nothing) {
  const RunStatus status = explained({Seen("learner").version("policy", {{4000, 30}, {100, 40}}),
                                      Seen("evaluator")
                                          .version("policy", {{4900, 12}, {3900, 30}, {90, 40}})
                                          .version("evaluated", {{5000, 12}})});
  EXPECT_THAT(kinds(status), ElementsAre("evaluator_behind"));
  EXPECT_THAT(to_text(status), HasSubstr("evaluator still evaluates version 12 while 40 is out, "
                                         "for 3.9 s; training does not wait for it\n"));
  EXPECT_EQ(status.waits_for, "");
}

TEST(StallMatrix, a_store_that_is_gone_is_named_with_its_address) {
  const std::string address = str("redis://127.0.0.1:", free_port(), "/0");
  const RunStatus status = read_status(**open_store(address, {.timeout_ms = 200}), "r").value();
  EXPECT_THAT(kinds(status), ElementsAre("store_gone"));
  EXPECT_EQ(status.waits_for,
            "the store cannot be reached: store " + address + ": Connection refused");
  EXPECT_THAT(to_text(status), HasSubstr("services go on and report again when it is back"));
}

TEST(StallMatrix, a_service_that_cannot_reach_the_store_holds_up_nothing) {
  const RunStatus status =
      explained({Seen("learner").problem("store", "store redis://r: Connection refused", 5000),
                 Seen("actor-0")});
  EXPECT_THAT(
      to_text(status),
      HasSubstr(
          "learner has a problem with its store for 5.1 s: store redis://r: Connection refused\n"));
  EXPECT_EQ(status.waits_for, "");
}

// Presence
// --------------------------------------------------------------------------------------------------------------------------

TEST(RunStatusText, of_a_healthy_run_says_so) {
  const RunStatus status = explained({Seen("learner").version("policy", {{100, 5}}),
                                      Seen("actor-0").version("policy", {{90, 5}})});
  EXPECT_TRUE(status.findings.empty());
  EXPECT_THAT(to_text(status), HasSubstr("run r: 2 services\n"));
  EXPECT_THAT(to_text(status),
              HasSubstr("learner   running    process 7 on host-1           policy 5\n"));
  EXPECT_THAT(to_text(status), HasSubstr("no service waits longer than 1.0 s\n"));
}

TEST(RunStatusText, one_lost_actor_of_two_is_told_but_the_run_goes_on) {
  const RunStatus status =
      explained({Seen("learner"), Seen("replay"), Seen("actor-0"), Seen("actor-1").lost(2400)});
  EXPECT_THAT(to_text(status), HasSubstr("actor-1 has been silent for 2.4 s (lost)\n"));
  EXPECT_EQ(status.waits_for, "");
}

TEST(RunStatusText, a_failed_learner_is_what_the_run_waits_for_with_its_reason) {
  const RunStatus status = explained(
      {Seen("learner").lost(9000).state(ServiceState::kFailed).error("loss is NaN in update 17"),
       Seen("actor-0").waits("learner", "needs weights 8", 8000)});
  EXPECT_EQ(status.waits_for, "learner failed: loss is NaN in update 17");
}

TEST(RunStatusText, services_that_are_done_are_no_trouble) {
  const RunStatus status = explained({Seen("learner").lost(90'000).state(ServiceState::kDone),
                                      Seen("actor-0").lost(90'000).state(ServiceState::kDone)});
  EXPECT_TRUE(status.findings.empty());
  EXPECT_EQ(status.waits_for, "");
}

TEST(RunStatusText, a_short_wait_is_not_a_stall) {
  const RunStatus status =
      explained({Seen("learner").waits("replay/rollout", "needs 1 item", 700)});
  EXPECT_TRUE(status.findings.empty());
  EXPECT_EQ(status.waits_for, "");
}

TEST(RunStatusText, waits_in_a_circle_are_called_so) {
  const RunStatus status = explained({Seen("learner").waits("actors", "epoch 3", 2000),
                                      Seen("actor-0").waits("learner", "weights 9", 2000)});
  EXPECT_EQ(status.waits_for, "itself, in a circle: learner -> actors -> actor-0 -> learner");
}

TEST(RunStatusText, a_wait_for_a_service_that_never_came_says_that_it_is_not_there) {
  const RunStatus status =
      explained({Seen("learner").waits("replay", "no connection to tcp://replay:7001", 2000)});
  EXPECT_EQ(status.waits_for, "replay (not there)");
}

TEST(RunStatusText, an_idle_gateway_or_evaluator_is_not_what_the_run_waits_for) {
  const RunStatus status =
      explained({Seen("learner"), Seen("evaluator").waits("learner", "needs weights 9", 5000)});
  EXPECT_EQ(status.waits_for, "");
}

// Versions
// --------------------------------------------------------------------------------------------------------------------------

TEST(VersionLag, of_weights_that_were_published_a_moment_ago_is_none) {
  const RunStatus status = explained({Seen("learner").version("policy", {{10'000, 4}, {50, 5}}),
                                      Seen("actor-0").version("policy", {{9990, 4}})});
  EXPECT_TRUE(status.findings.empty());
}

TEST(VersionLag, of_an_actor_that_keeps_up_a_few_versions_behind_is_none) {
  std::vector<std::pair<int64_t, int64_t>> learner, actor;
  for (int64_t age = 4900; age >= 0; age -= 100) {
    learner.emplace_back(age, 100 - age / 100);
    actor.emplace_back(age, 97 - age / 100);
  }
  EXPECT_TRUE(explained({Seen("learner").version("policy", learner),
                         Seen("actor-0").version("policy", actor)})
                  .findings.empty());
}

TEST(VersionLag, that_grows_while_the_actor_still_gets_weights_says_that_it_is_slow) {
  std::vector<std::pair<int64_t, int64_t>> learner, actor;
  for (int64_t age = 4900; age >= 0; age -= 100) learner.emplace_back(age, 100 - age / 100);
  for (int64_t age = 4900; age >= 0; age -= 700) actor.emplace_back(age, 60 - age / 700);
  const RunStatus status = explained(
      {Seen("learner").version("policy", learner), Seen("actor-0").version("policy", actor)});
  EXPECT_THAT(kinds(status), ElementsAre("lag_grows"));
  EXPECT_THAT(to_text(status),
              HasSubstr("actor-0 is 40 versions behind learner and the lag grows"));
}

TEST(VersionLag, is_not_an_alarm_on_top_of_silence) {
  const RunStatus status = explained({Seen("learner").version("policy", {{4900, 1}, {100, 40}}),
                                      Seen("actor-0").version("policy", {{4000, 1}}).silent(1900)});
  EXPECT_THAT(kinds(status), ElementsAre("silent"));
}

// From the store
// --------------------------------------------------------------------------------------------------------------------

TEST(ReadStatus, sees_living_silent_and_ended_services_of_one_run) {
  TemporaryFolder folder;
  const std::unique_ptr<Store> store =
      std::move(*open_store("sqlite:" + (folder.path() / "s").string()));
  const auto write = [&](const std::string& run, const Seen& seen, int64_t ttl_ms) {
    Heartbeat beat = seen.service.beat;
    beat.beat_ms = wall_ms() - 5000;
    const std::string key = service_key(run, beat.service);
    if (ttl_ms > 0) {
      ASSERT_TRUE(store->acquire(key, "owner", ttl_ms).ok());
    }
    ASSERT_TRUE(store->put(key, to_json(beat).dump()).ok());
  };
  write("r", Seen("learner"), 60'000);
  write("r", Seen("actor-0"), 0);
  write("r2", Seen("other"), 60'000);
  const RunStatus status = read_status(*store, "r").value();
  ASSERT_EQ(status.services.size(), 2u);
  EXPECT_THAT(kinds(status), ElementsAre("lost"));
  EXPECT_THAT(to_text(status),
              ContainsRegex("actor-0 has been silent for 5\\.[0-9] s \\(lost\\)\n"));
  EXPECT_LT(status.services[1].silent_ms, 1000) << "by the lease, not by the clocks of two hosts";
  EXPECT_THAT(run_names(*store).value(), ElementsAre("r", "r2"));
  EXPECT_TRUE(absl::IsNotFound(read_status(*store, "none").status()));
  const Json json = to_json(status);
  EXPECT_EQ(json["findings"][0]["kind"], "lost");
  EXPECT_EQ(json["services"][0]["shown_state"], "lost");
  EXPECT_EQ(json["services"][1]["alive"], true);
}

TEST(ReadStatus, of_a_record_that_is_no_heartbeat_names_the_key_and_what_is_wrong) {
  TemporaryFolder folder;
  const std::unique_ptr<Store> store =
      std::move(*open_store("sqlite:" + (folder.path() / "s").string()));
  ASSERT_TRUE(
      store->put(service_key("r", "learner"), "{\"service\":\"learner\",\"pid\":\"x\"}").ok());
  const Status status = read_status(*store, "r").status();
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("runs/r/services/learner: heartbeat: \"pid\" is missing or of a wrong type"));
}

TEST(HeartbeatRecord, survives_the_trip_through_json) {
  Seen seen("learner");
  seen.waits("replay/rollout", "needs 1", 1234)
      .problem("disk", "full", 5)
      .version("policy", {{300, 1}, {100, 2}})
      .error("late");
  seen.service.beat.metrics = {{"steps_per_s", 51234.5}};
  seen.service.beat.address = "tcp://*:7000";
  seen.service.beat.state = ServiceState::kDraining;
  const std::string text = to_json(seen.service.beat).dump();
  EXPECT_EQ(to_json(heartbeat_from_text(text).value()).dump(), text);
  EXPECT_FALSE(heartbeat_from_text("").ok());
  EXPECT_FALSE(heartbeat_from_text("[1]").ok());
}

}  // namespace
}  // namespace oneagent
