// The Cap'n Proto header of a received message, kept for reading its body. Internal to message.cc and codec.cc.
#pragma once

#include <capnp/serialize.h>

#include <vector>

#include "core/net/frame.h"
#include "core/net/limits.h"
#include "proto/envelope.capnp.h"

namespace oneagent::net {

class ReceivedHeader {
 public:
  // Copies the frame when it is not aligned to words. Throws kj::Exception when the segment table is malformed.
  ReceivedHeader(Frame frame, const Limits& limits);

  // A fresh reader has its own traversal limit, so that one that has checked everything leaves nothing to fail for the next.
  capnp::FlatArrayMessageReader limited_reader() const { return capnp::FlatArrayMessageReader(words_, {max_words_, kMaxNesting}); }
  proto::Envelope::Reader root() const { return reader_.getRoot<proto::Envelope>(); }

 private:
  static constexpr int kMaxNesting = 32;

  Frame frame_;
  std::vector<capnp::word> copy_;
  kj::ArrayPtr<const capnp::word> words_;
  uint64_t max_words_;
  mutable capnp::FlatArrayMessageReader reader_;  // without a limit of its own: read only after a limited reader has been through
};

}  // namespace oneagent::net
