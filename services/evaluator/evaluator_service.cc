#include "services/evaluator/evaluator_service.h"

#include "core/base/log.h"
#include "core/nn/state.h"
#include "core/optim/state.h"
#include "core/store/store.h"
#include "services/evaluator/judge.h"
#include "services/learner/weights_client.h"

namespace oneagent {

class EvaluatorService::Loop {
 public:
  Loop(EvaluatorService& owner, ServiceContext& context)
      : e_(owner.experiment_),
        context_(context),
        algorithm_(make_algorithm(e_, owner.registry_)),
        judge_(owner.registry_, e_),
        weights_(owner.net_, context.waits(), "evaluator", e_.learner.address),
        metrics_(e_.place.folder, "evaluator") {
    make_folder(e_.place.folder / "recordings");
    if (Result<std::unique_ptr<Store>> store = open_store(e_.place.store); store.ok())
      store_ = *std::move(store);
  }

  void run() {
    context_.ready();
    judge_baselines();
    while (!context_.draining()) {
      if (due()) {
        evaluate(*weights_.current());
      } else if (weights_.current() != nullptr && weights_.current()->final &&
                 judged_ == weights_.current()->version) {
        return;
      }
      weights_.wait_newer(Deadline::after_ms(200), "newer weights");
      if (weights_.current() != nullptr) context_.version("policy", weights_.current()->version);
    }
  }

 private:
  bool due() const {
    if (weights_.current() == nullptr || weights_.current()->version == judged_) return false;
    if (weights_.current()->final || judged_ < 0) return true;
    return weights_.current()->version >= judged_ + e_.evaluator.every &&
           seconds_since(judged_ns_) >= e_.evaluator.every_s;
  }

  void judge_baselines() {
    for (const std::string& name : e_.evaluator.baselines) {
      const Scores scores = judge_.baseline(name, [this] { return context_.draining(); });
      if (context_.draining()) return;
      baselines_[name] = scores.to_json();
      write({{"baseline", name}, {"baselines", baselines_}});
    }
  }

  void evaluate(const ring::Weights& weights) {
    OA_REQUIRE(weights.config_hash == e_.hash, "evaluator: the learner at ", e_.learner.address,
               " runs another experiment; start both with the same file and --set");
    load_state(algorithm_->model(), weights.tensors);
    context_.version("evaluated", weights.version);
    const int64_t started = steady_ns();
    const Scores scores = judge_.policy(*algorithm_, [this] {
      tell_newest();
      return context_.draining();
    });
    if (context_.draining()) return;
    judged_ = weights.version;
    judged_ns_ = steady_ns();
    Json row = scores.to_json();
    row["version"] = weights.version;
    row["step"] = weights.env_steps;
    row["seconds"] = seconds_since(started);
    if (scores.returns.size() <= 100) row["returns"] = scores.returns;
    if (!baselines_.empty()) row["baselines"] = baselines_;
    for (const char* name : {"eval_return", "success", "spl"})
      if (row.contains(name)) context_.metric(name, row[name].get<double>());
    publish_score(row);
    write(std::move(row));
    int index = 0;
    for (Json& recording : judge_.record(*algorithm_, e_.evaluator.recordings)) {
      recording["version"] = weights.version;
      write_atomic(e_.place.folder / "recordings" / str(weights.version, "-", index++, ".json"),
                   recording.dump());
    }
  }

  // In the middle of an evaluation, so that a slow one is not taken for a cut weights channel.
  void tell_newest() {
    if (seconds_since(told_ns_) < 0.25) return;
    told_ns_ = steady_ns();
    weights_.listen();
    context_.version("policy", weights_.announced());
  }

  void publish_score(const Json& row) {
    if (store_ == nullptr) return;
    Json score = row;
    score.erase("returns");
    const Result<int64_t> put =
        store_->put(str("runs/", e_.place.run, "/evaluation"), score.dump());
    if (!put.ok()) context_.note_error(put.status().message());
  }

  void write(Json row) {
    const Status written = metrics_.write_always(std::move(row));
    if (written.ok())
      context_.clear_problem("disk");
    else
      context_.problem("disk", written.message());
  }

  const Experiment& e_;
  ServiceContext& context_;
  std::unique_ptr<Algorithm> algorithm_;
  Judge judge_;
  WeightsClient weights_;
  MetricsFile metrics_;
  std::unique_ptr<Store> store_;
  Json baselines_ = Json::object();
  int64_t judged_ = -1;
  int64_t judged_ns_ = 0, told_ns_ = 0;
};

EvaluatorService::EvaluatorService(net::Context& context, const Registry& registry,
                                   const Experiment& experiment)
    : net_(context), registry_(registry), experiment_(experiment) {
  const Judge checked(registry, experiment);  // unknown baselines and missing maps show at start
}

void EvaluatorService::run(ServiceContext& context) { Loop(*this, context).run(); }

}  // namespace oneagent
