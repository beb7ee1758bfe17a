#include "core/io/zip.h"

#include <array>
#include <cstdint>
#include <cstring>

#include "core/base/check.h"

namespace oneagent::io {
namespace {

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& what) : bytes_(bytes), what_(what) {}

  template <class T>
  T at(uint64_t offset) const {
    OA_REQUIRE(offset <= bytes_.size() && bytes_.size() - offset >= sizeof(T), what_,
               ": cut off at byte ", offset, " of ", bytes_.size());
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }
  std::string_view part(uint64_t offset, uint64_t size) const {
    OA_REQUIRE(offset <= bytes_.size() && bytes_.size() - offset >= size, what_, ": an entry of ",
               size, " bytes at ", offset, " reaches beyond the end at ", bytes_.size());
    return bytes_.substr(offset, size);
  }

 private:
  std::string_view bytes_;
  const std::string& what_;
};

constexpr uint32_t kEnd = 0x06054b50, kEntry = 0x02014b50, kLocal = 0x04034b50;
constexpr uint32_t kEnd64Locator = 0x07064b50, kEnd64 = 0x06064b50;
constexpr uint32_t kIn64 = 0xffffffff;

}  // namespace

std::map<std::string, std::string_view> read_zip(std::string_view bytes, const std::string& what) {
  const Reader reader(bytes, what);
  const size_t end = bytes.rfind("PK\x05\x06");
  OA_REQUIRE(end != std::string_view::npos, what,
             ": a zip archive without its directory; cut off?");
  OA_REQUIRE(reader.at<uint32_t>(end) == kEnd, what, ": no end record");
  uint64_t count = reader.at<uint16_t>(end + 10), at = reader.at<uint32_t>(end + 16);
  if (end >= 20 && reader.at<uint32_t>(end - 20) == kEnd64Locator) {
    const auto record = reader.at<uint64_t>(end - 12);
    OA_REQUIRE(reader.at<uint32_t>(record) == kEnd64, what, ": broken zip64 record");
    count = reader.at<uint64_t>(record + 32);
    at = reader.at<uint64_t>(record + 48);
  }
  std::map<std::string, std::string_view> entries;
  for (uint64_t i = 0; i < count; ++i) {
    OA_REQUIRE(reader.at<uint32_t>(at) == kEntry, what, ": directory entry ", i, " is broken");
    const auto method = reader.at<uint16_t>(at + 10);
    uint64_t size = reader.at<uint32_t>(at + 24), local = reader.at<uint32_t>(at + 42);
    const auto name_size = reader.at<uint16_t>(at + 28), extra_size = reader.at<uint16_t>(at + 30),
               comment_size = reader.at<uint16_t>(at + 32);
    const std::string name(reader.part(at + 46, name_size));
    OA_REQUIRE(method == 0, what, ": entry ", name,
               " is compressed; torch.save stores entries without compression");
    uint64_t extra = at + 46 + name_size;
    const uint64_t extra_end = extra + extra_size;
    while (extra + 4 <= extra_end) {
      const auto tag = reader.at<uint16_t>(extra), length = reader.at<uint16_t>(extra + 2);
      uint64_t field = extra + 4;
      if (tag == 1) {  // zip64: those of the sizes and the offset that did not fit
        if (size == kIn64) size = reader.at<uint64_t>(field), field += 8;
        if (reader.at<uint32_t>(at + 20) == kIn64) field += 8;
        if (local == kIn64) local = reader.at<uint64_t>(field);
      }
      extra += 4 + length;
    }
    OA_REQUIRE(reader.at<uint32_t>(local) == kLocal, what, ": entry ", name, " is broken");
    const uint64_t data =
        local + 30 + reader.at<uint16_t>(local + 26) + reader.at<uint16_t>(local + 28);
    entries[name] = reader.part(data, size);
    at += 46 + name_size + extra_size + comment_size;
  }
  return entries;
}

namespace {

uint32_t crc32_of(std::string_view bytes) {  // polynomial 0x04c11db7, reflected
  static const auto table = [] {
    std::array<uint32_t, 256> out{};
    for (uint32_t i = 0; i < 256; ++i) {
      uint32_t value = i;
      for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xedb88320 : 0);
      out[i] = value;
    }
    return out;
  }();
  uint32_t crc = 0xffffffff;
  for (const char c : bytes) crc = table[(crc ^ static_cast<uint8_t>(c)) & 0xff] ^ (crc >> 8);
  return ~crc;
}

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// What the local header and the directory share, from the version on; 1980-01-01 as date.
void put_common(std::string& out, const std::string& name, uint32_t crc, size_t size,
                size_t extra) {
  put<uint16_t>(out, 20);
  put<uint32_t>(out, 0);  // flags and method: stored
  put<uint16_t>(out, 0);
  put<uint16_t>(out, 0x21);
  put<uint32_t>(out, crc);
  put<uint32_t>(out, static_cast<uint32_t>(size));
  put<uint32_t>(out, static_cast<uint32_t>(size));
  put<uint16_t>(out, static_cast<uint16_t>(name.size()));
  put<uint16_t>(out, static_cast<uint16_t>(extra));
}

}  // namespace

std::string write_zip(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string out, directory;
  for (const auto& [name, bytes] : entries) {
    const size_t start = out.size(), head = start + 30 + name.size() + 4;
    OA_REQUIRE(head + bytes.size() + directory.size() < kIn64 - 1000, "zip: entry ", name,
               " takes the archive beyond 4 GiB");
    const size_t padding = (64 - head % 64) % 64;
    const uint32_t crc = crc32_of(bytes);
    put(out, kLocal);
    put_common(out, name, crc, bytes.size(), 4 + padding);
    out += name;
    put<uint16_t>(out, 0x4246);  // an extra field without meaning, for the alignment
    put<uint16_t>(out, static_cast<uint16_t>(padding));
    out.append(padding, 'Z');
    out += bytes;
    put(directory, kEntry);
    put<uint16_t>(directory, 20);
    put_common(directory, name, crc, bytes.size(), 0);
    directory.append(10, '\0');  // comment, disk and attributes
    put<uint32_t>(directory, static_cast<uint32_t>(start));
    directory += name;
  }
  const auto at = static_cast<uint32_t>(out.size());
  out += directory;
  put(out, kEnd);
  put<uint32_t>(out, 0);
  put<uint16_t>(out, static_cast<uint16_t>(entries.size()));
  put<uint16_t>(out, static_cast<uint16_t>(entries.size()));
  put<uint32_t>(out, static_cast<uint32_t>(directory.size()));
  put<uint32_t>(out, at);
  put<uint16_t>(out, 0);
  return out;
}

}  // namespace oneagent::io
