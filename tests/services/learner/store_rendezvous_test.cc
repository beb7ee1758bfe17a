#include "services/learner/store_rendezvous.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "core/comm/gloo_communicator.h"
#include "tests/support/temporary_folder.h"

namespace oneagent {
namespace {

TEST(StoreRendezvous, RanksFindEachOtherThroughTheEmbeddedStore) {
  TemporaryFolder folder;
  const std::string address = "sqlite:" + (folder.path() / "store.sqlite").string();
  std::vector<std::thread> threads;
  std::vector<int> sums(3);
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      const auto store = std::move(*open_store(address));
      StoreRendezvous rendezvous(*store);
      comm::GlooOptions options;
      options.run_id = "run-7";
      options.incarnation = 2;
      const auto communicator = comm::make_gloo_communicator(rank, 3, rendezvous, options);
      int value = rank + 1;
      communicator->all_reduce(&value, 1, DType::kInt32, comm::Reduce::kSum);
      sums[rank] = value;
      communicator->barrier();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(sums, ::testing::Each(6));
}

TEST(StoreRendezvous, SaysWhatNobodyPut) {
  TemporaryFolder folder;
  const auto store = std::move(*open_store("sqlite:" + (folder.path() / "store.sqlite").string()));
  StoreRendezvous rendezvous(*store);
  const Result<std::string> value = rendezvous.wait("run/0/world/1", Deadline::after_ms(20));
  EXPECT_TRUE(absl::IsDeadlineExceeded(value.status()));
  EXPECT_NE(value.status().message().find("nobody put run/0/world/1"), absl::string_view::npos);
}

}  // namespace
}  // namespace oneagent
