// Data movement as segments: reading records, decoding them and copying them to where they are
// used, each on a strand of its own with slots behind it. What overlaps follows from the places of
// a slot alone: with two, the node before fills one while the node behind reads the other, and a
// step takes as long as the slower of both; with one they take turns.
//
//   SegmentGraph graph("loader");
//   RecordFile file("train.bin", 28224);
//   ByteRing bytes = add_read(graph, "read", file.source(), 28224, 2);
//   ByteRing rows = add_decode(graph, "decode", bytes, to_float, 4 * 28224, 2);
//   graph.segment("train", compute, [=](const Firing& f) { train(rows.consumed(f)); },
//                 {{rows.slot}}, {});
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/runtime/segment_graph.h"

namespace oneagent {

// The places of a slot as host memory of `bytes` each, 64-byte aligned. Copies share the memory.
class ByteRing {
 public:
  ByteRing() = default;
  ByteRing(SlotId slot, size_t bytes, int places);

  std::span<const std::byte> consumed(const Firing& firing) const {
    return place(firing.consumed(slot));
  }
  std::span<std::byte> produced(const Firing& firing) const { return place(firing.produced(slot)); }
  size_t bytes() const { return bytes_; }

  SlotId slot;

 private:
  std::span<std::byte> place(int index) const {
    return {memory_.get() + static_cast<size_t>(index) * stride_, bytes_};
  }

  std::shared_ptr<std::byte> memory_;
  size_t bytes_ = 0, stride_ = 0;
};

// Fills a record's bytes; `index` counts from 0 without end. What it throws ends the run.
using RecordSource = std::function<void(int64_t index, std::span<std::byte> record)>;

// Records of one size, one after the other behind a header, read with pread; past the last one the
// first follows. Copies share the open file. Errors name the file: it can't be opened, holds no
// whole record, or is cut short while it is read.
class RecordFile {
 public:
  RecordFile(const std::string& path, size_t record_bytes, size_t header_bytes = 0);
  int64_t records() const { return records_; }
  // In the order of the file, or in that of `order` (record numbers, again and again).
  RecordSource source(std::vector<int64_t> order = {}) const;

 private:
  std::shared_ptr<int> file_;  // a descriptor that the last copy closes
  std::string path_;
  size_t record_bytes_, header_bytes_;
  int64_t records_ = 0;
};

// Each of these adds a strand and a segment called `name` and the slot behind it, `name`.out, of
// `places` places; a firing moves one record, `per_step` times a step.
ByteRing add_read(SegmentGraph& graph, const std::string& name, RecordSource source, size_t bytes,
                  int places, int per_step = 1);
using Decoder = std::function<void(std::span<const std::byte> in, std::span<std::byte> out)>;
ByteRing add_decode(SegmentGraph& graph, const std::string& name, const ByteRing& in,
                    Decoder decoder, size_t bytes, int places, int per_step = 1);
// Into memory of its own: what stages of one process hand over, or what a device reads.
ByteRing add_copy(SegmentGraph& graph, const std::string& name, const ByteRing& in, int places,
                  int per_step = 1);

}  // namespace oneagent
