// Registration, containers, calls of any module, copies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/graph/context.h"
#include "core/nn/nn.h"
#include "core/ops/ops.h"

namespace oneagent {
namespace {

using ::testing::ElementsAre;

struct PairImpl : nn::Cloneable<PairImpl> {
  PairImpl() { reset(); }
  void reset() override {
    first = register_module("first", nn::Linear(2, 3));
    second = register_module("second", nn::Linear(3, 1));
    scale = register_parameter("scale", ones({1}));
    seen = register_buffer("seen", zeros({1}));
  }
  Tensor forward(const Tensor& x, const Tensor& shift = {}) {
    const Tensor y = second(relu(first(x))) * scale;
    return shift.defined() ? y + shift : y;
  }
  nn::Linear first = nullptr, second = nullptr;
  Tensor scale, seen;

 protected:
  using AnyValue = nn::AnyValue;
  FORWARD_HAS_DEFAULT_ARGS({1, AnyValue(Tensor())})
};
TORCH_MODULE(Pair);

TEST(Module, ListsItselfAndWhatIsBelow) {
  Pair pair;
  EXPECT_THAT(pair->named_parameters().keys(),
              ElementsAre("scale", "first.weight", "first.bias", "second.weight", "second.bias"));
  EXPECT_THAT(pair->named_modules().keys(), ElementsAre("", "first", "second"));
  EXPECT_THAT(pair->named_modules("net", false).keys(), ElementsAre("net.first", "net.second"));
  EXPECT_EQ(pair->modules().size(), 3u);
  EXPECT_EQ(pair->children().size(), 2u);
  EXPECT_NE(pair->children()[0]->as<nn::Linear>(), nullptr);
  EXPECT_EQ(pair->as<nn::LinearImpl>(), nullptr);
  std::vector<std::string> seen;
  pair->apply([&](const std::string& name, nn::Module&) { seen.push_back(name); });
  EXPECT_THAT(seen, ElementsAre("", "first", "second"));
}

TEST(Module, CopiesAreDeep) {
  Pair pair;
  const auto copy = std::dynamic_pointer_cast<PairImpl>(pair->clone());
  const Tensor x = rand({4, 2});
  EXPECT_TRUE(equal(pair(x), copy->forward(x)));
  {
    const NoGradGuard guard;
    copy->first->weight.zero_();
    copy->first->bias.zero_();
    copy->second->bias.fill_(5);
  }
  EXPECT_TRUE(equal(copy->forward(x), full({4, 1}, 5.0)));
  EXPECT_FALSE(equal(pair(x), copy->forward(x)));
  EXPECT_EQ(copy->children()[0].get(), copy->first.get());
}

TEST(Module, ReplacesAndRemovesChildren) {
  Pair pair;
  pair->first = pair->replace_module("first", nn::Linear(2, 3));
  EXPECT_EQ(pair->children()[0].get(), pair->first.get());
  pair->unregister_module("second");
  EXPECT_EQ(pair->children().size(), 1u);
  EXPECT_THROW(pair->unregister_module("second"), Error);
}

TEST(Module, ZeroesGradients) {
  Pair pair;
  sum(pair(rand({4, 2}))).backward();
  pair->zero_grad();
  EXPECT_TRUE(equal(pair->scale.grad(), zeros({1})));
  pair->zero_grad(true);
  EXPECT_FALSE(pair->scale.grad().defined());
}

TEST(AnyModule, ChecksArgumentsAndFillsDefaults) {
  Pair pair;
  nn::AnyModule any(pair);
  const Tensor x = rand({4, 2}), shift = rand({1});
  EXPECT_TRUE(equal(any.forward(x), pair(x)));
  EXPECT_TRUE(equal(any.forward<Tensor>(x, shift), pair(x, shift)));
  EXPECT_THROW(any.forward<Tensor>(3), Error);
  EXPECT_THROW(any.forward<Tensor>(x, x, x), Error);
  EXPECT_THROW(any.forward<int>(x), Error);
  EXPECT_EQ(any.get<Pair>().get(), pair.get());
  EXPECT_THROW(any.get<nn::Linear>(), Error);
  EXPECT_THROW(nn::AnyModule().forward(x), Error);
}

TEST(Sequential, TakesModulesInAllForms) {
  nn::Linear linear(2, 3);
  nn::Sequential unnamed(linear, std::make_shared<nn::TanhImpl>(), nn::ReLUImpl());
  nn::Sequential named({{"linear", linear}, {"tanh", nn::Tanh()}, {"relu", nn::ReLU()}});
  const Tensor x = rand({4, 2});
  EXPECT_TRUE(equal(unnamed->forward(x), named->forward(x)));
  EXPECT_THAT(named->named_parameters().keys(), ElementsAre("linear.weight", "linear.bias"));
  unnamed->push_back("last", nn::Linear(3, 1));
  unnamed->extend(*nn::Sequential(nn::Tanh()));
  EXPECT_EQ(unnamed->size(), 5u);
  EXPECT_EQ(unnamed->ptr<nn::LinearImpl>(0).get(), linear.get());
  EXPECT_EQ(unnamed->at<nn::LinearImpl>(3).options.out_features(), 1);
  EXPECT_EQ(unnamed->named_children().keys()[3], "last");
  EXPECT_THROW(nn::Sequential()->forward(x), Error);
}

struct SplitImpl : nn::Module {
  std::tuple<Tensor, Tensor> forward(Tensor x) { return {x, x + 1}; }
};
struct JoinImpl : nn::Module {
  int64_t forward(std::tuple<Tensor, Tensor> parts) {
    return (std::get<0>(parts) + std::get<1>(parts)).sum().item<int64_t>();
  }
};
TORCH_MODULE(Split);
TORCH_MODULE(Join);

TEST(Sequential, PassesValuesOfAnyType) {
  nn::Sequential net{nn::Identity(), Split(), Join()};
  EXPECT_EQ(net->forward<int64_t>(ones({3})), 9);
  EXPECT_THROW(net->forward(ones({3})), Error);
}

TEST(Containers, KeepModulesAndParameters) {
  nn::ModuleList list(nn::Linear(1, 1), nn::ReLU());
  list->insert(1, nn::Tanh());
  EXPECT_NE(list[1]->as<nn::Tanh>(), nullptr);
  EXPECT_NE(list->named_children()["2"]->as<nn::ReLU>(), nullptr);
  nn::ModuleDict dict;
  dict->update(std::vector<std::pair<std::string, std::shared_ptr<nn::Module>>>{
      {"a", nn::Linear(1, 1).ptr()}, {"b", nn::ReLU().ptr()}});
  EXPECT_THAT(dict->keys(), ElementsAre("a", "b"));
  dict->pop("a");
  EXPECT_EQ(dict->parameters().size(), 0u);
  nn::ParameterList parameters(ones({2}).requires_grad_(), zeros({3}));
  EXPECT_THAT(parameters->named_parameters().keys(), ElementsAre("0", "1"));
  EXPECT_FALSE(parameters[1].requires_grad());
  nn::ParameterDict named;
  named->insert("w", ones({2}).requires_grad_());
  EXPECT_TRUE(named->contains("w"));
  EXPECT_TRUE(named["w"].requires_grad());
}

TEST(OrderedDict, KeepsTheOrderOfInsertion) {
  OrderedDict<std::string, int> dict("Number");
  dict.insert("b", 2);
  dict.insert("a", 1);
  dict.insert("c", 3);
  dict.erase("a");
  EXPECT_THAT(dict.keys(), ElementsAre("b", "c"));
  EXPECT_EQ(dict["c"], 3);
  EXPECT_EQ(dict[0].key(), "b");
  EXPECT_THROW(dict.insert("b", 0), Error);
  EXPECT_THROW(dict["a"], Error);
  EXPECT_EQ(dict.find("a"), nullptr);
}

TEST(Init, FillsAsAsked) {
  namespace init = nn::init;
  EXPECT_TRUE(equal(init::eye_(zeros({2, 3})), eye(2, 3)));
  const Tensor dirac = init::dirac_(zeros({2, 3, 3}));
  EXPECT_EQ(dirac.sum().item<double>(), 2);
  EXPECT_EQ(dirac[1][1][1].item<double>(), 1);
  const Tensor sparse = init::sparse_(zeros({10, 4}), 0.3, 1.0);
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(eq(sparse.select(1, i), 0).sum().item<int64_t>(), 3);
  EXPECT_NEAR(init::calculate_gain(kTanh), 5.0 / 3, 1e-12);
  EXPECT_NEAR(init::calculate_gain(kLeakyReLU, 2.0), std::sqrt(0.4), 1e-12);
  EXPECT_EQ(init::_calculate_fan_in_and_fan_out(zeros({4, 3, 2, 2})), std::make_tuple(12, 16));
  const Tensor w = init::kaiming_normal_(zeros({100, 400}), 0, kFanOut, kReLU);
  EXPECT_NEAR(w.square().mean().item<double>(), 2.0 / 100, 1e-3);
}

TEST(ConvertParameters, GoesThereAndBack) {
  nn::Linear a(3, 2), b(3, 2);
  const Tensor vector = nn::utils::parameters_to_vector(a->parameters()).detach();
  EXPECT_EQ(vector.numel(), 8);
  nn::utils::vector_to_parameters(vector, b->parameters());
  EXPECT_TRUE(equal(a->weight, b->weight));
  EXPECT_TRUE(equal(a->bias, b->bias));
}

}  // namespace
}  // namespace oneagent
