#include "services/cli/services_of_run.h"

#include "core/base/folder_lock.h"
#include "core/base/log.h"
#include "core/base/version.h"
#include "core/net/address.h"
#include "core/store/store.h"
#include "services/actor/actor_service.h"
#include "services/evaluator/evaluator_service.h"
#include "services/gateway/gateway_service.h"
#include "services/learner/learner_service.h"
#include "services/replay/replay.h"
#include "services/replay/replay_service.h"

namespace oneagent {
namespace {

// The gateway as a service of a run: it has a thread of its own, so run() only waits.
class GatewayRunner final : public Service {
 public:
  explicit GatewayRunner(const Experiment& e) : e_(e) {}
  std::string name() const override { return "gateway"; }
  int drain_stage() const override { return 3; }
  void run(ServiceContext& context) override {
    Result<std::unique_ptr<Store>> store = open_store(e_.place.store, {500, true});
    OA_REQUIRE(store.ok(), "gateway: ", store.status().message());
    GatewayService gateway(e_.run.folder, e_.place.run, **store, e_.gateway);
    gateway.start();
    context.ready(gateway.address());
    log_info("dashboard: ", gateway.url());
    while (!context.wait_draining(Deadline::after_ms(60000))) {
    }
    gateway.stop();
  }

 private:
  const Experiment& e_;
};

}  // namespace

void prepare_run_folder(const Experiment& e) {
  make_folder(e.place.folder);
  for (const char* name : {"metrics", "checkpoints", "weights", "recordings", "segments", "audit"})
    make_folder(e.place.folder / name);
  const fs::path file = e.place.folder / "resolved.json";
  if (fs::exists(file)) {
    const Json known = Json::parse(read_text(file), nullptr, false);
    OA_REQUIRE(known.is_object() && known.contains("hash"), "run folder ", e.place.folder.string(),
               ": resolved.json is damaged");
    OA_REQUIRE(known["hash"] == e.hash, "run folder ", e.place.folder.string(),
               " belongs to another experiment (configuration ",
               known["hash"].get<std::string>().substr(0, 12), ", this one is ",
               e.hash.substr(0, 12), "); choose another [run] name");
  }
  write_atomic(file, Json({{"run", e.place.run},
                           {"config", e.resolved},
                           {"hash", e.hash},
                           {"code_version", code_version()},
                           {"schema", kSchemaVersion}})
                         .dump(2));
}

Experiment experiment_of_run(const fs::path& run_folder, const std::vector<std::string>& overrides,
                             const Registry& registry) {
  OA_REQUIRE(!run_folder.empty(),
             "the name of the run folder is empty; give one, such as "
             "runs/ppo-cartpole");
  const fs::path file = run_folder / "resolved.json";
  OA_REQUIRE(fs::exists(file), "run folder ", run_folder.string(),
             ": resolved.json is missing; give the folder of a run, such as runs/ppo-cartpole");
  const Json saved = Json::parse(read_text(file), nullptr, false);
  OA_REQUIRE(saved.is_object() && saved.contains("config"), "run folder ", run_folder.string(),
             ": resolved.json is damaged");
  Config config = Config::from_json(saved.at("config"), file.string());
  for (const std::string& text : overrides)
    OA_REQUIRE(!text.starts_with("run.name=") && !text.starts_with("run.folder="), "--set ", text,
               ": has no effect here, the run is the folder ", run_folder.string());
  config.override_with(overrides);
  const fs::path absolute = fs::absolute(run_folder).lexically_normal();
  const fs::path folder = absolute.has_filename() ? absolute : absolute.parent_path();
  config.set("run", "folder", folder.parent_path().string());
  config.set("run", "name", folder.filename().string());
  return read_experiment(std::move(config), registry);
}

void check_ring(const Registry& registry, const Experiment& e) {
  net::parse_address(e.replay.address);
  net::parse_address(e.learner.address);
  if (!e.learner.bind.empty()) net::parse_address(e.learner.bind);
  const Status store = check_store_address(e.place.store);
  OA_REQUIRE(store.ok(), store.message());
  net::Context context;
  make_ring(context, registry, e, true);
}

void require_idle(const Experiment& e) {
  const FolderLock lock(ReplayFolders::of_run(e.place.folder).segments, "run");
}

void use_inproc(Experiment& e) {
  e.replay.address = "inproc://replay";
  e.learner.address = "inproc://learner";
  e.learner.bind = "";
}

std::unique_ptr<Service> make_service(const std::string& name, int actor_index,
                                      net::Context& context, const Registry& registry,
                                      const Experiment& e) {
  if (name == "actor") return std::make_unique<ActorService>(context, registry, e, actor_index);
  if (name == "learner") return std::make_unique<LearnerService>(context, registry, e);
  if (name == "evaluator") return std::make_unique<EvaluatorService>(context, registry, e);
  if (name == "gateway") return std::make_unique<GatewayRunner>(e);
  OA_CHECK(name == "replay", "unknown service ", name);
  return std::make_unique<ReplayService>(
      context, e.replay, e.place,
      std::vector<ring::TableSpec>{make_algorithm(e, registry)->needs().table});
}

std::vector<std::unique_ptr<Service>> make_ring(net::Context& context, const Registry& registry,
                                                const Experiment& e, bool gateway) {
  std::vector<std::unique_ptr<Service>> services;
  services.push_back(make_service("replay", 0, context, registry, e));
  services.push_back(make_service("learner", 0, context, registry, e));
  for (int i = 0; i < e.actor.count; ++i)
    services.push_back(make_service("actor", i, context, registry, e));
  services.push_back(make_service("evaluator", 0, context, registry, e));
  if (gateway) services.push_back(make_service("gateway", 0, context, registry, e));
  return services;
}

}  // namespace oneagent
