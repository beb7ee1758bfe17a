// Where the arrays of a message lie in its frames. Internal to the codec.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"
#include "core/data/array_set.h"
#include "core/net/frame.h"
#include "core/net/limits.h"

namespace oneagent::net {

struct Place {
  uint32_t frame = 0;
  uint64_t offset = 0;  // in frame 0: from where the arrays behind the header start
};

struct Layout {
  std::vector<Place> places;  // one per array
  uint32_t packed_frame = 0;  // where small arrays lie, one after the other
  size_t packed_bytes = 0;
  uint32_t frames = 1;  // header included
};

// A frame costs both ends about as much as copying 100 KB, and two small frames pin a receive
// buffer each: so everything is packed into one frame as long as the arrays are small together;
// beyond that each array from kPackBelow on is a frame of its own.
inline constexpr size_t kPackAllBelow = 65536;
inline constexpr size_t kPackBelow = 8192;
inline constexpr size_t kArrayAlignment = 64;
Layout lay_out(const ring::ArraySet& arrays, uint32_t packed_frame);

inline size_t align_array(size_t bytes) {
  return (bytes + kArrayAlignment - 1) / kArrayAlignment * kArrayAlignment;
}

// Copies the packed arrays to `to`, padding included: packed_bytes in all.
void copy_packed(const ring::ArraySet& arrays, const Layout& layout, uint8_t* to);
// Appends the packed frame, when it is not the header's, and the large arrays' frames.
void append_array_frames(const ring::ArraySet& arrays, const Layout& layout, Frames& frames);

// One array as its descriptor claims it to be, not yet trusted.
struct ClaimedArray {
  std::string_view name;
  uint32_t dtype = 0;
  std::vector<int64_t> shape;  // at most Shape::kMaxRank + 1 sizes are stored
  uint64_t frame = 0;
  uint64_t offset = 0;
};

// Turns claims into arrays that share the received frames' bytes.
class ArrayReader {
 public:
  // Takes all frames. Behind the first `header_bytes` bytes, rounded up to 64, frame 0 may hold
  // arrays too.
  ArrayReader(Frames frames, size_t header_bytes, const Limits& limits);
  Status add(const ClaimedArray& claim);
  ring::ArraySet take() { return std::move(set_); }

 private:
  struct Source {
    std::shared_ptr<const void> owner;
    const uint8_t* data = nullptr;
    size_t size = 0;
  };
  const uint8_t* data_of(Source& source, size_t element_size);

  Limits limits_;
  std::vector<Source> sources_;
  ring::ArraySet set_;
};

}  // namespace oneagent::net
