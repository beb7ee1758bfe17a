// Turn-based games for algorithms that search (AlphaZero, CFR): perfect or hidden information, two
// or more seats, chance nodes. A GameState is a position; search clones it and applies actions. One
// owner, no thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/shape.h"

namespace oneagent {

inline constexpr int kChancePlayer = -1;
inline constexpr int kTerminalPlayer = -2;

struct GameSpec {
  std::string name;
  int players = 2;
  int64_t actions = 0;      // size of the action mask
  Shape observation_shape;  // float32, as one player sees it
  int max_length = 0;       // an upper bound of moves in a game
  double lowest_return = -1, highest_return = 1;
};

class GameState {
 public:
  virtual ~GameState() = default;
  virtual int current_player() const = 0;  // 0.., kChancePlayer or kTerminalPlayer
  bool terminal() const { return current_player() == kTerminalPlayer; }
  virtual void legal_actions(std::vector<int32_t>& out)
      const = 0;  // ascending; empty when terminal; outcomes at a chance node
  virtual double chance_probability(
      int32_t outcome) const = 0;                // of an outcome at a chance node; 0 elsewhere
  virtual void apply(int32_t action) = 0;        // an illegal action is an Error
  virtual double returns(int player) const = 0;  // sum of rewards so far; final when terminal
  virtual void observe(int player, std::span<float> out) const = 0;  // [observation]
  virtual std::unique_ptr<GameState> clone() const = 0;
  virtual std::string text() const = 0;  // one position, readable, for logs and golden files
};

class Game {
 public:
  virtual ~Game() = default;
  virtual const GameSpec& spec() const = 0;
  virtual std::unique_ptr<GameState> start() const = 0;
};

}  // namespace oneagent
