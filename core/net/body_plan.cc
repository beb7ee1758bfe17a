#include "core/net/body_plan.h"

#include <capnp/dynamic.h>

#include "core/base/check.h"

namespace oneagent::net {
namespace {

bool is_pointer(capnp::Type type) {
  return type.isStruct() || type.isList() || type.isText() || type.isData();
}

}  // namespace

BodyPlan::BodyPlan(capnp::StructSchema schema) : name_(schema.getShortDisplayName().cStr()) {
  OA_CHECK(schema.getUnionFields().size() == 0, "body ", name_, ": unions are not checked");
  for (const capnp::StructSchema::Field field : schema.getFields()) {
    const capnp::Type type = field.getType();
    OA_CHECK(field.getProto().isSlot() && !type.isAnyPointer() && !type.isInterface(), "body ",
             name_, ": a field's type is not checked");
    if (!is_pointer(type)) continue;
    Pointer pointer{field.getProto().getSlot().getOffset(), type, {}};
    if (type.isStruct()) pointer.element.emplace_back(type.asStruct());
    if (type.isList()) {
      const capnp::Type element = type.asList().getElementType();
      OA_CHECK(!element.isList(), "body ", name_, ": lists of lists are not checked");
      if (element.isStruct()) pointer.element.emplace_back(element.asStruct());
    }
    pointers_.push_back(std::move(pointer));
  }
}

// A shorter pointer section is an older sender's: what is missing reads as its default.
void BodyPlan::check_struct(capnp::AnyStruct::Reader reader) const {
  const auto section = reader.getPointerSection();
  for (const Pointer& pointer : pointers_)
    if (pointer.index < section.size() && !section[pointer.index].isNull())
      check_pointer(pointer, section[pointer.index]);
}

void BodyPlan::check_pointer(const Pointer& pointer, capnp::AnyPointer::Reader reader) {
  if (pointer.type.isText()) (void)reader.getAs<capnp::Text>();
  if (pointer.type.isData()) (void)reader.getAs<capnp::Data>();
  if (pointer.type.isStruct()) pointer.element[0].check_struct(reader.getAs<capnp::AnyStruct>());
  if (pointer.type.isList()) check_list(pointer, reader);
}

void BodyPlan::check_list(const Pointer& pointer, capnp::AnyPointer::Reader reader) {
  const auto list = reader.getAs<capnp::DynamicList>(pointer.type.asList());
  const capnp::Type element = pointer.type.asList().getElementType();
  if (!is_pointer(element)) return;
  for (const capnp::DynamicValue::Reader value : list)  // fetching text and data checks them
    if (element.isStruct()) pointer.element[0].check_struct(value.as<capnp::DynamicStruct>());
}

}  // namespace oneagent::net
