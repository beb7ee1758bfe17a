#include "core/net/security.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/net/request_client.h"
#include "core/net/request_server.h"
#include "tests/support/net_peers.h"

namespace oneagent::net {
namespace {

std::string error_of(const fs::path& path) {
  try {
    read_security(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Security, AKeyFileIsReadBackAndIsPrivate) {
  TemporaryFolder folder;
  const Security made = make_security();
  write_security(made, folder.path() / "run.key");
  EXPECT_EQ(read_security(folder.path() / "run.key").public_key, made.public_key);
  EXPECT_EQ(read_security(folder.path() / "run.key").secret_key, made.secret_key);
  struct stat status {};
  ASSERT_EQ(::stat((folder.path() / "run.key").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(Security, ABadKeyFileIsNamedWithTheReason) {
  TemporaryFolder folder;
  EXPECT_THAT(error_of(folder.path() / "none"), testing::HasSubstr("none"));
  write_atomic(folder.path() / "short", std::string_view("public abc\nsecret def\n"));
  EXPECT_THAT(error_of(folder.path() / "short"),
              testing::HasSubstr("the public key is not a CURVE key"));
  write_atomic(folder.path() / "one", std::string_view("public abc"));
  EXPECT_THAT(error_of(folder.path() / "one"), testing::HasSubstr("expected two lines"));
}

TEST(Security, WhoHasTheKeyIsServedAndWhoHasNotIsNot) {
  TemporaryFolder folder;
  ContextOptions options;
  options.security = make_security();
  Context inside(options), outside;
  ContextOptions wrong_options;
  wrong_options.security = make_security();
  Context wrong(wrong_options);
  WaitBoard board;
  RequestServer server(inside, {.name = "replay", .address = test_address("tcp", folder)},
                       [](Request request) { request.reply(ok()); });
  LoopThread loop({&server});
  const auto ask = [&](Context& context, int64_t timeout_ms) {
    RequestClient client(context, board,
                         {.name = "learner", .peer = "replay", .address = server.address()});
    return client.call(Message(proto::Kind::STATUS), Deadline::after_ms(timeout_ms)).ok();
  };
  EXPECT_TRUE(ask(inside, 10000));
  EXPECT_FALSE(ask(outside, 300));
  EXPECT_FALSE(ask(wrong, 300));
}

}  // namespace
}  // namespace oneagent::net
