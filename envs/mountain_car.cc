// MountainCar-v0 of Gymnasium: a car too weak for the hill rocks its way up (Moore 1990). State in
// float64, observation in float32.
#include <algorithm>
#include <array>
#include <cmath>

#include "envs/env.h"
#include "envs/parts/start_state.h"

namespace oneagent {
namespace {

constexpr double kForce = 0.001, kGravity = 0.0025, kMaxSpeed = 0.07;
constexpr double kLeft = -1.2, kRight = 0.6, kGoal = 0.5;

class MountainCar final {
 public:
  struct Options {
    int max_steps = 200;
    std::vector<double> start;
    static void options(OptionList<Options>& list) {
      list.add("max_steps", &Options::max_steps, "time limit of an episode in steps").at_least(1);
      list.add("start", &Options::start,
               "fixed start: position, velocity; empty = random position in [-0.6, -0.4), at rest");
    }
  };
  static constexpr std::string_view kSummary =
      "rock a weak car up a hill (Gymnasium MountainCar-v0)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;  // 0 push left, 1 coast, 2 push right

  static EnvSpec spec(const Options& options) {
    require_start_size("mountain_car", options.start, 2);
    EnvSpec spec;
    spec.observation_shape = {2};  // position, velocity per step
    spec.observation_low = {kLeft, -kMaxSpeed};
    spec.observation_high = {kRight, kMaxSpeed};
    spec.action = ring::ActionSpec::choices(3);
    spec.max_steps = options.max_steps;
    spec.solved_return = -110;
    return spec;
  }

  explicit MountainCar(const Options& options) : start_(&options.start) {}

  void reset(EpisodeStart& start, EnvRow row) {
    state_ = start_->empty() ? std::array{start.rng.uniform(-0.6, -0.4), 0.0}
                             : std::array{(*start_)[0], (*start_)[1]};
    observe(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    auto& [position, speed] = state_;
    speed += (action - 1) * kForce + std::cos(3 * position) * -kGravity;
    speed = std::clamp(speed, -kMaxSpeed, kMaxSpeed);
    position = std::clamp(position + speed, kLeft, kRight);
    if (position == kLeft && speed < 0) speed = 0;
    observe(row);
    return {-1.0f, position >= kGoal && speed >= 0};
  }

  void save(ByteWriter& out) const { out.put(state_); }
  void load(ByteReader& in) { state_ = in.get<std::array<double, 2>>(); }

 private:
  void observe(EnvRow row) const {
    row.observation[0] = static_cast<float>(state_[0]);
    row.observation[1] = static_cast<float>(state_[1]);
  }

  const std::vector<double>* start_;
  std::array<double, 2> state_{};
};

}  // namespace

OA_ENV(mountain_car, MountainCar)

}  // namespace oneagent
