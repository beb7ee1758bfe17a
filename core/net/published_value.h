// A value as a publisher holds it. Internal to the broadcast pattern.
#pragma once

#include <cstdint>
#include <memory>

#include "core/net/frame.h"

namespace oneagent::net {

struct PublishedValue {
  uint64_t count = 0;  // values published so far; tells order, as versions may go back
  int64_t version = 0;
  std::shared_ptr<const Frames> frames;
};

}  // namespace oneagent::net
