#include "core/net/message.h"

#include <kj/exception.h>

#include "core/net/received_header.h"
#include "proto/control.capnp.h"

namespace oneagent::net {

Message::Message() = default;
Message::Message(proto::Kind kind, ring::ArraySet set) : arrays(std::move(set)) {
  head.kind = kind;
}
Message::~Message() = default;
Message::Message(Message&&) noexcept = default;
Message& Message::operator=(Message&&) noexcept = default;

void Message::set_json(Json body) {
  body_ = nullptr;
  received_ = nullptr;
  json_ = body.is_null() ? Json::object() : std::move(body);
}

capnp::AnyPointer::Reader Message::body_root() const {
  if (body_ != nullptr) return body_->getRoot<capnp::AnyPointer>().asReader();
  return received_->root().getBody();
}

Status Message::check_body(const BodyPlan& plan) const {
  if (!has_body())
    return absl::InvalidArgumentError(
        str(name_of(kind()), ": expected a body of type ", plan.type_name(), ", has none"));
  if (body_ != nullptr) return ok();  // made here, by the same types
  try {
    capnp::FlatArrayMessageReader reader = received_->limited_reader();
    plan.check(reader.getRoot<proto::Envelope>().getBody());
    return ok();
  } catch (const kj::Exception& error) {
    return absl::InvalidArgumentError(str(name_of(kind()), ": malformed body, expected ",
                                          plan.type_name(), ": ", error.getDescription().cStr()));
  }
}

std::string name_of(proto::Kind kind) {
  const auto index = static_cast<uint16_t>(kind);
  const auto names = capnp::Schema::from<proto::Kind>().getEnumerants();
  if (index >= names.size()) return str("kind ", index);
  return names[index].getProto().getName().cStr();
}

Message error_message(const Status& status) {
  Message message(proto::Kind::ERROR);
  auto body = message.init_body<proto::Error>();
  body.setCode(static_cast<int32_t>(status.code()));
  body.setText(std::string(status.message()));
  return message;
}

namespace {

Status make_status(int64_t code, const std::string& text) {
  constexpr auto kLast = static_cast<int64_t>(absl::StatusCode::kUnauthenticated);
  const bool known = code > 0 && code <= kLast;
  return Status(known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown, text);
}

}  // namespace

Status status_of(const Message& message) {
  if (message.kind() != proto::Kind::ERROR) return ok();
  if (message.has_json()) {
    const Json& json = message.json();
    const auto text = json.find("text");
    return absl::UnknownError(text != json.end() && text->is_string() ? text->get<std::string>()
                                                                      : "error without a text");
  }
  const Result<proto::Error::Reader> body = message.body<proto::Error>();
  if (!body.ok()) return body.status();
  return make_status(body->getCode(), body->getText().cStr());
}

Message report_message(std::string_view text) {
  Message message(proto::Kind::REPORT);
  message.init_body<proto::Report>().setText(std::string(text));
  return message;
}

}  // namespace oneagent::net
