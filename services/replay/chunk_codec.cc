#include "services/replay/chunk_codec.h"

#include <cstring>

namespace oneagent {
namespace {

constexpr uint64_t kMaxArrays = 1024;

size_t aligned(size_t bytes) { return (bytes + 63) / 64 * 64; }

void describe(const ring::Chunk& chunk, ByteWriter& out) {
  out.put(chunk.key.actor);
  out.put(chunk.key.sequence);
  out.put(chunk.steps);
  out.put(chunk.lanes);
  out.put(chunk.first_step);
  out.put(chunk.weights_version);
  out.put<uint64_t>(chunk.arrays.arrays().size());
  for (const ring::Array& array : chunk.arrays.arrays()) {
    out.put_text(array.name);
    out.put(static_cast<uint8_t>(array.dtype));
    out.put_span(std::span<const int64_t>(array.shape));
  }
}

// Numbers of elements that could overflow are refused before anything is read.
size_t checked_bytes(const ring::Array& array, size_t left) {
  uint64_t bytes = size_of(array.dtype);
  for (const int64_t size : array.shape) {
    OA_REQUIRE(size >= 0 && (size == 0 || bytes <= left / static_cast<uint64_t>(size)),
               "chunk: array ", array.name, " of shape ", array.shape, " does not fit");
    bytes *= static_cast<uint64_t>(size);
  }
  return bytes;
}

}  // namespace

// [u64 bytes of the description][description][padding][arrays...]
ChunkEncoding::ChunkEncoding(const ring::Chunk& chunk) : chunk_(chunk) {
  ByteWriter out;
  describe(chunk, out);
  description_ = out.take();
  bytes_ = aligned(sizeof(uint64_t) + description_.size());
  for (const ring::Array& array : chunk.arrays.arrays()) bytes_ += aligned(array.bytes());
}

void ChunkEncoding::write(uint8_t* to) const {
  const auto put = [&to](const void* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
    std::memset(to + bytes, 0, aligned(bytes) - bytes);
    to += aligned(bytes);
  };
  const uint64_t size = description_.size();
  std::memcpy(to, &size, sizeof(size));
  std::memcpy(to + sizeof(size), description_.data(), size);
  const size_t used = sizeof(size) + size;
  std::memset(to + used, 0, aligned(used) - used);
  to += aligned(used);
  for (const ring::Array& array : chunk_.arrays.arrays()) put(array.data, array.bytes());
}

ring::Chunk decode_chunk(std::shared_ptr<const void> owner, const uint8_t* data, size_t bytes) {
  ByteReader frame({data, bytes}, "chunk");
  const auto described = frame.get<uint64_t>();
  OA_REQUIRE(described <= frame.left(), "chunk: description of ", described, " bytes in ", bytes);
  ByteReader in({data + sizeof(uint64_t), described}, "chunk description");
  ring::Chunk chunk;
  chunk.key.actor = in.get<uint32_t>();
  chunk.key.sequence = in.get<uint64_t>();
  chunk.steps = in.get<int64_t>();
  chunk.lanes = in.get<int64_t>();
  chunk.first_step = in.get<int64_t>();
  chunk.weights_version = in.get<int64_t>();
  const auto count = in.get<uint64_t>();
  OA_REQUIRE(count <= kMaxArrays, "chunk: ", count, " arrays, at most ", kMaxArrays);
  size_t at = aligned(sizeof(uint64_t) + described);
  for (uint64_t i = 0; i < count; ++i) {
    ring::Array array;
    array.name = in.get_text();
    const auto dtype = in.get<uint8_t>();
    OA_REQUIRE(dtype < kDTypeCount, "chunk: array ", array.name, " has unknown element type ",
               int{dtype});
    array.dtype = static_cast<DType>(dtype);
    array.shape = Shape(in.get_vector<int64_t>());
    OA_REQUIRE(at <= bytes, "chunk: array ", array.name, " lies outside");
    const size_t size = checked_bytes(array, bytes - at);
    array.owner = owner;
    array.data = data + at;
    at += aligned(size);
    chunk.arrays.add(std::move(array));
  }
  in.finish();
  OA_REQUIRE(at == bytes, "chunk: ", bytes, " bytes, described ", at);
  return chunk;
}

}  // namespace oneagent
