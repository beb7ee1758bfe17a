// A runs folder with one small run, a SQLite store, and a gateway over both on a free port.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/service/registration.h"
#include "core/store/store.h"
#include "services/gateway/gateway_service.h"
#include "services/gateway/httplib.h"

namespace oneagent {

class Gateway : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    root = fs::temp_directory_path() / str("oneagent-gateway-", ::getpid(), "-", test->name());
    fs::remove_all(root);
    make_run("alpha");
    store_address = "sqlite:" + (root / "store.sqlite").string();
    store = open_store(store_address).value();
    writer = open_store(store_address).value();
  }
  void TearDown() override {
    gateway.reset();
    fs::remove_all(root);
  }

  fs::path runs() const { return root / "runs"; }
  fs::path metrics(const std::string& run, const std::string& service) const {
    return runs() / run / "metrics" / (service + ".jsonl");
  }

  void make_run(const std::string& run, int seed = 1) {
    fs::create_directories(runs() / run / "metrics");
    fs::create_directories(runs() / run / "recordings");
    const Json config = {{"run", {{"name", run}, {"seed", seed}}},
                         {"env", {{"name", "grid_path"}}},
                         {"algorithm", {{"name", "ppo"}}}};
    const Json file = {
        {"config", config}, {"hash", "abc"}, {"code_version", "0.1.0+test"}, {"schema_version", 1}};
    write_atomic(runs() / run / "resolved.json", file.dump());
  }
  void row(const std::string& run, const std::string& service, const Json& values) {
    append_line(metrics(run, service), values.dump());
  }

  GatewayService& start(GatewayOptions options = {}) {
    if (options.address == GatewayOptions{}.address) options.address = "127.0.0.1:0";
    gateway = std::make_unique<GatewayService>(runs(), "alpha", *store, options);
    gateway->start();
    return *gateway;
  }

  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
    httplib::Client client("127.0.0.1", gateway->port());
    client.set_read_timeout(5);
    return client.Get(path, headers);
  }
  Json json(const std::string& path, int status = 200) const {
    const httplib::Result result = get(path);
    EXPECT_TRUE(result) << path << ": " << httplib::to_string(result.error());
    if (!result) return nullptr;
    EXPECT_EQ(result->status, status) << path << ": " << result->body;
    return Json::parse(result->body);
  }

  fs::path root;
  std::string store_address;
  std::unique_ptr<Store> store;
  std::unique_ptr<Store> writer;  // what services use, beside the gateway's own
  std::unique_ptr<GatewayService> gateway;
};

}  // namespace oneagent
