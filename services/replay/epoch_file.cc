#include "services/replay/epoch_file.h"

namespace oneagent {

Bytes EpochFile::save() const {
  ByteWriter out;
  out.put(epoch);
  out.put_vector(tables);
  out.put<uint64_t>(late.size());
  for (const AcceptedChunk& chunk : late) chunk.save(out);
  out.put<uint64_t>(stamps.size());
  for (const auto& [actor, stamp] : stamps) {
    out.put(actor);
    out.put(stamp.sequence_after);
    out.put_text(stamp.file);
    out.put_text(stamp.sha256);
  }
  return out.take();
}

EpochFile EpochFile::load(std::span<const uint8_t> bytes, std::string_view what) {
  ByteReader in(bytes, what);
  EpochFile file;
  file.epoch = in.get<int64_t>();
  file.tables = in.get_vector<uint8_t>();
  const auto late = in.get<uint64_t>();
  for (uint64_t i = 0; i < late; ++i) file.late.push_back(AcceptedChunk::load(in));
  const auto stamps = in.get<uint64_t>();
  for (uint64_t i = 0; i < stamps; ++i) {
    StampReport stamp;
    stamp.actor = in.get<uint32_t>();
    stamp.sequence_after = in.get<uint64_t>();
    stamp.file = in.get_text();
    stamp.sha256 = in.get_text();
    file.stamps[stamp.actor] = stamp;
  }
  in.finish();
  return file;
}

fs::path replay_epoch_folder(const fs::path& checkpoints, int64_t epoch) {
  return checkpoints / str("epoch-", epoch);
}

std::string stamp_file(uint32_t actor) { return str("actor-", actor, ".bin"); }

}  // namespace oneagent
