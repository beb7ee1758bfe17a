// The segment files of a run: chunks appended one after the other, each behind a record header. A
// file whose chunks are all released is used again.
//
//   segment-<id>.oas = [64 bytes: magic, version, id] then records [64 bytes: magic, segment id,
//   actor, sequence, bytes, checksum][encoding, 64-byte padded]
//
// A record is never announced by its file: the journal says which records count. One strand; views
// may be read (and let go) on any.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/data/trajectory.h"
#include "services/replay/chunk_location.h"
#include "services/replay/mapped_file.h"

namespace oneagent {

enum class Durability { kMemory, kProcess, kMachine };
Durability parse_durability(const std::string& name);

struct SegmentLogOptions {
  fs::path folder;
  Durability durability = Durability::kProcess;
  size_t segment_bytes = 16 << 20;
  size_t capacity_bytes = size_t{2} << 30;
};

class SegmentLog final {
 public:
  // Files that are in the folder already stay unclaimed until drop_unclaimed().
  explicit SegmentLog(SegmentLogOptions options);

  // Copies the chunk into the newest segment. ResourceExhausted, with the reason, when capacity or
  // disk are full: nothing was changed. The chunk counts as live until release().
  Result<ChunkLocation> append(const ring::Chunk& chunk);

  // Counts a chunk written by an earlier process (or by this one) as live once more. NotFound, with
  // the reason, when it is missing or damaged.
  Status adopt(const ring::ChunkKey& key, const ChunkLocation& location);
  void release(const ChunkLocation& location);

  // A view; its arrays keep the segment's memory.
  ring::Chunk read(const ChunkLocation& location) const;

  // From now on release() frees nothing: the process ends, and the next one needs the files.
  void close() { closed_ = true; }

  // Deletes the files that no adopt() asked for.
  void drop_unclaimed();
  // fsync of everything appended since the last call.
  void sync();

  size_t bytes() const { return bytes_; }  // of all files, spare and unclaimed ones included
  size_t live_chunks() const { return live_chunks_; }
  const SegmentLogOptions& options() const { return options_; }

 private:
  struct Segment {
    std::shared_ptr<MappedFile> file;
    uint64_t id = 0;
    size_t used = 0;
    size_t synced = 0;
    size_t live = 0;
  };

  Result<Segment*> segment_with_room(size_t record_bytes);
  Result<std::shared_ptr<MappedFile>> make_file(uint64_t id, size_t bytes);
  std::shared_ptr<MappedFile> take_spare(uint64_t id, size_t bytes);
  void free_spares();
  void retire(Segment& segment);
  Result<Segment*> open_segment(uint64_t id);
  fs::path path_of(uint64_t id) const;

  SegmentLogOptions options_;
  std::map<uint64_t, Segment> segments_;
  std::map<uint64_t, size_t> unclaimed_;             // id -> bytes of files from an earlier process
  std::vector<std::shared_ptr<MappedFile>> spares_;  // empty files, ready for use
  uint64_t next_id_ = 1;
  uint64_t newest_ = 0;  // the segment that takes appends; 0 = none
  size_t bytes_ = 0;
  size_t live_chunks_ = 0;
  bool closed_ = false;
};

}  // namespace oneagent
