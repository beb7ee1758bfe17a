#include "core/store/redis_connection.h"

#include <sys/time.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstring>
#include <thread>

#include "core/base/check.h"

namespace oneagent {
namespace {

constexpr int64_t kFirstBackOffMs = 10;
constexpr int64_t kLongestBackOffMs = 500;

timeval to_timeval(int64_t ms) {
  ms = std::max<int64_t>(ms, 1);
  return {ms / 1000, (ms % 1000) * 1000};
}

// hiredis writes with write(2): a server that is gone would end this process by SIGPIPE.
void ignore_broken_pipe() {
  struct sigaction present {};
  if (sigaction(SIGPIPE, nullptr, &present) == 0 && present.sa_handler == SIG_DFL)
    std::signal(SIGPIPE, SIG_IGN);
}

bool starts_with(const redisReply& reply, std::string_view prefix) {
  return std::string_view(reply.str, reply.len).substr(0, prefix.size()) == prefix;
}

Status error_status(const std::string& who, const redisReply& reply) {
  const std::string text = str("store ", who, ": ", std::string_view(reply.str, reply.len));
  for (const char* prefix : {"LOADING", "BUSY", "READONLY", "MASTERDOWN", "CLUSTERDOWN"})
    if (starts_with(reply, prefix)) return absl::UnavailableError(text);
  for (const char* prefix : {"OOM", "MISCONF"})
    if (starts_with(reply, prefix)) return absl::ResourceExhaustedError(text);
  for (const char* prefix : {"NOAUTH", "WRONGPASS", "NOPERM", "ERR AUTH", "ERR invalid password"})
    if (starts_with(reply, prefix)) return absl::PermissionDeniedError(text);
  return absl::InternalError(text);
}

template <class Number>
bool parse_number(std::string_view text, Number& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string RedisAddress::text() const { return str("redis://", host, ":", port, "/", database); }

Result<RedisAddress> parse_redis_address(std::string_view text) {
  RedisAddress address;
  const size_t host = text.rfind('@');  // what is before it may be a secret
  const std::string whole = host == std::string_view::npos ? str("redis://", text)
                                                           : str("redis://...", text.substr(host));
  const auto refuse = [&](std::string_view why) {
    return absl::InvalidArgumentError(str("store address ", whole, ": ", why,
                                          "; expected redis://[:password@]host[:port][/database]"));
  };
  if (const size_t at = text.rfind('@'); at != std::string_view::npos) {
    if (text.empty() || text[0] != ':') return refuse("the password starts with ':'");
    address.password = text.substr(1, at - 1);
    text.remove_prefix(at + 1);
  }
  if (const size_t slash = text.find('/'); slash != std::string_view::npos) {
    if (!parse_number(text.substr(slash + 1), address.database) || address.database < 0)
      return refuse("the database is not a number");
    text = text.substr(0, slash);
  }
  if (const size_t colon = text.rfind(':'); colon != std::string_view::npos) {
    if (!parse_number(text.substr(colon + 1), address.port) || address.port < 1 ||
        address.port > 65535)
      return refuse("the port is not in 1 .. 65535");
    text = text.substr(0, colon);
  }
  if (text.empty()) return refuse("the host is missing");
  address.host = text;
  return address;
}

RedisConnection::RedisConnection(RedisAddress address, int timeout_ms)
    : address_(std::move(address)), timeout_ms_(timeout_ms) {
  ignore_broken_pipe();
}

RedisConnection::~RedisConnection() { drop(); }

void RedisConnection::drop() {
  if (context_ != nullptr) redisFree(context_);
  context_ = nullptr;
  digests_.clear();
}

Status RedisConnection::gone(std::string_view reason) const {
  return absl::UnavailableError(str("store ", address_.text(), ": ", reason));
}

// One attempt, not before the back-off is over.
Status RedisConnection::connect(Deadline deadline) {
  const int64_t wait_ns = not_before_ns_ - steady_ns();
  if (wait_ns > 0) {
    if (not_before_ns_ > deadline.at_ns()) return last_failure_;
    std::this_thread::sleep_for(std::chrono::nanoseconds(wait_ns));
  }
  context_ =
      redisConnectWithTimeout(address_.host.c_str(), address_.port, to_timeval(deadline.left_ms()));
  Status status = ok();
  if (context_ == nullptr || context_->err != 0) {
    status = gone(context_ != nullptr ? context_->errstr : "out of memory");
  } else {
    redisSetTimeout(context_, to_timeval(deadline.left_ms()));
    status = greet();
  }
  if (status.ok()) {
    back_off_ms_ = 0;
    return ok();
  }
  drop();
  back_off_ms_ = std::clamp(back_off_ms_ * 2, kFirstBackOffMs, kLongestBackOffMs);
  not_before_ns_ = steady_ns() + back_off_ms_ * 1'000'000;
  last_failure_ = status;
  return status;
}

std::string RedisConnection::setting(const char* name) {
  const RedisReply reply(static_cast<redisReply*>(redisCommand(context_, "CONFIG GET %s", name)));
  if (reply == nullptr || reply->type != REDIS_REPLY_ARRAY || reply->elements != 2)
    return "unknown";
  return {reply->element[1]->str, reply->element[1]->len};
}

Status RedisConnection::greet() {
  const auto simple = [&](redisReply* raw) -> Status {
    const RedisReply reply(raw);
    if (reply == nullptr) return gone(context_->errstr);
    return reply->type == REDIS_REPLY_ERROR ? error_status(address_.text(), *reply) : ok();
  };
  if (!address_.password.empty())
    OA_RETURN_IF_ERROR(simple(static_cast<redisReply*>(
        redisCommand(context_, "AUTH %b", address_.password.data(), address_.password.size()))));
  OA_RETURN_IF_ERROR(
      simple(static_cast<redisReply*>(redisCommand(context_, "SELECT %d", address_.database))));
  OA_RETURN_IF_ERROR(simple(static_cast<redisReply*>(
      redisCommand(context_, "EXISTS oa:version"))));  // LOADING shows here
  warnings_.clear();
  for (const auto& [name, wanted] :
       {std::pair{"appendonly", "yes"}, std::pair{"appendfsync", "always"}}) {
    const std::string value = setting(name);
    if (value != wanted)
      warnings_.push_back(str("store ", address_.text(), ": ", name, " is ", value, ", not ",
                              wanted,
                              ": acknowledged writes may be lost when the server is killed"));
  }
  return ok();
}

Result<RedisReply> RedisConnection::exchange(const RedisArguments& arguments, Deadline deadline) {
  if (context_ == nullptr) OA_RETURN_IF_ERROR(connect(deadline));
  std::vector<const char*> data;
  std::vector<size_t> sizes;
  for (const std::string_view argument : arguments) {
    data.push_back(argument.data() != nullptr ? argument.data() : "");
    sizes.push_back(argument.size());
  }
  redisSetTimeout(context_, to_timeval(deadline.left_ms()));
  ++sent_;
  RedisReply reply(static_cast<redisReply*>(
      redisCommandArgv(context_, static_cast<int>(data.size()), data.data(), sizes.data())));
  if (reply == nullptr) {
    const bool timed_out =
        context_->err == REDIS_ERR_IO && (errno == EAGAIN || errno == EWOULDBLOCK);
    const Status status = gone(timed_out ? str("no answer within ", timeout_ms_, " ms")
                                         : std::string(context_->errstr));
    drop();  // a late reply must not be taken for the next one's
    return status;
  }
  if (reply->type == REDIS_REPLY_ERROR) return error_status(address_.text(), *reply);
  return reply;
}

Result<RedisReply> RedisConnection::with_retries(Deadline deadline, const auto& attempt) {
  sent_ = 0;
  while (true) {
    Result<RedisReply> reply = attempt();
    if (reply.ok() || !absl::IsUnavailable(reply.status()) || deadline.expired()) return reply;
    if (context_ == nullptr && not_before_ns_ > deadline.at_ns()) return reply;
    if (context_ != nullptr)
      std::this_thread::sleep_for(
          std::chrono::milliseconds(kFirstBackOffMs));  // the server is busy
  }
}

Result<RedisReply> RedisConnection::command(const RedisArguments& arguments) {
  const Deadline deadline = Deadline::after_ms(timeout_ms_);
  return with_retries(deadline, [&] { return exchange(arguments, deadline); });
}

Result<RedisReply> RedisConnection::script(const char* text, const RedisArguments& arguments) {
  const Deadline deadline = Deadline::after_ms(timeout_ms_);
  return with_retries(deadline, [&]() -> Result<RedisReply> {
    if (context_ == nullptr) OA_RETURN_IF_ERROR(connect(deadline));
    std::string& digest = digests_[text];
    if (digest.empty()) {
      Result<RedisReply> loaded = exchange({"SCRIPT", "LOAD", text}, deadline);
      if (!loaded.ok()) return loaded;
      digests_[text] = std::string((*loaded)->str, (*loaded)->len);
      --sent_;
    }
    RedisArguments whole = {"EVALSHA", digests_[text], "0"};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    Result<RedisReply> reply = exchange(whole, deadline);
    if (!reply.ok() && reply.status().message().find("NOSCRIPT") != std::string_view::npos) {
      digests_.clear();  // someone flushed the server's scripts
      return gone("the server forgot its scripts");
    }
    return reply;
  });
}

}  // namespace oneagent
