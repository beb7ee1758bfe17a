#include "core/net/body_check.h"

#include <capnp/dynamic.h>

namespace oneagent::net {
namespace {

void check_struct(capnp::DynamicStruct::Reader reader);

bool holds_pointers(capnp::Type type) {
  return type.isStruct() || type.isList() || type.isText() || type.isData();
}

void check_list(capnp::DynamicList::Reader list) {
  const capnp::Type element = list.getSchema().getElementType();
  if (!holds_pointers(element)) return;
  for (const capnp::DynamicValue::Reader value : list) {
    if (element.isStruct()) check_struct(value.as<capnp::DynamicStruct>());
    if (element.isList()) check_list(value.as<capnp::DynamicList>());
  }
}

void check_field(capnp::DynamicStruct::Reader reader, capnp::StructSchema::Field field) {
  const capnp::Type type = field.getType();
  if (!holds_pointers(type)) return;
  const capnp::DynamicValue::Reader value = reader.get(field);  // fetches text and data, which checks them
  if (type.isStruct()) check_struct(value.as<capnp::DynamicStruct>());
  if (type.isList()) check_list(value.as<capnp::DynamicList>());
}

// Bodies have no unions: proto/ adds fields instead.
void check_struct(capnp::DynamicStruct::Reader reader) {
  for (const capnp::StructSchema::Field field : reader.getSchema().getNonUnionFields()) check_field(reader, field);
}

}  // namespace

void check_body_against(capnp::AnyPointer::Reader body, capnp::StructSchema schema) {
  check_struct(body.getAs<capnp::DynamicStruct>(schema));
}

}  // namespace oneagent::net
