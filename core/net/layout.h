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
  uint64_t offset = 0;
};

struct Layout {
  std::vector<Place> places;  // one per array
  size_t packed_bytes = 0;    // of frame 1, when any array is small; 0 bytes may still be a frame
  bool has_packed = false;
  uint32_t frames = 1;        // header included
};

// Arrays below kPackBelow share frame 1; the others get a frame each. An Array is at least 64-byte aligned relative to its frame.
inline constexpr size_t kPackBelow = 8192;
inline constexpr size_t kArrayAlignment = 64;
Layout lay_out(const ring::ArraySet& arrays);

// Appends the frames after the header.
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
  // Takes frames 1.. out of `frames`; frame 0 stays.
  ArrayReader(Frames& frames, const Limits& limits);
  Status add(const ClaimedArray& claim);
  ring::ArraySet take() { return std::move(set_); }

 private:
  struct Source {
    std::shared_ptr<const void> owner;
    const uint8_t* data = nullptr;
    size_t size = 0;
  };
  const Source& source(uint64_t frame, size_t element_size);

  Limits limits_;
  Frames frames_;
  std::vector<Source> sources_;
  ring::ArraySet set_;
};

}  // namespace oneagent::net
