#include "services/gateway/api.h"

#include <algorithm>
#include <optional>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/version.h"
#include "services/gateway/dashboard_files.h"
#include "services/gateway/jsonl_tail.h"
#include "services/gateway/openapi.h"

namespace oneagent {
namespace {

constexpr size_t kMaxRunsShown = 32;  // in one event stream

HttpResponse answer_json(const Json& value) {
  HttpResponse response;
  response.body = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  response.headers["Cache-Control"] = "no-store";
  return response;
}

std::vector<std::string> segments(std::string_view path) {
  std::vector<std::string> parts = split(path, '/');
  if (!parts.empty() && parts.front().empty()) parts.erase(parts.begin());
  return parts;
}

// The path's values by name, or nothing when it does not match the pattern.
std::optional<std::map<std::string, std::string>> match(std::string_view pattern,
                                                        std::string_view path) {
  const std::vector<std::string> want = segments(pattern), have = segments(path);
  if (want.size() != have.size()) return std::nullopt;
  std::map<std::string, std::string> values;
  for (size_t i = 0; i < want.size(); ++i) {
    if (want[i].front() == '{') {
      values[want[i].substr(1, want[i].size() - 2)] = have[i];
    } else if (want[i] != have[i]) {
      return std::nullopt;
    }
  }
  return values;
}

// Takes the same time for every wrong token of the right length.
bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::optional<int64_t> parse_cursor(const std::string& text) {
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoll(text);
}

HttpResponse dashboard_file(const HttpRequest& request) {
  const std::string path = request.path == "/" ? "index.html" : request.path.substr(1);
  const DashboardFile* file = find_dashboard_file(path);
  if (file == nullptr)
    return http_error(404, str("no such page: ", request.path,
                               "; the dashboard is at /, the interface at /api/openapi.json"));
  HttpResponse response;
  const std::string tag = str("\"", file->hash.substr(0, 16), "\"");
  response.mime = file->mime;
  response.headers = {
      {"ETag", tag},
      {"Cache-Control", "no-cache"},
      {"X-Content-Type-Options", "nosniff"},
      {"Referrer-Policy", "no-referrer"},
      {"Content-Security-Policy",
       "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"}};
  if (request.if_none_match == tag) {
    response.status = 304;
  } else {
    response.body = file->bytes;
  }
  return response;
}

const ApiParameter kRun{"run", true, "string", "name of a folder below the runs folder"};

}  // namespace

Api::Api(ApiSources sources) : sources_(std::move(sources)) {
  const auto json = "application/json";
  routes_ = {
      {"/api/health",
       "Whether the gateway answers, and whether it reaches the store",
       {},
       {"ok", "store", "tabs", "uptime_s"},
       json,
       true,
       [this](const ApiCall&) { return health(); }},
      {"/api/version",
       "Code and schema version, and the run that this gateway belongs to",
       {},
       {"version", "schema_version", "run", "token_needed"},
       json,
       true,
       [this](const ApiCall&) { return version(); }},
      {"/api/openapi.json",
       "This document",
       {},
       {"openapi", "info", "paths"},
       json,
       true,
       [this](const ApiCall&) { return openapi(); }},
      {"/api/runs",
       "All runs with their last figures, newest first",
       {},
       {"runs"},
       json,
       false,
       [this](const ApiCall&) { return runs(); }},
      {"/api/runs/{run}",
       "Resolved configuration, its hash and the code version of one run",
       {kRun},
       {"name", "config", "hash", "code_version", "metrics"},
       json,
       false,
       [this](const ApiCall& call) { return run(call); }},
      {"/api/runs/{run}/services",
       "Every service with its state, and who waits for whom in words",
       {kRun},
       {"run", "services", "findings", "waits_for", "text", "note", "time_ms"},
       json,
       false,
       [this](const ApiCall& call) { return services(call); }},
      {"/api/runs/{run}/metrics/{service}",
       "Rows of one metric file from a cursor on",
       {kRun,
        {"service", true, "string", "name of the metric file: learner, evaluator, actor-0"},
        {"after", false, "integer", "cursor: 0, or \"next\" of the answer before"}},
       {"run", "service", "after", "next", "more", "malformed", "rows"},
       json,
       false,
       [this](const ApiCall& call) { return metrics(call); }},
      {"/api/runs/{run}/recordings",
       "Recorded episodes, newest policy version first",
       {kRun},
       {"run", "recordings"},
       json,
       false,
       [this](const ApiCall& call) { return recordings(call); }},
      {"/api/runs/{run}/recordings/{name}",
       "One recorded episode",
       {kRun, {"name", true, "string", "name from the list of recordings"}},
       {},
       json,
       false,
       [this](const ApiCall& call) { return recording(call); }},
      {"/api/events",
       "Server-sent events: services, metrics, runs; after \"overflow\" fetch what was missed",
       {{"runs", false, "string", "names of the runs to show, with commas between"}},
       {},
       "text/event-stream",
       false,
       [this](const ApiCall& call) { return events(call); }},
  };
}

HttpResponse Api::answer(const HttpRequest& request) const {
  if (request.path.rfind("/api", 0) != 0) return dashboard_file(request);
  for (const Route& route : routes_) {
    auto values = match(route.path, request.path);
    if (!values) continue;
    if (!allowed(route, request))
      return http_error(
          401, "this gateway asks for a token: send the header Authorization: Bearer TOKEN");
    for (const auto& [name, value] : *values)
      if (!is_plain_name(value))
        return http_error(
            400, str(name, ": not a name of letters, digits, '.', '_', '-': \"", value, "\""));
    if (values->contains("run") && !sources_.folder.has((*values)["run"]))
      return unknown_run((*values)["run"]);
    return route.answer({std::move(*values), request.query});
  }
  return http_error(404, str("no such path: ", request.path, "; GET /api/openapi.json lists all"));
}

bool Api::allowed(const Route& route, const HttpRequest& request) const {
  return route.open || sources_.token.empty() || same_text(request.bearer, sources_.token);
}

HttpResponse Api::unknown_run(const std::string& run) const {
  return http_error(404,
                    str("unknown run \"", run, "\"", suggestion(run, sources_.folder.names())));
}

HttpResponse Api::health() const {
  return answer_json({{"ok", true},
                      {"store", sources_.watch.store_state()},
                      {"tabs", sources_.hub.tabs()},
                      {"uptime_s", static_cast<double>(wall_ms() - sources_.started_ms) * 1e-3}});
}

HttpResponse Api::version() const {
  return answer_json({{"version", code_version()},
                      {"schema_version", kSchemaVersion},
                      {"run", sources_.own_run},
                      {"token_needed", !sources_.token.empty()}});
}

HttpResponse Api::runs() const {
  Json rows = Json::array();
  for (const std::string& name : sources_.folder.names())
    rows.push_back(sources_.folder.summary(name));
  std::stable_sort(rows.begin(), rows.end(), [](const Json& a, const Json& b) {
    return a["updated_ms"].get<int64_t>() > b["updated_ms"].get<int64_t>();
  });
  return answer_json({{"runs", std::move(rows)}});
}

HttpResponse Api::run(const ApiCall& call) const {
  const std::string& name = call.path.at("run");
  Json out = sources_.folder.details(name);
  out["metrics"] = sources_.folder.metric_services(name);
  return answer_json(out);
}

HttpResponse Api::services(const ApiCall& call) const {
  return answer_json(sources_.watch.services(call.path.at("run")));
}

HttpResponse Api::metrics(const ApiCall& call) const {
  const auto given = call.query.find("after");
  const std::optional<int64_t> after = given == call.query.end() ? 0 : parse_cursor(given->second);
  if (!after)
    return http_error(400, str("after: expected a cursor of digits, was \"", given->second, "\""));
  const std::string& run = call.path.at("run");
  const std::string& service = call.path.at("service");
  const JsonlPart part = read_jsonl(sources_.folder.metrics_path(run, service), *after);
  HttpResponse response = answer_json({{"run", run},
                                       {"service", service},
                                       {"after", part.after},
                                       {"next", part.next},
                                       {"more", part.more},
                                       {"malformed", part.malformed}});
  response.body.pop_back();  // the rows are checked text already: no need to build them again
  response.body += ",\"rows\":[" + join(part.rows, ",") + "]}";
  return response;
}

HttpResponse Api::recordings(const ApiCall& call) const {
  const std::string& run = call.path.at("run");
  return answer_json({{"run", run}, {"recordings", sources_.folder.recordings(run)}});
}

HttpResponse Api::recording(const ApiCall& call) const {
  const std::string& name = call.path.at("name");
  HttpResponse response;
  response.body = sources_.folder.recording(call.path.at("run"), name);
  if (response.body.empty())
    return http_error(404, str("run ", call.path.at("run"), " has no recording \"", name, "\""));
  return response;
}

HttpResponse Api::events(const ApiCall& call) const {
  std::set<std::string> runs;
  const auto given = call.query.find("runs");
  for (const std::string& run : split(given == call.query.end() ? "" : given->second, ',')) {
    if (run.empty()) continue;
    if (!sources_.folder.has(run))
      return is_plain_name(run) ? unknown_run(run)
                                : http_error(400, "runs: not a list of run names");
    runs.insert(run);
  }
  if (runs.size() > kMaxRunsShown)
    return http_error(400, str("runs: at most ", kMaxRunsShown, " at once, was ", runs.size()));
  const std::shared_ptr<EventHub::Tab> tab = sources_.hub.open(std::move(runs));
  if (tab == nullptr)
    return http_error(503, "all event streams are taken: close a tab or raise [gateway] tabs");
  HttpResponse response;
  response.mime = "text/event-stream";
  response.headers["Cache-Control"] = "no-store";
  response.stream = [tab](bool& end) { return tab->next(end); };
  return response;
}

HttpResponse Api::openapi() const { return answer_json(openapi_document(routes_)); }

}  // namespace oneagent
