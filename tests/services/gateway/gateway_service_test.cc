#include "services/gateway/gateway_service.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "core/base/clock.h"
#include "core/base/version.h"
#include "tests/services/gateway/gateway_fixture.h"

namespace oneagent {
namespace {

using ::testing::Test;

// A raw connection that sends `text` and returns what comes until the server closes it.
std::string raw(int port, const std::string& text) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::send(socket, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t got; (got = ::recv(socket, buffer, sizeof buffer, 0)) > 0;)
    answer.append(buffer, static_cast<size_t>(got));
  ::close(socket);
  return answer;
}

// Reads an event stream on a thread until it holds `wanted` or `stop`s.
class Listener {
 public:
  Listener(int port, std::string path) : client_("127.0.0.1", port) {
    client_.set_read_timeout(10);
    thread_ = std::thread([this, path = std::move(path)] {
      client_.Get(path, [this](const char* bytes, size_t size) {
        const std::lock_guard lock(mutex_);
        text_.append(bytes, size);
        return !stop_.load();
      });
      ended_ = true;
    });
  }
  ~Listener() {
    stop_ = true;
    client_.stop();
    thread_.join();
  }
  bool hears(const std::string& wanted, int64_t timeout_ms = 5000) {
    const Deadline deadline = Deadline::after_ms(timeout_ms);
    while (!deadline.expired()) {
      if (text().find(wanted) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return false;
  }
  std::string text() const {
    const std::lock_guard lock(mutex_);
    return text_;
  }
  bool ended() const { return ended_; }

 private:
  httplib::Client client_;
  mutable std::mutex mutex_;
  std::string text_;
  std::atomic<bool> stop_{false}, ended_{false};
  std::thread thread_;
};

TEST_F(Gateway, SaysThatItIsHealthyAndWhichCodeItRuns) {
  start();
  const Json health = json("/api/health");
  EXPECT_EQ(health["ok"], true);
  const Json version = json("/api/version");
  EXPECT_EQ(version["version"], code_version());
  EXPECT_EQ(version["schema_version"], kSchemaVersion);
  EXPECT_EQ(version["run"], "alpha");
}

TEST_F(Gateway, ListsRunsWithTheirLastFigures) {
  make_run("beta", 2);
  row("beta", "learner",
      {{"t", wall_ms() + 1000},
       {"step", 500},
       {"version", 3},
       {"steps_per_s", 1000.0},
       {"loss", {{"policy", 0.1}}}});
  row("beta", "evaluator",
      {{"t", wall_ms() + 1000},
       {"version", 2},
       {"eval_return", 1.5},
       {"ci_low", 1.0},
       {"ci_high", 2.0},
       {"spl", 0.8}});
  start();
  const Json rows = json("/api/runs")["runs"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["name"], "beta") << "the run that wrote last comes first";
  EXPECT_EQ(rows[0]["step"], 500);
  EXPECT_EQ(rows[0]["eval_return"], 1.5);
  EXPECT_EQ(rows[0]["seed"], 2);
  EXPECT_EQ(rows[0]["env"], "grid_path");
  EXPECT_EQ(rows[0]["group"], rows[1]["group"])
      << "runs that differ in name and seed only belong together";
}

TEST_F(Gateway, GivesConfigurationHashAndCodeVersionOfARun) {
  row("alpha", "learner", {{"step", 1}});
  start();
  const Json run = json("/api/runs/alpha");
  EXPECT_EQ(run["config"]["algorithm"]["name"], "ppo");
  EXPECT_EQ(run["hash"], "abc");
  EXPECT_EQ(run["code_version"], "0.1.0+test");
  EXPECT_EQ(run["metrics"], Json({"learner"}));
}

TEST_F(Gateway, TailsMetricsByCursorAndSkipsMalformedLines) {
  row("alpha", "learner", {{"step", 1}});
  std::ofstream(metrics("alpha", "learner"), std::ios::app) << "{broken\n{\"step\":2}\n{\"step\":";
  start();
  const Json first = json("/api/runs/alpha/metrics/learner");
  EXPECT_EQ(first["rows"].size(), 2u);
  EXPECT_EQ(first["malformed"], 1);
  std::ofstream(metrics("alpha", "learner"), std::ios::app) << "3}\n";
  const Json second =
      json(str("/api/runs/alpha/metrics/learner?after=", first["next"].get<int64_t>()));
  EXPECT_EQ(second["rows"], Json::array({{{"step", 3}}}));
  EXPECT_EQ(json("/api/runs/alpha/metrics/never-written")["rows"].size(), 0u);
}

TEST_F(Gateway, ListsAndServesRecordings) {
  for (const char* name : {"2-0", "10-1", "10-0"})
    write_atomic(runs() / "alpha" / "recordings" / (std::string(name) + ".json"),
                 "{\"env\":\"grid_path\"}");
  start();
  const Json list = json("/api/runs/alpha/recordings")["recordings"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["name"], "10-0");
  EXPECT_EQ(list[2]["name"], "2-0");
  EXPECT_EQ(json("/api/runs/alpha/recordings/10-1")["env"], "grid_path");
  EXPECT_EQ(json("/api/runs/alpha/recordings/99-0", 404)["error"],
            "run alpha has no recording \"99-0\"");
}

TEST_F(Gateway, SaysWhoWaitsForWhomInWords) {
  Heartbeat beat;
  beat.service = "learner";
  beat.state = ServiceState::kRunning;
  beat.beat_ms = beat.started_ms = wall_ms();
  beat.waits = {{"learner", "replay/rollout", "needs 1 item, has 0", wall_ms() - 3000, 3000}};
  Registration registration("alpha", "learner", 60000);
  ASSERT_TRUE(registration.take(*writer).ok());
  ASSERT_TRUE(registration.beat(*writer, beat).ok());
  start();
  const Json answer = json("/api/runs/alpha/services");
  ASSERT_EQ(answer["services"].size(), 1u) << answer.dump();
  EXPECT_NE(answer.dump().find("needs 1 item, has 0"), std::string::npos);
  EXPECT_NE(answer["text"].get<std::string>().find("replay"), std::string::npos) << answer["text"];
}

TEST_F(Gateway, SaysWhyThereIsNoServiceRow) {
  make_run("beta");
  start();
  const Json answer = json("/api/runs/beta/services");
  EXPECT_EQ(answer["services"].size(), 0u);
  EXPECT_NE(answer["note"], "");
}

TEST_F(Gateway, StreamsServicesAndNewRows) {
  row("alpha", "learner", {{"step", 1}});
  GatewayOptions options;
  options.refresh_ms = 50;
  start(options);
  Listener tab(gateway->port(), "/api/events?runs=alpha");
  ASSERT_TRUE(tab.hears("event: services"));
  row("alpha", "learner", {{"step", 77}});
  EXPECT_TRUE(tab.hears("{\"step\":77}")) << tab.text();
  make_run("newcomer");
  EXPECT_TRUE(tab.hears("newcomer"));
}

TEST_F(Gateway, AnswersWithin100MillisecondsBeside20OpenTabs) {
  for (int i = 0; i < 2000; ++i)
    row("alpha", "learner", {{"step", i}, {"t", i}, {"loss", {{"policy", 0.5}}}});
  GatewayOptions options;
  options.refresh_ms = 100;
  start(options);
  std::vector<std::unique_ptr<Listener>> tabs;
  for (int i = 0; i < 20; ++i)
    tabs.push_back(std::make_unique<Listener>(gateway->port(), "/api/events?runs=alpha"));
  for (auto& tab : tabs) ASSERT_TRUE(tab->hears("event: services"));
  EXPECT_EQ(json("/api/health")["tabs"], 20);
  std::vector<double> seconds;
  for (int i = 0; i < 60; ++i) {
    row("alpha", "learner", {{"step", 2000 + i}});
    const int64_t begin = steady_ns();
    const httplib::Result result = get(i % 2 ? "/api/runs" : "/api/runs/alpha/services");
    ASSERT_TRUE(result);
    seconds.push_back(seconds_since(begin));
  }
  std::sort(seconds.begin(), seconds.end());
  EXPECT_LT(seconds[seconds.size() * 95 / 100], 0.1) << "slowest " << seconds.back();
  for (auto& tab : tabs) EXPECT_TRUE(tab->hears("{\"step\":2059}"));
}

TEST_F(Gateway, RefusesATabBeyondItsBoundAndStillAnswers) {
  GatewayOptions options;
  options.tabs = 1;
  start(options);
  Listener tab(gateway->port(), "/api/events");
  ASSERT_TRUE(tab.hears("event: hello"));
  EXPECT_NE(json("/api/events", 503)["error"].get<std::string>().find("[gateway] tabs"),
            std::string::npos);
  json("/api/health");
}

TEST_F(Gateway, ForgetsATabThatWentAway) {
  GatewayOptions options;
  options.refresh_ms = 50;
  start(options);
  {
    Listener tab(gateway->port(), "/api/events?runs=alpha");
    ASSERT_TRUE(tab.hears("event: services"));
  }
  const Deadline deadline = Deadline::after_ms(3000);
  while (json("/api/health")["tabs"] != 0 && !deadline.expired())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(json("/api/health")["tabs"], 0);
}

TEST_F(Gateway, StopsWithinASecondWithTabsAndAHalfSentRequestOpen) {
  start();
  Listener tab(gateway->port(), "/api/events?runs=alpha");
  ASSERT_TRUE(tab.hears("event: services"));
  const int port = gateway->port();
  std::thread slow([port] { raw(port, "GET /api/health HTTP/1.1\r\nHost: x"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const int64_t begin = steady_ns();
  gateway->stop();
  EXPECT_LT(seconds_since(begin), 1.0);
  slow.join();
  gateway->start();
  json("/api/health");
}

TEST_F(Gateway, RefusesEveryWayOutOfTheRunsFolder) {
  write_atomic(root / "secret.json", "{\"secret\":1}");
  start();
  for (const char* path :
       {"/api/runs/..", "/api/runs/%2e%2e", "/api/runs/..%2f..",
        "/api/runs/alpha/recordings/..%2f..%2f..%2fsecret", "/api/runs/alpha/recordings/%2e%2e",
        "/api/runs/alpha/metrics/..%2f..%2fsecret", "/../../etc/passwd",
        "/assets/../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
        "/api/runs/alpha/recordings/a%00b"}) {
    const std::string answer =
        raw(gateway->port(), str("GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_EQ(answer.find("HTTP/1.1 4"), 0u) << path << "\n" << answer;
    EXPECT_EQ(answer.find("secret\":1"), std::string::npos) << path;
    EXPECT_NE(answer.find("{\"error\":"), std::string::npos) << path << "\n" << answer;
  }
}

TEST_F(Gateway, AnswersBadRequestsWithOneSentence) {
  start();
  EXPECT_NE(json("/api/runs/alhpa", 404)["error"].get<std::string>().find("did you mean \"alpha\""),
            std::string::npos);
  EXPECT_NE(json("/api/runs/alpha/metrics/learner?after=-1", 400)["error"].get<std::string>().find(
                "after"),
            std::string::npos);
  EXPECT_NE(json("/api/nothing", 404)["error"].get<std::string>().find("/api/openapi.json"),
            std::string::npos);
  httplib::Client client("127.0.0.1", gateway->port());
  const httplib::Result posted = client.Post("/api/runs", "{}", "application/json");
  ASSERT_TRUE(posted);
  EXPECT_GE(posted->status, 400);
  EXPECT_TRUE(Json::parse(posted->body).contains("error"));
  for (const std::string& junk : {std::string("\x16\x03\x01 junk\r\n\r\n"),
                                  "GET /" + std::string(20000, 'a') + " HTTP/1.1\r\n\r\n",
                                  std::string("GET / HTTP/9.9\r\n\r\n")})
    EXPECT_EQ(raw(gateway->port(), junk).find("HTTP/1.1 2"), std::string::npos);
  json("/api/health");
}

TEST_F(Gateway, AsksForTheTokenWhereOneIsSet) {
  GatewayOptions options;
  options.token = "letmein";
  start(options);
  EXPECT_EQ(json("/api/runs", 401)["error"],
            "this gateway asks for a token: send the header Authorization: Bearer TOKEN");
  EXPECT_EQ(get("/api/runs", {{"Authorization", "Bearer wrong!!"}})->status, 401);
  EXPECT_EQ(get("/api/runs", {{"Authorization", "Bearer letmein"}})->status, 200);
  EXPECT_EQ(get("/api/health")->status, 200) << "health checks need no token";
  EXPECT_EQ(get("/")->status, 200) << "the page asks for the token itself";
  EXPECT_NE(gateway->url().find("#token=letmein"), std::string::npos);
}

TEST_F(Gateway, NamesTheAddressAndTheKeyWhenThePortIsTaken) {
  start();
  GatewayOptions options;
  options.address = gateway->address();
  GatewayService second(runs(), "alpha", *writer, options);
  try {
    second.start();
    FAIL() << "two gateways on one port";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find(options.address), std::string::npos) << text;
    EXPECT_NE(text.find("[gateway] address"), std::string::npos) << text;
    EXPECT_NE(text.find("in use"), std::string::npos) << text;
  }
}

TEST_F(Gateway, RefusesAMalformedAddress) {
  for (const char* address : {"nonsense", "127.0.0.1:", ":80", "127.0.0.1:99999", "127.0.0.1:8x"}) {
    GatewayOptions options;
    options.address = address;
    GatewayService service(runs(), "alpha", *store, options);
    EXPECT_THROW(service.start(), Error) << address;
  }
}

TEST_F(Gateway, ServesTheDashboardAndKnowsAnUnchangedFile) {
  start();
  const httplib::Result page = get("/");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(page->body.find("<title>OneAgent</title>"), std::string::npos);
  const httplib::Result script = get("/assets/dashboard.js");
  EXPECT_EQ(script->status, 200);
  EXPECT_EQ(
      get("/assets/dashboard.js", {{"If-None-Match", script->get_header_value("ETag")}})->status,
      304);
  EXPECT_EQ(get("/assets/other.js")->status, 404);
}

TEST_F(Gateway, DocumentsEveryRouteAsItAnswers) {
  row("alpha", "learner", {{"step", 1}});
  write_atomic(runs() / "alpha" / "recordings" / "1-0.json", "{\"env\":\"grid_path\"}");
  GatewayOptions options;
  options.refresh_ms = 50;
  start(options);
  const Json document = json("/api/openapi.json");
  EXPECT_EQ(document["openapi"].get<std::string>().substr(0, 2), "3.");
  for (const char* path :
       {"/api/health", "/api/version", "/api/runs", "/api/runs/{run}", "/api/runs/{run}/services",
        "/api/runs/{run}/metrics/{service}", "/api/runs/{run}/recordings",
        "/api/runs/{run}/recordings/{name}", "/api/events", "/api/openapi.json"})
    EXPECT_TRUE(document["paths"].contains(path)) << path;
  const std::map<std::string, std::string> values = {
      {"run", "alpha"}, {"service", "learner"}, {"name", "1-0"}};
  for (const auto& [path, item] : document["paths"].items()) {
    if (path == "/api/events") continue;
    std::string filled = path;
    for (const Json& parameter : item["get"]["parameters"]) {
      if (parameter["in"] != "path") continue;
      const std::string name = parameter["name"];
      ASSERT_NE(filled.find("{" + name + "}"), std::string::npos) << path;
      filled.replace(filled.find("{" + name + "}"), name.size() + 2, values.at(name));
    }
    EXPECT_EQ(filled.find('{'), std::string::npos)
        << "a parameter of " << path << " is not documented";
    const Json answer = json(filled);
    for (const auto& [mime, content] : item["get"]["responses"]["200"]["content"].items())
      for (const Json& key : content["schema"].value("required", Json::array()))
        EXPECT_TRUE(answer.contains(key.get<std::string>())) << path << " lacks " << key;
  }
}

TEST_F(Gateway, KeepsAnsweringWhenTheRunsFolderIsMissing) {
  fs::remove_all(runs());
  start();
  EXPECT_EQ(json("/api/runs")["runs"].size(), 0u);
  json("/api/runs/alpha", 404);
}

}  // namespace
}  // namespace oneagent
