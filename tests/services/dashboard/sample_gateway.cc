// A real gateway over made-up runs, steered by a browser test through lines on stdin:
//   stop | start      the gateway goes away and comes back at the same address
//   append            one more evaluation of run grid-a
//   wait | flow       the learner waits for replay, or not
//   end               (or end of input) leave
// Each line is answered with "ok". The first line of output is {"url": ...}.
#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/json.h"
#include "core/service/registration.h"
#include "core/store/store.h"
#include "services/gateway/gateway_service.h"
#include "tests/services/dashboard/sample_run.h"

namespace oneagent {
namespace {

constexpr int kBeatMs = 400;
constexpr int kLeaseMs = 2000;
const char* const kRun = "grid-a";

// Beats for the services of one run on a thread of its own.
class SampleServices final {
 public:
  explicit SampleServices(const std::string& store_address)
      : thread_([this, store_address] { loop(store_address); }) {}
  ~SampleServices() {
    stopping_ = true;
    thread_.join();
  }
  void set_waiting(bool waiting) { waiting_since_ms_ = waiting ? wall_ms() : 0; }

 private:
  Heartbeat beat(const std::string& service) const {
    Heartbeat beat;
    beat.service = service;
    beat.state = ServiceState::kRunning;
    beat.started_ms = started_ms_;
    beat.beat_ms = wall_ms();
    beat.host = "sample";
    beat.address = service == "replay" ? "ipc:///tmp/sample/replay" : "";
    if (service != "replay" && service != "gateway")
      beat.versions["policy"].now = service == "actor-1" ? 399 : 400;
    if (service.starts_with("actor")) beat.metrics["steps_per_s"] = 4512;
    if (service == "learner") beat.metrics["steps_per_s"] = 9021;
    const int64_t since = waiting_since_ms_;
    if (since > 0 && service == "learner")
      beat.waits = {
          {"learner", "replay/rollout", "needs 16 items, has 3", since, wall_ms() - since}};
    if (since > 0 && service == "replay")
      beat.waits = {{"replay", "actors", "no chunk has arrived", since, wall_ms() - since}};
    return beat;
  }

  void loop(const std::string& store_address) {
    const auto store = open_store(store_address).value();
    std::vector<Registration> registrations;
    for (const char* service : {"actor-0", "actor-1", "replay", "learner", "evaluator", "gateway"})
      registrations.emplace_back(kRun, service, kLeaseMs);
    while (!stopping_) {
      for (Registration& registration : registrations) {
        const Status beaten = registration.beat(*store, beat(registration.service()));
        OA_CHECK(beaten.ok(), beaten.message());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(kBeatMs));
    }
  }

  const int64_t started_ms_ = wall_ms();
  std::atomic<bool> stopping_{false};
  std::atomic<int64_t> waiting_since_ms_{0};
  std::thread thread_;
};

void serve(const fs::path& folder) {
  const fs::path runs = folder / "runs";
  fs::remove_all(folder);
  fs::create_directories(runs);
  const SampleRun live{kRun, "grid_path", 1, 40, 0.95, true};
  write_sample_run(runs, live);
  write_sample_run(runs, {"grid-b", "grid_path", 2, 40, 0.91, false});
  write_sample_run(runs, {"grid-c", "grid_path", 3, 38, 0.97, false});
  write_sample_run(runs, {"cartpole-1", "cartpole", 1, 12, 0.99, false});
  write_sample_run(runs, {"fresh", "cartpole", 4, 0, 0.99, false});
  const std::string store_address = "sqlite:" + (folder / "store.sqlite").string();
  const auto store = open_store(store_address).value();
  SampleServices services(store_address);

  GatewayOptions options;
  options.address = "127.0.0.1:0";
  options.refresh_ms = 200;
  auto gateway = std::make_unique<GatewayService>(runs, kRun, *store, options);
  gateway->start();
  options.address = gateway->address();
  std::cout << Json({{"url", gateway->url()}}).dump() << std::endl;
  int evaluation = live.evaluations;
  for (std::string line; std::getline(std::cin, line) && line != "end";) {
    if (line == "stop") gateway.reset();
    if (line == "start") {
      gateway = std::make_unique<GatewayService>(runs, kRun, *store, options);
      gateway->start();
    }
    if (line == "append") append_sample_rows(runs, live, ++evaluation);
    if (line == "wait" || line == "flow") services.set_waiting(line == "wait");
    std::cout << "ok" << std::endl;
  }
}

}  // namespace
}  // namespace oneagent

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: sample_gateway FOLDER\n";
    return 2;
  }
  oneagent::serve(arguments[1]);
  return 0;
}
