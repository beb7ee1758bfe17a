// What every registered environment must hold. A new environment is covered without a line here.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "core/base/file.h"
#include "envs/env_batch.h"
#include "tests/support/env_actions.h"

namespace oneagent {
namespace {

constexpr int kLanes = 7;

EnvTable all_envs() {
  EnvTable table;
  register_all(table);
  return table;
}

struct Case {
  std::string name;
  Json options;
  int sample = 0;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const EnvTable table = all_envs();
  for (const std::string& name : table.names()) {
    int sample = 0;
    for (const Json& options : table.find(name).samples())
      cases.push_back({name, options, sample++});
  }
  return cases;
}

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
  return info.param.name + "_" + std::to_string(info.param.sample);
}

class EnvConformance : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<EnvBatch> make(int lanes = kLanes, uint64_t seed = 11, int threads = 1,
                                 int first_lane = 0, int total = 0) const {
    return std::make_unique<EnvBatch>(all_envs(), GetParam().name, GetParam().options, lanes, seed,
                                      threads, first_lane, total);
  }
};

template <class T>
void append(Bytes& to, std::span<const T> values) {
  const auto* from = reinterpret_cast<const uint8_t*>(values.data());
  to.insert(to.end(), from, from + values.size_bytes());
}

template <class T>
std::span<const T> row(std::span<const T> column, int lane, int lanes) {
  const size_t size = column.size() / lanes;
  return column.subspan(lane * size, size);
}

// All that a step shows of one lane, bit for bit.
void record_lane(Bytes& to, const EnvBatch& batch, int lane) {
  const int lanes = batch.lanes();
  append(to, row(batch.observation(), lane, lanes));
  append(to, row(batch.reward(), lane, lanes));
  append(to, row(batch.terminated(), lane, lanes));
  append(to, row(batch.truncated(), lane, lanes));
  append(to, row(batch.first(), lane, lanes));
  if (!batch.action_mask().empty()) append(to, row(batch.action_mask(), lane, lanes));
  if (batch.terminated()[lane] || batch.truncated()[lane])
    append(to, row(batch.final_observation(), lane, lanes));
  for (const EpisodeEnd& end : batch.ended()) {
    if (end.lane != lane) continue;
    append(to, std::span<const double>(&end.episode_return, 1));
    append(to, end.metrics);
  }
}

Bytes record(const EnvBatch& batch) {
  Bytes out;
  for (int i = 0; i < batch.lanes(); ++i) record_lane(out, batch, i);
  return out;
}

Bytes play(EnvBatch& batch, testing::RandomActions& actions, int steps) {
  Bytes out;
  for (int k = 0; k < steps; ++k) {
    actions.step(batch);
    const Bytes step = record(batch);
    out.insert(out.end(), step.begin(), step.end());
  }
  return out;
}

TEST_P(EnvConformance, SpecIsComplete) {
  const auto batch = make();
  const EnvSpec& spec = batch->spec();
  EXPECT_EQ(spec.name, GetParam().name);
  EXPECT_EQ(spec.autoreset, Autoreset::kSameStep);
  EXPECT_EQ(spec.observation_size, spec.observation_shape.numel());
  EXPECT_GT(spec.observation_size, 0);
  EXPECT_GT(spec.action.count, 0);
  for (const auto& bound : {spec.observation_low, spec.observation_high})
    EXPECT_TRUE(bound.size() <= 1 || bound.size() == static_cast<size_t>(spec.observation_size))
        << bound.size();
  EXPECT_FALSE(spec.has_action_mask && !spec.action.discrete());
  EXPECT_FALSE(all_envs().find(spec.name).summary.empty());
  for (const OptionInfo& option : all_envs().find(spec.name).describe_options())
    EXPECT_FALSE(option.meaning.empty()) << option.name;
}

TEST_P(EnvConformance, ObservationsStayInBoundsAndFinite) {
  auto batch = make();
  batch->reset();
  testing::RandomActions actions(1, kLanes);
  const EnvSpec& spec = batch->spec();
  const auto bound = [&](const std::vector<float>& bounds, size_t i, float otherwise) {
    return bounds.empty() ? otherwise : bounds[bounds.size() == 1 ? 0 : i % bounds.size()];
  };
  for (int k = 0; k < 600; ++k) {
    for (size_t i = 0; i < batch->observation().size(); ++i) {
      const float value = batch->observation()[i];
      ASSERT_TRUE(std::isfinite(value)) << "step " << k << " value " << i;
      ASSERT_GE(value, bound(spec.observation_low, i, -INFINITY))
          << "step " << k << " value " << i % spec.observation_size;
      ASSERT_LE(value, bound(spec.observation_high, i, INFINITY))
          << "step " << k << " value " << i % spec.observation_size;
    }
    actions.step(*batch);
    for (const float reward : batch->reward()) ASSERT_TRUE(std::isfinite(reward));
  }
}

TEST_P(EnvConformance, EpisodesEndWithOneFlagAFinalObservationAndTheirResults) {
  auto batch = make();
  batch->reset();
  for (int i = 0; i < kLanes; ++i) ASSERT_EQ(batch->first()[i], 1);
  testing::RandomActions actions(2, kLanes);
  const EnvSpec& spec = batch->spec();
  std::vector<double> returns(kLanes);
  std::vector<int> lengths(kLanes);
  std::vector<int64_t> episodes(kLanes);
  int seen = 0;
  for (int k = 0; k < 2000; ++k) {
    actions.step(*batch);
    size_t ended = 0;
    for (int i = 0; i < kLanes; ++i) {
      returns[i] += batch->reward()[i];
      ++lengths[i];
      ASSERT_FALSE(batch->terminated()[i] && batch->truncated()[i]);
      const bool end = batch->terminated()[i] || batch->truncated()[i];
      ASSERT_EQ(batch->first()[i] != 0, end);
      if (spec.max_steps > 0) {
        ASSERT_LE(lengths[i], spec.max_steps);
        if (lengths[i] == spec.max_steps) {
          ASSERT_TRUE(end);
        }
      }
      if (!end) continue;
      ++seen;
      ASSERT_LT(ended, batch->ended().size());
      const EpisodeEnd& result = batch->ended()[ended++];
      EXPECT_EQ(result.lane, i);
      EXPECT_EQ(result.length, lengths[i]);
      EXPECT_EQ(result.episode_return, returns[i]);
      EXPECT_EQ(result.terminated, batch->terminated()[i] != 0);
      EXPECT_EQ(result.episode, episodes[i]++);
      EXPECT_EQ(result.metrics.size(), spec.metrics.size());
      for (const float value : row(batch->final_observation(), i, kLanes))
        EXPECT_TRUE(std::isfinite(value));
      returns[i] = 0;
      lengths[i] = 0;
    }
    ASSERT_EQ(ended, batch->ended().size());
  }
  EXPECT_GT(seen, 0) << "no episode ended in 2000 steps of random actions";
}

TEST_P(EnvConformance, TheFinalObservationIsTheOneTheEpisodeWouldHaveShown) {
  // One lane whose limit cuts at step 3 against the same lane without a cut, where the environment
  // has the option.
  const auto options = all_envs().find(GetParam().name).describe_options();
  const bool has_limit = std::any_of(options.begin(), options.end(),
                                     [](const OptionInfo& o) { return o.name == "max_steps"; });
  if (!has_limit) return;
  Json cut = GetParam().options;
  cut["max_steps"] = 3;
  EnvBatch shorter(all_envs(), GetParam().name, cut, 1, 5),
      longer(all_envs(), GetParam().name, GetParam().options, 1, 5);
  shorter.reset();
  longer.reset();
  testing::RandomActions a(3, 1), b(3, 1);
  for (int k = 0; k < 3; ++k) a.step(shorter), b.step(longer);
  if (longer.terminated()[0]) return;
  EXPECT_TRUE(shorter.truncated()[0]);
  EXPECT_TRUE(std::ranges::equal(shorter.final_observation(), longer.observation()));
}

TEST_P(EnvConformance, TheSameSeedAndActionsGiveTheSameBytes) {
  auto a = make(), b = make();
  a->reset(), b->reset();
  testing::RandomActions x(4, kLanes), y(4, kLanes);
  EXPECT_EQ(play(*a, x, 700), play(*b, y, 700));
}

TEST_P(EnvConformance, LanesStartInDifferentStatesAndResetsDiffer) {
  constexpr int kMany = 32;
  auto batch = make(kMany);
  const auto starts = [&] {
    batch->reset();
    std::set<std::vector<float>> seen;
    for (int i = 0; i < kMany; ++i) {
      const auto first = row(batch->observation(), i, kMany);
      seen.emplace(first.begin(), first.end());
    }
    return seen;
  };
  const auto once = starts(), again = starts();
  // A small board has few starts (catch: 5 columns), so the demand is "about as many as there can
  // be".
  EXPECT_GT(once.size(), 3u);
  EXPECT_NE(once == again && once.size() == kMany, true) << "the second reset repeated the first";
  auto other = make(kMany, 12);
  other->reset();
  EXPECT_FALSE(std::ranges::equal(other->observation(), batch->observation()))
      << "another seed gave the same states";
}

TEST_P(EnvConformance, ABatchEqualsSingleLanesBitForBitAtOneAndTwoThreads) {
  constexpr int kSteps = 400;
  std::vector<Bytes> single(kLanes);
  for (int i = 0; i < kLanes; ++i) {
    auto lane = make(1, 11, 1, i, kLanes);
    lane->reset();
    testing::RandomActions actions(5, 1, i);
    for (int k = 0; k < kSteps; ++k) {
      actions.step(*lane);
      record_lane(single[i], *lane, 0);
    }
  }
  for (const int threads : {1, 2}) {
    auto batch = make(kLanes, 11, threads);
    batch->reset();
    testing::RandomActions actions(5, kLanes);
    std::vector<Bytes> lanes(kLanes);
    for (int k = 0; k < kSteps; ++k) {
      actions.step(*batch);
      for (int i = 0; i < kLanes; ++i) record_lane(lanes[i], *batch, i);
    }
    EXPECT_EQ(lanes, single) << threads << " threads";
  }
}

TEST_P(EnvConformance, MasksAreZeroOrOneAndAlwaysLeaveAnAction) {
  auto batch = make();
  if (!batch->spec().has_action_mask) {
    EXPECT_TRUE(batch->action_mask().empty());
    return;
  }
  batch->reset();
  testing::RandomActions actions(6, kLanes);
  for (int k = 0; k < 1000; ++k) {
    for (int i = 0; i < kLanes; ++i) {
      const auto mask = row(batch->action_mask(), i, kLanes);
      ASSERT_TRUE(std::ranges::all_of(mask, [](uint8_t value) { return value <= 1; }));
      ASSERT_TRUE(std::ranges::count(mask, 1) > 0) << "lane " << i << " has no legal action";
    }
    actions.step(*batch);
  }
}

TEST_P(EnvConformance, AnIllegalActionIsAnErrorAndMovesNothing) {
  auto batch = make(2);
  batch->reset();
  const Bytes before = record(*batch);
  const auto count = static_cast<int32_t>(batch->spec().action.count);
  if (batch->spec().action.discrete()) {
    int32_t legal = 0;
    while (!batch->action_mask().empty() && batch->action_mask()[legal] == 0) ++legal;
    EXPECT_THROW(batch->step(std::vector<int32_t>{legal, count}), Error);
    EXPECT_THROW(batch->step(std::vector<int32_t>{legal, -1}), Error);
    EXPECT_THROW(batch->step(std::vector<int32_t>{legal}), Error);
    EXPECT_THROW(batch->step(std::vector<float>(2 * count, 0.0f)), Error);
  } else {
    std::vector<float> actions(2 * count, 0.0f);
    actions.back() = NAN;
    EXPECT_THROW(batch->step(actions), Error);
    EXPECT_THROW(batch->step(std::vector<float>(count, 0.0f)), Error);
  }
  EXPECT_EQ(record(*batch), before);
}

TEST_P(EnvConformance, AnUnknownOptionIsRefusedByName) {
  Json options = GetParam().options;
  options["no_such_option"] = 1;
  try {
    EnvBatch batch(all_envs(), GetParam().name, options, 1, 1);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no_such_option"), std::string::npos) << error.what();
  }
}

// The child process of the next test: loads the batch and the action streams, plays on, writes what
// it saw.
void continue_in_child(EnvBatch& batch, const fs::path& folder) {
  const Bytes saved = read_bytes(folder / "state");
  ByteReader in(saved, "saved batch");
  batch.load(in);
  testing::RandomActions actions(8, kLanes);
  write_atomic(folder / "seen", play(batch, actions, 500));
}

int run_child(const fs::path& folder) {
  const std::string filter =
      std::string("--gtest_filter=") +
      ::testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "." +
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
  const pid_t child = fork();
  if (child == 0) {
    setenv("OA_ENV_RESUME_FOLDER", folder.c_str(), 1);
    freopen("/dev/null", "w", stdout);
    execl("/proc/self/exe", "test_envs", filter.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_P(EnvConformance, SavedMidEpisodeAndLoadedInANewProcessTheNext500StepsAreEqual) {
  auto batch = make();
  if (const char* folder = std::getenv("OA_ENV_RESUME_FOLDER"))
    return continue_in_child(*batch, folder);
  batch->reset();
  testing::RandomActions warm(7, kLanes), actions(8, kLanes);
  play(*batch, warm, 37);
  ByteWriter out;
  batch->save(out);
  const fs::path folder = fs::temp_directory_path() / ("oa-env-resume-" + std::to_string(getpid()));
  make_folder(folder);
  write_atomic(folder / "state", out.bytes());
  EXPECT_EQ(run_child(folder), 0);
  const Bytes seen = read_bytes(folder / "seen");
  EXPECT_EQ(seen, play(*batch, actions, 500));
  fs::remove_all(folder);
}

TEST_P(EnvConformance, ForeignAndTruncatedSavedStatesAreRefused) {
  auto batch = make();
  batch->reset();
  ByteWriter out;
  batch->save(out);
  const auto load_into = [&](EnvBatch& other, std::span<const uint8_t> bytes) {
    ByteReader in(bytes, "saved batch");
    other.load(in);
    in.finish();
  };
  EXPECT_NO_THROW(load_into(*make(), out.bytes()));
  EXPECT_THROW(load_into(*make(kLanes + 1), out.bytes()), Error);
  EXPECT_THROW(load_into(*make(kLanes, 12), out.bytes()), Error);
  for (const size_t size :
       {size_t{0}, size_t{3}, size_t{20}, out.bytes().size() / 2, out.bytes().size() - 1})
    EXPECT_THROW(load_into(*make(), std::span(out.bytes()).first(size)), Error) << size;
}

INSTANTIATE_TEST_SUITE_P(All, EnvConformance, ::testing::ValuesIn(all_cases()), case_name);

}  // namespace
}  // namespace oneagent
