#include "core/net/body_plan.h"

#include <capnp/message.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>
#include <kj/exception.h>

#include "tests/support/message_samples.h"

namespace oneagent::net {
namespace {

// Body types other than `good` must not be taken for it where their pointers differ.
TEST(BodyPlan, AcceptsItsOwnTypeAndRefusesPointersOfAnother) {
  capnp::MallocMessageBuilder builder;
  fill_chunk(builder.initRoot<proto::Chunk>());
  const auto words = capnp::messageToFlatArray(builder);
  capnp::FlatArrayMessageReader reader(words);
  EXPECT_NO_THROW(
      BodyPlan(capnp::Schema::from<proto::Chunk>()).check(reader.getRoot<capnp::AnyPointer>()));
  EXPECT_THROW(
      BodyPlan(capnp::Schema::from<proto::Report>()).check(reader.getRoot<capnp::AnyPointer>()),
      kj::Exception);
}

TEST(BodyPlan, SeesABrokenPointerDeepInside) {
  capnp::MallocMessageBuilder builder;
  auto batch = builder.initRoot<proto::Batch>();
  for (auto chunk : batch.initChunks(2)) fill_chunk(chunk);
  const auto words = capnp::messageToFlatArray(builder);
  const BodyPlan plan(capnp::Schema::from<proto::Batch>());
  int refused = 0;
  for (size_t i = 1; i < words.size(); ++i) {  // each word in turn becomes a pointer to nowhere
    auto copy = kj::heapArray<capnp::word>(words.begin(), words.size());
    const uint64_t nowhere = 0x7fffffff'3ffffff0;
    std::memcpy(static_cast<void*>(&copy[i]), &nowhere, 8);
    capnp::FlatArrayMessageReader reader(copy);
    try {
      plan.check(reader.getRoot<capnp::AnyPointer>());
    } catch (const kj::Exception&) {
      ++refused;
    }
  }
  EXPECT_GE(refused, 8);  // root, list, two tags, texts of six items
}

TEST(BodyPlan, WorkIsBounded) {
  // A list of 2^20 structs of zero size in three words.
  capnp::MallocMessageBuilder builder;
  builder.initRoot<proto::Chunk>();
  const auto words = capnp::messageToFlatArray(builder);
  auto copy = kj::heapArray<capnp::word>(words.size() + 1);
  std::memcpy(static_cast<void*>(copy.begin()), words.begin(), words.size() * 8);
  const uint32_t segment_words = static_cast<uint32_t>(words.size());
  std::memcpy(reinterpret_cast<uint8_t*>(copy.begin()) + 4, &segment_words, 4);
  const size_t pointer = words.size() - 1;  // the items' pointer, last word of the struct
  const uint64_t list = 1 | (uint64_t{7} << 32), tag = uint64_t{1} << 22;
  std::memcpy(static_cast<void*>(&copy[pointer]), &list, 8);
  std::memcpy(static_cast<void*>(&copy[pointer + 1]), &tag, 8);
  capnp::FlatArrayMessageReader reader(copy, {1000, 32});
  EXPECT_THROW(
      BodyPlan(capnp::Schema::from<proto::Chunk>()).check(reader.getRoot<capnp::AnyPointer>()),
      kj::Exception);
}

}  // namespace
}  // namespace oneagent::net
