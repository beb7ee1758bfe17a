// Pendulum-v1 of Gymnasium: swing a pendulum up and hold it with a limited torque. Semi-implicit
// Euler, state in float64, observation in float32. It never terminates, only the time limit ends an
// episode.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "envs/env.h"
#include "envs/parts/start_state.h"

namespace oneagent {
namespace {

constexpr double kGravity = 10.0, kMass = 1.0, kLength = 1.0, kTimeStep = 0.05;
constexpr double kMaxSpeed = 8.0, kMaxTorque = 2.0, kPi = std::numbers::pi;

// Angle in [-pi, pi); Python's modulo, whose result has the sign of the divisor.
double normal_angle(double angle) {
  const double turned = std::fmod(angle + kPi, 2 * kPi);
  return (turned < 0 ? turned + 2 * kPi : turned) - kPi;
}

class Pendulum final {
 public:
  struct Options {
    int max_steps = 200;
    std::vector<double> start;
    static void options(OptionList<Options>& list) {
      list.add("max_steps", &Options::max_steps, "time limit of an episode in steps").at_least(1);
      list.add("start", &Options::start, "fixed start: angle, angular velocity; empty = random");
    }
  };
  static constexpr std::string_view kSummary =
      "swing up a pendulum with a continuous torque (Gymnasium Pendulum-v1)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = std::span<const float>;  // [1] torque; clipped to +-2

  static EnvSpec spec(const Options& options) {
    require_start_size("pendulum", options.start, 2);
    EnvSpec spec;
    spec.observation_shape = {
        3};  // cos(angle), sin(angle), angular velocity [rad/s]; the angle is 0 upright
    spec.observation_low = {-1, -1, -kMaxSpeed};
    spec.observation_high = {1, 1, kMaxSpeed};
    spec.action = ring::ActionSpec::box({-kMaxTorque}, {kMaxTorque});
    spec.max_steps = options.max_steps;
    return spec;
  }

  explicit Pendulum(const Options& options) : start_(&options.start) {}

  void reset(EpisodeStart& start, EnvRow row) {
    const auto unit = start_state<2>(*start_, start.rng, -1, 1);
    state_ = start_->empty() ? std::array{unit[0] * kPi, unit[1]} : unit;
    observe(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    auto& [angle, speed] = state_;
    const double torque = std::clamp<double>(action[0], -kMaxTorque, kMaxTorque);
    const double off = normal_angle(angle);
    const double cost = off * off + 0.1 * (speed * speed) + 0.001 * (torque * torque);
    const double acceleration =
        3 * kGravity / (2 * kLength) * std::sin(angle) + 3.0 / (kMass * kLength * kLength) * torque;
    speed = std::clamp(speed + acceleration * kTimeStep, -kMaxSpeed, kMaxSpeed);
    angle += speed * kTimeStep;
    observe(row);
    return {static_cast<float>(-cost)};
  }

  void save(ByteWriter& out) const { out.put(state_); }
  void load(ByteReader& in) { state_ = in.get<std::array<double, 2>>(); }

 private:
  void observe(EnvRow row) const {
    row.observation[0] = static_cast<float>(std::cos(state_[0]));
    row.observation[1] = static_cast<float>(std::sin(state_[0]));
    row.observation[2] = static_cast<float>(state_[1]);
  }

  const std::vector<double>* start_;
  std::array<double, 2> state_{};
};

}  // namespace

OA_ENV(pendulum, Pendulum)

}  // namespace oneagent
