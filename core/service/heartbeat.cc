#include "core/service/heartbeat.h"

#include <array>

#include "core/base/check.h"

namespace oneagent {
namespace {

constexpr std::array<std::pair<ServiceState, std::string_view>, 5> kStateNames = {{
    {ServiceState::kStarting, "starting"},
    {ServiceState::kRunning, "running"},
    {ServiceState::kDraining, "draining"},
    {ServiceState::kFailed, "failed"},
    {ServiceState::kDone, "done"},
}};

Json versions_to_json(const std::map<std::string, VersionTrail>& versions) {
  Json out = Json::object();
  for (const auto& [name, trail] : versions)
    out[name] = {{"now", trail.now}, {"history", trail.history}};
  return out;
}

// Reads members of a JSON object; the first that is missing or of a wrong type is kept in `wrong`.
class Members {
 public:
  Members(const Json& object, std::string& wrong) : object_(object), wrong_(wrong) {}

  void read(const char* name, std::string& into) {
    if (const Json* value = find(name, &Json::is_string))
      into = value->get_ref<const std::string&>();
  }
  void read(const char* name, int64_t& into) {
    if (const Json* value = find(name, &Json::is_number_integer)) into = value->get<int64_t>();
  }
  void read(const char* name, ServiceState& into) {
    std::string text;
    read(name, text);
    for (const auto& [state, known] : kStateNames)
      if (known == text) into = state;
  }
  const Json& object(const char* name) {
    return child(name, &Json::is_object, Json::value_t::object);
  }
  const Json& array(const char* name) { return child(name, &Json::is_array, Json::value_t::array); }

 private:
  using Check = bool (Json::*)() const noexcept;
  const Json* find(const char* name, Check is_right) {
    const auto found = object_.is_object() ? object_.find(name) : object_.end();
    if (object_.is_object() && found != object_.end() && ((*found).*is_right)()) return &*found;
    if (wrong_.empty()) wrong_ = name;
    return nullptr;
  }
  const Json& child(const char* name, Check is_right, Json::value_t kind) {
    static const Json empty_object = Json::object(), empty_array = Json::array();
    if (const Json* value = find(name, is_right)) return *value;
    return kind == Json::value_t::object ? empty_object : empty_array;
  }

  const Json& object_;
  std::string& wrong_;
};

VersionTrail read_trail(const Json& json, std::string& wrong) {
  VersionTrail trail;
  Members members(json, wrong);
  members.read("now", trail.now);
  for (const Json& point : members.array("history"))
    if (point.is_array() && point.size() == 2 && point[0].is_number_integer() &&
        point[1].is_number_integer())
      trail.history.emplace_back(point[0].get<int64_t>(), point[1].get<int64_t>());
  return trail;
}

WaitRow read_wait(const Json& json, std::string& wrong) {
  WaitRow row;
  Members members(json, wrong);
  members.read("waiter", row.waiter);
  members.read("holder", row.holder);
  members.read("reason", row.reason);
  members.read("since_ms", row.since_ms);
  members.read("waited_ms", row.waited_ms);
  return row;
}

Problem read_problem(const Json& json, std::string& wrong) {
  Problem problem;
  Members members(json, wrong);
  members.read("kind", problem.kind);
  members.read("text", problem.text);
  members.read("for_ms", problem.for_ms);
  return problem;
}

}  // namespace

std::string_view state_name(ServiceState state) {
  return kStateNames[static_cast<size_t>(state)].second;
}

Json to_json(const Heartbeat& beat) {
  Json waits = Json::array(), problems = Json::array();
  for (const WaitRow& row : beat.waits)
    waits.push_back({{"waiter", row.waiter},
                     {"holder", row.holder},
                     {"reason", row.reason},
                     {"since_ms", row.since_ms},
                     {"waited_ms", row.waited_ms}});
  for (const Problem& problem : beat.problems)
    problems.push_back(
        {{"kind", problem.kind}, {"text", problem.text}, {"for_ms", problem.for_ms}});
  return {{"service", beat.service},
          {"pid", beat.pid},
          {"host", beat.host},
          {"address", beat.address},
          {"state", state_name(beat.state)},
          {"started_ms", beat.started_ms},
          {"beat_ms", beat.beat_ms},
          {"code_version", beat.code_version},
          {"versions", versions_to_json(beat.versions)},
          {"metrics", beat.metrics},
          {"waits", std::move(waits)},
          {"problems", std::move(problems)},
          {"last_error", beat.last_error}};
}

Result<Heartbeat> heartbeat_from_text(std::string_view text) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::string wrong;
  Heartbeat beat;
  Members members(json, wrong);
  members.read("service", beat.service);
  members.read("pid", beat.pid);
  members.read("host", beat.host);
  members.read("address", beat.address);
  members.read("state", beat.state);
  members.read("started_ms", beat.started_ms);
  members.read("beat_ms", beat.beat_ms);
  members.read("code_version", beat.code_version);
  members.read("last_error", beat.last_error);
  for (const auto& [name, trail] : members.object("versions").items())
    beat.versions[name] = read_trail(trail, wrong);
  for (const auto& [name, value] : members.object("metrics").items())
    if (value.is_number()) beat.metrics[name] = value.get<double>();  // NaN travels as null
  for (const Json& row : members.array("waits")) beat.waits.push_back(read_wait(row, wrong));
  for (const Json& problem : members.array("problems"))
    beat.problems.push_back(read_problem(problem, wrong));
  if (!wrong.empty())
    return absl::InvalidArgumentError(
        str("heartbeat: \"", wrong, "\" is missing or of a wrong type"));
  return beat;
}

std::string services_prefix(std::string_view run) { return str("runs/", run, "/services/"); }
std::string service_key(std::string_view run, std::string_view service) {
  return services_prefix(run) + std::string(service);
}

}  // namespace oneagent
