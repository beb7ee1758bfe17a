// The Cap'n Proto header of a received message, kept for reading its body. Internal to message.cc
// and codec.cc.
#pragma once

#include <capnp/serialize.h>

#include <vector>

#include "core/net/frame.h"
#include "core/net/limits.h"
#include "proto/envelope.capnp.h"

namespace oneagent::net {

// Bytes of the Cap'n Proto message at the start of the frame, from its segment table; 0 when the
// table is malformed or says more than there is.
size_t header_bytes(const Frame& frame);

class ReceivedHeader {
 public:
  // `frame` starts with `bytes` bytes of header, which are copied when they are not aligned to
  // words or when the frame is small. Throws kj::Exception when the segment table is malformed.
  ReceivedHeader(const Frame& frame, size_t bytes, const Limits& limits);

  // A fresh reader has its own traversal limit, so that one that has checked everything leaves
  // nothing to fail for the next.
  capnp::FlatArrayMessageReader limited_reader() const {
    return capnp::FlatArrayMessageReader(words_, {max_words_, kMaxNesting});
  }
  proto::Envelope::Reader root() const { return reader_.getRoot<proto::Envelope>(); }

 private:
  static constexpr int kMaxNesting = 32;
  static constexpr size_t kCopyBelow = 8192;  // ZeroMQ keeps small frames in an 8 KB receive buffer

  kj::ArrayPtr<const capnp::word> words_of(const Frame& frame, size_t bytes);

  bool keep_;  // words_ are the frame's
  Frame frame_;
  std::vector<capnp::word> copy_;
  kj::ArrayPtr<const capnp::word> words_;
  uint64_t max_words_;
  mutable capnp::FlatArrayMessageReader
      reader_;  // without a limit of its own: read only after a limited reader has been through
};

}  // namespace oneagent::net
