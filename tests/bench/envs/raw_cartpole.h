// CartPole with nothing around it: the ceiling that EnvBatch is measured against. Same equations
// and number types as envs/cartpole.cc, a cheap generator for starts, and the same columns written:
// observation, reward, terminated, truncated.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace oneagent::bench {

class RawCartpole final {
 public:
  explicit RawCartpole(int lanes)
      : lanes_(lanes),
        state_(4 * lanes),
        steps_(lanes),
        observation(4 * lanes),
        reward(lanes),
        terminated(lanes),
        truncated(lanes) {
    for (int i = 0; i < lanes; ++i) reset(i);
  }

  void step(const int32_t* actions) {
    for (int i = 0; i < lanes_; ++i) {
      double* s = &state_[4 * i];
      const double force = actions[i] == 1 ? 10.0 : -10.0;
      const double cosine = std::cos(s[2]), sine = std::sin(s[2]);
      const double push = (force + 0.05 * s[3] * s[3] * sine) / 1.1;
      const double theta_acceleration =
          (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine * cosine / 1.1));
      const double acceleration = push - 0.05 * theta_acceleration * cosine / 1.1;
      s[0] += 0.02 * s[1];
      s[1] += 0.02 * acceleration;
      s[2] += 0.02 * s[3];
      s[3] += 0.02 * theta_acceleration;
      reward[i] = 1;
      terminated[i] = std::abs(s[0]) > 2.4 || std::abs(s[2]) > 0.20943951023931953;
      truncated[i] = !terminated[i] && ++steps_[i] >= 500;
      if (terminated[i] || truncated[i]) reset(i);
      for (int k = 0; k < 4; ++k) observation[4 * i + k] = static_cast<float>(s[k]);
    }
  }

 private:
  void reset(int lane) {
    for (int k = 0; k < 4; ++k) {
      random_ = random_ * 6364136223846793005ULL + 1442695040888963407ULL;
      state_[4 * lane + k] = static_cast<double>(random_ >> 11) * 0x1p-53 * 0.1 - 0.05;
    }
    steps_[lane] = 0;
  }

  int lanes_;
  uint64_t random_ = 1;
  std::vector<double> state_;
  std::vector<int> steps_;

 public:
  std::vector<float> observation, reward;
  std::vector<uint8_t> terminated, truncated;
};

}  // namespace oneagent::bench
