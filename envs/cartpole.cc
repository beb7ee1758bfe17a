// CartPole-v1 of Gymnasium: a pole on a cart, pushed left or right (Barto, Sutton and Anderson
// 1983). Explicit Euler, state in float64, observation in float32.
#include <array>
#include <cmath>
#include <numbers>

#include "envs/env.h"
#include "envs/parts/start_state.h"

namespace oneagent {
namespace {

constexpr double kGravity = 9.8, kCartMass = 1.0, kPoleMass = 0.1,
                 kTotalMass = kPoleMass + kCartMass;
constexpr double kHalfLength = 0.5, kPoleMassLength = kPoleMass * kHalfLength;
constexpr double kForce = 10.0, kTimeStep = 0.02;
constexpr double kPositionLimit = 2.4, kAngleLimit = 12 * 2 * std::numbers::pi / 360;

class Cartpole final {
 public:
  struct Options {
    int max_steps = 500;
    std::vector<double> start;
    static void options(OptionList<Options>& list) {
      list.add("max_steps", &Options::max_steps, "time limit of an episode in steps").at_least(1);
      list.add("start", &Options::start,
               "fixed start: position, velocity, angle, angular velocity; empty = random");
    }
  };
  static constexpr std::string_view kSummary = "balance a pole on a cart (Gymnasium CartPole-v1)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;  // 0 push left, 1 push right

  static EnvSpec spec(const Options& options) {
    require_start_size("cartpole", options.start, 4);
    EnvSpec spec;
    spec.observation_shape = {
        4};  // position [m], velocity [m/s], angle [rad], angular velocity [rad/s]
    spec.action = ring::ActionSpec::choices(2);
    spec.max_steps = options.max_steps;
    spec.solved_return = 475;
    return spec;
  }

  explicit Cartpole(const Options& options) : start_(&options.start) {}

  void reset(EpisodeStart& start, EnvRow row) {
    state_ = start_state<4>(*start_, start.rng, -0.05, 0.05);
    observe(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    auto& [x, x_dot, theta, theta_dot] = state_;
    const double force = action == 1 ? kForce : -kForce;
    const double cosine = std::cos(theta), sine = std::sin(theta);
    const double push = (force + kPoleMassLength * (theta_dot * theta_dot) * sine) / kTotalMass;
    const double theta_acceleration =
        (kGravity * sine - cosine * push) /
        (kHalfLength * (4.0 / 3.0 - kPoleMass * (cosine * cosine) / kTotalMass));
    const double acceleration = push - kPoleMassLength * theta_acceleration * cosine / kTotalMass;
    x += kTimeStep * x_dot;
    x_dot += kTimeStep * acceleration;
    theta += kTimeStep * theta_dot;
    theta_dot += kTimeStep * theta_acceleration;
    observe(row);
    return {1.0f, std::abs(x) > kPositionLimit || std::abs(theta) > kAngleLimit};
  }

  void save(ByteWriter& out) const { out.put(state_); }
  void load(ByteReader& in) { state_ = in.get<std::array<double, 4>>(); }

 private:
  void observe(EnvRow row) const {
    for (size_t i = 0; i < 4; ++i) row.observation[i] = static_cast<float>(state_[i]);
  }

  const std::vector<double>* start_;
  std::array<double, 4> state_{};
};

}  // namespace

OA_ENV(cartpole, Cartpole)

}  // namespace oneagent
