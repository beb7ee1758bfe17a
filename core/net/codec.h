// Message <-> ZeroMQ frames. Frame 0 starts with the header: Cap'n Proto (proto/envelope.capnp), or
// JSON when its first byte is '{'. Behind a Cap'n Proto header, from the next multiple of 64 bytes
// on, follow the small arrays (in a frame 1 of their own after a JSON header), or all of them when
// they have at most 64 KB together. A larger array is a frame of its own, sent without a copy.
// Received arrays share the frames' bytes. JSON header:
// {"schema":1,"kind":"act","request":5,"sender":"env","body":{...},"arrays":[{"name","dtype","shape","frame","offset"}]}.
#pragma once

#include "core/net/frame.h"
#include "core/net/limits.h"
#include "core/net/message.h"

namespace oneagent::net {

class Codec {
 public:
  explicit Codec(Limits limits = {}) : limits_(limits) {}

  // InvalidArgument names the bound that the message breaks. The frames share the arrays' bytes.
  Result<Frames> encode(const Message& message) const;

  // Takes the frames; arrays of the message share their bytes. Checks every bound, offset and name
  // before it allocates. Codes:
  //   InvalidArgument     malformed; `message` holds nothing of use
  //   FailedPrecondition  another schema version, both named; head.kind, request_id and sender are
  //   filled, so that it can be answered
  Status decode(Frames frames, Message& message) const;

  const Limits& limits() const { return limits_; }

 private:
  Limits limits_;
};

}  // namespace oneagent::net
