#include "core/net/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

std::string error_of(std::string_view text) {
  try {
    parse_address(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Address, ReadsTheThreeTransports) {
  EXPECT_EQ(parse_address("tcp://replay:5001"), (Address{Transport::kTcp, "replay", 5001}));
  EXPECT_EQ(parse_address("tcp://[::1]:80").host, "[::1]");
  EXPECT_EQ(parse_address("ipc:///tmp/run/replay"),
            (Address{Transport::kIpc, "/tmp/run/replay", 0}));
  EXPECT_EQ(parse_address("inproc://replay"), (Address{Transport::kInproc, "replay", 0}));
}

TEST(Address, WritesWhatItRead) {
  for (const char* text : {"tcp://*:5001", "ipc:///tmp/a", "inproc://b"})
    EXPECT_EQ(parse_address(text).text(), text);
}

TEST(Address, NamesWhatIsWrong) {
  EXPECT_THAT(error_of("http://x:1"),
              testing::HasSubstr("expected tcp://host:port, ipc://path or inproc://name"));
  EXPECT_THAT(error_of("replay:5001"), testing::HasSubstr("\"replay:5001\""));
  EXPECT_THAT(error_of("tcp://replay"), testing::HasSubstr("has no port"));
  EXPECT_THAT(error_of("tcp://:5001"), testing::HasSubstr("has no host"));
  EXPECT_THAT(error_of("tcp://a:70000"), testing::HasSubstr("from 0 to 65535, was \"70000\""));
  EXPECT_THAT(error_of("tcp://a:12x"), testing::HasSubstr("was \"12x\""));
  EXPECT_THAT(error_of("inproc://"), testing::HasSubstr("has no name"));
}

TEST(Address, ASocketPathHasTheSystemsLimit) {
  EXPECT_EQ(error_of("ipc://" + std::string(107, 'a')), "");
  EXPECT_THAT(error_of("ipc://" + std::string(108, 'a')),
              testing::HasSubstr("at most 107 bytes, was 108"));
}

}  // namespace
}  // namespace oneagent::net
