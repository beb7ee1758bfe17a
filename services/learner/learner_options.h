// How the learner is spread over ranks: what the experiment file says of it.
#pragma once

#include "core/base/options.h"

namespace oneagent {

// [learner.parallel]
struct MeshOptions {
  int data = 1;
  int tensor = 1;
  static void options(OptionList<MeshOptions>& list) {
    list.add("data", &MeshOptions::data, "ranks that share out the rows of each batch")
        .between(1, 64);
    list.add("tensor", &MeshOptions::tensor, "ranks that share out the parameters").between(1, 64);
  }
  int ranks() const { return data * tensor; }
};

}  // namespace oneagent
