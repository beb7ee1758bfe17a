#include "services/replay/journal.h"

#include <atomic>
#include <cstring>

#include "services/replay/checksum.h"

namespace oneagent {
namespace {

constexpr uint64_t kMagic = 0x314e524a'5041414fULL;  // "OAAPJRN1"
constexpr uint64_t kVersion = 1;
constexpr size_t kHeaderBytes = 64;
constexpr size_t kStep = 4 << 20;
constexpr size_t kReserve = 1 << 20;

struct Header {
  uint64_t magic = kMagic;
  uint64_t version = kVersion;
  uint64_t number = 0;
};

struct RecordHeader {
  uint32_t bytes = 0;
  uint32_t kind = 0;
  uint64_t checksum = 0;
};

size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }
uint64_t record_checksum(const RecordHeader& header, const uint8_t* payload) {
  return checksum(
      payload, header.bytes,
      (uint64_t{header.bytes} << 32 | header.kind) + 1);  // never 0 for an empty file's zeros
}

}  // namespace

fs::path Journal::path_of(const fs::path& folder, uint64_t number) {
  return folder / str("journal-", number, ".oaj");
}

Result<std::unique_ptr<Journal>> Journal::create(const fs::path& folder, uint64_t number) {
  make_folder(folder);
  const fs::path path = path_of(folder, number);
  std::error_code ignored;
  fs::remove(path, ignored);
  Result<std::unique_ptr<MappedFile>> file = MappedFile::create(path, kStep);
  if (!file.ok()) return file.status();
  const Header header{.number = number};
  std::memcpy((*file)->data(), &header, sizeof(header));
  return std::unique_ptr<Journal>(new Journal(*std::move(file), number));
}

Result<std::unique_ptr<Journal>> Journal::open(const fs::path& folder, uint64_t number,
                                               const Visit& visit) {
  const fs::path path = path_of(folder, number);
  Result<std::unique_ptr<MappedFile>> file = MappedFile::open(path);
  if (!file.ok()) return file.status();
  Header header;
  OA_REQUIRE((*file)->bytes() >= kHeaderBytes, "replay: ", path.string(),
             " is too short for a journal");
  std::memcpy(&header, (*file)->data(), sizeof(header));
  if (header.magic == 0)
    return absl::NotFoundError(
        str("replay: ", path.string(), " was not begun"));  // killed between create and header
  OA_REQUIRE(header.magic == kMagic && header.version == kVersion && header.number == number,
             "replay: ", path.string(), " is no journal of this version");
  std::unique_ptr<Journal> journal(new Journal(*std::move(file), number));
  journal->replay(visit);
  return journal;
}

void Journal::replay(const Visit& visit) {
  const size_t end = file_->bytes();
  while (used_ + sizeof(RecordHeader) <= end) {
    RecordHeader header;
    const uint8_t* record = file_->data() + used_;
    std::memcpy(&header, record, sizeof(header));
    if (header.checksum == 0 && header.bytes == 0) return;
    const uint8_t* payload = record + sizeof(header);
    if (header.bytes > end - used_ - sizeof(header) ||
        record_checksum(header, payload) != header.checksum) {
      dropped_bytes_ =
          sizeof(header) + std::min<size_t>(header.bytes, end - used_ - sizeof(header));
      std::memset(file_->data() + used_, 0, end - used_);
      return;
    }
    visit(header.kind, {payload, header.bytes});
    used_ += sizeof(header) + padded(header.bytes);
  }
}

Status Journal::make_room(size_t bytes) {
  const size_t wanted = used_ + sizeof(RecordHeader) + padded(bytes) + kReserve;
  if (wanted <= file_->bytes()) return ok();
  return file_->grow((wanted + kStep - 1) / kStep * kStep);
}

// The header, which makes the record valid, is stored last.
Status Journal::append(uint32_t kind, std::span<const uint8_t> payload) {
  const size_t size = sizeof(RecordHeader) + padded(payload.size());
  if (Status room = make_room(payload.size()); !room.ok() && used_ + size > file_->bytes())
    return room;
  RecordHeader header{static_cast<uint32_t>(payload.size()), kind, 0};
  header.checksum = record_checksum(header, payload.data());
  uint8_t* record = file_->data() + used_;
  if (!payload.empty()) std::memcpy(record + sizeof(header), payload.data(), payload.size());
  std::atomic_signal_fence(std::memory_order_release);
  std::memcpy(record, &header, sizeof(header));
  used_ += size;
  return ok();
}

}  // namespace oneagent
