// Where the result of a function with an out tensor goes: the first op of the scope whose one
// result fits `out` writes into its memory, and no copy is needed if that was the last op.
#pragma once

#include "core/graph/context.h"

namespace oneagent {

class OutScope {
 public:
  // Without effect if an argument shares out's memory, or where gradients are recorded.
  OutScope(const Tensor& out, std::initializer_list<const Tensor*> arguments)
      : before_(context().out) {
    context().out = may_write(out, arguments) ? &out : nullptr;
  }
  ~OutScope() { context().out = before_; }
  OutScope(const OutScope&) = delete;
  OutScope& operator=(const OutScope&) = delete;

 private:
  static bool may_write(const Tensor& out, std::initializer_list<const Tensor*> arguments);

  const Tensor* before_;
};

}  // namespace oneagent
