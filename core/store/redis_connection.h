// One blocking connection to a Redis server (hiredis) that reconnects with back-off. Private to
// core/store; one strand.
#pragma once

#include <hiredis/hiredis.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace oneagent {

struct RedisAddress {
  std::string host;
  int port = 6379;
  int database = 0;
  std::string password;

  std::string text() const;  // without the password
};

// "[:password@]host[:port][/database]", what follows "redis://". InvalidArgument says what is
// wrong.
Result<RedisAddress> parse_redis_address(std::string_view text);

struct RedisReplyDelete {
  void operator()(redisReply* reply) const { freeReplyObject(reply); }
};
using RedisReply = std::unique_ptr<redisReply, RedisReplyDelete>;

using RedisArguments = std::vector<std::string_view>;

class RedisConnection final {
 public:
  RedisConnection(RedisAddress address, int timeout_ms);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Sends and waits for the reply, for at most timeout_ms. When the connection breaks it connects
  // and sends again, so a command may run twice: commands are built to bear that. Unavailable when
  // time is up; error replies become their Status.
  Result<RedisReply> command(const RedisArguments& arguments);
  // The same for a Lua script, cached in the server.
  Result<RedisReply> script(const char* text, const RedisArguments& arguments);

  // The last command was sent more than once: what it reports as missing may be its own doing.
  bool repeated() const { return sent_ > 1; }
  const RedisAddress& address() const { return address_; }
  const std::vector<std::string>& warnings() const {
    return warnings_;
  }  // of the present connection

 private:
  Status connect(Deadline deadline);
  Status greet();  // password, database, durability
  Result<RedisReply> exchange(const RedisArguments& arguments, Deadline deadline);
  Result<RedisReply> with_retries(Deadline deadline, const auto& attempt);
  void drop();
  Status gone(std::string_view reason) const;
  std::string setting(const char* name);

  RedisAddress address_;
  int timeout_ms_;
  redisContext* context_ = nullptr;
  std::map<const char*, std::string> digests_;  // of scripts known to the present server
  std::vector<std::string> warnings_;
  int64_t back_off_ms_ = 0;
  int64_t not_before_ns_ = 0;  // next attempt to connect
  Status last_failure_;
  int sent_ = 0;
};

}  // namespace oneagent
