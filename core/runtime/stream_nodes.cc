#include "core/runtime/stream_nodes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/base/check.h"

namespace oneagent {
namespace {

constexpr size_t kAlign = 64;

ByteRing ring_behind(SegmentGraph& graph, const std::string& name, size_t bytes, int places) {
  return ByteRing(graph.slot(name + ".out", places), bytes, places);
}

}  // namespace

ByteRing::ByteRing(SlotId slot, size_t bytes, int places)
    : slot(slot), bytes_(bytes), stride_((bytes + kAlign - 1) / kAlign * kAlign) {
  const size_t all = stride_ * static_cast<size_t>(places);
  auto* memory = static_cast<std::byte*>(::operator new(all, std::align_val_t(kAlign)));
  std::memset(memory, 0, all);  // pages are taken now, not in the first step
  memory_ = std::shared_ptr<std::byte>(
      memory, [](std::byte* block) { ::operator delete(block, std::align_val_t(kAlign)); });
}

RecordFile::RecordFile(const std::string& path, size_t record_bytes, size_t header_bytes)
    : path_(path), record_bytes_(record_bytes), header_bytes_(header_bytes) {
  OA_REQUIRE(record_bytes > 0, "records of ", path, ": a record needs at least one byte, was 0");
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  OA_REQUIRE(file >= 0, "records of ", path, ": can't open it: ", std::strerror(errno));
  file_ = std::shared_ptr<int>(new int(file), [](int* open) {
    ::close(*open);
    delete open;
  });
  struct stat about {};
  OA_REQUIRE(::fstat(file, &about) == 0, "records of ", path, ": ", std::strerror(errno));
  const auto size = static_cast<size_t>(about.st_size);
  records_ = size < header_bytes ? 0 : static_cast<int64_t>((size - header_bytes) / record_bytes);
  OA_REQUIRE(records_ > 0, "records of ", path, ": has ", size, " bytes, too few for a header of ",
             header_bytes, " and a record of ", record_bytes);
}

RecordSource RecordFile::source(std::vector<int64_t> order) const {
  for (const int64_t record : order)
    OA_REQUIRE(record >= 0 && record < records_, "records of ", path_, ": there is no record ",
               record, ", it has ", records_);
  return [self = *this, order = std::move(order)](int64_t index, std::span<std::byte> record) {
    const int64_t number =
        order.empty() ? index % self.records_ : order[static_cast<size_t>(index) % order.size()];
    OA_REQUIRE(record.size() == self.record_bytes_, "records of ", self.path_, ": a record has ",
               self.record_bytes_, " bytes, the place for it ", record.size());
    size_t done = 0;
    while (done < record.size()) {
      const auto at = static_cast<off_t>(self.header_bytes_ + done) +
                      static_cast<off_t>(number) * static_cast<off_t>(self.record_bytes_);
      const ssize_t got = ::pread(*self.file_, record.data() + done, record.size() - done, at);
      if (got < 0 && errno == EINTR) continue;
      OA_REQUIRE(got >= 0, "records of ", self.path_, ": record ", number, ": ",
                 std::strerror(errno));
      OA_REQUIRE(got > 0, "records of ", self.path_, ": ends in record ", number);
      done += static_cast<size_t>(got);
    }
  };
}

ByteRing add_read(SegmentGraph& graph, const std::string& name, RecordSource source, size_t bytes,
                  int places, int per_step) {
  const ByteRing out = ring_behind(graph, name, bytes, places);
  graph.segment(
      name, graph.strand(name),
      [out, source = std::move(source)](const Firing& firing) {
        source(firing.index, out.produced(firing));
      },
      {}, {{out.slot}}, per_step);
  return out;
}

ByteRing add_decode(SegmentGraph& graph, const std::string& name, const ByteRing& in,
                    Decoder decoder, size_t bytes, int places, int per_step) {
  const ByteRing out = ring_behind(graph, name, bytes, places);
  graph.segment(
      name, graph.strand(name),
      [in, out, decoder = std::move(decoder)](const Firing& firing) {
        decoder(in.consumed(firing), out.produced(firing));
      },
      {{in.slot}}, {{out.slot}}, per_step);
  return out;
}

ByteRing add_copy(SegmentGraph& graph, const std::string& name, const ByteRing& in, int places,
                  int per_step) {
  const auto copy = [](std::span<const std::byte> from, std::span<std::byte> to) {
    std::memcpy(to.data(), from.data(), from.size());
  };
  return add_decode(graph, name, in, copy, in.bytes(), places, per_step);
}

}  // namespace oneagent
