// A chunk as bytes: a description (steps, lanes, names, types, shapes, offsets), then the arrays,
// each aligned to 64 bytes.
#pragma once

#include <memory>

#include "core/base/bytes.h"
#include "core/data/trajectory.h"

namespace oneagent {

class ChunkEncoding final {
 public:
  explicit ChunkEncoding(const ring::Chunk& chunk);  // borrows the chunk
  size_t bytes() const { return bytes_; }
  void write(uint8_t* to) const;  // `to` aligned to 64 bytes; fills all of bytes()

 private:
  const ring::Chunk& chunk_;
  Bytes description_;
  size_t bytes_;
};

// The arrays share `owner`; Error when the bytes are no chunk.
ring::Chunk decode_chunk(std::shared_ptr<const void> owner, const uint8_t* data, size_t bytes);

}  // namespace oneagent
