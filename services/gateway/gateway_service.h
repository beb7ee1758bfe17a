// The gateway: HTTP/JSON and live events over the runs folder and the store, and the dashboard. It
// only reads, so that nothing a browser does can hold up training.
//
//   GatewayService gateway("runs", "cartpole-7", *store, options);
//   gateway.start();                      // Error when [gateway] address cannot be taken
//   log_info("dashboard: ", gateway.url());
//   ...
//   gateway.stop();                       // within a second; the destructor does it too
#pragma once

#include <memory>
#include <string>

#include "core/base/file.h"
#include "core/store/store.h"
#include "services/gateway/gateway_options.h"

namespace oneagent {

class GatewayService final {
 public:
  // `run` is the run this gateway belongs to, shown first; "" when it serves a folder of runs only.
  // The store is borrowed and used on the gateway's own thread alone from start() to stop(): give
  // it one of its own, opened with a short timeout (stop() waits for the call in progress).
  GatewayService(fs::path runs_folder, std::string run, Store& store, GatewayOptions options);
  ~GatewayService();
  GatewayService(const GatewayService&) = delete;
  GatewayService& operator=(const GatewayService&) = delete;

  void start();
  void stop();
  bool running() const;

  // After start(): "127.0.0.1:8080" with the port that was bound, and the same as a link that a
  // person can open.
  std::string address() const;
  std::string url() const;
  int port() const;

 private:
  struct Parts;
  const fs::path runs_folder_;
  const std::string run_;
  Store& store_;
  const GatewayOptions options_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace oneagent
