// Catch (bsuite, Osband 2020): a ball falls one row a step, a paddle on the lowest row moves left,
// stays or moves right. Reward +1 when the paddle is below the ball at the end, -1 otherwise. Short
// episodes of known length: the fast test task of algorithms.
#include <algorithm>

#include "envs/env.h"

namespace oneagent {
namespace {

class Catch final {
 public:
  struct Options {
    int rows = 10;
    int columns = 5;
    static void options(OptionList<Options>& list) {
      list.add("rows", &Options::rows, "height of the board").between(2, 100);
      list.add("columns", &Options::columns, "width of the board").between(2, 100);
    }
  };
  static constexpr std::string_view kSummary = "catch a falling ball with a paddle (bsuite)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;  // 0 left, 1 stay, 2 right

  static EnvSpec spec(const Options& options) {
    EnvSpec spec;
    spec.observation_shape = {1, options.rows, options.columns};  // 1 at the ball and at the paddle
    spec.observation_low = {0};
    spec.observation_high = {1};
    spec.action = ring::ActionSpec::choices(3);
    spec.solved_return = 0.9;
    return spec;
  }

  explicit Catch(const Options& options) : options_(&options) {}

  void reset(EpisodeStart& start, EnvRow row) {
    ball_row_ = 0;
    ball_column_ = static_cast<int32_t>(start.rng.below(static_cast<uint32_t>(options_->columns)));
    paddle_ = options_->columns / 2;
    std::fill(row.observation.begin(), row.observation.end(), 0.0f);
    draw(row, 1.0f);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    draw(row, 0.0f);
    paddle_ = std::clamp(paddle_ + action - 1, 0, options_->columns - 1);
    ++ball_row_;
    draw(row, 1.0f);
    const bool ended = ball_row_ == options_->rows - 1;
    return {ended ? (paddle_ == ball_column_ ? 1.0f : -1.0f) : 0.0f, ended};
  }

  void save(ByteWriter& out) const { out.put(std::array{ball_row_, ball_column_, paddle_}); }
  void load(ByteReader& in) {
    const auto state = in.get<std::array<int32_t, 3>>();
    ball_row_ = state[0], ball_column_ = state[1], paddle_ = state[2];
  }

 private:
  void draw(EnvRow row, float value) const {
    row.observation[ball_row_ * options_->columns + ball_column_] = value;
    row.observation[(options_->rows - 1) * options_->columns + paddle_] = value;
  }

  const Options* options_;
  int32_t ball_row_ = 0, ball_column_ = 0, paddle_ = 0;
};

}  // namespace

OA_ENV(catch, Catch)

}  // namespace oneagent
