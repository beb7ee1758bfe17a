#include "core/base/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oneagent {
namespace {

using ::testing::HasSubstr;

struct Training {
  double lr = 1e-3;
  int epochs = 4;
  std::string schedule = "linear";
  std::vector<int> hidden = {64, 64};

  static void options(OptionList<Training>& list) {
    list.add("lr", &Training::lr, "learning rate").between(0, 1);
    list.add("epochs", &Training::epochs, "passes over a batch").at_least(1);
    list.add("schedule", &Training::schedule, "how lr changes").one_of({"linear", "constant"});
    list.add("hidden", &Training::hidden, "widths");
  }
};

template <class F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

Training read(const std::string& toml, const std::vector<std::string>& overrides = {}) {
  Config config = Config::from_text(toml, "x.toml", overrides);
  const Training training = config.section<Training>("learner");
  config.require_all_known();
  return training;
}

TEST(Config, ReadsValuesOverDefaults) {
  const Training training = read("[learner]\nlr = 0.5\nhidden = [3]\n");
  EXPECT_EQ(training.lr, 0.5);
  EXPECT_EQ(training.epochs, 4);
  EXPECT_EQ(training.hidden, std::vector<int>{3});
}

TEST(Config, OverridesWinAndNeedNoQuotes) {
  const Training training =
      read("[learner]\nlr = 0.5\n", {"learner.lr=3e-4", "learner.schedule=constant"});
  EXPECT_EQ(training.lr, 3e-4);
  EXPECT_EQ(training.schedule, "constant");
}

TEST(Config, AnUnknownKeyNamesFileLineAndTheNearestValidKey) {
  const std::string error = error_of([] { read("[learner]\n\nepocs = 3\n"); });
  EXPECT_THAT(error, HasSubstr("x.toml:3"));
  EXPECT_THAT(error, HasSubstr("did you mean \"epochs\""));
}

TEST(Config, AnUnknownSectionNamesTheNearestOne) {
  EXPECT_THAT(error_of([] { read("[lerner]\nlr = 0.1\n"); }),
              HasSubstr("did you mean \"learner\""));
}

TEST(Config, AWrongTypeRangeOrChoiceSaysWhatIsValid) {
  EXPECT_THAT(error_of([] { read("[learner]\nlr = \"fast\"\n"); }),
              HasSubstr("expected number, was \"fast\""));
  EXPECT_THAT(error_of([] { read("[learner]\nlr = 2.0\n"); }),
              HasSubstr("must be 0 .. 1, was 2.0"));
  EXPECT_THAT(error_of([] { read("[learner]\nlr = nan\n"); }),
              HasSubstr("expected a finite number, was nan"));
  EXPECT_THAT(error_of([] { read("[learner]\nepochs = 1.5\n"); }), HasSubstr("expected integer"));
  EXPECT_THAT(error_of([] { read("[learner]\nschedule = \"liner\"\n"); }),
              HasSubstr("did you mean \"linear\""));
  EXPECT_THAT(error_of([] { read("[learner]\nhidden = [1, \"b\"]\n"); }), HasSubstr("hidden[1]"));
}

TEST(Config, ANumberThatItsTypeCannotHoldIsRefusedInsteadOfCut) {
  for (const char* value : {"4294967297", "-4294967297", "1e18", "1e300", "inf"})
    EXPECT_THAT(
        error_of([&] { read(str("[learner]\nepochs = ", value, "\n")); }),
        HasSubstr("[learner] epochs: expected an integer of -2147483648 .. 2147483647, was"))
        << value;
  EXPECT_THAT(error_of([] { read("[learner]\nhidden = [64, 4294967360]\n"); }),
              HasSubstr("hidden[1]: expected an integer of"));
  EXPECT_THAT(error_of([] { read("[learner]\nepochs = nan\n"); }),
              HasSubstr("expected integer, was nan"));
  EXPECT_THAT(error_of([] { read("[learner]\nlr = inf\n"); }),
              HasSubstr("expected a finite number, was inf"));
  EXPECT_EQ(read("[learner]\nepochs = 2147483647.0\n").epochs, 2147483647);
}

TEST(Config, AnOverrideIsNamedAsSuchAndKeepsToTheTables) {
  EXPECT_THAT(error_of([] { read("[learner]\nlr = 0.5\n", {"learner.lr=2"}); }),
              HasSubstr("--set: [learner] lr: must be 0 .. 1, was 2"));
  EXPECT_THAT(error_of([] { read("[learner]\nlr = 0.5\n", {"learner.lr.x=2"}); }),
              HasSubstr("[learner] lr is no table; write learner.lr=VALUE"));
  EXPECT_EQ(read("", {"learner.schedule=constant"}).schedule, "constant");
  EXPECT_THAT(error_of([] { read("", {"learner.schedule=2020-01-01"}); }),
              HasSubstr("unknown \"2020-01-01\""));
  EXPECT_THAT(error_of([] { read("", {"learner.epochs=3\nlr=0.5"}); }),
              HasSubstr("expected integer"));
  EXPECT_THAT(error_of([] {
                Config::from_json({{"learner", 3}}, "x.json");
              }),
              HasSubstr("section \"learner\" is no object"));
}

TEST(PlainName, KeepsToOneFolderAndOneLine) {
  for (const char* name : {"a", "ppo-cartpole-2", "a.b_c+d=e", "0"})
    EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* name : {"", ".", "..", ".a", "a/b", "/a", "../a", "a b", "a\nb", "\xc3\xbc"})
    EXPECT_FALSE(is_plain_name(name)) << name;
  EXPECT_FALSE(is_plain_name(std::string(129, 'a')));
}

TEST(Config, BrokenTomlNamesTheLine) {
  EXPECT_THAT(error_of([] { read("[learner]\nlr = = 3\n"); }), HasSubstr("x.toml:2"));
  EXPECT_THAT(error_of([] { read("lr = 3\n"); }), HasSubstr("outside of a [section]"));
  EXPECT_THAT(error_of([] { read("", {"lr=3"}); }), HasSubstr("section.key=value"));
}

TEST(Config, TheHashDependsOnResolvedValuesOnly) {
  const auto hash = [](const std::string& toml) {
    Config config = Config::from_text(toml, "x.toml");
    config.section<Training>("learner");
    return config.hash();
  };
  EXPECT_EQ(hash("[learner]\nepochs = 4\n"), hash(""));
  EXPECT_NE(hash("[learner]\nepochs = 5\n"), hash(""));
}

}  // namespace
}  // namespace oneagent
