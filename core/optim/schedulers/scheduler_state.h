// What schedulers write their state to; headers that users include know it by name only.
#pragma once

#include "core/base/json.h"

namespace oneagent::optim {

struct SchedulerState : Json {
  using Json::Json;
  SchedulerState(Json json) : Json(std::move(json)) {}  // NOLINT: implicit like its base
};

}  // namespace oneagent::optim
