#include "services/gateway/gateway_service.h"

#include "core/base/check.h"
#include "core/base/clock.h"
#include "services/gateway/api.h"
#include "services/gateway/event_hub.h"
#include "services/gateway/http_server.h"
#include "services/gateway/live_watch.h"
#include "services/gateway/run_folder.h"

namespace oneagent {
namespace {

constexpr int kAnsweringThreads = 16;  // beside one for each open tab

}  // namespace

// Members end in reverse order: the server first, so that nobody asks a source that is gone.
struct GatewayService::Parts {
  Parts(const fs::path& folder_path, const std::string& run, Store& store,
        const GatewayOptions& options)
      : folder(folder_path),
        hub(static_cast<size_t>(options.tabs)),
        watch(folder, store, hub, run, options.refresh_ms),
        api({folder, watch, hub, run, options.token, wall_ms()}),
        server(options.address, options.tabs + kAnsweringThreads,
               [this](const HttpRequest& request) { return api.answer(request); }) {}
  ~Parts() {
    hub.close();
    server.stop();
    watch.stop();
  }

  RunFolder folder;
  EventHub hub;
  LiveWatch watch;
  Api api;
  HttpServer server;
};

GatewayService::GatewayService(fs::path runs_folder, std::string run, Store& store,
                               GatewayOptions options)
    : runs_folder_(std::move(runs_folder)),
      run_(std::move(run)),
      store_(store),
      options_(std::move(options)) {
  OA_REQUIRE(run_.empty() || is_plain_name(run_),
             "gateway: the run's name may hold letters, digits, '.', '_', '-', was \"", run_, "\"");
}

GatewayService::~GatewayService() { stop(); }

void GatewayService::start() {
  OA_REQUIRE(parts_ == nullptr, "gateway: started twice");
  parts_ = std::make_unique<Parts>(runs_folder_, run_, store_, options_);
}

void GatewayService::stop() { parts_.reset(); }

bool GatewayService::running() const { return parts_ != nullptr; }

std::string GatewayService::address() const {
  OA_REQUIRE(parts_ != nullptr, "gateway: has no address before start()");
  return parts_->server.address();
}

int GatewayService::port() const {
  OA_REQUIRE(parts_ != nullptr, "gateway: has no port before start()");
  return parts_->server.port();
}

std::string GatewayService::url() const {
  std::string at = address();
  if (at.rfind("0.0.0.0:", 0) == 0)
    at = "localhost" + at.substr(7);  // bound to every interface: a link needs one
  const std::string token = options_.token.empty() ? "" : "#token=" + options_.token;
  return "http://" + at + "/" + token;
}

}  // namespace oneagent
