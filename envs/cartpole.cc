// CartPole-v1 of Gymnasium: a pole on a cart, pushed left or right (Barto, Sutton and Anderson 1983). Explicit Euler, state in float64,
// observation in float32.
#include <cmath>
#include <numbers>

#include "envs/env.h"

namespace oneagent {
namespace {

constexpr double kGravity = 9.8, kCartMass = 1.0, kPoleMass = 0.1, kTotalMass = kPoleMass + kCartMass;
constexpr double kHalfLength = 0.5, kPoleMassLength = kPoleMass * kHalfLength;
constexpr double kForce = 10.0, kTimeStep = 0.02;
constexpr double kPositionLimit = 2.4, kAngleLimit = 12 * 2 * std::numbers::pi / 360;

class Cartpole final {
 public:
  struct Options {
    int max_steps = 500;
    static void options(OptionList<Options>& list) {
      list.add("max_steps", &Options::max_steps, "time limit of an episode in steps").at_least(1);
    }
  };
  static constexpr std::string_view kSummary = "balance a pole on a cart (Gymnasium CartPole-v1)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;

  static EnvSpec spec(const Options& options) {
    EnvSpec spec;
    spec.observation_shape = {4};
    spec.action = ring::ActionSpec::choices(2);
    spec.max_steps = options.max_steps;
    spec.solved_return = 475;
    return spec;
  }

  explicit Cartpole(const Options&) {}

  void reset(EpisodeStart& start, EnvRow row) {
    x_ = start.rng.uniform(-0.05, 0.05);
    x_dot_ = start.rng.uniform(-0.05, 0.05);
    theta_ = start.rng.uniform(-0.05, 0.05);
    theta_dot_ = start.rng.uniform(-0.05, 0.05);
    observe(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    const double force = action == 1 ? kForce : -kForce;
    const double cosine = std::cos(theta_), sine = std::sin(theta_);
    const double push = (force + kPoleMassLength * (theta_dot_ * theta_dot_) * sine) / kTotalMass;
    const double theta_acceleration =
        (kGravity * sine - cosine * push) / (kHalfLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double acceleration = push - kPoleMassLength * theta_acceleration * cosine / kTotalMass;
    x_ += kTimeStep * x_dot_;
    x_dot_ += kTimeStep * acceleration;
    theta_ += kTimeStep * theta_dot_;
    theta_dot_ += kTimeStep * theta_acceleration;
    observe(row);
    const bool fell = (std::abs(x_) > kPositionLimit) | (std::abs(theta_) > kAngleLimit);
    return {1.0f, fell};
  }

  void save(ByteWriter& out) const { out.put(std::array{x_, x_dot_, theta_, theta_dot_}); }
  void load(ByteReader& in) {
    const auto state = in.get<std::array<double, 4>>();
    x_ = state[0], x_dot_ = state[1], theta_ = state[2], theta_dot_ = state[3];
  }

 private:
  void observe(EnvRow row) const {
    row.observation[0] = static_cast<float>(x_);
    row.observation[1] = static_cast<float>(x_dot_);
    row.observation[2] = static_cast<float>(theta_);
    row.observation[3] = static_cast<float>(theta_dot_);
  }

  double x_ = 0, x_dot_ = 0, theta_ = 0, theta_dot_ = 0;
};

}  // namespace

OA_ENV(cartpole, Cartpole)

}  // namespace oneagent
