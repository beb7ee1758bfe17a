// What can happen on a good day (timeout, full, closed, stale) is a return value, not an exception.
#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace oneagent {

using Status = absl::Status;
template <class T>
using Result = absl::StatusOr<T>;

inline Status ok() { return absl::OkStatus(); }

}  // namespace oneagent

#define OA_RETURN_IF_ERROR(expression)                                            \
  do {                                                                            \
    if (::oneagent::Status status_ = (expression); !status_.ok()) return status_; \
  } while (false)
