#include "services/replay/segment_log.h"

#include <cstring>

#include "services/replay/checksum.h"
#include "services/replay/chunk_codec.h"

namespace oneagent {
namespace {

constexpr uint64_t kFileMagic = 0x31474553'5041414fULL;  // "OAAPSEG1"
constexpr uint32_t kRecordMagic = 0x4b4e4843;            // "CHNK"
constexpr uint32_t kVersion = 1;
constexpr size_t kHeaderBytes = 64;
constexpr size_t kMaxSpares = 4;

struct FileHeader {
  uint64_t magic = kFileMagic;
  uint32_t version = kVersion;
  uint32_t padding = 0;
  uint64_t segment = 0;
};

struct RecordHeader {
  uint32_t magic = kRecordMagic;
  uint32_t actor = 0;
  uint64_t segment = 0;
  uint64_t sequence = 0;
  uint64_t bytes = 0;
  uint64_t checksum = 0;
};

template <class Header>
void store(uint8_t* to, const Header& header) {
  static_assert(sizeof(Header) <= kHeaderBytes);
  std::memset(to, 0, kHeaderBytes);
  std::memcpy(to, &header, sizeof(header));
}

template <class Header>
Header load(const uint8_t* from) {
  Header header;
  std::memcpy(&header, from, sizeof(header));
  return header;
}

}  // namespace

Durability parse_durability(const std::string& name) {
  if (name == "memory") return Durability::kMemory;
  if (name == "process") return Durability::kProcess;
  if (name == "machine") return Durability::kMachine;
  throw_error(str("replay: unknown durability \"", name, "\"",
                  suggestion(name, {"memory", "process", "machine"})));
}

SegmentLog::SegmentLog(SegmentLogOptions options) : options_(std::move(options)) {
  if (options_.durability == Durability::kMemory) return;
  make_folder(options_.folder);
  for (const auto& entry : fs::directory_iterator(options_.folder)) {
    const std::string name = entry.path().filename().string();
    unsigned long long id = 0;
    if (std::sscanf(name.c_str(), "segment-%llu.oas", &id) != 1 ||
        name != path_of(id).filename().string() || !entry.is_regular_file())
      continue;
    unclaimed_[id] = entry.file_size();
    bytes_ += entry.file_size();
    next_id_ = std::max<uint64_t>(next_id_, id + 1);
  }
}

fs::path SegmentLog::path_of(uint64_t id) const {
  return options_.folder / str("segment-", id, ".oas");
}

Result<ChunkLocation> SegmentLog::append(const ring::Chunk& chunk) {
  const ChunkEncoding encoding(chunk);
  Result<Segment*> found = segment_with_room(kHeaderBytes + encoding.bytes());
  if (!found.ok()) return found.status();
  Segment& segment = **found;
  uint8_t* record = segment.file->data() + segment.used;
  encoding.write(record + kHeaderBytes);
  const ChunkLocation location{segment.id, segment.used + kHeaderBytes, encoding.bytes(),
                               checksum(record + kHeaderBytes, encoding.bytes())};
  store(record, RecordHeader{.actor = chunk.key.actor,
                             .segment = segment.id,
                             .sequence = chunk.key.sequence,
                             .bytes = location.bytes,
                             .checksum = location.checksum});
  segment.used += kHeaderBytes + encoding.bytes();
  ++segment.live;
  ++live_chunks_;
  if (options_.durability == Durability::kMachine) sync();
  return location;
}

Result<SegmentLog::Segment*> SegmentLog::segment_with_room(size_t record_bytes) {
  if (newest_ != 0) {
    Segment& segment = segments_.at(newest_);
    if (segment.used + record_bytes <= segment.file->bytes()) return &segment;
  }
  const size_t bytes = std::max(options_.segment_bytes, kHeaderBytes + record_bytes);
  Result<std::shared_ptr<MappedFile>> file = make_file(next_id_, bytes);
  if (!file.ok()) return file.status();
  const uint64_t sealed = newest_;
  newest_ = next_id_++;
  Segment& segment = segments_[newest_];
  segment = {*std::move(file), newest_, kHeaderBytes, 0, 0};
  store(segment.file->data(), FileHeader{.segment = newest_});
  if (sealed != 0 && segments_.at(sealed).live == 0) retire(segments_.at(sealed));
  return &segment;
}

Result<std::shared_ptr<MappedFile>> SegmentLog::make_file(uint64_t id, size_t bytes) {
  if (std::shared_ptr<MappedFile> spare = take_spare(id, bytes)) return spare;
  if (bytes_ + bytes > options_.capacity_bytes) free_spares();
  if (bytes_ + bytes > options_.capacity_bytes)
    return absl::ResourceExhaustedError(
        str("replay: segment files hold ", bytes_, " of capacity_bytes ", options_.capacity_bytes,
            ", the next needs ", bytes,
            "; the learner must sample or commit an epoch, or raise capacity_bytes"));
  if (options_.durability == Durability::kMemory) {
    bytes_ += bytes;
    return std::shared_ptr<MappedFile>(MappedFile::create_in_memory(bytes));
  }
  Result<std::unique_ptr<MappedFile>> file = MappedFile::create(path_of(id), bytes);
  if (!file.ok()) return file.status();
  bytes_ += bytes;
  return std::shared_ptr<MappedFile>(*std::move(file));
}

// A file that somebody still reads is not used again yet.
std::shared_ptr<MappedFile> SegmentLog::take_spare(uint64_t id, size_t bytes) {
  for (auto spare = spares_.begin(); spare != spares_.end(); ++spare) {
    if (spare->use_count() != 1 || (*spare)->bytes() != bytes) continue;
    if (!(*spare)->rename(path_of(id)).ok()) continue;
    // Reading the count says that the last reader is gone; counting up and down orders what it did
    // before what we do (its release was a release of the counter).
    std::shared_ptr<MappedFile> file = *spare;
    spares_.erase(spare);
    return file;
  }
  return nullptr;
}

void SegmentLog::free_spares() {
  for (const auto& spare : spares_) {
    bytes_ -= spare->bytes();
    spare->remove();
  }
  spares_.clear();
}

void SegmentLog::retire(Segment& segment) {
  std::shared_ptr<MappedFile> file = std::move(segment.file);
  segments_.erase(segment.id);
  if (file->bytes() == options_.segment_bytes && spares_.size() < kMaxSpares) {
    spares_.push_back(std::move(file));
    return;
  }
  bytes_ -= file->bytes();
  file->remove();
}

Result<SegmentLog::Segment*> SegmentLog::open_segment(uint64_t id) {
  if (const auto found = segments_.find(id); found != segments_.end()) return &found->second;
  const std::string name = path_of(id).string();
  if (!unclaimed_.contains(id))
    return absl::NotFoundError(str("replay: segment file ", name, " is missing"));
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path_of(id));
  if (!file.ok()) return file.status();
  std::shared_ptr<MappedFile> shared = *std::move(file);
  const auto header =
      shared->bytes() < kHeaderBytes ? FileHeader{.magic = 0} : load<FileHeader>(shared->data());
  if (header.magic != kFileMagic || header.version != kVersion || header.segment != id)
    return absl::NotFoundError(str("replay: ", name, " is no segment file of this version"));
  unclaimed_.erase(id);
  Segment& segment = segments_[id];
  segment = {shared, id, shared->bytes(), 0, 0};  // full: nothing is appended to it any more
  return &segment;
}

Status SegmentLog::adopt(const ring::ChunkKey& key, const ChunkLocation& location) {
  const auto refuse = [&](absl::string_view reason) {
    return absl::NotFoundError(str("replay: chunk ", key.sequence, " of actor ", key.actor,
                                   ", segment ", location.segment, " at ", location.offset, ": ",
                                   reason));
  };
  Result<Segment*> found = open_segment(location.segment);
  if (!found.ok()) return refuse(found.status().message());
  Segment& segment = **found;
  const size_t end = segment.file->bytes();
  if (location.offset < kHeaderBytes || location.offset > end ||
      location.bytes > end - location.offset)
    return refuse("lies outside of the file");
  const uint8_t* data = segment.file->data() + location.offset;
  const auto header = load<RecordHeader>(data - kHeaderBytes);
  if (header.magic != kRecordMagic || header.segment != location.segment ||
      header.actor != key.actor || header.sequence != key.sequence ||
      header.bytes != location.bytes || header.checksum != location.checksum)
    return refuse("another record is there");
  if (checksum(data, location.bytes) != location.checksum) return refuse("its checksum is wrong");
  ++segment.live;
  ++live_chunks_;
  return ok();
}

void SegmentLog::release(const ChunkLocation& location) {
  if (closed_) return;
  Segment& segment = segments_.at(location.segment);
  OA_CHECK(segment.live > 0, "segment ", location.segment, " holds no live chunk");
  --segment.live;
  --live_chunks_;
  if (segment.live == 0 && segment.id != newest_) retire(segment);
}

ring::Chunk SegmentLog::read(const ChunkLocation& location) const {
  const Segment& segment = segments_.at(location.segment);
  return decode_chunk(segment.file, segment.file->data() + location.offset, location.bytes);
}

void SegmentLog::drop_unclaimed() {
  for (const auto& [id, bytes] : unclaimed_) {
    std::error_code ignored;
    fs::remove(path_of(id), ignored);
    bytes_ -= bytes;
  }
  unclaimed_.clear();
}

void SegmentLog::sync() {
  for (auto& [id, segment] : segments_) {
    if (segment.synced >= segment.used) continue;
    segment.file->sync(segment.synced, segment.used);
    segment.synced = segment.used;
  }
  if (options_.durability != Durability::kMemory) sync_folder(options_.folder);
}

}  // namespace oneagent
