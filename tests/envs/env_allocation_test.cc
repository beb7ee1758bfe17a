// EnvBatch allocates nothing per step: this program's operator new counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "envs/env_batch.h"
#include "tests/support/env_actions.h"

namespace {
std::atomic<int64_t> allocations{0};
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace oneagent {
namespace {

TEST(EnvAllocation, NoEnvironmentAllocatesInStepOrInItsAutomaticReset) {
  EnvTable table;
  register_all(table);
  for (const std::string& name : table.names()) {
    for (const Json& options : table.find(name).samples()) {
      EnvBatch batch(table, name, options, 16, 3);
      batch.reset();
      testing::RandomActions actions(1, 16);
      actions.step(batch);
      const int64_t before = allocations;
      int ended = 0;
      for (int k = 0; k < 600; ++k) {
        actions.step(batch);
        ended += static_cast<int>(batch.ended().size());
      }
      EXPECT_EQ(allocations - before, 0) << name << " " << options;
      EXPECT_GT(ended, 0) << name;
    }
  }
}

TEST(EnvAllocation, TheCounterCounts) {
  const int64_t before = allocations;
  delete new std::vector<int>(3);
  EXPECT_GE(allocations - before, 1);
}

}  // namespace
}  // namespace oneagent
