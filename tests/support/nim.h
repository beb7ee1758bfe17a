// Nim with one heap: players take 1 to 3 stones in turn, who takes the last one wins. Whoever faces
// a multiple of 4 loses against good play.
#pragma once

#include <algorithm>

#include "core/base/check.h"
#include "envs/game.h"

namespace oneagent {

class NimState final : public GameState {
 public:
  explicit NimState(int stones) : stones_(stones) {}
  int current_player() const override { return stones_ == 0 ? kTerminalPlayer : player_; }
  void legal_actions(std::vector<int32_t>& out) const override {
    out.clear();
    for (int32_t take = 1; take <= std::min(3, stones_); ++take) out.push_back(take - 1);
  }
  double chance_probability(int32_t) const override { return 0; }
  void apply(int32_t action) override {
    OA_REQUIRE(action >= 0 && action < std::min(3, stones_), "nim: cannot take ", action + 1,
               " of ", stones_);
    stones_ -= action + 1;
    player_ = 1 - player_;
  }
  // The player to move found no stone: the other one took the last.
  double returns(int player) const override { return stones_ > 0 ? 0 : player == player_ ? -1 : 1; }
  void observe(int, std::span<float> out) const override {
    std::fill(out.begin(), out.end(), 0.0F);
    out[static_cast<size_t>(stones_)] = 1;
  }
  std::unique_ptr<GameState> clone() const override { return std::make_unique<NimState>(*this); }
  std::string text() const override { return str(stones_, " stones, player ", player_); }

 private:
  int stones_;
  int player_ = 0;
};

class Nim final : public Game {
 public:
  explicit Nim(int stones) : stones_(stones) {
    spec_.name = "nim";
    spec_.actions = 3;
    spec_.observation_shape = {stones + 1};
    spec_.max_length = stones;
  }
  const GameSpec& spec() const override { return spec_; }
  std::unique_ptr<GameState> start() const override { return std::make_unique<NimState>(stones_); }

 private:
  int stones_;
  GameSpec spec_;
};

}  // namespace oneagent
