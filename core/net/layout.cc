#include "core/net/layout.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace oneagent::net {
namespace {

std::shared_ptr<uint8_t> aligned_buffer(size_t size) {
  void* buffer = std::aligned_alloc(kArrayAlignment, std::max(kArrayAlignment, align_array(size)));
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

Layout lay_out(const ring::ArraySet& arrays, uint32_t packed_frame) {
  Layout layout{.packed_frame = packed_frame, .frames = packed_frame + 1};
  layout.places.reserve(arrays.arrays().size());
  const bool all = arrays.bytes() <= kPackAllBelow;
  for (const ring::Array& array : arrays.arrays()) {
    if (!all && array.bytes() >= kPackBelow) {
      layout.places.push_back({layout.frames++, 0});
    } else {
      layout.places.push_back({packed_frame, layout.packed_bytes});
      layout.packed_bytes += align_array(array.bytes());
    }
  }
  return layout;
}

void copy_packed(const ring::ArraySet& arrays, const Layout& layout, uint8_t* to) {
  for (size_t i = 0; i < layout.places.size(); ++i) {
    if (layout.places[i].frame != layout.packed_frame) continue;
    const ring::Array& array = arrays.arrays()[i];
    const size_t bytes = array.bytes();
    if (bytes > 0) std::memcpy(to + layout.places[i].offset, array.data, bytes);
    std::memset(to + layout.places[i].offset + bytes, 0, align_array(bytes) - bytes);
  }
}

void append_array_frames(const ring::ArraySet& arrays, const Layout& layout, Frames& frames) {
  if (layout.packed_frame > 0) {
    frames.emplace_back(layout.packed_bytes);
    copy_packed(arrays, layout, frames.back().data());
  }
  for (size_t i = 0; i < layout.places.size(); ++i) {
    const ring::Array& array = arrays.arrays()[i];
    if (layout.places[i].frame != layout.packed_frame)
      frames.emplace_back(std::span(array.data, array.bytes()), array.owner);
  }
}

ArrayReader::ArrayReader(Frames frames, size_t header_bytes, const Limits& limits)
    : limits_(limits) {
  sources_.reserve(frames.size());
  for (Frame& frame : frames) {
    auto owner = std::make_shared<Frame>(std::move(frame));
    const size_t skip = sources_.empty() ? std::min(align_array(header_bytes), owner->size()) : 0;
    const uint8_t* data = owner->data() + skip;
    const size_t size = owner->size() - skip;
    sources_.push_back({std::move(owner), data, size});
  }
}

Status ArrayReader::add(const ClaimedArray& claim) {
  if (claim.name.empty() || claim.name.size() > limits_.max_name_bytes)
    return refuse(
        {"?"}, str("a name has 1 to ", limits_.max_name_bytes, " bytes, was ", claim.name.size()));
  if (claim.dtype >= kDTypeCount) return refuse(claim, str("unknown dtype ", claim.dtype));
  if (claim.shape.size() > Shape::kMaxRank)
    return refuse(claim, str("more than ", Shape::kMaxRank, " dimensions"));
  const auto dtype = static_cast<DType>(claim.dtype);
  const int64_t numel = checked_numel(claim.shape, limits_.max_message_bytes / size_of(dtype));
  if (numel < 0) return refuse(claim, "its shape is negative or larger than a message may be");
  if (claim.frame >= sources_.size())
    return refuse(claim, str("lies in frame ", claim.frame, " of ", sources_.size()));
  Source& from = sources_[claim.frame];
  const size_t bytes = static_cast<size_t>(numel) * size_of(dtype);
  if (claim.offset % kArrayAlignment != 0 || claim.offset > from.size ||
      bytes > from.size - claim.offset)
    return refuse(claim, str(bytes, " bytes at offset ", claim.offset, " do not fit ", from.size,
                             " bytes of frame ", claim.frame));
  if (set_.find(claim.name) != nullptr) return refuse(claim, "is there twice");
  const uint8_t* data = data_of(from, size_of(dtype)) + claim.offset;
  if (dtype == DType::kBool && !all_booleans(data, bytes))
    return refuse(claim, "holds a bool that is neither 0 nor 1");
  set_.add({std::string(claim.name), dtype, Shape(std::span(claim.shape)), from.owner, data});
  return ok();
}

// ZeroMQ aligns a large frame to 8 bytes, and puts small ones anywhere into an 8 KB receive buffer
// that they would keep alive: those are copied.
const uint8_t* ArrayReader::data_of(Source& source, size_t element_size) {
  const auto address = reinterpret_cast<uintptr_t>(source.data);
  const bool small = source.size < kPackBelow && address % kArrayAlignment != 0;
  if (small || address % element_size != 0) {
    std::shared_ptr<uint8_t> buffer = aligned_buffer(source.size);
    if (source.size > 0) std::memcpy(buffer.get(), source.data, source.size);
    source = {buffer, buffer.get(), source.size};
  }
  return source.data;
}

}  // namespace oneagent::net
