// Plans as files and as JSON.
#include <gmock/gmock.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/plan/plan.h"
#include "tests/support/graph_training.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

using testing::error_of;
using ::testing::HasSubstr;
using testing::Tensors;

// A convolutional net with running statistics and dropout, its optimizer and its graph.
struct Trained {
  explicit Trained(bool may_record) {
    manual_seed(3);
    net = std::make_shared<testing::Convolutional>();
    adam = std::make_unique<optim::Adam>(net->parameters(), optim::AdamOptions(0.01));
    graph = std::make_unique<nn::Graph>([this, may_record](const Tensors& in) {
      EXPECT_TRUE(may_record);
      const Tensor weights = arange(1, 6, kFloat32) / 5;
      Tensor loss = ((dropout(net->forward(in[0]), 0.2, true) - in[1]).square() * weights).mean();
      loss.backward();
      return Tensors{loss};
    });
    graph->add_optimizer(*adam).add_buffers(net->buffers());
  }
  Tensor step(int i) {
    manual_seed(static_cast<uint64_t>(100 + i));
    const Tensor x = randn({4, 3, 8, 8}), y = randn({4, 5});
    return (*graph)({x, y})[0];
  }
  std::shared_ptr<testing::Convolutional> net;
  std::unique_ptr<optim::Adam> adam;
  std::unique_ptr<nn::Graph> graph;
};

class GraphSave : public ::testing::Test {
 protected:
  std::string path() const { return (folder_.path() / "plan.json").string(); }
  // The error of loading the file with `text` replaced.
  std::string error_with(const std::string& text, const std::string& other) {
    std::string file = read_text(path());
    const size_t at = file.find(text);
    EXPECT_NE(at, std::string::npos) << text;
    write_atomic(path(), file.replace(at, text.size(), other));
    return error_of([&] { Trained(false).graph->load_plan(path()); });
  }
  TemporaryFolder folder_;
};

TEST_F(GraphSave, ALoadedPlanTrainsBitForBitWithoutRecording) {
  Trained recorded(true), fresh(true);
  recorded.step(0);
  recorded.graph->save_plan(path());
  Trained loaded(false);
  loaded.graph->load_plan(path());
  EXPECT_EQ(print(loaded.graph->plan()), print(recorded.graph->plan()));
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(equal(fresh.step(i), loaded.step(i))) << i;
  for (size_t i = 0; i < fresh.net->parameters().size(); ++i)
    EXPECT_TRUE(equal(fresh.net->parameters()[i], loaded.net->parameters()[i])) << i;
  for (size_t i = 0; i < fresh.net->buffers().size(); ++i)
    EXPECT_TRUE(equal(fresh.net->buffers()[i], loaded.net->buffers()[i])) << i;
}

TEST_F(GraphSave, OtherVersionsAndOpsAreRefused) {
  Trained recorded(true);
  recorded.step(0);
  const auto save = [&] { recorded.graph->save_plan(path()); };
  save();
  EXPECT_THAT(error_with("\"version\":1", "\"version\":7"), HasSubstr("reads version 1"));
  save();
  EXPECT_THAT(error_with("\"code\":\"", "\"code\":\"x"), HasSubstr("record the graph again"));
  save();
  EXPECT_THAT(error_with("conv2d(stride", "conv2d(steps"), HasSubstr("here it is conv2d(stride"));
  save();
  EXPECT_THAT(error_with("\"native_batch_norm\":", "\"foreign_norm\":"),
              HasSubstr("uses the op foreign_norm, which this library has not"));
  save();
  EXPECT_THAT(error_with("\"arena_bytes\":", "\"arena_bytes\":1,\"b\":"),
              HasSubstr("lies outside the arena"));
  write_atomic(path(), std::string_view("{"));
  EXPECT_THAT(error_of([&] { recorded.graph->load_plan(path()); }), HasSubstr("is no saved plan"));
}

TEST_F(GraphSave, OtherParametersAreRefused) {
  Trained recorded(true);
  recorded.step(0);
  recorded.graph->save_plan(path());
  nn::Graph other([](const Tensors& in) { return in; });
  EXPECT_THAT(error_of([&] { other.load_plan(path()); }),
              HasSubstr("saved with 6 parameters, this graph has 0"));
}

TEST_F(GraphSave, MemoryWithoutANameIsRefused) {
  const Tensor held = ones({3});
  nn::Graph graph([&](const Tensors& in) { return Tensors{in[0] + held, in[0] * eye(3)}; });
  graph({ones({3, 3})});
  EXPECT_THAT(error_of([&] { graph.save_plan(path()); }), HasSubstr("add_buffers()"));
  nn::Graph named([&](const Tensors& in) { return Tensors{in[0] + held, in[0] * eye(3)}; });
  named.add_buffers({held});
  named({ones({3, 3})});
  named.save_plan(path());
  const Tensor other = full({3}, 5.0);
  nn::Graph again([](const Tensors&) -> Tensors { throw std::runtime_error("recorded"); });
  again.add_buffers({other});
  again.load_plan(path());
  const Tensors out = again({full({3, 3}, 2.0)});
  EXPECT_TRUE(equal(out[0], full({3, 3}, 7.0)));
  EXPECT_TRUE(equal(out[1], eye(3) * 2));
}

TEST_F(GraphSave, JsonForDrawing) {
  Trained trained(true);
  trained.step(0);
  const Plan& plan = trained.graph->plan();
  const Json json = Json::parse(trained.graph->to_json());
  EXPECT_EQ(json.at("nodes").size(), plan.program.nodes.size());
  EXPECT_EQ(json.at("arena_bytes").get<size_t>(), plan.arena_bytes);
  const Json& first = json.at("nodes")[0];
  EXPECT_EQ(first.at("op"), "conv2d");
  EXPECT_EQ(first.at("attrs").at("padding"), Json::parse("[1, 1]"));
  EXPECT_EQ(first.at("flops").get<double>(), 2.0 * 4 * 8 * 64 * 27);
  for (const Json& edge : json.at("edges")) {
    EXPECT_LT(edge[0].get<size_t>(), edge[1].get<size_t>());
    EXPECT_LT(edge[1].get<size_t>(), plan.program.nodes.size());
  }
  EXPECT_GT(json.at("edges").size(), plan.program.nodes.size() / 2);
  for (const Json& buffer : json.at("buffers"))
    if (!buffer.at("offset").is_null()) {
      EXPECT_LE(buffer.at("offset").get<size_t>() + buffer.at("bytes").get<size_t>(),
                plan.arena_bytes);
      EXPECT_LE(buffer.at("first").get<int>(), buffer.at("last").get<int>());
    }
}

}  // namespace
}  // namespace oneagent
