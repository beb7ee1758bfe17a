// How to check a received body: the pointers of a Cap'n Proto type, listed once per type. Reading a
// body that passed cannot fail.
#pragma once

#include <capnp/any.h>
#include <capnp/schema.h>

#include <vector>

namespace oneagent::net {

class BodyPlan {
 public:
  // Bodies are structs without unions, groups and untyped pointers: proto/ adds fields instead.
  explicit BodyPlan(capnp::StructSchema schema);

  // Throws kj::Exception at the first pointer that is out of bounds or of another type than the
  // schema says, and when the body takes more work than its reader's limits allow.
  void check(capnp::AnyPointer::Reader body) const { check_struct(body.getAs<capnp::AnyStruct>()); }
  const char* type_name() const { return name_; }

 private:
  struct Pointer {
    unsigned index;
    capnp::Type type;
    std::vector<BodyPlan> element;  // of a struct, or of a list of structs: exactly one
  };

  void check_struct(capnp::AnyStruct::Reader reader) const;
  static void check_pointer(const Pointer& pointer, capnp::AnyPointer::Reader reader);
  static void check_list(const Pointer& pointer, capnp::AnyPointer::Reader reader);

  const char* name_;
  std::vector<Pointer> pointers_;
};

}  // namespace oneagent::net
