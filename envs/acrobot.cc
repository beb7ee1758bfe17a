// Acrobot-v1 of Gymnasium: swing a two-link arm above a line by a torque at the elbow (Sutton 1996;
// dynamics of the book, Sutton and Barto 1998). One Runge-Kutta step of 0.2 s per action, no torque
// noise. State in float64, observation in float32.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "envs/env.h"
#include "envs/parts/start_state.h"

namespace oneagent {
namespace {

using State = std::array<double, 4>;  // angle of link 1 (0 = hanging down), angle of link 2 against
                                      // link 1, their speeds

constexpr double kPi = std::numbers::pi, kGravity = 9.8, kTimeStep = 0.2;
constexpr double kMass1 = 1, kMass2 = 1, kLength1 = 1, kCentre1 = 0.5, kCentre2 = 0.5,
                 kInertia1 = 1, kInertia2 = 1;
constexpr double kMaxSpeed1 = 4 * kPi, kMaxSpeed2 = 9 * kPi;

State derivative(const State& state, double torque) {
  const auto [theta1, theta2, speed1, speed2] = state;
  const double cosine2 = std::cos(theta2), sine2 = std::sin(theta2);
  const double d1 =
      kMass1 * kCentre1 * kCentre1 +
      kMass2 * (kLength1 * kLength1 + kCentre2 * kCentre2 + 2 * kLength1 * kCentre2 * cosine2) +
      kInertia1 + kInertia2;
  const double d2 = kMass2 * (kCentre2 * kCentre2 + kLength1 * kCentre2 * cosine2) + kInertia2;
  const double phi2 = kMass2 * kCentre2 * kGravity * std::cos(theta1 + theta2 - kPi / 2);
  const double phi1 =
      -kMass2 * kLength1 * kCentre2 * speed2 * speed2 * sine2 -
      2 * kMass2 * kLength1 * kCentre2 * speed2 * speed1 * sine2 +
      (kMass1 * kCentre1 + kMass2 * kLength1) * kGravity * std::cos(theta1 - kPi / 2) + phi2;
  const double acceleration2 =
      (torque + d2 / d1 * phi1 - kMass2 * kLength1 * kCentre2 * speed1 * speed1 * sine2 - phi2) /
      (kMass2 * kCentre2 * kCentre2 + kInertia2 - d2 * d2 / d1);
  return {speed1, speed2, -(d2 * acceleration2 + phi1) / d1, acceleration2};
}

State moved(const State& from, const State& slope, double step) {
  State to;
  for (size_t i = 0; i < 4; ++i) to[i] = from[i] + step * slope[i];
  return to;
}

State runge_kutta(const State& from, double torque) {
  const State k1 = derivative(from, torque);
  const State k2 = derivative(moved(from, k1, kTimeStep / 2), torque);
  const State k3 = derivative(moved(from, k2, kTimeStep / 2), torque);
  const State k4 = derivative(moved(from, k3, kTimeStep), torque);
  State to;
  for (size_t i = 0; i < 4; ++i)
    to[i] = from[i] + kTimeStep / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  return to;
}

double wrap(double angle) {
  while (angle > kPi) angle -= 2 * kPi;
  while (angle < -kPi) angle += 2 * kPi;
  return angle;
}

class Acrobot final {
 public:
  struct Options {
    int max_steps = 500;
    std::vector<double> start;
    static void options(OptionList<Options>& list) {
      list.add("max_steps", &Options::max_steps, "time limit of an episode in steps").at_least(1);
      list.add("start", &Options::start,
               "fixed start: angle 1, angle 2, speed 1, speed 2; empty = random");
    }
  };
  static constexpr std::string_view kSummary =
      "swing a two-link arm above a line (Gymnasium Acrobot-v1)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;  // torque -1, 0, +1

  static EnvSpec spec(const Options& options) {
    require_start_size("acrobot", options.start, 4);
    EnvSpec spec;
    spec.observation_shape = {6};  // cos and sin of angle 1, cos and sin of angle 2, speeds [rad/s]
    spec.observation_low = {-1, -1, -1, -1, -kMaxSpeed1, -kMaxSpeed2};
    spec.observation_high = {1, 1, 1, 1, kMaxSpeed1, kMaxSpeed2};
    spec.action = ring::ActionSpec::choices(3);
    spec.max_steps = options.max_steps;
    spec.solved_return = -100;
    return spec;
  }

  explicit Acrobot(const Options& options) : start_(&options.start) {}

  void reset(EpisodeStart& start, EnvRow row) {
    state_ = start_state<4>(*start_, start.rng, -0.1, 0.1);
    if (start_->empty())  // Gymnasium draws the start in float32
      for (double& value : state_) value = static_cast<float>(value);
    observe(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    State next = runge_kutta(state_, action - 1.0);
    next[0] = wrap(next[0]);
    next[1] = wrap(next[1]);
    next[2] = std::clamp(next[2], -kMaxSpeed1, kMaxSpeed1);
    next[3] = std::clamp(next[3], -kMaxSpeed2, kMaxSpeed2);
    state_ = next;
    observe(row);
    const bool above = -std::cos(next[0]) - std::cos(next[1] + next[0]) > 1.0;
    return {above ? 0.0f : -1.0f, above};
  }

  void save(ByteWriter& out) const { out.put(state_); }
  void load(ByteReader& in) { state_ = in.get<State>(); }

 private:
  void observe(EnvRow row) const {
    const auto [theta1, theta2, speed1, speed2] = state_;
    const double values[] = {std::cos(theta1), std::sin(theta1), std::cos(theta2),
                             std::sin(theta2), speed1,           speed2};
    for (size_t i = 0; i < 6; ++i) row.observation[i] = static_cast<float>(values[i]);
  }

  const std::vector<double>* start_;
  State state_{};
};

}  // namespace

OA_ENV(acrobot, Acrobot)

}  // namespace oneagent
