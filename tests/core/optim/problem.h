// The problem behind tests/golden/make_optim.py: two parameters, one of which starts without a
// gradient.
#pragma once

#include "core/optim/optim.h"
#include "tests/support/golden_file.h"
#include "tests/support/golden_nn.h"

namespace oneagent::testing {

struct Problem {
  Tensor p = wave(0.1, {3, 4}).requires_grad_();
  Tensor q = wave(0.7, {5}).requires_grad_();

  Tensor loss(int step) const {
    Tensor out = sum(cos(p) * wave(0.3, {3, 4})) + 0.1 * sum(p * p);
    if (step >= 3) out = out + sum(sin(q) * wave(0.9, {5})) + 0.2 * sum(q * q);
    return out;
  }
  void step(optim::Optimizer& optimizer, int step) const {
    optimizer.zero_grad(true);
    loss(step).backward();
    optimizer.step();
  }
};

inline const Json& golden_optim(const std::string& name) {
  return golden_file("optim.json").at(name);
}

}  // namespace oneagent::testing
