#include "services/actor/actor_service.h"

#include <unistd.h>

#include <thread>

#include "core/base/file.h"
#include "core/base/log.h"
#include "core/nn/state.h"
#include "core/optim/state.h"
#include "core/store/store.h"
#include "services/actor/rollout.h"
#include "services/learner/weights_client.h"
#include "services/replay/replay_client.h"

namespace oneagent {

class ActorService::Loop {
 public:
  Loop(ActorService& owner, ServiceContext& context)
      : experiment_(owner.experiment_),
        registry_(owner.registry_),
        context_(context),
        index_(owner.index_),
        algorithm_(make_algorithm(experiment_, registry_)),
        needs_(algorithm_->needs()),
        weights_(owner.net_, context.waits(), context.service(), experiment_.learner.address),
        writer_(owner.net_, context.waits(), static_cast<uint32_t>(index_),
                {experiment_.replay.address, context.service(), experiment_.place.run}),
        metrics_(experiment_.place.folder, context.service()),
        audit_(experiment_.place.folder / "audit" / str("actor-", index_, ".log")) {
    make_folder(audit_.parent_path());
  }

  void run() {
    context_.ready();
    while (!context_.draining() && !finished()) {
      if (!take_weights()) continue;
      if (!greeted_ && !greet()) continue;
      if (weights_.current()->epoch > stamped_epoch_ && !stamp()) continue;
      if (sequence_ >= weights_.current()->granted) continue;
      const int64_t started = steady_ns();
      const ring::Chunk chunk = rollout_->collect(weights_.current()->version);
      busy_s_ += seconds_since(started);
      if (send(chunk)) report(chunk);
    }
    (void)writer_.flush(context_.draining() ? context_.drain_deadline() : Deadline::after_ms(2000));
    log_acknowledged();
  }

 private:
  bool finished() const { return weights_.current() != nullptr && weights_.current()->final; }

  // Loads the newest weights. False: there is nothing to do with them yet.
  bool take_weights() {
    const bool may_act =
        weights_.current() != nullptr && greeted_ &&
        (sequence_ < weights_.current()->granted || weights_.current()->epoch > stamped_epoch_);
    bool changed = weights_.poll();
    if (!changed && !may_act && !(weights_.current() != nullptr && !greeted_)) {
      const std::string reason =
          weights_.current() == nullptr
              ? "the first weights"
              : str("weights newer than version ", weights_.current()->version, " before chunk ",
                    sequence_, " may be collected");
      changed = weights_.wait_newer(Deadline::after_ms(200), reason);
      log_acknowledged();
    }
    if (changed) load_weights();
    context_.version("policy", weights_.current() == nullptr ? 0 : weights_.current()->version);
    context_.metric("lag",
                    weights_.current() == nullptr
                        ? 0
                        : static_cast<double>(weights_.announced() - weights_.current()->version));
    return weights_.current() != nullptr && !finished();
  }

  void load_weights() {
    const ring::Weights& weights = *weights_.current();
    OA_REQUIRE(weights.config_hash == experiment_.hash, "actor: the learner at ",
               experiment_.learner.address, " runs another experiment (configuration ",
               weights.config_hash.substr(0, 12), ", here ", experiment_.hash.substr(0, 12),
               "); start both with the same file and --set");
    load_state(algorithm_->model(), weights.tensors);
    if (weights.incarnation != incarnation_) {
      incarnation_ = weights.incarnation;
      greeted_ = false;  // a learner that restarted may have rolled the run back
    }
  }

  // Finds this actor's place in the stream: fresh, restored from a checkpoint, or going on after a
  // restart.
  bool greet() {
    Result<ReplayHello> hello = writer_.hello(Deadline::after_ms(500));
    if (!hello.ok()) {
      OA_REQUIRE(!hopeless(hello.status()), "actor: ", hello.status().message());
      context_.note_error(hello.status().message());
      return false;
    }
    const auto next = static_cast<int64_t>(hello->next_sequence);
    if (hello->restored()) {
      ByteReader in(hello->state, str("state of actor-", index_, " at epoch ", hello->epoch));
      start_rollout(in.get<uint64_t>());
      rollout_->load(in);
      in.finish();
      stamped_epoch_ = hello->epoch;
    } else if (rollout_ == nullptr || next == 0) {
      start_rollout(hello->next_sequence);
      // An actor that lost its state has none to stamp under an epoch that was begun before.
      if (next > 0) stamped_epoch_ = weights_.current()->epoch;
    }
    sequence_ = next;
    greeted_ = true;
    return true;
  }

  // Lanes are numbered over all actors. An actor whose state was lost goes on with fresh episodes,
  // not with the first ones again: the sequence it started at is part of its seeds, and of what it
  // stamps.
  void start_rollout(uint64_t life) {
    life_ = life;
    const auto seed = static_cast<uint64_t>(experiment_.run.seed);
    const int lanes = experiment_.env.count;
    envs_ = std::make_unique<EnvBatch>(
        registry_.envs, experiment_.env.name, experiment_.env_options, lanes,
        seed_of({seed, hash_text("env"), life}), experiment_.actor.threads, index_ * lanes,
        experiment_.actor.count * lanes);
    rollout_ = std::make_unique<Rollout>(
        *envs_, *algorithm_,
        seed_of({seed, hash_text("act"), static_cast<uint64_t>(index_), life}));
  }

  bool stamp() {
    ByteWriter out;
    out.put(life_);
    rollout_->save(out);
    const int64_t epoch = weights_.current()->epoch;
    const Status sent = writer_.stamp(epoch, out.bytes(), Deadline::after_ms(1000));
    if (!sent.ok()) return refused(sent);
    stamped_epoch_ = epoch;
    return true;
  }

  // Until the replay has credit for it, or the run was rolled back or drained.
  bool send(const ring::Chunk& chunk) {
    const std::vector<ring::ItemSpec> items = make_items(chunk, needs_);
    while (!context_.draining()) {
      const Status sent = writer_.append(chunk, items, Deadline::after_ms(500));
      log_acknowledged();
      if (sent.ok()) {
        sequence_ = static_cast<int64_t>(writer_.next_sequence());
        steps_ += chunk.steps * chunk.lanes;
        return true;
      }
      if (!refused(sent)) return false;
      if (weights_.poll() && weights_.current()->final) return false;
    }
    return false;
  }

  // A chunk beyond a limit, a foreign replay, another actor of this name: no wait cures that.
  static bool hopeless(const Status& status) {
    return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
  }

  // True: try again with the same data. False: the replay asks for a new greeting.
  bool refused(const Status& status) {
    OA_REQUIRE(!absl::IsInvalidArgument(status), "actor: ", status.message(),
               "; raise [replay] credit_bytes, or lower [algorithm] steps or [env] count");
    OA_REQUIRE(!hopeless(status), "actor: ", status.message());
    if (absl::IsAborted(status)) {
      greeted_ = false;
      return false;
    }
    context_.note_error(status.message());
    return true;
  }

  void log_acknowledged() {
    for (const Acknowledged& ack : writer_.take_acknowledged()) {
      append_line(audit_, str(ack.sequence, ack.quarantined ? " quarantined" : ""));
      if (ack.quarantined) {
        ++quarantined_;
        log_warning("chunk ", ack.sequence, " was put into quarantine: ", ack.reason);
        context_.metric("quarantined", static_cast<double>(quarantined_));
      }
    }
  }

  void report(const ring::Chunk& chunk) {
    const EpisodeScores& scores = rollout_->scores();
    const double rate = static_cast<double>(steps_) / std::max(1e-9, busy_s_);
    Json row = {{"step", steps_},
                {"steps_per_s", rate},
                {"version", chunk.weights_version},
                {"lag", weights_.announced() - chunk.weights_version}};
    if (scores.episodes > 0) {
      const auto episodes = static_cast<double>(scores.episodes);
      row["episodes"] = scores.episodes;
      row["episode_return"] = scores.return_sum / episodes;
      row["episode_length"] = scores.length_sum / episodes;
      const std::vector<std::string>& names = envs_->spec().metrics;
      for (size_t i = 0; i < names.size(); ++i) row[names[i]] = scores.metric_sums[i] / episodes;
      context_.metric("episode_return", row["episode_return"].get<double>());
    }
    context_.metric("steps", static_cast<double>(steps_));
    context_.metric("steps_per_s", rate);
    if (const Status written = metrics_.write(std::move(row)); !written.ok())
      context_.problem("disk", written.message());
  }

  const Experiment& experiment_;
  const Registry& registry_;
  ServiceContext& context_;
  const int index_;
  std::unique_ptr<Algorithm> algorithm_;
  const Needs needs_;
  WeightsClient weights_;
  ReplayWriter writer_;
  MetricsFile metrics_;
  const fs::path audit_;
  std::unique_ptr<EnvBatch> envs_;
  std::unique_ptr<Rollout> rollout_;
  uint64_t incarnation_ = 0;
  uint64_t life_ = 0;
  int64_t stamped_epoch_ = 0;
  int64_t sequence_ = 0;
  int64_t steps_ = 0;
  int64_t quarantined_ = 0;
  double busy_s_ = 0;
  bool greeted_ = false;
};

ActorService::ActorService(net::Context& context, const Registry& registry,
                           const Experiment& experiment, int index)
    : net_(context), registry_(registry), experiment_(experiment), index_(index) {}

void ActorService::run(ServiceContext& context) { Loop(*this, context).run(); }

int claim_actor_index(Store& store, const Experiment& e) {
  if (e.actor.index >= 0) return e.actor.index;
  const std::string owner = str("claim-", getpid(), "-", steady_ns());
  const Deadline until = Deadline::after_ms(30000);
  Status last = ok();
  for (int round = 0; !until.expired(); ++round) {
    if (round == 1)
      log_info("actor: no place is free yet, all ", e.actor.count, " of run ", e.place.run,
               " are taken; trying for 30 s");
    for (int i = 0; i < e.actor.count; ++i) {
      const Result<Lease> registered = store.find_lease(service_key(e.place.run, str("actor-", i)));
      if (registered.ok()) continue;
      // The claim bridges the time until the service has registered under its name.
      const Result<Lease> claim =
          store.acquire(str("runs/", e.place.run, "/actors/", i), owner, 5000);
      if (claim.ok()) return i;
      last = claim.status();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
  }
  OA_REQUIRE(!absl::IsUnavailable(last), "actor: the store cannot be reached: ", last.message());
  throw_error(str("actor: all ", e.actor.count, " places of run ", e.place.run,
                  " are taken; raise [actor] count or set [actor] index"));
}

}  // namespace oneagent
