#include "core/comm/own_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/comm/rank_runners.h"

namespace oneagent::comm {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(OwnAddress, IsOneAtWhichThisMachineCanListen) {
  EXPECT_EQ(own_address_problem("127.0.0.1"), "");
  EXPECT_EQ(own_address_problem("localhost"), "");
  EXPECT_THAT(own_address_problem("no host!"), HasSubstr("the name is not known"));
  EXPECT_THAT(own_address_problem("203.0.113.7"), HasSubstr("no address of this machine"));
  EXPECT_EQ(own_address_problem(""), "it is empty");
}

TEST(OwnAddress, IsAskedForBeforeGlooTakesIt) {
  if (!kGloo) GTEST_SKIP() << "gloo is not built with ThreadSanitizer";
  MemoryRendezvous rendezvous;
  GlooOptions options;
  options.options.deadline_ms = 1000;
  for (const char* address : {"no host!", "203.0.113.7", ""}) {
    options.address = address;
    try {
      make_gloo_communicator(0, 2, rendezvous, options);
      FAIL() << address;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 0 cannot listen at"), HasSubstr(address)));
    }
  }
}

}  // namespace
}  // namespace oneagent::comm
