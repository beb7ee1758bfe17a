// Walks a received body through its schema, so that reading it afterwards cannot fail. Internal to message.cc.
#pragma once

#include <capnp/any.h>
#include <capnp/schema.h>

namespace oneagent::net {

// Throws kj::Exception at the first pointer that is out of bounds or of another type than the schema says, and when the body
// takes more work than the reader's limits allow.
void check_body_against(capnp::AnyPointer::Reader body, capnp::StructSchema schema);

}  // namespace oneagent::net
