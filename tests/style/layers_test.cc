// The include rules of the architecture hold for every file; the first cases show that they can be
// broken.
#include "tests/style/layers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/style/source_tree.h"

namespace oneagent::style {
namespace {

TEST(Layers, AnIncludeUpwardsIsRefused) {
  EXPECT_EQ(include_complaint("core/base/log.h", "core/net/socket.h"),
            "core/base may not include core/net");
  EXPECT_EQ(include_complaint("core/ops/relu.cc", "services/actor/actor.h"),
            "core/ops may not include a service");
  EXPECT_NE(include_complaint("envs/cartpole.cc", "algorithms/algorithm.h"), "");
}

TEST(Layers, AnIncludeDownwardsIsAllowedTransitively) {
  EXPECT_EQ(include_complaint("core/nn/linear.cc", "core/base/check.h"), "");
  EXPECT_EQ(include_complaint("services/actor/actor.cc", "core/net/socket.h"), "");
}

TEST(Layers, AlgorithmsSeeOnlyTheInterfacesOfEnvironments) {
  EXPECT_EQ(include_complaint("algorithms/ppo.cc", "envs/env.h"), "");
  EXPECT_EQ(include_complaint("algorithms/ppo.cc", "envs/game.h"), "");
  EXPECT_EQ(include_complaint("algorithms/ppo.cc", "envs/env_batch.h"),
            "algorithms may not include envs");
}

TEST(Layers, OfAnotherServiceOnlyItsClientIsSeen) {
  EXPECT_EQ(include_complaint("services/actor/actor.cc", "services/replay/replay_client.h"), "");
  EXPECT_EQ(include_complaint("services/actor/actor.cc", "services/experiment.h"), "");
  EXPECT_NE(include_complaint("services/actor/actor.cc", "services/replay/replay_table.h"), "");
}

TEST(Layers, EveryIncludeOfTheTreeFollowsThem) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    for (const std::string& included : file.includes()) {
      const std::string complaint = include_complaint(file.path, included);
      if (!complaint.empty())
        complaints.push_back(file.path + " includes " + included + ": " + complaint);
    }
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Layers, IncludesAreWrittenFromTheRoot) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp()) continue;
    for (const std::string& included : file.includes()) {
      if (included.find('/') == std::string::npos || included.starts_with(".."))
        complaints.push_back(file.path + " includes " + included);
    }
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

TEST(Layers, ASourceIncludesItsOwnHeaderFirst) {
  std::vector<std::string> complaints;
  for (const SourceFile& file : source_tree()) {
    if (!file.path.ends_with(".cc")) continue;
    const std::string header = std::string(file.folder()) + "/" + std::string(file.stem()) + ".h";
    const std::vector<std::string> includes = file.includes();
    const auto own = std::find(includes.begin(), includes.end(), header);
    if (own != includes.end() && own != includes.begin()) complaints.push_back(file.path);
  }
  EXPECT_TRUE(complaints.empty()) << join(complaints);
}

}  // namespace
}  // namespace oneagent::style
