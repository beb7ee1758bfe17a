#include "services/learner/rank_meeting.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "core/base/check.h"
#include "core/base/text.h"
#include "core/base/version.h"

namespace oneagent {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);

void pause() { std::this_thread::sleep_for(kPause); }

}  // namespace

RankIdentity RankIdentity::of(const std::string& config_hash) {
  return {oneagent::code_version(), kSchemaVersion, config_hash};
}

std::string difference(const RankIdentity& first, int rank, const RankIdentity& other) {
  if (first.code_version != other.code_version || first.schema != other.schema)
    return str("rank ", rank, " runs oneagent ", other.code_version, " (schema ", other.schema,
               "), the learner ", first.code_version, " (schema ", first.schema,
               "); start the same program everywhere");
  if (first.config_hash != other.config_hash)
    return str("rank ", rank, " has another experiment (configuration ",
               other.config_hash.substr(0, 12), ") than the learner (",
               first.config_hash.substr(0, 12), "); give both the same file and --set");
  return "";
}

RankMeeting::RankMeeting(Store& store, std::string run, Cancelled cancelled)
    : store_(store), run_(std::move(run)), cancelled_(std::move(cancelled)) {}

std::string RankMeeting::key(const std::string& name) const {
  return str("runs/", run_, "/ranks/", name);
}

std::string RankMeeting::key(int64_t incarnation, const std::string& name) const {
  return key(str(incarnation, "/", name));
}

void RankMeeting::put(const std::string& key, const std::string& value) {
  const Deadline deadline = Deadline::after_ms(10000);
  while (true) {
    const Status status = store_.put(key, value).status();
    if (status.ok()) return;
    OA_REQUIRE(absl::IsUnavailable(status) && !deadline.expired(),
               "ranks: the store does not take ", key, ": ", status.message());
    pause();
  }
}

std::optional<std::string> RankMeeting::find(const std::string& key) {
  Result<StoreEntry> entry = store_.get(key);
  if (entry.ok()) return std::move(entry->value);
  OA_REQUIRE(absl::IsNotFound(entry.status()) || absl::IsUnavailable(entry.status()),
             "ranks: the store does not give ", key, ": ", entry.status().message());
  return std::nullopt;
}

void RankMeeting::call(TeamCall& call) {
  const std::string operation = str("call-", ::getpid(), "-", steady_ns());
  const auto next = [&] {
    return store_.add(str("runs/", run_, "/rank-incarnations"), 1, operation);
  };
  Result<int64_t> number = next();
  while (absl::IsUnavailable(number.status()) && !cancelled_()) {  // it may be in a moment
    pause();
    number = next();
  }
  OA_REQUIRE(number.ok(), "ranks: the store gives no incarnation: ", number.status().message());
  call.incarnation = *number;
  for (const std::string& prefix : {key(""), str("rendezvous/", run_, "/")})
    if (const auto old = store_.list(prefix); old.ok())
      for (const StoreEntry& entry : *old) (void)store_.erase(entry.key);
  put(key("call"), Json({{"incarnation", call.incarnation},
                         {"data", call.data},
                         {"tensor", call.tensor},
                         {"lost_after_s", call.lost_after_s},
                         {"step_timeout_s", call.step_timeout_s},
                         {"pipeline", call.pipeline},
                         {"micro_batches", call.micro_batches},
                         {"stages_per_rank", call.stages_per_rank},
                         {"schedule", call.schedule}})
                       .dump());
}

std::optional<RankIdentity> RankMeeting::answered(int64_t incarnation, int rank) {
  const std::optional<std::string> text = find(key(incarnation, str("rank-", rank)));
  if (!text) return std::nullopt;
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object()) return RankIdentity{};
  return RankIdentity{json.value("code_version", ""), json.value("schema", 0),
                      json.value("config_hash", "")};
}

void RankMeeting::take(int64_t incarnation, int rank) {
  put(key(incarnation, str("answer-", rank)), "");
}

void RankMeeting::refuse(int64_t incarnation, int rank, const std::string& reason) {
  put(key(incarnation, str("answer-", rank)), reason);
  (void)store_.erase(key(incarnation, str("rank-", rank)));
}

std::optional<TeamCall> RankMeeting::newest() {
  const std::optional<std::string> text = find(key("call"));
  if (!text) return std::nullopt;
  try {
    const Json json = Json::parse(*text);
    return TeamCall{json.at("incarnation"),
                    json.at("data"),
                    json.at("tensor"),
                    json.at("lost_after_s"),
                    json.at("step_timeout_s"),
                    json.value("pipeline", 1),
                    json.value("micro_batches", 0),
                    json.value("stages_per_rank", 2),
                    json.value("schedule", "1f1b")};
  } catch (const Json::exception& error) {
    throw_error(str("ranks: what the store holds at ", key("call"), " is no call: ", error.what()));
  }
}

std::optional<TeamCall> RankMeeting::wait_for_call(int64_t after) {
  while (!cancelled_()) {
    const std::optional<TeamCall> call = newest();
    if (call && call->incarnation > after) return call;
    pause();
  }
  return std::nullopt;
}

bool RankMeeting::answer(const TeamCall& call, int rank, const RankIdentity& identity) {
  const std::string answer = key(call.incarnation, str("answer-", rank));
  (void)store_.erase(answer);  // that of a predecessor
  put(key(call.incarnation, str("rank-", rank)), Json({{"code_version", identity.code_version},
                                                       {"schema", identity.schema},
                                                       {"config_hash", identity.config_hash}})
                                                     .dump());
  while (!cancelled_()) {
    if (const std::optional<std::string> said = find(answer)) {
      OA_REQUIRE(said->empty(), "the learner refuses this rank: ", *said);
      return true;
    }
    const std::optional<TeamCall> now = newest();
    if (now && now->incarnation > call.incarnation) return false;
    pause();
  }
  return false;
}

}  // namespace oneagent
