// ring::Weights as a message of the wire, and back.
#pragma once

#include "core/data/weights.h"
#include "core/net/message.h"

namespace oneagent {

net::Message to_message(const ring::Weights& weights);
// InvalidArgument when the body is not a well-formed Weights.
Result<ring::Weights> weights_from_message(const net::Message& message);

}  // namespace oneagent
