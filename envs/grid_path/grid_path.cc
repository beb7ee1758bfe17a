// Path planning on MovingAI maps: walk from a start to a goal on an 8-connected grid with octile
// cost, seeing only a local window, the goal's direction and distance, and what this episode has
// shown before. Judged by SPL = success x optimal / max(cost, optimal).
#include <algorithm>
#include <cmath>
#include <limits>

#include "envs/env.h"
#include "envs/grid_path/memory.h"
#include "envs/grid_path/options.h"
#include "envs/grid_path/recording.h"
#include "envs/grid_path/setup.h"
#include "envs/grid_path/view.h"
#include "envs/judges/grid_greedy.h"
#include "envs/judges/grid_window_planner.h"
#include "envs/judges/octile_search.h"

namespace oneagent {
namespace {

using grid_path::GridPathOptions;
using grid_path::kSymmetries;

class GridPath final {
 public:
  using Options = GridPathOptions;
  using Setup = grid_path::Setup;
  static constexpr std::string_view kSummary =
      "find a way on a MovingAI map with a local view (octile cost, SPL)";
  static constexpr Autoreset kAutoreset = Autoreset::kSameStep;
  using Action = int32_t;  // move in the view's frame: 0 ahead, then clockwise; see grid/octile.h

  static EnvSpec spec(const Setup& setup) {
    EnvSpec spec;
    spec.observation_shape = {setup.layout().size};
    spec.observation_low = {-GridMap::kMaxSide / grid_path::kGoalScale};
    spec.observation_high = {GridMap::kMaxSide / grid_path::kGoalScale};
    spec.action = ring::ActionSpec::choices(kMoves);
    spec.has_action_mask = true;
    spec.max_steps = setup.options().max_steps;
    spec.official_episodes = setup.evaluates() ? static_cast<int64_t>(setup.queries().size()) : 0;
    // query: index of the official query in mode eval, -1 in training. optimal: of a reached goal,
    // else of an official query, else 0.
    spec.metrics = {"success", "spl", "cost", "optimal", "query"};
    return spec;
  }

  static std::vector<Json> samples() {
    return {{{"frame", "map"}, {"memory_radius", 3}, {"memory_block", 3}, {"radius", 2}},
            {{"rows", {"..@.", "....", ".@..", "@..."}},
             {"max_steps", 20},
             {"previous_action", false},
             {"curriculum_distance", 2.0}}};
  }

  static std::vector<EnvBaseline> baselines() { return {grid_greedy(), grid_window_planner()}; }

  explicit GridPath(const Setup& setup) : setup_(&setup), memory_(setup), search_(setup.map()) {
    path_.reserve(static_cast<size_t>(setup.options().max_steps) + 1);
    blocks_.resize(3 * grid_path::square(setup.options().memory_radius));
  }

  void reset(EpisodeStart& start, EnvRow row) {
    if (setup_->evaluates()) {
      const auto count = static_cast<int64_t>(setup_->queries().size());
      query_ = (start.lane + start.lanes * start.episode) % count;
      cell_ = setup_->queries()[query_].start;
      goal_ = setup_->queries()[query_].goal;
    } else {
      query_ = -1;
      draw_pair(start);
    }
    cost_ = 0;
    previous_ = -1;
    memory_.clear();
    path_.clear();
    arrive(row);
  }

  StepResult step(Action action, Rng&, EnvRow row) {
    const int move = setup_->map_move(symmetry_, action);
    const double before = octile_distance(cell_, goal_);
    cell_ = {cell_.x + kMoveOffsets[move].x, cell_.y + kMoveOffsets[move].y};
    cost_ += move_cost(move);
    previous_ = move;
    const bool revisit = memory_.visits(setup_->at(cell_)) > 0;
    arrive(row);
    const Options& options = setup_->options();
    const double excess = move_cost(move) - (before - octile_distance(cell_, goal_));
    const bool reached = cell_ == goal_;
    return {static_cast<float>(reached * options.goal_bonus - options.step_cost * excess -
                               revisit * options.revisit_penalty),
            reached};
  }

  void metrics(std::span<double> values) {
    const bool success = cell_ == goal_;
    const Cell start = path_.front();
    double optimal = query_ >= 0 ? setup_->queries()[query_].optimal : 0;
    if (query_ < 0 && success) optimal = search_.cost(start, goal_);
    values[0] = success;
    values[1] = success ? optimal / std::max(cost_, optimal) : 0;
    values[2] = cost_;
    values[3] = optimal;
    values[4] = static_cast<double>(query_);
  }

  Json recording() {
    return grid_path::recording(setup_->map(), path_, goal_, search_.path(path_.front(), goal_));
  }

  void save(ByteWriter& out) const {
    out.put(std::array{cell_.x, cell_.y, goal_.x, goal_.y, previous_});
    out.put(cost_);
    out.put(query_);
    out.put_vector(path_);
    memory_.save(out);
  }

  void load(ByteReader& in) {
    const auto values = in.get<std::array<int, 5>>();
    cell_ = {values[0], values[1]};
    goal_ = {values[2], values[3]};
    previous_ = values[4];
    cost_ = in.get<double>();
    query_ = in.get<int64_t>();
    const auto path = in.get_vector<Cell>();
    path_.assign(path.begin(), path.end());
    memory_.load(in);
    OA_REQUIRE(path_.empty() || (setup_->map().free(cell_) && setup_->map().free(goal_) &&
                                 query_ < static_cast<int64_t>(setup_->queries().size()) &&
                                 previous_ >= -1 && previous_ < kMoves),
               "grid_path: saved state does not fit the map ", setup_->map().name());
    symmetry_ = view_symmetry();
  }

 private:
  // Any pair of one component that is no official query, within the curriculum's distance when
  // there is one.
  void draw_pair(EpisodeStart& start) {
    const GridMap& map = setup_->map();
    double limit = distance_limit(start.episode);
    for (int attempt = 1;; ++attempt) {
      OA_REQUIRE(attempt < 1000 * kAttempts, "grid_path: no training pair is left on ", map.name(),
                 ": every pair is an official query");
      if (attempt % kAttempts == 0) limit *= 2;  // this map has nothing so near
      cell_ = map.cell(
          setup_->startable()[start.rng.below(static_cast<uint32_t>(setup_->startable().size()))]);
      goal_ = draw_goal(start.rng, limit);
      const bool fits = goal_ != cell_ && map.component(goal_) == map.component(cell_) &&
                        octile_distance(cell_, goal_) <= limit;
      if (fits && !setup_->official(cell_, goal_)) return;
    }
  }

  Cell draw_goal(Rng& rng, double limit) const {
    const GridMap& map = setup_->map();
    if (limit >= map.width() + map.height()) {
      const std::vector<int>& reachable = map.components()[map.component(cell_)];
      return map.cell(reachable[rng.below(static_cast<uint32_t>(reachable.size()))]);
    }
    const int reach = std::max(1, static_cast<int>(limit));
    const auto offset = [&] {
      return static_cast<int>(rng.below(static_cast<uint32_t>(2 * reach + 1))) - reach;
    };
    const int dx = offset(), dy = offset();
    return {cell_.x + dx, cell_.y + dy};
  }

  double distance_limit(int64_t episode) const {
    const Options& options = setup_->options();
    if (options.curriculum_distance <= 0 || episode >= options.curriculum_episodes)
      return std::numeric_limits<double>::infinity();
    const double whole = octile_distance(setup_->map().width(), setup_->map().height());
    const double share = static_cast<double>(episode) / options.curriculum_episodes;
    return options.curriculum_distance + share * std::max(0.0, whole - options.curriculum_distance);
  }

  int view_symmetry() const {
    return setup_->options().frame == "goal"
               ? grid_path::symmetry_of({goal_.x - cell_.x, goal_.y - cell_.y})
               : 0;
  }

  void arrive(EnvRow row) {
    path_.push_back(cell_);
    memory_.visit(setup_->at(cell_));
    symmetry_ = view_symmetry();
    observe(row);
  }

  void observe(EnvRow row) {
    const grid_path::ViewLayout& layout = setup_->layout();
    const int at = setup_->at(cell_);
    float* out = row.observation.data();
    const uint8_t* blocked = setup_->blocked() + at;
    const auto& window = setup_->window_offsets(symmetry_);
    for (size_t i = 0; i < window.size(); ++i) out[layout.window + i] = blocked[window[i]];
    const uint8_t* visits = memory_.visit_counts() + at;
    const auto& near = setup_->visit_offsets(symmetry_);
    for (size_t i = 0; i < near.size(); ++i)
      out[layout.visits + i] = setup_->visit_value(visits[near[i]]);
    observe_goal(out + layout.goal);
    const unsigned legal = setup_->legal_moves(at);
    for (int move = 0; move < kMoves; ++move) {
      const unsigned bit = (legal >> setup_->map_move(symmetry_, move)) & 1;
      row.action_mask[move] = static_cast<uint8_t>(bit);
      out[layout.legal + move] = static_cast<float>(bit);
    }
    if (setup_->options().previous_action)
      for (int move = 0; move < kMoves; ++move)
        out[layout.previous + move] = setup_->map_move(symmetry_, move) == previous_;
    if (layout.memory_radius > 0) observe_memory(out + layout.memory, at);
  }

  void observe_goal(float* out) const {
    const Cell offset = grid_path::to_view(symmetry_, {goal_.x - cell_.x, goal_.y - cell_.y});
    const double length = std::max(1.0, std::hypot(offset.x, offset.y));
    const int radius = setup_->options().radius;
    out[0] = static_cast<float>(offset.x) / grid_path::kGoalScale;
    out[1] = static_cast<float>(offset.y) / grid_path::kGoalScale;
    out[2] = static_cast<float>(offset.x / length);
    out[3] = static_cast<float>(offset.y / length);
    out[4] = static_cast<float>(std::log1p(octile_distance(offset.x, offset.y)) / 6);
    out[5] = static_cast<float>(std::clamp(offset.x, -radius, radius)) / static_cast<float>(radius);
    out[6] = static_cast<float>(std::clamp(offset.y, -radius, radius)) / static_cast<float>(radius);
  }

  void observe_memory(float* out, int at) {
    memory_.blocks(at, blocks_);
    const auto& order = setup_->memory_blocks(symmetry_);
    const size_t plane = order.size();
    for (size_t channel = 0; channel < 3; ++channel)
      for (size_t i = 0; i < plane; ++i)
        out[channel * plane + i] = blocks_[channel * plane + order[i]];
  }

  static constexpr int kAttempts = 64;

  const Setup* setup_;
  Cell cell_, goal_;
  double cost_ = 0;
  int64_t query_ = -1;
  int previous_ = -1;  // move in map frame
  int symmetry_ = 0;   // of the current view
  grid_path::Memory memory_;
  std::vector<Cell> path_;     // of this episode, for recordings
  std::vector<float> blocks_;  // scratch
  OctileSearch search_;        // judges ended episodes; nothing of it is observed
};

}  // namespace

OA_ENV(grid_path, GridPath)

}  // namespace oneagent
