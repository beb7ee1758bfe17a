#include "core/net/layout.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace oneagent::net {
namespace {

size_t aligned(size_t bytes) { return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment; }

std::shared_ptr<uint8_t> aligned_buffer(size_t size) {
  void* buffer = std::aligned_alloc(kArrayAlignment, std::max(kArrayAlignment, aligned(size)));
  if (buffer == nullptr) throw std::bad_alloc();
  return {static_cast<uint8_t*>(buffer), std::free};
}

// Number of elements, or -1 when a size is negative or the product exceeds `most`.
int64_t checked_numel(const std::vector<int64_t>& shape, uint64_t most) {
  uint64_t numel = 1;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0 || static_cast<uint64_t>(size) > most) return -1;
    if (size == 0) empty = true;
    numel *= std::max<uint64_t>(1, static_cast<uint64_t>(size));
    if (numel > most) return -1;
  }
  return empty ? 0 : static_cast<int64_t>(numel);
}

Status refuse(const ClaimedArray& claim, const std::string& why) {
  return absl::InvalidArgumentError(str("array \"", claim.name, "\": ", why));
}

bool all_booleans(const uint8_t* data, size_t count) {
  uint8_t seen = 0;
  for (size_t i = 0; i < count; ++i) seen |= data[i];
  return seen <= 1;
}

}  // namespace

Layout lay_out(const ring::ArraySet& arrays) {
  Layout layout;
  layout.places.reserve(arrays.arrays().size());
  for (const ring::Array& array : arrays.arrays()) layout.has_packed |= array.bytes() < kPackBelow;
  if (layout.has_packed) layout.frames = 2;
  for (const ring::Array& array : arrays.arrays()) {
    if (array.bytes() >= kPackBelow) {
      layout.places.push_back({layout.frames++, 0});
    } else {
      layout.places.push_back({1, layout.packed_bytes});
      layout.packed_bytes += aligned(array.bytes());
    }
  }
  return layout;
}

void append_array_frames(const ring::ArraySet& arrays, const Layout& layout, Frames& frames) {
  if (layout.has_packed) {
    Frame packed(layout.packed_bytes);
    uint8_t* to = packed.data();
    for (size_t i = 0; i < layout.places.size(); ++i) {
      const ring::Array& array = arrays.arrays()[i];
      const size_t bytes = array.bytes();
      if (bytes >= kPackBelow) continue;
      if (bytes > 0) std::memcpy(to + layout.places[i].offset, array.data, bytes);
      std::memset(to + layout.places[i].offset + bytes, 0, aligned(bytes) - bytes);
    }
    frames.push_back(std::move(packed));
  }
  for (const ring::Array& array : arrays.arrays())
    if (array.bytes() >= kPackBelow) frames.emplace_back(std::span(array.data, array.bytes()), array.owner);
}

ArrayReader::ArrayReader(Frames& frames, const Limits& limits) : limits_(limits) {
  frames_.reserve(frames.size());
  frames_.emplace_back();  // the header's place
  for (size_t i = 1; i < frames.size(); ++i) frames_.push_back(std::move(frames[i]));
  frames.resize(1);
  sources_.resize(frames_.size());
}

Status ArrayReader::add(const ClaimedArray& claim) {
  if (claim.name.empty() || claim.name.size() > limits_.max_name_bytes)
    return refuse({"?"}, str("a name has 1 to ", limits_.max_name_bytes, " bytes, was ", claim.name.size()));
  if (claim.dtype >= kDTypeCount) return refuse(claim, str("unknown dtype ", claim.dtype));
  if (claim.shape.size() > Shape::kMaxRank) return refuse(claim, str("more than ", Shape::kMaxRank, " dimensions"));
  const auto dtype = static_cast<DType>(claim.dtype);
  const int64_t numel = checked_numel(claim.shape, limits_.max_message_bytes / size_of(dtype));
  if (numel < 0) return refuse(claim, "its shape is negative or larger than a message may be");
  if (claim.frame < 1 || claim.frame >= frames_.size()) return refuse(claim, str("lies in frame ", claim.frame, " of ", frames_.size()));
  const size_t bytes = static_cast<size_t>(numel) * size_of(dtype);
  const size_t size = sources_[claim.frame].data != nullptr ? sources_[claim.frame].size : frames_[claim.frame].size();
  if (claim.offset % kArrayAlignment != 0 || claim.offset > size || bytes > size - claim.offset)
    return refuse(claim, str(bytes, " bytes at offset ", claim.offset, " do not fit a frame of ", size, " bytes"));
  if (set_.find(claim.name) != nullptr) return refuse(claim, "is there twice");
  const Source& from = source(claim.frame, size_of(dtype));
  const uint8_t* data = from.data + claim.offset;
  if (dtype == DType::kBool && !all_booleans(data, bytes)) return refuse(claim, "holds a bool that is neither 0 nor 1");
  set_.add({std::string(claim.name), dtype, Shape(std::span(claim.shape)), from.owner, data});
  return ok();
}

// ZeroMQ aligns a large frame to 8 bytes, and puts small ones anywhere into an 8 KB receive buffer that they would keep alive: those are copied.
const ArrayReader::Source& ArrayReader::source(uint64_t index, size_t element_size) {
  Source& source = sources_[index];
  if (source.data == nullptr) {
    auto frame = std::make_shared<Frame>(std::move(frames_[index]));
    source = {frame, frame->data(), frame->size()};
  }
  const bool small = source.size < kPackBelow && reinterpret_cast<uintptr_t>(source.data) % kArrayAlignment != 0;
  if (small || reinterpret_cast<uintptr_t>(source.data) % element_size != 0) {
    std::shared_ptr<uint8_t> buffer = aligned_buffer(source.size);
    if (source.size > 0) std::memcpy(buffer.get(), source.data, source.size);
    source = {buffer, buffer.get(), source.size};
  }
  return source;
}

}  // namespace oneagent::net
