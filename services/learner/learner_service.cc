#include "services/learner/learner_service.h"

#include <mutex>
#include <thread>

#include "core/base/log.h"
#include "core/io/safetensors.h"
#include "core/net/broadcast_publisher.h"
#include "core/net/incarnation.h"
#include "core/nn/state.h"
#include "core/optim/state.h"
#include "core/store/store.h"
#include "services/learner/checkpointer.h"
#include "services/learner/make_ranks.h"
#include "services/learner/process_team.h"
#include "services/learner/rank_losses.h"
#include "services/learner/weights_message.h"

namespace oneagent {
namespace {

constexpr int64_t kDrainPatienceMs = 1500;  // for one answer of the replay
constexpr int64_t kFinishMs = 500;          // for the final weights

// Beginning again would not help.
bool is_final(const std::exception& error) {
  return dynamic_cast<const TrainingFault*>(&error) != nullptr ||
         dynamic_cast<const RankRefused*>(&error) != nullptr;
}

}  // namespace

class LearnerService::Loop {
 public:
  Loop(LearnerService& owner, ServiceContext& context)
      : owner_(owner),
        e_(owner.experiment_),
        context_(context),
        needs_(make_algorithm(e_, owner.registry_)->needs()),
        publisher_(owner.net_,
                   {"learner", net::parse_address(e_.learner.bind.empty() ? e_.learner.address
                                                                          : e_.learner.bind)}),
        metrics_(e_.place.folder, "learner"),
        wake_(context, [this] { stop_training(); }) {
    if (Result<std::unique_ptr<Store>> store = open_store(e_.place.store); store.ok())
      store_ = *std::move(store);
    if (const std::string crowded = too_many_ranks(e_.learner_mesh); !crowded.empty())
      log_warning(crowded);
  }

  // Trains; when ranks are lost, again from the newest checkpoint with a new team.
  void run() {
    RankLosses losses;
    while (true) {
      try {
        if (!begin()) return;
        train();
        return finish();
      } catch (const RanksCancelled& cancelled) {
        return log_info("learner: ", cancelled.what());
      } catch (const std::exception& error) {
        if (attempt_ != nullptr) attempt_->abort(error.what());
        if (!e_.learner_mesh.several() || is_final(error)) throw;
        if (context_.draining())
          return log_warning("learner: ", error.what(), "; the last complete checkpoint stands");
        losses.note(error.what(), counters_.version);
        context_.note_error(error.what());
        context_.metric("rank_losses", losses.count());
        log_warning("learner: ", error.what(),
                    "; going on from the last checkpoint with a new team");
      }
      end_attempt();
    }
  }

 private:
  // What begins anew when ranks were lost.
  struct Attempt {
    explicit Attempt(Loop& loop)
        : algorithm(make_algorithm(loop.e_, loop.owner_.registry_)),
          replay(loop.owner_.net_, loop.context_.waits(),
                 {loop.e_.replay.address, "learner", loop.e_.place.run}),
          trainer(
              *algorithm, seed_of({static_cast<uint64_t>(loop.e_.run.seed), hash_text("learner")}),
              [&loop] { return loop.sample(); },
              [&loop](const Learn::Sample& s, const std::vector<double>& p) {
                loop.set_priorities(s, p);
              },
              loop.e_.place.folder / "fault", loop.e_.learner.graph),
          checkpointer(replay, loop.e_.place.folder, loop.e_.hash, loop.e_.learner.keep_checkpoints,
                       loop.e_.run.mode != "async",
                       [&loop](int64_t ms) { return loop.patience(ms); }) {}
    void abort(const std::string& reason) const {
      if (ranks != nullptr) ranks->abort(reason);
    }
    std::unique_ptr<Algorithm> algorithm;
    ReplaySampler replay;
    Trainer trainer;
    Checkpointer checkpointer;
    std::unique_ptr<LearnerRanks> ranks;  // null: one rank
  };

  // False when drained before all was there.
  bool begin() {
    auto made = std::make_unique<Attempt>(*this);
    {
      std::lock_guard lock(attempt_mutex_);
      attempt_ = std::move(made);
      if (context_.draining()) attempt_->trainer.set_stop();
    }
    incarnation_ = net::make_incarnation();
    published_epoch_ = 0;
    if (e_.learner_mesh.several())
      attempt_->ranks = make_ranks(owner_.net_, e_, owner_.registry_, attempt_->trainer, context_,
                                   owner_.inject_);
    return restore();
  }

  void end_attempt() {
    std::unique_ptr<Attempt> over;
    {
      std::lock_guard lock(attempt_mutex_);
      over = std::move(attempt_);
    }
  }

  void stop_training() {
    std::lock_guard lock(attempt_mutex_);
    if (attempt_ != nullptr) attempt_->trainer.set_stop();
  }

  void train() {
    started_ns_ = steady_ns();
    last_checkpoint_ns_ = started_ns_;
    context_.ready(publisher_.address().text());
    publish(checkpointer().epoch(), finished());
    while (!context_.draining() && !finished()) {
      update_progress();
      const int64_t iteration_started = steady_ns();
      waited_ns_ = 0;
      Result<std::map<std::string, double>> metrics = attempt_->algorithm->learn(trainer());
      if (!metrics.ok()) {
        if (trainer().stop()) break;
        throw TrainingFault(str("learner: ", metrics.status().message()));
      }
      ++counters_.version;
      ++counters_.updates;
      counters_.env_steps = base_steps_ + trainer().sampled_steps();
      report(*metrics, iteration_started);
      const bool done = finished();
      publish(checkpoint_due() && !done ? begin_checkpoint() : 0, false);
      if (!checkpointer().waits_for().empty()) checkpointer().poll();
    }
  }

  Trainer& trainer() { return attempt_->trainer; }
  Checkpointer& checkpointer() { return attempt_->checkpointer; }

  // Returns the run to its newest checkpoint, or makes the first one. False when drained before the
  // replay answered.
  bool restore() {
    const std::optional<Checkpointer::Counters> found = checkpointer().restore(trainer());
    counters_ = found.value_or(Checkpointer::Counters{});
    reported_steps_ = counters_.env_steps;
    if (found) {
      log_info("restored checkpoint epoch ", checkpointer().epoch(), ": version ",
               counters_.version, ", ", counters_.env_steps, " steps");
    }
    base_steps_ = counters_.env_steps - trainer().sampled_steps();
    base_elapsed_s_ = counters_.elapsed_s;
    const RollbackMode mode =
        e_.run.mode == "sync" ? RollbackMode::kExact : RollbackMode::kKeepNewer;
    while (!context_.draining()) {
      const Result<ReplayRollback> rolled = attempt_->replay.rollback(
          checkpointer().epoch(), mode, Deadline::after_ms(2000), checkpointer().replay_sha256());
      if (rolled.ok()) {
        if (rolled->consumed_uncommitted > 0)
          log_warning(rolled->consumed_uncommitted,
                      " sampled items since the checkpoint were not kept (replay.retain_bytes)");
        if (!found) begin_checkpoint();
        return true;
      }
      // What no wait can cure: a foreign replay, a damaged or missing file.
      if (!absl::IsDeadlineExceeded(rolled.status()) && !absl::IsUnavailable(rolled.status()) &&
          !absl::IsResourceExhausted(rolled.status()))
        throw TrainingFault(str("learner: ", rolled.status().message()));
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
    while (!trainer().stop()) {
      Result<ring::SampleBatch> batch = attempt_->replay.sample(
          needs_.table.name, needs_.items_per_sample, Deadline::after_ms(200));
      if (batch.ok() || !absl::IsDeadlineExceeded(batch.status())) {
        waited_ns_ += steady_ns() - started;
        if (batch.ok() || !absl::IsUnavailable(batch.status())) return batch;
      }
      if (!told && seconds_since(started) > e_.learner.sample_timeout_s) {
        told = true;
        log_warning("no data for ", e_.learner.sample_timeout_s, " s: ", batch.status().message());
      }
      if (attempt_->ranks != nullptr)
        if (const std::string reason = attempt_->ranks->lost(); !reason.empty())
          throw Error(reason);
      if (out_of_time()) trainer().set_stop();
      if (!told) continue;
      if (!checkpointer().waits_for().empty()) checkpointer().poll();
    }
    return absl::CancelledError("the run is stopping");
  }

  void set_priorities(const Learn::Sample& sample, const std::vector<double>& priorities) {
    std::vector<PriorityUpdate> updates;
    for (size_t i = 0; i < priorities.size(); ++i)
      updates.push_back({sample.keys[i], sample.generations[i], priorities[i]});
    const Result<uint64_t> late =
        attempt_->replay.set_priorities(needs_.table.name, updates, Deadline::after_ms(1000));
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
    // Who reads the last weights may come when the other ranks have ended: those are whole.
    if (final)
      weights.tensors = trainer().model_state();
    else
      trainer().add_weights(weights);
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
    const Result<int64_t> epoch = checkpointer().begin(trainer(), counters_);
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
    trainer().set_progress(std::clamp(progress, 0.0, 1.0));
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
    while (!checkpointer().poll() && !until.expired()) {
      WaitScope wait(context_.waits(), "learner", "actors", checkpointer().waits_for());
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (!checkpointer().complete())
      log_warning("the last checkpoint is not complete: waited for ", checkpointer().waits_for());
    const ring::ArraySet weights = trainer().model_state();
    try {
      io::save_safetensors(e_.place.folder / "weights" / "final.safetensors", weights);
      if (!done) return;
      write_atomic(
          finished_file(e_),
          Json({{"version", counters_.version}, {"env_steps", counters_.env_steps}}).dump());
    } catch (const Error& error) {  // no loss of a rank
      throw TrainingFault(str("learner: the last weights: ", error.what()));
    }
    publish(0, true);
    if (attempt_->ranks != nullptr) attempt_->ranks->stop(true);
    // Late readers of the final weights: the publisher serves them while it lives.
    for (int i = 0; i < 20 && !context_.draining(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
  }

  LearnerService& owner_;
  const Experiment& e_;
  ServiceContext& context_;
  const Needs needs_;
  net::BroadcastPublisher publisher_;
  MetricsFile metrics_;
  std::unique_ptr<Store> store_;
  uint64_t incarnation_ = 0;  // of this attempt
  std::mutex attempt_mutex_;  // of the pointer, against the thread that drains
  std::unique_ptr<Attempt> attempt_;
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
                               const Experiment& experiment,
                               std::function<void(int, std::string_view)> inject)
    : net_(context), registry_(registry), experiment_(experiment), inject_(std::move(inject)) {
  const Needs needs = make_algorithm(experiment, registry)->needs();
  OA_REQUIRE(needs.item.kind != ItemShape::Kind::kRollout ||
                 needs.items_per_sample % experiment.actor.count == 0,
             "config: [algorithm] chunks is ", needs.items_per_sample,
             ", it must be a multiple of [actor] count, which is ", experiment.actor.count);
}

void LearnerService::run(ServiceContext& context) { Loop(*this, context).run(); }

}  // namespace oneagent
