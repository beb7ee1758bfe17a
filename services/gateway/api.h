// The gateway's HTTP interface as a table: one Route is registered, documented (openapi.h) and
// tested. Knows no sockets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "services/gateway/event_hub.h"
#include "services/gateway/http_server.h"
#include "services/gateway/live_watch.h"
#include "services/gateway/run_folder.h"

namespace oneagent {

struct ApiParameter {
  std::string_view name;
  bool in_path;
  std::string_view type;  // of JSON schema
  std::string_view meaning;
};

struct ApiCall {
  std::map<std::string, std::string> path;  // checked to be plain names
  std::map<std::string, std::string> query;
};

struct Route {
  std::string_view path;  // "/api/runs/{run}"
  std::string_view summary;
  std::vector<ApiParameter> parameters;
  std::vector<std::string_view> answer_keys;  // always present in the JSON answer
  std::string_view mime;
  bool open;  // answers without the token
  std::function<HttpResponse(const ApiCall&)> answer;
};

// What the routes speak for; borrowed. Answers run on many threads at once.
struct ApiSources {
  const RunFolder& folder;
  LiveWatch& watch;
  EventHub& hub;
  std::string own_run;
  std::string token;
  int64_t started_ms = 0;
};

class Api final {
 public:
  explicit Api(ApiSources sources);

  const std::vector<Route>& routes() const { return routes_; }
  // Any path: a route, or a file of the dashboard. Bad requests are answered with {"error":
  // sentence}.
  HttpResponse answer(const HttpRequest& request) const;

 private:
  HttpResponse health() const;
  HttpResponse version() const;
  HttpResponse runs() const;
  HttpResponse run(const ApiCall& call) const;
  HttpResponse services(const ApiCall& call) const;
  HttpResponse metrics(const ApiCall& call) const;
  HttpResponse recordings(const ApiCall& call) const;
  HttpResponse recording(const ApiCall& call) const;
  HttpResponse events(const ApiCall& call) const;
  HttpResponse openapi() const;
  bool allowed(const Route& route, const HttpRequest& request) const;
  HttpResponse unknown_run(const std::string& run) const;

  ApiSources sources_;
  std::vector<Route> routes_;
};

}  // namespace oneagent
