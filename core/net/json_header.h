// The JSON form of a header, for peers that have ZeroMQ and nothing else. Internal to the codec.
#pragma once

#include "core/base/json.h"
#include "core/net/layout.h"
#include "core/net/message.h"

namespace oneagent::net {

std::string write_json_header(const Message& message, const Layout& layout);

// Fills head and body of `message` and the arrays from the frames after the header, frame 0. Codes
// as Codec::decode.
Status read_json_header(Frames frames, const Limits& limits, Message& message);

}  // namespace oneagent::net
