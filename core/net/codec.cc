#include "core/net/codec.h"

#include <capnp/serialize.h>
#include <kj/exception.h>
#include <kj/io.h>

#include <cstring>

#include "core/base/version.h"
#include "core/net/json_header.h"
#include "core/net/layout.h"
#include "core/net/received_header.h"
#include "core/net/schema_version.h"

namespace oneagent::net {
namespace {

Status malformed(const std::string& why) {
  return absl::InvalidArgumentError("malformed message: " + why);
}

Status check_sendable(const Message& message, const Layout& layout, const Limits& limits) {
  const auto refuse = [&](const auto&... why) {
    return absl::InvalidArgumentError(str(name_of(message.kind()), ": ", why...));
  };
  const auto& arrays = message.arrays.arrays();
  if (arrays.size() > limits.max_arrays)
    return refuse("at most ", limits.max_arrays, " arrays, was ", arrays.size());
  if (layout.frames > limits.max_frames)
    return refuse("at most ", limits.max_frames, " frames, was ", layout.frames);
  if (message.head.sender.size() > limits.max_name_bytes)
    return refuse("the sender's name has more than ", limits.max_name_bytes, " bytes");
  for (const ring::Array& array : arrays)
    if (array.name.empty() || array.name.size() > limits.max_name_bytes)
      return refuse("an array's name has 1 to ", limits.max_name_bytes, " bytes, was ",
                    array.name.size());
  return ok();
}

void write_head(const Message& message, proto::Envelope::Builder envelope) {
  const Head& head = message.head;
  envelope.setSchemaVersion(kSchemaVersion);
  envelope.setKind(head.kind);
  envelope.setTraceId(head.trace_id);
  envelope.setRequestId(head.request_id);
  envelope.setDeadlineMs(head.deadline_ms);
  envelope.setSender(kj::StringPtr(head.sender.c_str(), head.sender.size()));
  envelope.setIncarnation(head.incarnation);
  envelope.setSequence(head.sequence);
  envelope.setVersion(head.version);
  if (message.stream == StreamControl{}) return;
  auto stream = envelope.initStream();
  stream.setNonce(message.stream.nonce);
  stream.setWindowItems(message.stream.window_items);
  stream.setWindowBytes(message.stream.window_bytes);
  stream.setDurable(message.stream.durable);
}

void write_arrays(const Message& message, const Layout& layout, proto::Envelope::Builder envelope) {
  if (layout.places.empty()) return;
  auto descriptors = envelope.initArrays(static_cast<unsigned>(layout.places.size()));
  for (unsigned i = 0; i < descriptors.size(); ++i) {
    const ring::Array& array = message.arrays.arrays()[i];
    auto descriptor = descriptors[i];
    descriptor.setName(kj::StringPtr(array.name.c_str(), array.name.size()));
    descriptor.setDtype(static_cast<uint8_t>(array.dtype));
    auto shape = descriptor.initShape(static_cast<unsigned>(array.shape.size()));
    for (unsigned d = 0; d < shape.size(); ++d) shape.set(d, array.shape[d]);
    descriptor.setFrame(layout.places[i].frame);
    descriptor.setOffset(layout.places[i].offset);
  }
}

// The header and, behind it, the packed arrays.
Frame first_frame(capnp::MessageBuilder& builder, const Message& message, const Layout& layout,
                  size_t& header) {
  header = capnp::computeSerializedSizeInWords(builder) * sizeof(capnp::word);
  const size_t start = layout.packed_bytes > 0 ? align_array(header) : header;
  Frame frame(start + layout.packed_bytes);
  kj::ArrayOutputStream out(kj::arrayPtr(frame.data(), header));
  capnp::writeMessage(out, builder);
  if (layout.packed_bytes == 0) return frame;
  std::memset(frame.data() + header, 0, start - header);
  copy_packed(message.arrays, layout, frame.data() + start);
  return frame;
}

void read_head(proto::Envelope::Reader envelope, Message& message) {
  Head& head = message.head;
  head.kind = envelope.getKind();
  head.trace_id = envelope.getTraceId();
  head.request_id = envelope.getRequestId();
  head.deadline_ms = envelope.getDeadlineMs();
  head.incarnation = envelope.getIncarnation();
  head.sequence = envelope.getSequence();
  head.version = envelope.getVersion();
}

Status read_sender(proto::Envelope::Reader envelope, const Limits& limits, Message& message) {
  const auto sender = envelope.getSender();
  if (sender.size() > limits.max_name_bytes)
    return malformed(str("the sender's name has ", sender.size(), " bytes"));
  message.head.sender.assign(sender.begin(), sender.size());
  return ok();
}

Status read_arrays(proto::Envelope::Reader envelope, Frames frames, size_t header,
                   const Limits& limits, Message& message) {
  const auto descriptors = envelope.getArrays();
  if (descriptors.size() > limits.max_arrays)
    return malformed(str(descriptors.size(), " arrays, at most ", limits.max_arrays));
  if (descriptors.size() == 0) return ok();
  ArrayReader reader(std::move(frames), header, limits);
  for (const auto descriptor : descriptors) {
    const auto name = descriptor.getName();
    const auto shape = descriptor.getShape();
    ClaimedArray claim{{name.begin(), name.size()},
                       descriptor.getDtype(),
                       {},
                       descriptor.getFrame(),
                       descriptor.getOffset()};
    for (unsigned d = 0; d < shape.size() && d <= Shape::kMaxRank; ++d)
      claim.shape.push_back(shape[d]);
    OA_RETURN_IF_ERROR(reader.add(claim));
  }
  message.arrays = reader.take();
  return ok();
}

Status read_envelope(proto::Envelope::Reader envelope, Frames frames, size_t header,
                     const Limits& limits, Message& message) {
  read_head(envelope, message);
  OA_RETURN_IF_ERROR(read_sender(envelope, limits, message));
  OA_RETURN_IF_ERROR(check_schema_version(envelope.getSchemaVersion(), message.head.sender));
  if (envelope.hasStream()) {
    const auto stream = envelope.getStream();
    message.stream = {stream.getNonce(), stream.getWindowItems(), stream.getWindowBytes(),
                      stream.getDurable()};
  }
  return read_arrays(envelope, std::move(frames), header, limits, message);
}

}  // namespace

Result<Frames> Codec::encode(const Message& message) const {
  const Layout layout = lay_out(message.arrays, message.has_json() ? 1 : 0);
  OA_RETURN_IF_ERROR(check_sendable(message, layout, limits_));
  Frames frames;
  frames.reserve(layout.frames);
  size_t header = 0;
  if (message.has_json()) {
    frames.emplace_back(std::string_view(write_json_header(message, layout)));
    header = frames[0].size();
  } else {
    capnp::word scratch[256] = {};
    capnp::MallocMessageBuilder builder(kj::arrayPtr(scratch, 256));
    auto envelope = builder.initRoot<proto::Envelope>();
    write_head(message, envelope);
    if (message.has_body()) envelope.getBody().set(message.body_root());
    write_arrays(message, layout, envelope);
    frames.push_back(first_frame(builder, message, layout, header));
  }
  append_array_frames(message.arrays, layout, frames);
  if (header > limits_.max_header_bytes)
    return absl::InvalidArgumentError(str(name_of(message.kind()), ": a header has at most ",
                                          limits_.max_header_bytes, " bytes, was ", header));
  if (const size_t total = total_bytes(frames); total > limits_.max_message_bytes)
    return absl::InvalidArgumentError(str(name_of(message.kind()), ": a message has at most ",
                                          limits_.max_message_bytes, " bytes, was ", total));
  return frames;
}

// Cap'n Proto reports malformed input as kj::Exception; here it becomes a value.
Status Codec::decode(Frames frames, Message& message) const {
  message = Message();
  if (frames.empty() || frames.size() > limits_.max_frames)
    return malformed(str(frames.size(), " frames, expected 1 to ", limits_.max_frames));
  if (const size_t total = total_bytes(frames); total > limits_.max_message_bytes)
    return malformed(str(total, " bytes, at most ", limits_.max_message_bytes));
  const Frame& first = frames[0];
  const bool json = first.size() > 0 && first.data()[0] == '{';
  const size_t header = json ? first.size() : header_bytes(first);
  if (header == 0 || header > limits_.max_header_bytes)
    return malformed(
        str("a header of ", header, " bytes, expected 1 to ", limits_.max_header_bytes));
  if (json) return read_json_header(std::move(frames), limits_, message);
  try {
    auto received = std::make_shared<const ReceivedHeader>(first, header, limits_);
    capnp::FlatArrayMessageReader reader = received->limited_reader();
    const auto envelope = reader.getRoot<proto::Envelope>();
    const bool has_body = envelope.hasBody();  // follows a far pointer, so it may throw
    OA_RETURN_IF_ERROR(read_envelope(envelope, std::move(frames), header, limits_, message));
    if (has_body) message.received_ = std::move(received);
    return ok();
  } catch (const kj::Exception& error) {
    return malformed(error.getDescription().cStr());
  }
}

}  // namespace oneagent::net
