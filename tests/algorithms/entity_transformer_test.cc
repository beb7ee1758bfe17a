// The encoder with a transformer over entities: what it may depend on, what it learns, which
// options it refuses.
#include "algorithms/parts/entity_transformer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "algorithms/parts/network.h"
#include "core/graph/context.h"
#include "core/ops/ops.h"
#include "tests/support/local_ring.h"

namespace oneagent {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kCount = 5, kValues = 3, kRest = 2;

std::shared_ptr<Encoder> make_encoder(const EntityOptions& options,
                                      const Shape& observation = {kCount * kValues + kRest}) {
  Generator generator(3);
  return std::make_shared<Encoder>(observation, NetworkOptions{{16}, "tanh", {}, options},
                                   generator);
}
EntityOptions small(bool slots) { return {{kCount, kValues}, slots, 2, 2, 8}; }

Tensor random_rows(int64_t rows) {
  Generator generator(5);
  return randn({rows, kCount * kValues + kRest}, generator);
}
Tensor with_entities(const Tensor& rows, const Tensor& entities) {
  return cat({entities.flatten(1), rows.narrow(1, kCount * kValues, kRest)}, 1);
}
Tensor entities_of(const Tensor& rows) {
  return rows.narrow(1, 0, kCount * kValues).reshape({-1, kCount, kValues});
}

TEST(EntityTransformer, DoesNotDependOnTheOrderOfEntitiesWithoutSlots) {
  const NoGradGuard no_grad;
  const Tensor rows = random_rows(7);
  const Tensor turned = with_entities(rows, entities_of(rows).roll({2}, {1}));
  const auto without = make_encoder(small(false)), with = make_encoder(small(true));
  EXPECT_TRUE(allclose(without->forward(rows), without->forward(turned), 1e-5, 1e-6));
  EXPECT_FALSE(allclose(with->forward(rows), with->forward(turned), 1e-2, 1e-2));
}

// Five entities of which two are absent give what three do.
TEST(EntityTransformer, AbsentEntitiesAreNotSeen) {
  const NoGradGuard no_grad;
  const auto encoder = make_encoder(small(false));
  EntityOptions three = small(false);
  three.entities = {3, kValues};
  const auto shorter = make_encoder(three, {3 * kValues + kRest});
  const Tensor rows = random_rows(4);
  const Tensor entities = entities_of(rows).clone();
  entities.narrow(1, 3, 2).zero_();
  const Tensor rest = rows.narrow(1, kCount * kValues, kRest);
  EXPECT_TRUE(allclose(encoder->forward(with_entities(rows, entities)),
                       shorter->forward(cat({entities.narrow(1, 0, 3).flatten(1), rest}, 1)), 1e-5,
                       1e-6));
  const Tensor none = encoder->forward(with_entities(rows, zeros_like(entities)));
  EXPECT_TRUE(none.isfinite().all().item<bool>());
}

TEST(EntityTransformer, RefusesOptionsThatDoNotFit) {
  const auto error_of = [](EntityOptions options, const Json& more = Json()) -> std::string {
    try {
      if (more.is_null()) {
        make_encoder(options);
      } else {
        const Registry& registry = LocalRing::registry();
        registry.algorithms.at("ppo").make(policy_spec(registry.envs.spec("catch", Json::object())),
                                           more, 1);
      }
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_THAT(error_of({{5, 4}}), HasSubstr("entities: 5 x 4 does not fit into an observation of"));
  EXPECT_THAT(error_of({{5}}), HasSubstr("entities: expected [count, values], was 1 value"));
  EXPECT_THAT(error_of({{0, 2}}), HasSubstr("entities[0]: must be at least 1, was 0"));
  EXPECT_THAT(error_of({{2, 2}, false, 1, 3, 8}), HasSubstr("not a multiple of attention_heads"));
  EXPECT_THAT(error_of({{}, true}), HasSubstr("entity_slots: has no effect without entities"));
  EXPECT_THAT(error_of({}, {{"entities", {10, 5}}, {"channels", {4}}}),
              HasSubstr("leave one of them out"));
  EXPECT_THAT(error_of({}, {{"entities", {10, 5}}, {"normalize_observation", true}}),
              HasSubstr("zeros that mark absent entities"));
}

// The rows of catch's board as entities.
TEST(PpoWithEntities, LearnsCatch) {
  const Registry& registry = LocalRing::registry();
  const Json none = Json::object();
  LocalRing ring(registry.algorithms.at("ppo").make(policy_spec(registry.envs.spec("catch", none)),
                                                    {{"entities", {10, 5}},
                                                     {"entity_slots", true},
                                                     {"attention_size", 16},
                                                     {"attention_heads", 2},
                                                     {"attention_layers", 1},
                                                     {"hidden", {32}},
                                                     {"shared", true},
                                                     {"steps", 18},
                                                     {"minibatch", 144},
                                                     {"epochs", 6},
                                                     {"lr", 2e-3},
                                                     {"clip", 0.1}},
                                                    1),
                 "catch", none, 16, 1);
  for (int i = 0; i < 150; ++i) {
    if (i == 145) ring.mean_return();
    ring.iterate();
  }
  EXPECT_GT(ring.mean_return(), 0.9);
}

}  // namespace
}  // namespace oneagent
