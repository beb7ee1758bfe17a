#include "services/learner/learner_service.h"

#include <thread>

#include "core/base/log.h"
#include "core/io/safetensors.h"
#include "core/net/broadcast_publisher.h"
#include "core/net/incarnation.h"
#include "core/nn/state.h"
#include "core/optim/state.h"
#include "core/store/store.h"
#include "services/learner/checkpointer.h"
#include "services/learner/rank_team.h"
#include "services/learner/weights_message.h"

namespace oneagent {
namespace {

constexpr int64_t kDrainPatienceMs = 1500;  // for one answer of the replay
constexpr int64_t kFinishMs = 500;          // for the final weights

}  // namespace

class LearnerService::Loop {
 public:
  Loop(LearnerService& owner, ServiceContext& context)
      : e_(owner.experiment_),
        context_(context),
        algorithm_(make_algorithm(e_, owner.registry_)),
        needs_(algorithm_->needs()),
        replay_(owner.net_, context.waits(), {e_.replay.address, "learner", e_.place.run}),
        trainer_(
            *algorithm_, seed_of({static_cast<uint64_t>(e_.run.seed), hash_text("learner")}),
            [this] { return sample(); },
            [this](const Learn::Sample& s, const std::vector<double>& p) { set_priorities(s, p); },
            e_.place.folder / "fault", e_.learner.graph),
        checkpointer_(replay_, e_.place.folder, e_.hash, e_.learner.keep_checkpoints,
                      e_.run.mode != "async", [this](int64_t ms) { return patience(ms); }),
        publisher_(owner.net_,
                   {"learner", net::parse_address(e_.learner.bind.empty() ? e_.learner.address
                                                                          : e_.learner.bind)}),
        metrics_(e_.place.folder, "learner"),
        incarnation_(net::make_incarnation()),
        wake_(context, [this] { trainer_.set_stop(); }) {
    if (e_.learner_mesh.ranks() > 1)
      team_ = std::make_unique<RankTeam>(
          e_.learner_mesh, trainer_,
          [&owner] { return make_algorithm(owner.experiment_, owner.registry_); },
          static_cast<uint64_t>(e_.run.seed), e_.place.folder / "fault", e_.learner.graph);
    if (Result<std::unique_ptr<Store>> store = open_store(e_.place.store); store.ok())
      store_ = *std::move(store);
  }

  void run() {
    if (!restore()) return;
    started_ns_ = steady_ns();
    last_checkpoint_ns_ = started_ns_;
    context_.ready(publisher_.address().text());
    publish(checkpointer_.epoch(), finished());
    while (!context_.draining() && !finished()) {
      update_progress();
      const int64_t iteration_started = steady_ns();
      waited_ns_ = 0;
      Result<std::map<std::string, double>> metrics = algorithm_->learn(trainer_);
      if (!metrics.ok()) {
        if (trainer_.stop()) break;
        throw_error(str("learner: ", metrics.status().message()));
      }
      ++counters_.version;
      ++counters_.updates;
      counters_.env_steps = base_steps_ + trainer_.sampled_steps();
      report(*metrics, iteration_started);
      const bool done = finished();
      publish(checkpoint_due() && !done ? begin_checkpoint() : 0, false);
      if (!checkpointer_.waits_for().empty()) checkpointer_.poll();
    }
    finish();
  }

 private:
  // Returns the run to its newest checkpoint, or makes the first one. False when drained before the
  // replay answered.
  bool restore() {
    const std::optional<Checkpointer::Counters> found = checkpointer_.restore(trainer_);
    if (found) {
      counters_ = *found;
      log_info("restored checkpoint epoch ", checkpointer_.epoch(), ": version ", counters_.version,
               ", ", counters_.env_steps, " steps");
    }
    base_steps_ = counters_.env_steps - trainer_.sampled_steps();
    base_elapsed_s_ = counters_.elapsed_s;
    const RollbackMode mode =
        e_.run.mode == "sync" ? RollbackMode::kExact : RollbackMode::kKeepNewer;
    while (!context_.draining()) {
      const Result<ReplayRollback> rolled = replay_.rollback(
          checkpointer_.epoch(), mode, Deadline::after_ms(2000), checkpointer_.replay_sha256());
      if (rolled.ok()) {
        if (rolled->consumed_uncommitted > 0)
          log_warning(rolled->consumed_uncommitted,
                      " sampled items since the checkpoint were not kept (replay.retain_bytes)");
        if (!found) begin_checkpoint();
        return true;
      }
      // What no wait can cure: a foreign replay, a damaged or missing file.
      OA_REQUIRE(absl::IsDeadlineExceeded(rolled.status()) ||
                     absl::IsUnavailable(rolled.status()) ||
                     absl::IsResourceExhausted(rolled.status()),
                 "learner: ", rolled.status().message());
      context_.note_error(rolled.status().message());
    }
    return false;
  }

  // The replay may drain at the same time and answer no more: the drain keeps its own deadline.
  Deadline patience(int64_t ms) const {
    if (!context_.draining()) return Deadline::after_ms(ms);
    const int64_t left = context_.drain_deadline().left_ms() - kFinishMs;
    return Deadline::after_ms(std::clamp<int64_t>(left, 0, std::min(ms, kDrainPatienceMs)));
  }

  Result<ring::SampleBatch> sample() {
    const int64_t started = steady_ns();
    bool told = false;
    while (!trainer_.stop()) {
      Result<ring::SampleBatch> batch =
          replay_.sample(needs_.table.name, needs_.items_per_sample, Deadline::after_ms(200));
      if (batch.ok() || !absl::IsDeadlineExceeded(batch.status())) {
        waited_ns_ += steady_ns() - started;
        if (batch.ok() || !absl::IsUnavailable(batch.status())) return batch;
      }
      if (!told && seconds_since(started) > e_.learner.sample_timeout_s) {
        told = true;
        log_warning("no data for ", e_.learner.sample_timeout_s, " s: ", batch.status().message());
      }
      if (out_of_time()) trainer_.set_stop();
      if (!told) continue;
      if (!checkpointer_.waits_for().empty()) checkpointer_.poll();
    }
    return absl::CancelledError("the run is stopping");
  }

  void set_priorities(const Learn::Sample& sample, const std::vector<double>& priorities) {
    std::vector<PriorityUpdate> updates;
    for (size_t i = 0; i < priorities.size(); ++i)
      updates.push_back({sample.keys[i], sample.generations[i], priorities[i]});
    const Result<uint64_t> late =
        replay_.set_priorities(needs_.table.name, updates, Deadline::after_ms(1000));
    if (!late.ok()) context_.note_error(late.status().message());
  }

  // Chunks that each actor may have sent by now, when updates consume `items_per_sample` of them.
  int64_t granted() const {
    if (needs_.item.kind != ItemShape::Kind::kRollout || e_.run.mode == "async")
      return std::numeric_limits<int64_t>::max();
    const int64_t per_actor = needs_.items_per_sample / e_.actor.count;
    return (counters_.updates + 1 + e_.lag()) * per_actor;
  }

  void publish(int64_t epoch, bool final) {
    if (epoch > 0) published_epoch_ = epoch;
    ring::Weights weights;
    weights.version = counters_.version;
    weights.epoch = published_epoch_;
    weights.env_steps = counters_.env_steps;
    weights.granted = final ? 0 : granted();
    weights.incarnation = incarnation_;
    weights.final = final;
    weights.config_hash = e_.hash;
    weights.tensors = trainer_.model_state();
    if (const Status sent = publisher_.publish(weights.version, to_message(weights)); !sent.ok())
      throw_error(str("learner: weights version ", weights.version,
                      " cannot be published: ", sent.message()));
    context_.version("policy", counters_.version);
  }

  bool checkpoint_due() const {
    if (e_.learner.checkpoint_updates > 0)
      return counters_.updates % e_.learner.checkpoint_updates == 0;
    return e_.learner.checkpoint_seconds > 0 &&
           seconds_since(last_checkpoint_ns_) >= e_.learner.checkpoint_seconds;
  }

  // The new epoch, or 0 when it could not be begun; training goes on with the last complete one.
  int64_t begin_checkpoint() {
    last_checkpoint_ns_ = steady_ns();
    counters_.elapsed_s = elapsed_s();
    const Result<int64_t> epoch = checkpointer_.begin(trainer_, counters_);
    if (epoch.ok()) {
      context_.clear_problem("disk");
      return *epoch;
    }
    context_.problem("disk", str("checkpoint not written: ", epoch.status().message()));
    log_warning("checkpoint not written: ", epoch.status().message(),
                "; the last complete one stands");
    return 0;
  }

  double elapsed_s() const { return base_elapsed_s_ + seconds_since(started_ns_); }

  void update_progress() {
    double progress = 0;
    if (e_.stop.steps > 0)
      progress = static_cast<double>(counters_.env_steps) / static_cast<double>(e_.stop.steps);
    if (e_.stop.minutes > 0) progress = std::max(progress, elapsed_s() / (60 * e_.stop.minutes));
    trainer_.set_progress(std::clamp(progress, 0.0, 1.0));
    context_.metric("progress", std::clamp(progress, 0.0, 1.0));
  }

  bool out_of_time() const { return e_.stop.minutes > 0 && elapsed_s() >= 60 * e_.stop.minutes; }

  bool finished() {
    if (e_.stop.steps > 0 && counters_.env_steps >= e_.stop.steps) return true;
    if (out_of_time()) return true;
    return e_.stop.eval_return != 0 && evaluated_well();
  }

  // The evaluator's newest score, looked up at most twice a second.
  bool evaluated_well() {
    if (solved_ || store_ == nullptr || seconds_since(looked_ns_) < 0.5) return solved_;
    looked_ns_ = steady_ns();
    const Result<StoreEntry> entry = store_->get(str("runs/", e_.place.run, "/evaluation"));
    if (!entry.ok()) return false;
    const Json score = Json::parse(entry->value, nullptr, false);
    solved_ = score.is_object() && score.value("eval_return", 0.0) >= e_.stop.eval_return;
    return solved_;
  }

  void report(const std::map<std::string, double>& metrics, int64_t iteration_started) {
    const double seconds = seconds_since(iteration_started);
    const double rate =
        static_cast<double>(counters_.env_steps - reported_steps_) / std::max(1e-9, seconds);
    reported_steps_ = counters_.env_steps;
    smooth_rate_ = smooth_rate_ == 0 ? rate : 0.9 * smooth_rate_ + 0.1 * rate;
    const double wait_share = static_cast<double>(waited_ns_) * 1e-9 / std::max(1e-9, seconds);
    context_.metric("steps", static_cast<double>(counters_.env_steps));
    context_.metric("steps_per_s", smooth_rate_);
    context_.metric("wait_share", wait_share);
    context_.metric("elapsed_s", elapsed_s());
    for (const auto& [name, value] : metrics) context_.metric("loss." + name, value);
    Json row = {{"step", counters_.env_steps},
                {"version", counters_.version},
                {"updates", counters_.updates},
                {"steps_per_s", smooth_rate_},
                {"wait_share", wait_share},
                {"elapsed_s", elapsed_s()},
                {"loss", metrics}};
    if (const Status written = metrics_.write(std::move(row)); !written.ok())
      context_.problem("metrics", written.message());
  }

  // The last checkpoint, then the end of the run or a quiet stop that can be resumed.
  void finish() {
    const bool done = finished();
    const int64_t epoch = begin_checkpoint();
    publish(epoch, false);
    const Deadline until = patience(5000);
    while (!checkpointer_.poll() && !until.expired()) {
      WaitScope wait(context_.waits(), "learner", "actors", checkpointer_.waits_for());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!checkpointer_.complete())
      log_warning("the last checkpoint is not complete: waited for ", checkpointer_.waits_for());
    io::save_safetensors(e_.place.folder / "weights" / "final.safetensors", trainer_.model_state());
    if (!done) return;
    write_atomic(finished_file(e_),
                 Json({{"version", counters_.version}, {"env_steps", counters_.env_steps}}).dump());
    publish(0, true);
    // Late readers of the final weights: the publisher serves them while it lives.
    for (int i = 0; i < 20 && !context_.draining(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }

  const Experiment& e_;
  ServiceContext& context_;
  std::unique_ptr<Algorithm> algorithm_;
  const Needs needs_;
  ReplaySampler replay_;
  Trainer trainer_;
  std::unique_ptr<RankTeam> team_;  // null: one rank
  Checkpointer checkpointer_;
  net::BroadcastPublisher publisher_;
  MetricsFile metrics_;
  std::unique_ptr<Store> store_;
  const uint64_t incarnation_;
  const DrainWake wake_;
  Checkpointer::Counters counters_;
  int64_t base_steps_ = 0;
  double base_elapsed_s_ = 0;
  int64_t started_ns_ = 0, last_checkpoint_ns_ = 0, looked_ns_ = 0, waited_ns_ = 0;
  int64_t published_epoch_ = 0;
  int64_t reported_steps_ = 0;
  double smooth_rate_ = 0;
  bool solved_ = false;
};

LearnerService::LearnerService(net::Context& context, const Registry& registry,
                               const Experiment& experiment)
    : net_(context), registry_(registry), experiment_(experiment) {
  const Needs needs = make_algorithm(experiment, registry)->needs();
  OA_REQUIRE(needs.item.kind != ItemShape::Kind::kRollout ||
                 needs.items_per_sample % experiment.actor.count == 0,
             "config: [algorithm] chunks is ", needs.items_per_sample,
             ", it must be a multiple of [actor] count, which is ", experiment.actor.count);
}

void LearnerService::run(ServiceContext& context) { Loop(*this, context).run(); }

}  // namespace oneagent
